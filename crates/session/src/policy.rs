//! Where browsers may go, and which files may be handed to pages.
//!
//! In: URLs and paths that a client names, URLs that a page led to, addresses that a connection is
//! to be made to. Out: allowed, or why not. Invariants: what is not allowed is refused, also where
//! a redirect or a name leads there; an option must say otherwise.

use crate::error::ToolError;
use crate::tools::ToolGroup;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, ToSocketAddrs};
use std::path::PathBuf;
use url::{Host, Url};

const HINT: &str = "only http and https to public addresses are allowed; who starts the server changes that, by \
    --allow-host, --allow-private or --allow-scheme";

/// What is allowed beside http and https to public addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Whether addresses of private networks, of this machine and of links are allowed.
    pub private: bool,
    /// Whether this machine is allowed where it is named as such (`localhost`, names below it,
    /// loopback addresses): to a server that its own user started, it is what most work is done on.
    /// Another name that leads here is refused all the same.
    pub loopback: bool,
    /// Whether clients may evaluate expressions in pages.
    pub evaluate: bool,
    /// Hosts that are allowed whatever their address: `name` for any port, `name:port` for one.
    pub hosts: Vec<String>,
    /// Further schemes, such as `file`.
    pub schemes: Vec<String>,
    /// Whether every page is allowed, whatever its scheme: who calls has the browser anyway.
    pub anything: bool,
    /// Folder below which files for uploads must lie; none allows no upload.
    pub upload_root: Option<PathBuf>,
    /// Groups of tools that MCP clients are told of; none for all. Others can be called all the
    /// same.
    pub groups: Vec<ToolGroup>,
}

fn port_of(url: &Url) -> u16 {
    url.port_or_known_default().unwrap_or(0)
}

fn refused(message: String) -> ToolError {
    ToolError::Refused { message, hint: HINT }
}

/// Says of a refused host which option would allow it.
fn with_option(error: ToolError, url: &Url) -> ToolError {
    match (error, url.host_str()) {
        (ToolError::Refused { message, hint }, Some(host)) => {
            let message = format!("{message}; it takes --allow-host {host}:{}", port_of(url));
            ToolError::Refused { message, hint }
        }
        (error, _) => error,
    }
}

impl Policy {
    /// Allows everything that who has the browser can do with it anyway.
    pub fn anything() -> Self {
        let upload_root = Some(PathBuf::from(std::path::MAIN_SEPARATOR_STR));
        Self { anything: true, private: true, loopback: true, evaluate: true, upload_root, ..Self::default() }
    }

    /// Checks a URL that a client wants to go to; names are resolved, and every address must be
    /// allowed.
    ///
    /// # Errors
    /// [`ToolError::Refused`] if it is no URL or not allowed.
    pub fn url(&self, text: &str) -> Result<(), ToolError> {
        let url = Url::parse(text.trim()).map_err(|error| {
            ToolError::Arguments(format!("url: {error}; expected one such as https://example.com/"))
        })?;
        if self.is_free(&url)? {
            return Ok(());
        }
        self.host(&url, "a URL without a host").map_err(|error| with_option(error, &url))?;
        let Some(Host::Domain(name)) = url.host() else { return Ok(()) };
        // A name that does not resolve is the browser's to tell.
        let Ok(found) = (name, port_of(&url)).to_socket_addrs() else { return Ok(()) };
        let addresses = found.into_iter().try_for_each(|found| self.address(found.ip(), name));
        addresses.map_err(|error| with_option(error, &url))
    }

    /// Checks the URL of a page that is about to be shown; no name is resolved.
    ///
    /// # Errors
    /// [`ToolError::Refused`].
    pub fn shown(&self, text: &str) -> Result<(), ToolError> {
        if self.anything || text.is_empty() || text.starts_with("chrome-error:") {
            return Ok(());
        }
        let Ok(url) = Url::parse(text) else { return Err(refused("a page without a URL".to_owned())) };
        if self.is_free(&url)? { Ok(()) } else { self.host(&url, "a page without a host") }
    }

    /// Checks the URL of a frame in a page that is about to be shown: what a page makes by itself
    /// (`data:`, `blob:`, `about:`) tells of nothing else.
    ///
    /// # Errors
    /// [`ToolError::Refused`].
    pub fn framed(&self, text: &str) -> Result<(), ToolError> {
        match Url::parse(text) {
            Ok(url) if matches!(url.scheme(), "data" | "blob" | "about") => Ok(()),
            Err(_) => Ok(()),
            Ok(_) => self.shown(text),
        }
    }

