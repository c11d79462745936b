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
