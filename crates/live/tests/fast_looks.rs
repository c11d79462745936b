//! A fast look sees what a whole capture sees, in every field that the lens reads. `examples/equality.rs` holds every bundled step to it.

mod common;

use common::{Differences, looks_of, traces};

#[test]
fn a_fast_look_equals_the_whole_capture_in_every_field_that_the_lens_reads() {
    let mut found = Differences::default();
    for name in ["tiny/newsletter-signup", "login/wrong-then-right"] {
        for look in looks_of(&traces().join("scenarios").join(format!("{name}.toml"))) {
            found.add(&look, name);
        }
    }
    assert!(found.steps >= 6 && found.nodes > 500, "{} steps, {} nodes", found.steps, found.nodes);
    assert_eq!(found.telling(), Vec::<String>::new());
    assert_eq!(found.other_text, Vec::<String>::new());
}
