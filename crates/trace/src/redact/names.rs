//! Names that say that a value is secret: of URL parameters, members of bodies, headers and fields.
//!
//! In: a name as a page wrote it. Out: whether its value is replaced. Invariant: names are compared
//! without case, `-`, `_`, `.` and brackets, so `Access-Token`, `access_token` and `accessToken`
//! are one name.

/// Names whose values are replaced in URLs (query and fragment), JSON bodies and form bodies, in
/// normal form.
///
/// Beside these, every name that ends with one of [`SENSITIVE_ENDINGS`].
pub const SENSITIVE_NAMES: &[&str] = &[
    "assertion", "auth", "authorization", "bearer", "code", "credential", "credentials", "csrf", "jsessionid", "jwt",
    "key", "mfa", "otp", "pass", "passcode", "passphrase", "passwd", "phpsessid", "pin", "privatekey", "pwd",
    "samlrequest", "samlresponse", "secret", "session", "sessionid", "sid", "sig", "signature", "ticket", "token",
    "totp", "verificationcode", "verifier", "xsrf",
];

/// Endings of names whose values are replaced, in normal form: `refresh_token`, `client_secret`,
/// `X-Amz-Signature`.
pub const SENSITIVE_ENDINGS: &[&str] = &[
    "accesskey", "apikey", "credential", "onetimecode", "otp", "otpcode", "passcode", "passwd", "password",
    "privatekey", "secret", "secretkey", "securitytoken", "sessionid", "sessionkey", "sessiontoken", "signature",
    "token", "twofactorcode",
];

/// Headers whose whole value is replaced, in normal form, beside names that end with one of
/// [`SENSITIVE_ENDINGS`] (`X-Api-Key`, `X-Auth-Token`). `Authorization`, `Cookie` and their
/// siblings keep scheme, names and attributes.
pub const SENSITIVE_HEADERS: &[&str] =
    &["apikey", "authentication", "xauth", "xauthorization", "xaccesskey", "xsessionid", "xcsrf", "xxsrf"];

/// Names and ids of fields for one-time codes, in normal form, with or without digits behind.
pub const ONE_TIME_CODE_FIELDS: &[&str] = &[
    "2facode", "authcode", "mfacode", "mfatoken", "onetimecode", "onetimepassword", "otp", "otpcode", "otpinput",
    "securitycode", "smscode", "totp", "totpcode", "twofactorcode", "verificationcode",
];

/// Brings a name into normal form.
pub(crate) fn normal(name: &str) -> String {
    name.chars()
        .filter(|character| character.is_ascii_alphanumeric())
        .map(|character| character.to_ascii_lowercase())
        .collect()
}

/// Returns whether the value under a name is secret.
pub(crate) fn is_sensitive(name: &str) -> bool {
    if name.len() > 64 {
        return false;
    }
    let name = normal(name);
    SENSITIVE_NAMES.contains(&name.as_str()) || has_sensitive_ending(&name)
}

/// Returns whether a field of this name or id holds a secret that is not for reading: what a name
/// such as `code` or `key` alone does not say.
pub(crate) fn is_secret_field(name: &str) -> bool {
    name.len() <= 64 && has_sensitive_ending(&normal(name))
}

fn has_sensitive_ending(normal_name: &str) -> bool {
    SENSITIVE_ENDINGS.iter().any(|ending| normal_name.ends_with(ending))
}

/// Returns whether a hidden field of this name holds a token.
pub(crate) fn is_token_field(name: &str) -> bool {
    let name = normal(name);
    name.ends_with("token") || name == "csrf" || name == "xsrf" || name == "samlresponse"
}

/// Returns whether the whole value of a header is secret.
pub(crate) fn is_sensitive_header(name: &str) -> bool {
    let name = normal(name);
    SENSITIVE_HEADERS.contains(&name.as_str()) || has_sensitive_ending(&name)
}

/// Returns whether a field of this name or id takes a one-time code.
pub(crate) fn is_one_time_code(name: &str) -> bool {
    let name = normal(name);
    let stem = name.trim_end_matches(|character: char| character.is_ascii_digit());
    ONE_TIME_CODE_FIELDS.contains(&stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_does_not_matter_and_other_names_pass() {
        for name in [
            "access_token", "accessToken", "X-Amz-Signature", "client_secret", "API-KEY", "user[password]", "sid",
            "code",
        ] {
            assert!(is_sensitive(name), "{name}");
        }
        for name in ["q", "page", "keyword", "author", "tokens_used", "passenger", "codec", "pinned", "sort"] {
            assert!(!is_sensitive(name), "{name}");
        }
        assert!(is_one_time_code("otp-3") && is_one_time_code("verification_code"));
        assert!(!is_one_time_code("zip_code") && !is_one_time_code("promo") && !is_one_time_code("postcode"));
    }
}