    /// Returns whether a URL is allowed wherever its host is; an error if its scheme forbids it.
    fn is_free(&self, url: &Url) -> Result<bool, ToolError> {
        match url.scheme() {
            _ if self.anything => Ok(true),
            "http" | "https" => Ok(self.private || self.names(url.host_str().unwrap_or_default(), port_of(url))),
            "about" if matches!(url.path(), "blank" | "srcdoc") => Ok(true),
            scheme if self.schemes.iter().any(|allowed| allowed == scheme) => Ok(true),
            scheme => Err(refused(format!("the scheme {scheme:?}"))),
        }
    }

    /// Checks the host of a URL as it is written.
    fn host(&self, url: &Url, missing: &str) -> Result<(), ToolError> {
        let written = url.host_str().unwrap_or_default();
        match url.host() {
            Some(Host::Ipv4(address)) => self.address(IpAddr::V4(address), written),
            Some(Host::Ipv6(address)) => self.address(IpAddr::V6(address), written),
            Some(Host::Domain(name)) => self.name(name),
            None => Err(refused(missing.to_owned())),
        }
    }

    /// Returns whether a host is allowed by name.
    pub fn names(&self, host: &str, port: u16) -> bool {
        let host = host.trim_end_matches('.');
        self.hosts.iter().any(|allowed| {
            allowed.eq_ignore_ascii_case(host) || allowed.eq_ignore_ascii_case(&format!("{host}:{port}"))
        })
    }

    /// Checks a host's name: some never mean a public address.
    ///
    /// # Errors
    /// [`ToolError::Refused`].
    pub fn name(&self, name: &str) -> Result<(), ToolError> {
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        let is_local = names_this_machine(&name) && !self.loopback
            || [".local", ".internal", ".home.arpa", ".lan"].iter().any(|end| name.ends_with(end));
        if is_local && !self.private { Err(refused(format!("{name}, which is not a public host"))) } else { Ok(()) }
    }

    /// Checks an address that a connection is to be made to.
    ///
    /// # Errors
    /// [`ToolError::Refused`].
    pub fn address(&self, address: IpAddr, host: &str) -> Result<(), ToolError> {
        let is_here = || address.to_canonical().is_loopback() && names_this_machine(host);
        if self.private || is_public(address) || self.loopback && is_here() {
            return Ok(());
        }
        Err(refused(format!("{host}, whose address {address} is not public")))
    }

    /// Checks files that are to be handed to a page, and returns them as an action's text.
    ///
    /// # Errors
    /// [`ToolError::Refused`] if one lies outside the folder that is allowed, or is none.
    pub fn files(&self, files: &[String]) -> Result<String, ToolError> {
        let hint = "start the server with --upload-root FOLDER and name files below it";
        let no = |message: String| ToolError::Refused { message, hint };
        let root = self.upload_root.as_ref().ok_or_else(|| no("uploads".to_owned()))?;
        let root = root.canonicalize().map_err(|error| no(format!("uploads: the folder cannot be read: {error}")))?;
        let mut found = Vec::with_capacity(files.len());
        // Who may hand over everything names files as in any other program.
        let base = if self.anything { PathBuf::new() } else { root.clone() };
        for file in files {
            let path = base.join(file).canonicalize().map_err(|_| no(format!("{file:?}, which cannot be read")))?;
            if !path.starts_with(&root) || !path.is_file() {
                return Err(no(format!("{file:?}, which is no file below that folder")));
            }
            let path = path.to_string_lossy().into_owned();
            if path.contains(", ") {
                return Err(no(format!("{file:?}: a name with a comma and a blank")));
            }
            found.push(path);
        }
        if found.is_empty() { Err(no("an upload of nothing".to_owned())) } else { Ok(found.join(", ")) }
    }
}

