//! Enums whose kinds have names, each said once.

/// Declares an enum whose kinds have names: `name`, `from_name`, serde and what is printed agree on them.
///
/// `ALL` has every kind in the order in which they are declared. What else is derived stands before the enum.
#[macro_export]
macro_rules! named {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$of_kind:meta])* $kind:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$of_kind])* #[serde(rename = $text)] $kind,)+
        }

        impl $name {
            /// Every kind, in order.
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$kind),+];

            /// Returns the name, in files and in words.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $text,)+
                }
            }

            /// Returns the kind of a name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|kind| kind.name() == name)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

#[cfg(test)]
mod tests {
    named! {
        /// Two kinds, one with a name of its own.
        pub enum Kind {
            /// One.
            First = "first",
            /// The other.
            Other = "the-other",
        }
    }

    #[test]
    fn a_kind_has_one_name_wherever_it_stands() {
        assert_eq!(Kind::ALL, [Kind::First, Kind::Other]);
        for kind in Kind::ALL {
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
            assert_eq!(kind.to_string(), kind.name());
            assert_eq!(serde_json::to_string(&kind).expect("JSON"), format!("{:?}", kind.name()));
            assert_eq!(serde_json::from_str::<Kind>(&format!("{:?}", kind.name())).expect("a kind"), kind);
        }
        assert_eq!(Kind::from_name("First"), None);
        assert!(serde_json::from_str::<Kind>("\"other\"").is_err());
    }
}
