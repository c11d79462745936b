//! Finds Chromium, starts it through chromiumoxide, and sees to it that none is left running.
//!
//! In: a path, `$CHROME` or the names on `PATH`. Out: a [`Chrome`] with its protocol's address.
//! Invariant: when the recorder's process ends, however it ends, Chromium ends and its profile is
//! removed. A watchdog (`sh`) blocks on a pipe whose other end only this process holds: the kernel
//! closes it on exit, panic or SIGKILL alike, and the watchdog then kills Chromium. Why not
//! `PR_SET_PDEATHSIG`: it is tied to the thread that spawned, and is Linux only.

use crate::error::RecordError;
use crate::event_loop::SessionSetup;
use browserlens_core::page::Viewport;
use chromiumoxide::error::CdpError;
use chromiumoxide::{Browser, BrowserConfig, Handler, Page};
use futures::StreamExt;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Names under which Chromium and its kin are installed, in order of preference.
const NAMES: [&str; 6] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless_shell"];

/// Soft stack limit of Chromium in KiB: a page nested 10,000 deep overflows the renderer's usual 8
/// MiB.
const STACK_KIB: u32 = 256 * 1024;

const LAUNCH_TIMEOUT: Duration = Duration::from_secs(30);
/// How long the watchdog may take to end Chromium.
const WATCHDOG_LIMIT: Duration = Duration::from_secs(10);

/// What the system says of a script that is still held open for writing.
const BUSY: &str = "(os error 26)";
const MOST_BUSY: u32 = 50;

/// How Chromium is started.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChromeOptions {
    pub(crate) path: Option<PathBuf>,
    /// Whether it runs without its sandbox; as root it always does.
    pub(crate) no_sandbox: bool,
    pub(crate) host_rules: Option<String>,
    /// Proxy that every request goes through, those to this machine included.
    pub(crate) proxy: Option<String>,
    /// Whether elements tell their role and accessible name to scripts, for fast looks.
    pub(crate) tells_roles: bool,
}

/// Returns where Chromium is: `path` if given, else `$CHROME`, else the first known name on `PATH`.
///
/// # Errors
/// [`RecordError::ChromiumMissing`] with the places that were looked at.
pub fn find_chrome(path: Option<&Path>) -> Result<PathBuf, RecordError> {
    find_in(path, std::env::var_os("CHROME").map(PathBuf::from), std::env::var_os("PATH"))
}

fn find_in(
    path: Option<&Path>,
    chrome: Option<PathBuf>,
    search: Option<std::ffi::OsString>,
) -> Result<PathBuf, RecordError> {
    if let Some(path) = path {
        return named(path, "--chrome");
    }
    if let Some(path) = chrome.filter(|path| !path.as_os_str().is_empty()) {
        return named(&path, "$CHROME");
    }
    let folders: Vec<PathBuf> = search.map(|search| std::env::split_paths(&search).collect()).unwrap_or_default();
    let on_path = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let bundle = PathBuf::from("/Applications/Chromium.app/Contents/MacOS/Chromium");
    on_path.chain([bundle]).find(|path| is_program(path)).ok_or_else(|| RecordError::ChromiumMissing {
        looked_at: format!("$CHROME, which is not set, and {} on PATH", NAMES.join(", ")),
    })
}

fn named(path: &Path, source: &str) -> Result<PathBuf, RecordError> {
    if is_program(path) {
        return Ok(path.to_owned());
    }
    Err(RecordError::ChromiumMissing { looked_at: format!("{source}: {} is no program", path.display()) })
}

