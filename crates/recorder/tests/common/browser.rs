//! A browser that somebody else started: what is attached to. The tests of `serve` use it too.

#![allow(dead_code, reason = "each test file uses a part of it")]

use browserlens_recorder::find_chrome;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A browser that is not ours.
pub struct Browser {
    child: Child,
    pub port: u16,
    /// Address of its protocol.
    pub endpoint: String,
    folder: tempfile::TempDir,
}

impl Browser {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("temporary folder");
        let child = Command::new(find_chrome(None).expect("Chromium"))
            .args([
                "--headless=new",
                "--no-sandbox",
                "--no-first-run",
                // Its address bar's popups are pages of their own, and cost more than the rest of a start.
                "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
                "--remote-debugging-port=0",
                "--window-size=1280,900",
            ])
            .arg(format!("--user-data-dir={}", folder.path().display()))
            .arg("about:blank")
            .env("HOME", folder.path())
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_CACHE_HOME")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("Chromium starts");
        let told = folder.path().join("DevToolsActivePort");
        let deadline = Instant::now() + Duration::from_secs(60);
        let port = loop {
            let text = std::fs::read_to_string(&told).unwrap_or_default();
            match text.lines().next().and_then(|line| line.parse::<u16>().ok()) {
                Some(port) if text.lines().count() > 1 => break port,
                _ => assert!(Instant::now() < deadline, "Chromium told no port"),
            }
            std::thread::sleep(Duration::from_millis(50));
        };
        Self { child, port, endpoint: format!("http://127.0.0.1:{port}"), folder }
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|ended| ended.is_none())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        wait_until_gone(&self.folder.path().to_string_lossy());
    }
}

/// Returns the processes whose command line has a text in it.
pub fn processes_with(text: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("/proc").flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&line).contains(text) {
            found.push(pid);
        }
    }
    found
}

/// Waits until no process has a text in its command line.
pub fn wait_until_gone(text: &str) -> Vec<u32> {
    let mut left = processes_with(text);
    for _ in 0..100 {
        if left.is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
        left = processes_with(text);
    }
    left
}
