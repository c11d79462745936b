//! What the parts of a footer and of a page's header are, by Parquet's definition in Thrift, as far
//! as the library reads them.
//!
//! In: nothing. Out: for each struct the numbers of its fields and what they must be. Invariant:
//! fields that the library knows stand here; it reads them without a look at their type, so that
//! one of another type would have it read on somewhere else than here.

/// What a field is that the library reads without a look at what it says it is.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Number,
    Byte,
    Truth,
    Double,
    Text,
    List(&'static Kind),
    Struct(Fields),
}

/// Known fields of a struct; others are passed over by what they say they are.
pub(super) type Fields = &'static [(i64, Kind)];

const KEY_AND_VALUE: Fields = &[(1, Kind::Text), (2, Kind::Text)];
const NOTHING: Kind = Kind::Struct(&[]);
const TIME: Kind = Kind::Struct(&[(1, Kind::Truth), (2, Kind::Struct(&[(1, NOTHING), (2, NOTHING), (3, NOTHING)]))]);
const LOGICAL_TYPE: Fields = &[
    (1, NOTHING),
    (2, NOTHING),
    (3, NOTHING),
    (4, NOTHING),
    (5, Kind::Struct(&[(1, Kind::Number), (2, Kind::Number)])),
    (6, NOTHING),
    (7, TIME),
    (8, TIME),
    (10, Kind::Struct(&[(1, Kind::Byte), (2, Kind::Truth)])),
    (11, NOTHING),
    (12, NOTHING),
    (13, NOTHING),
    (14, NOTHING),
    (15, NOTHING),
    (16, Kind::Struct(&[(1, Kind::Byte)])),
    (17, Kind::Struct(&[(1, Kind::Text)])),
    (18, Kind::Struct(&[(1, Kind::Text), (2, Kind::Number)])),
];
const SCHEMA_ELEMENT: Fields = &[
    (1, Kind::Number),
    (2, Kind::Number),
    (3, Kind::Number),
    (4, Kind::Text),
    (5, Kind::Number),
    (6, Kind::Number),
    (7, Kind::Number),
    (8, Kind::Number),
    (9, Kind::Number),
    (10, Kind::Struct(LOGICAL_TYPE)),
];
const STATISTICS: Kind = Kind::Struct(&[
    (1, Kind::Text),
    (2, Kind::Text),
    (3, Kind::Number),
    (4, Kind::Number),
    (5, Kind::Text),
    (6, Kind::Text),
    (7, Kind::Truth),
    (8, Kind::Truth),
    (9, Kind::Number),
]);
const BOUNDS: Kind = Kind::Struct(&[
    (1, Kind::Double),
    (2, Kind::Double),
    (3, Kind::Double),
    (4, Kind::Double),
    (5, Kind::Double),
    (6, Kind::Double),
    (7, Kind::Double),
    (8, Kind::Double),
]);
const THREE_NUMBERS: Kind = Kind::Struct(&[(1, Kind::Number), (2, Kind::Number), (3, Kind::Number)]);
const NUMBERS: Kind = Kind::List(&Kind::Number);
const COLUMN: Fields = &[
    (1, Kind::Number),
    (2, NUMBERS),
    (3, Kind::List(&Kind::Text)),
    (4, Kind::Number),
    (5, Kind::Number),
    (6, Kind::Number),
    (7, Kind::Number),
    (8, Kind::List(&Kind::Struct(KEY_AND_VALUE))),
    (9, Kind::Number),
    (10, Kind::Number),
    (11, Kind::Number),
    (12, STATISTICS),
    (13, Kind::List(&THREE_NUMBERS)),
    (14, Kind::Number),
    (15, Kind::Number),
    (16, Kind::Struct(&[(1, Kind::Number), (2, NUMBERS), (3, NUMBERS)])),
    (17, Kind::Struct(&[(1, BOUNDS), (2, NUMBERS)])),
];
const CHUNK: Kind = Kind::Struct(&[
    (1, Kind::Text),
    (2, Kind::Number),
    (3, Kind::Struct(COLUMN)),
    (4, Kind::Number),
    (5, Kind::Number),
    (6, Kind::Number),
    (7, Kind::Number),
]);
const ROW_GROUP: Kind = Kind::Struct(&[
    (1, Kind::List(&CHUNK)),
    (2, Kind::Number),
    (3, Kind::Number),
    (4, Kind::List(&Kind::Struct(&[(1, Kind::Number), (2, Kind::Truth), (3, Kind::Truth)]))),
    (5, Kind::Number),
    (6, Kind::Number),
    (7, Kind::Number),
]);
pub(super) const FOOTER: Fields = &[
    (1, Kind::Number),
    (2, Kind::List(&Kind::Struct(SCHEMA_ELEMENT))),
    (3, Kind::Number),
    (4, Kind::List(&ROW_GROUP)),
    (5, Kind::List(&Kind::Struct(KEY_AND_VALUE))),
    (6, Kind::Text),
    (7, Kind::List(&Kind::Struct(&[(1, NOTHING), (2, NOTHING)]))),
];
/// Fields of a page's header of which nothing is read here; those of its struct follow.
pub(super) const PAGE: Fields = &[(4, Kind::Number), (6, NOTHING)];
pub(super) const DATA_PAGE: Fields = &[(2, Kind::Number), (3, Kind::Number), (4, Kind::Number), (5, STATISTICS)];
pub(super) const DICTIONARY_PAGE: Fields = &[(2, Kind::Number), (3, Kind::Truth)];
pub(super) const DATA_PAGE_2: Fields = &[
    (2, Kind::Number),
    (3, Kind::Number),
    (4, Kind::Number),
    (5, Kind::Number),
    (6, Kind::Number),
    (7, Kind::Truth),
    (8, STATISTICS),
];
