//! Enums whose variants have a word: in options, in measurements or in the grammar.

/// Makes an enum, the list of its variants, and the way from each to its word and back.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $word:expr,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$of])* $variant,)+
        }

        impl $name {
            /// Every one, in order.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// Returns its word.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// Returns the one that has a word.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|known| known.name() == name)
            }
        }
    };
}

pub(crate) use words;
