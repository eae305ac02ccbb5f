//! The browser, where there is a screen.

use std::process::{Command, Stdio};

/// Opens an address. Where that does not work, people have the address.
pub fn open(address: &str) {
    let words: &[&str] = if cfg!(target_os = "macos") {
        &["open"]
    } else if cfg!(windows) {
        &["cmd", "/c", "start", ""]
    } else if ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some()) {
        &["xdg-open"]
    } else {
        return;
    };
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = command.spawn();
}
