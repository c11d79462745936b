//! Tells the linker of systems that ask for it that symbols of Python are found when the module is
//! loaded.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
