//! Says whether the lens can be given deliberate bugs: in every build but those for users. Not by
//! `debug_assertions`, which cost a seventh of each observation's time.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(deliberate_bugs)");
    if std::env::var_os("PROFILE").is_some_and(|profile| profile != "release") {
        println!("cargo::rustc-cfg=deliberate_bugs");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