fn is_program(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// A running Chromium: our own with a fresh profile, or one that somebody else started and that
/// stays when we go.
pub(crate) struct Chrome {
    /// The browser that we started; none where we only attached.
    own: Option<OwnChrome>,
    address: String,
}

struct OwnChrome {
    browser: Browser,
    handler: tokio::task::JoinHandle<()>,
    watchdog: Watchdog,
    folder: TempDir,
}

impl Chrome {
    pub(crate) async fn launch(options: &ChromeOptions, setup: &SessionSetup) -> Result<Self, RecordError> {
        let program = find_chrome(options.path.as_deref())?;
        let io_error = |context: &'static str| move |source| RecordError::Io { context: context.to_owned(), source };
        let folder = tempfile::Builder::new().prefix("browserlens-").tempdir();
        let folder = folder.map_err(io_error("cannot make a temporary profile for Chromium"))?;
        let downloads = std::fs::create_dir_all(folder.path().join("downloads"));
        downloads.map_err(io_error("cannot make a folder for downloads"))?;
        let starter = write_starter(folder.path(), &program);
        let starter = starter.map_err(io_error("cannot write Chromium's start script"))?;
        let watchdog = Watchdog::start(folder.path());
        let watchdog = watchdog.map_err(io_error("cannot start the watchdog (sh) for Chromium"))?;
        let failed = |reason: String| RecordError::LaunchFailed { path: program.clone(), reason };
        let config = config(options, setup, &starter, folder.path()).map_err(failed)?;
        let (browser, mut handler) = started(&config).await.map_err(|error| failed(one_line(&error.to_string())))?;
        let handler = tokio::spawn(async move { while handler.next().await.is_some() {} });
        let address = browser.websocket_address().clone();
        Ok(Self { own: Some(OwnChrome { browser, handler, watchdog, folder }), address })
    }

    /// Returns the browser at an address that somebody else started; it is not ended with us.
    pub(crate) fn attached(address: String) -> Self {
        Self { own: None, address }
    }

    /// Returns whether somebody else started the browser.
    pub(crate) fn is_attached(&self) -> bool {
        self.own.is_none()
    }

    fn browser(&self) -> Result<&Browser, String> {
        self.own.as_ref().map(|own| &own.browser).ok_or_else(|| "the browser was closed".to_owned())
    }

    /// Returns the WebSocket address of the browser's protocol.
    pub(crate) fn address(&self) -> String {
        self.address.clone()
    }

    /// Returns the folder that downloads go to, of a browser of our own.
    pub(crate) fn downloads(&self) -> Option<PathBuf> {
        self.own.as_ref().map(|own| own.folder.path().join("downloads"))
    }

    /// Returns name and version, as the browser says them.
    pub(crate) async fn version(&self) -> Result<String, String> {
        let version = self.browser()?.version().await;
        version.map(|version| version.product).map_err(|error| one_line(&error.to_string()))
    }

    /// Opens a tab.
    pub(crate) async fn new_page(&self) -> Result<Page, String> {
        self.browser()?.new_page("about:blank").await.map_err(|error| one_line(&error.to_string()))
    }

    /// Returns chromiumoxide's handle of a tab; waits a little, because it may learn of a new tab
    /// later than we do.
    pub(crate) async fn page(&self, target: &str) -> Result<Page, String> {
        let browser = self.browser()?;
        let deadline = Instant::now() + Duration::from_secs(5);
        loop {
            match browser.get_page(target.to_owned().into()).await {
                Ok(page) => return Ok(page),
                Err(error) if Instant::now() > deadline => return Err(one_line(&error.to_string())),
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    }

    /// Ends Chromium and removes its profile; returns when both are gone.
    pub(crate) async fn close(mut self) {
        let Some(mut own) = self.own.take() else { return };
        own.end();
        // Waiting is short (the watchdog kills at once) but blocks, so it has a thread of its own.
        let waited = tokio::task::spawn_blocking(move || {
            own.watchdog.wait();
            own
        });
        if let Ok(mut own) = waited.await {
            drop(tokio::time::timeout(Duration::from_secs(5), own.browser.wait()).await);
        }
    }

    /// Ends a browser of our own at once.
    pub(crate) fn end(&mut self) {
        self.own.iter_mut().for_each(OwnChrome::end);
    }
}

impl OwnChrome {
    fn end(&mut self) {
        self.handler.abort();
        self.watchdog.release();
    }
}

impl Drop for OwnChrome {
    fn drop(&mut self) {
        self.end();
        self.watchdog.wait();
    }
}

fn one_line(text: &str) -> String {
    browserlens_core::page::text::one_line(text).chars().take(400).collect()
}

/// Chromium's sandbox refuses to run as root. The owner of `/proc/self` is the effective user.
fn runs_as_root() -> bool {
    let owner = |path: &Path| std::fs::metadata(path).map(|data| data.uid());
    let probe = || tempfile::tempdir().and_then(|folder| owner(folder.path()));
    owner(Path::new("/proc/self")).or_else(|_| probe()).is_ok_and(|uid| uid == 0)
}

fn config(
    options: &ChromeOptions,
    setup: &SessionSetup,
    starter: &Path,
    folder: &Path,
) -> Result<BrowserConfig, String> {
    let Viewport { width, height, .. } = setup.viewport;
    let mut config = BrowserConfig::builder()
        .chrome_executable(starter)
        .user_data_dir(folder.join("profile"))
        .new_headless_mode()
        .viewport(None)
        .window_size(width, height)
        .launch_timeout(LAUNCH_TIMEOUT)
        .request_timeout(Duration::from_secs(60))
        .respect_https_errors()
        .disable_default_args();
    if options.no_sandbox || runs_as_root() {
        config = config.no_sandbox();
    }
    for flag in [FLAGS, PIXEL_FLAGS, WITHOUT].into_iter().flat_map(str::split_whitespace) {
        config = config.arg(flag);
    }
    config = config.arg(("lang", setup.locale.as_str()));
    if options.tells_roles {
        config = config.arg(("enable-blink-features", "ComputedAccessibilityInfo"));
    }
    if let Some(rules) = &options.host_rules {
        config = config.arg(("host-resolver-rules", rules.as_str())).arg("no-proxy-server");
    }
    if let Some(proxy) = &options.proxy {
        config = config.arg(("proxy-server", proxy.as_str())).arg(("proxy-bypass-list", "<-loopback>"));
        // WebRTC would send datagrams past the proxy, to whatever address a page names.
        config = config.arg(("webrtc-ip-handling-policy", "disable_non_proxied_udp"));
    }
    config.build()
}

/// Flags that make pages the same from run to run and keep Chromium from talking to anyone but the
/// page's servers.
const FLAGS: &str = "disable-gpu disable-quic no-first-run no-default-browser-check no-startup-window \
    disable-background-networking disable-component-update disable-sync disable-default-apps \
    disable-domain-reliability disable-client-side-phishing-detection disable-breakpad disable-crash-reporter \
    disable-hang-monitor disable-prompt-on-repost disable-popup-blocking disable-ipc-flooding-protection \
    disable-background-timer-throttling disable-backgrounding-occluded-windows disable-renderer-backgrounding \
    disable-dev-shm-usage disable-smooth-scrolling disable-search-engine-choice-screen metrics-recording-only \
    password-store=basic use-mock-keychain force-color-profile=srgb force-device-scale-factor=1 \
    font-render-hinting=none site-per-process";
/// The same pixels however a change is painted: whole tiles, in order, without sub-pixel or
/// machine-dependent paths.
const PIXEL_FLAGS: &str = "disable-partial-raster disable-checker-imaging num-raster-threads=1 disable-lcd-text \
    disable-skia-runtime-opts";
/// A page restored from the back-forward cache skips its load events or not, as memory allows: not
/// the same twice. The address bar's popups are pages of their own, which cost more processor time
/// than the rest of a start.
const WITHOUT: &str = "disable-features=BackForwardCache,Translate,TranslateUI,OptimizationHints,MediaRouter,\
    HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,PaintHolding,CalculateNativeWinOcclusion,\
    AutofillServerCommunication,WebUIOmniboxPopup,WebUIOmniboxAimPopup";

/// Writes the script that starts Chromium: it raises the stack limit, notes its pid (which `exec`
/// keeps), and gives up if the recorder ended in between. Its home is in the profile's folder:
/// certificates, shaders and settings would else be left in the user's.
fn write_starter(folder: &Path, program: &Path) -> io::Result<PathBuf> {
    let starter = folder.join("start");
    let home = folder.join("home");
    std::fs::create_dir_all(&home)?;
    let (quoted_folder, quoted_home, quoted_program) = (quote(folder), quote(&home), quote(program));
    let script = format!(
        "#!/bin/sh\n\
         ulimit -S -s {STACK_KIB} 2>/dev/null || ulimit -S -s \"$(ulimit -H -s)\" 2>/dev/null\n\
         cd {quoted_folder} || exit 1\n\
         export TMPDIR={quoted_folder} HOME={quoted_home}\n\
         unset XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_RUNTIME_DIR\n\
         echo $$ > pid.new && mv pid.new pid || exit 1\n\
         [ -e ended ] && exit 1\n\
         exec {quoted_program} \"$@\" < /dev/null\n"
    );
    std::fs::write(&starter, script)?;
    std::fs::set_permissions(&starter, std::fs::Permissions::from_mode(0o700))?;
    Ok(starter)
}

fn quote(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', "'\\''"))
}

/// What ends Chromium when this process ends: a process that reads what only we hold open.
struct Watchdog(Option<Child>);

impl Watchdog {
    fn start(folder: &Path) -> io::Result<Self> {
        // Children first and all: one that outlives the browser for a moment would write its cache
        // into the removed profile, and one that began while the others were listed is in no list.
        // So profile and processes must be gone twice in a row. The pattern comes by a pipe: as an
        // argument, grep would find itself.
        let script = "\
            trap '' INT TERM HUP\n\
            tree() { for child in $(cat /proc/\"$1\"/task/*/children 2>/dev/null); do tree \"$child\"; done; echo \
            \"$1\"; }\n\
            while read -r _; do :; done\n\
            cd \"$1\" || exit 0\n\
            : > ended\n\
            if [ -s pid ]; then kill -KILL $(tree \"$(cat pid)\") 2>/dev/null; fi\n\
            cd /\n\
            gone=0 tries=0\n\
            while [ $gone -lt 2 ] && [ $tries -lt 100 ]; do\n\
              left=$(printf '%s\\n' \"$1/profile\" | grep -lsaF -f - /proc/[0-9]*/cmdline)\n\
              for file in $left; do file=${file#/proc/}; kill -KILL \"${file%/cmdline}\" 2>/dev/null; done\n\
              if [ -n \"$left\" ] || [ -e \"$1\" ]; then gone=0; rm -rf \"$1\" 2>/dev/null; else gone=$((gone + 1)); \
              fi\n\
              tries=$((tries + 1))\n\
              [ $gone -lt 2 ] && sleep 0.05\n\
            done\n";
        let child = Command::new("/bin/sh")
            .args(["-c", script, "browserlens-watchdog"])
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // A group of its own: Ctrl-C in a terminal must end the recorder, not the one who
            // cleans up after it.
            .process_group(0)
            .spawn()?;
        Ok(Self(Some(child)))
    }

    /// Tells the watchdog to do its work.
    fn release(&mut self) {
        drop(self.0.as_mut().map(|child| child.stdin.take()));
    }

    /// Waits until the watchdog did its work, once.
    fn wait(&mut self) {
        self.release();
        let Some(mut child) = self.0.take() else { return };
        let deadline = Instant::now() + WATCHDOG_LIMIT;
        while Instant::now() < deadline && matches!(child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Starts Chromium by its start script. Where another thread began a process while the script was
/// being written, that process holds it open until it is what it is to be; this waits for it.
async fn started(config: &BrowserConfig) -> Result<(Browser, Handler), CdpError> {
    let mut tries = 0;
    loop {
        match Browser::launch(config.clone()).await {
            Err(error) if tries < MOST_BUSY && error.to_string().contains(BUSY) => {
                tries += 1;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_chromium_is_an_error_that_says_where_it_looked_and_how_to_install_it() {
        let error = find_in(None, None, Some("/nowhere".into())).expect_err("nothing is there");
        assert!(error.to_string().contains("google-chrome"), "{error}");
        assert!(error.hint().contains("apt-get install chromium"));
        let error = find_in(Some(Path::new("/nowhere/chromium")), None, None).expect_err("nothing is there");
        assert!(error.to_string().contains("/nowhere/chromium"), "{error}");
        assert_eq!(error.exit_code(), 5);
    }

    #[test]
    fn an_explicit_path_wins_over_the_environment_and_that_over_path() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let program = |name: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, "#!/bin/sh\n").expect("write");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("mode");
            path
        };
        let (explicit, env, on_path) = (program("explicit"), program("env"), program("chromium-browser"));
        let search = || Some(folder.path().as_os_str().to_owned());
        assert_eq!(find_in(Some(&explicit), Some(env.clone()), search()).expect("found"), explicit);
        assert_eq!(find_in(None, Some(env.clone()), search()).expect("found"), env);
        assert_eq!(find_in(None, None, search()).expect("found"), on_path);
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_start_script_that_is_still_held_open_is_waited_for() {
        use std::io::Write;
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("starter");
        let mut held = std::fs::File::create(&path).expect("creates");
        held.write_all(b"#!/bin/sh\nexit 7\n").expect("writes");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).expect("mode");
        let config = BrowserConfig::builder().chrome_executable(&path).no_sandbox().build().expect("a configuration");
        let release = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            drop(held);
        });
        let error = started(&config).await.expect_err("it ends at once").to_string();
        release.join().expect("ends");
        assert!(!error.contains(BUSY), "{error}");
    }
}
