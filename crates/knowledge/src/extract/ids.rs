//! Ids of what was extracted: words for people, and a hash that keeps them apart.
//!
//! In: a name and what makes the thing itself. Out: an id. Invariant: equal things get equal ids,
//! whatever else is known.

/// Returns an id: the name's words, and eight digits of a hash over `parts`.
pub(crate) fn id(name: &str, parts: &[&str]) -> String {
    let hash = hash(parts);
    let slug = slug(name);
    if slug.is_empty() { hash[..8].to_owned() } else { format!("{slug}_{}", &hash[..8]) }
}

/// Returns a hash over texts, in hexadecimal digits.
pub(crate) fn hash(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// Returns the words of a name in ASCII letters and digits, joined by `_`; at most 40 bytes.
pub(crate) fn slug(name: &str) -> String {
    let mut slug = String::new();
    for word in name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        if slug.len() + word.len() + 1 > 40 {
            break;
        }
        if !slug.is_empty() {
            slug.push('_');
        }
        slug.push_str(&word.to_ascii_lowercase());
    }
    slug
}
