//! Where a computed style stands in a capture.
//!
//! In: the name of a style. Out: its index in the capture contract, known when this compiles; a
//! name that is not there does not compile.

/// Index of a style in the capture contract, known when this compiles.
pub(super) const fn style(name: &str) -> usize {
    let mut index = 0;
    while index < crate::page::capture::COMPUTED_STYLES.len() {
        if same(crate::page::capture::COMPUTED_STYLES[index].as_bytes(), name.as_bytes()) {
            return index;
        }
        index += 1;
    }
    panic!("this style is not in the capture contract")
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut index = 0;
    while index < a.len() {
        if a[index] != b[index] {
            return false;
        }
        index += 1;
    }
    true
}