/// Returns whether a host means this machine whatever a name server says.
pub(crate) fn names_this_machine(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches([']', '.']).to_ascii_lowercase();
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

/// Returns whether an address is one that anybody can reach.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_multicast()
        || address.is_documentation()
        || a == 0
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (b == 18 || b == 19))
        || a >= 240;
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    // Addresses that stand for one of version 4: mapped, compatible, translated (NAT64), 6to4.
    let four = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match parts {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0, 0, 0, 0, 0, 0, high, low] => four(high, low),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => four(high, low),
        [0x2002, high, low, ..] => four(high, low),
        // Teredo carries an address of version 4, obscured; local NAT64; documentation.
        [0x2001, 0, ..] | [0x64, 0xff9b, 1, ..] | [0x2001, 0xdb8, ..] => false,
        [first, ..] => {
            let is_local = (first & 0xfe00) == 0xfc00 || (first & 0xffc0) == 0xfe80 || (first & 0xffc0) == 0xfec0;
            !(is_local || address.is_multicast())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_web_is_allowed_unless_an_option_says_otherwise() {
        let closed = Policy::default();
        for url in [
            "file:///etc/passwd",
            "chrome://settings",
            "javascript:alert(1)",
            "data:text/html,x",
            "view-source:http://93.184.216.34/",
            "ftp://93.184.216.34/",
            "http://127.0.0.1:8000/",
            "http://localhost/",
            "http://LOCALHOST./",
            "http://a.localhost/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://0/",
            "http://10.1.2.3/",
            "http://172.20.0.1/",
            "http://192.168.1.1/",
            "http://169.254.169.254/latest/meta-data/",
            "http://100.64.0.1/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[2002:7f00:1::]/",
            "http://[fd00::1]/",
            "http://[fe80::1]/",
            "http://printer.local/",
            "http://metadata.google.internal/",
        ] {
            assert!(matches!(closed.url(url), Err(ToolError::Refused { .. })), "{url}");
            assert!(closed.shown(url).is_err(), "{url}");
        }
        for url in ["https://93.184.216.34/", "http://[2606:2800:220:1::]/", "about:blank"] {
            assert!(closed.url(url).is_ok() && closed.shown(url).is_ok(), "{url}");
        }
        assert!(closed.url("not a url").is_err());
        for url in ["about:srcdoc", "data:text/html,x", "blob:http://93.184.216.34/1", "https://93.184.216.34/", ""] {
            assert!(closed.framed(url).is_ok(), "{url}");
        }
        for url in ["http://192.168.1.1/", "file:///etc/passwd", "http://localhost/", "chrome://settings"] {
            assert!(closed.framed(url).is_err(), "{url}");
        }
    }

    #[test]
    fn this_machine_is_allowed_where_it_is_named_as_such_and_by_no_other_name() {
        let own = Policy { loopback: true, ..Policy::default() };
        for url in [
            "http://localhost:3000/",
            "http://LOCALHOST./",
            "http://app.localhost/",
            "http://127.0.0.1:8000/",
            "http://127.1/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
        ] {
            assert!(own.url(url).is_ok() && own.shown(url).is_ok(), "{url}");
        }
        for url in ["http://10.1.2.3/", "http://printer.local/", "http://0/", "file:///etc/passwd"] {
            assert!(own.url(url).is_err() && own.shown(url).is_err(), "{url}");
        }
        // What a public name leads to.
        let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
        for name in ["rebound.example", "localhost.example", "127.0.0.1.example", "notlocalhost"] {
            assert!(own.address(here, name).is_err(), "{name}");
        }
        assert!(own.address(here, "localhost").is_ok() && own.address(here, "127.0.0.1").is_ok());
    }

    #[test]
    fn hosts_schemes_and_private_networks_can_be_allowed() {
        let one = Policy { hosts: vec!["127.0.0.1:8000".to_owned()], ..Policy::default() };
        assert!(one.url("http://127.0.0.1:8000/x").is_ok() && one.shown("http://127.0.0.1:8000/x").is_ok());
        assert!(one.url("http://127.0.0.1:8001/").is_err() && one.shown("http://127.0.0.1:8001/").is_err());
        let private = Policy { private: true, ..Policy::default() };
        assert!(private.url("http://10.1.2.3/").is_ok() && private.url("http://localhost/").is_ok());
        assert!(private.url("file:///etc/passwd").is_err());
        let files = Policy { schemes: vec!["file".to_owned()], ..Policy::default() };
        assert!(files.url("file:///tmp/x.html").is_ok());
    }

    #[test]
    fn uploads_stay_below_their_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("in");
        std::fs::create_dir(&root).expect("made");
        std::fs::write(root.join("a.txt"), "a").expect("written");
        std::fs::write(folder.path().join("b.txt"), "b").expect("written");
        let policy = Policy { upload_root: Some(root), ..Policy::default() };
        assert!(policy.files(&["a.txt".to_owned()]).expect("inside").ends_with("in/a.txt"));
        for outside in ["../b.txt", "/etc/passwd", "missing.txt", "."] {
            assert!(policy.files(&[outside.to_owned()]).is_err(), "{outside}");
        }
        assert!(Policy::default().files(&["a.txt".to_owned()]).is_err());
    }
}
