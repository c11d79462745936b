//! How types are shown whose parts say nothing, or are not to be shown.
//!
//! In: a type. Out: its `Display` and `Debug`.

/// Declares a hash of 32 bytes, which is written in hexadecimal digits.
#[macro_export]
macro_rules! hex_hash {
    ($(#[$meta:meta])* pub struct $name:ident;) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub struct $name(pub [u8; 32]);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }
    };
}

/// Gives a type a `Debug` that shows what is named and says that there is more.
#[macro_export]
macro_rules! opaque_debug {
    ($self:ident: $name:ident $(<$life:lifetime>)? { $($field:ident: $value:expr),* $(,)? }) => {
        impl std::fmt::Debug for $name $(<$life>)? {
            fn fmt(&$self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name))$(.field(stringify!($field), &$value))*.finish_non_exhaustive()
            }
        }
    };
}

#[cfg(test)]
mod tests {
    struct Held<'a>(&'a str);

    opaque_debug!(self: Held<'_> { length: self.0.len() });

    hex_hash! {
        /// A hash.
        pub struct Hash;
    }

    #[test]
    fn what_is_not_named_is_not_shown_and_hashes_are_digits() {
        assert_eq!(format!("{:?}", Held("secret")), "Held { length: 6, .. }");
        let hash = Hash([0x0a; 32]);
        assert_eq!((hash.to_string(), format!("{hash:?}")), ("0a".repeat(32), format!("Hash({hash})")));
    }
}
