//! Says whether the formatter can be changed by a test: in every build but those for users. Not by
//! `debug_assertions`, which cost a seventh of each observation's time.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(deliberate_change)");
    if std::env::var_os("PROFILE").is_some_and(|profile| profile != "release") {
        println!("cargo::rustc-cfg=deliberate_change");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
