//! What the parts of a footer and of a page's header are, by Parquet's definition in Thrift, as far
//! as the library reads them.
//!
//! In: nothing. Out: for each struct what its fields must be, in the order of their numbers.
//! Invariant: fields that the library knows stand here; it reads them without a look at their type,
//! so that one of another type would have it read on somewhere else than here.

use Kind::{Byte, Double, List, Number, Struct, Text, Truth, Unknown};

/// What a field is that the library reads without a look at what it says it is.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// There is no field of this number, or nothing is read of it here.
    Unknown,
    Number,
    Byte,
    Truth,
    Double,
    Text,
    List(&'static Kind),
    Struct(Fields),
}

/// Known fields of a struct, from number 1 on; others are passed over by what they say they are.
pub(super) type Fields = &'static [Kind];

const NOTHING: Kind = Struct(&[]);
const NUMBERS: Kind = List(&Number);
const TEXTS: Kind = List(&Text);
const KEYS_AND_VALUES: Kind = List(&Struct(&[Text, Text]));
const TIME: Kind = Struct(&[Truth, Struct(&[NOTHING; 3])]);
const DECIMAL: Kind = Struct(&[Number, Number]);
const INTEGER: Kind = Struct(&[Byte, Truth]);
const VARIANT: Kind = Struct(&[Byte]);
const GEOMETRY: Kind = Struct(&[Text]);
const GEOGRAPHY: Kind = Struct(&[Text, Number]);
const LOGICAL_TYPE: Kind = Struct(&[
    NOTHING, NOTHING, NOTHING, NOTHING, DECIMAL, NOTHING, TIME, TIME, Unknown, INTEGER, NOTHING, NOTHING, NOTHING,
    NOTHING, NOTHING, VARIANT, GEOMETRY, GEOGRAPHY,
]);
const SCHEMA_ELEMENT: Kind =
    Struct(&[Number, Number, Number, Text, Number, Number, Number, Number, Number, LOGICAL_TYPE]);
const STATISTICS: Kind = Struct(&[Text, Text, Number, Number, Text, Text, Truth, Truth, Number]);
const ENCODING_COUNTS: Kind = List(&Struct(&[Number; 3]));
const SIZES: Kind = Struct(&[Number, NUMBERS, NUMBERS]);
const GEOSPATIAL: Kind = Struct(&[Struct(&[Double; 8]), NUMBERS]);
const COLUMN: Kind = Struct(&[
    Number, NUMBERS, TEXTS, Number, Number, Number, Number, KEYS_AND_VALUES, Number, Number, Number, STATISTICS,
    ENCODING_COUNTS, Number, Number, SIZES, GEOSPATIAL,
]);
const CHUNKS: Kind = List(&Struct(&[Text, Number, COLUMN, Number, Number, Number, Number]));
const SORTING: Kind = List(&Struct(&[Number, Truth, Truth]));
const ROW_GROUPS: Kind = List(&Struct(&[CHUNKS, Number, Number, SORTING, Number, Number, Number]));
const SCHEMA: Kind = List(&SCHEMA_ELEMENT);
const ORDERS: Kind = List(&Struct(&[NOTHING, NOTHING]));
pub(super) const FOOTER: Fields = &[Number, SCHEMA, Number, ROW_GROUPS, KEYS_AND_VALUES, Text, ORDERS];
/// Fields of a page's header of which nothing is read here; those of its struct follow.
pub(super) const PAGE: Fields = &[Unknown, Unknown, Unknown, Number, Unknown, NOTHING];
pub(super) const DATA_PAGE: Fields = &[Number, Number, Number, Number, STATISTICS];
pub(super) const DICTIONARY_PAGE: Fields = &[Number, Number, Truth];
pub(super) const DATA_PAGE_2: Fields = &[Number, Number, Number, Number, Number, Number, Truth, STATISTICS];
