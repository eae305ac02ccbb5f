//! As much of WebDriver as the tests need, over plain HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A browser with a session, which ends with it.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: TempDir,
}

/// A browser, or a line that says why there is none.
pub fn browser() -> Option<Browser> {
    if std::env::var("THALWEG_SKIP_BROWSER").is_ok_and(|value| value == "1") {
        eprintln!("THALWEG_SKIP_BROWSER=1: the browser tests are skipped");
        return None;
    }
    let driver = Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let Ok(mut driver) = driver else {
        eprintln!(
            "NOT TESTED: the page in a browser: no chromedriver here (Debian: apt-get install chromium chromium-driver)"
        );
        return None;
    };
    let mut lines = BufReader::new(driver.stdout.take()?).lines();
    let port = lines.find_map(|line| {
        let line = line.ok()?;
        line.split_once("successfully on port ")?.1.trim_end_matches('.').parse().ok()
    });
    // What it says later goes nowhere, and must not stop it.
    std::thread::spawn(move || lines.for_each(drop));
    let profile = tempfile::tempdir().unwrap();
    let mut browser =
        Browser { driver, port: port.expect("chromedriver tells its port"), session: String::new(), _profile: profile };
    let folder = format!("--user-data-dir={}", browser._profile.path().display());
    let arguments = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
        "--window-size=1280,800",
        "--force-device-scale-factor=1",
        &folder,
    ];
    let options =
        json!({"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": {"args": arguments}}}});
    let answer = browser.ask("POST", "/session", &options);
    browser.session = answer["sessionId"].as_str().unwrap_or_else(|| panic!("no session: {answer}")).to_owned();
    Some(browser)
}

impl Browser {
    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.port,
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        let mut chunk = [0; 1 << 16];
        loop {
            if let Some(end) = answer.windows(4).position(|end| end == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
                let length =
                    head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
                if length.is_some_and(|length| answer.len() >= end + 4 + length) {
                    let value: Value = serde_json::from_slice(&answer[end + 4..]).unwrap();
                    assert!(value["value"]["error"].is_null(), "{path}: {}", value["value"]);
                    return value["value"].clone();
                }
            }
            let count = stream.read(&mut chunk).unwrap();
            assert!(count > 0, "{path}: no answer");
            answer.extend_from_slice(&chunk[..count]);
        }
    }

    fn of_session(&self, what: &str, body: &Value) -> Value {
        self.ask("POST", &format!("/session/{}/{what}", self.session), body)
    }

    /// Goes to an address.
    pub fn go(&self, address: &str) {
        self.of_session("url", &json!({"url": "about:blank"}));
        self.of_session("url", &json!({"url": address}));
    }

    /// Goes to a page of ours, and waits for the picture.
    pub fn open(&self, address: &str) {
        self.go(address);
        self.settle();
    }

    /// Waits until nothing is on its way any more.
    pub fn settle(&self) {
        self.wait("return !!window.thalwegView && window.thalwegView.idle && window.thalwegView.draws > 0");
    }

    pub fn wait(&self, condition: &str) {
        let begun = Instant::now();
        loop {
            // Twice, with time for what a key has set off.
            if self.run(condition) == true {
                std::thread::sleep(Duration::from_millis(60));
                if self.run(condition) == true {
                    return;
                }
            }
            assert!(begun.elapsed() < Duration::from_secs(30), "{condition}");
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    pub fn run(&self, script: &str) -> Value {
        self.of_session("execute/sync", &json!({"script": script, "args": []}))
    }

    /// Presses a key, as a keyboard does, and waits for what comes of it.
    pub fn press(&self, key: &str) {
        let code = match key {
            "Enter" => "\u{e007}",
            "Escape" => "\u{e00c}",
            "ArrowRight" => "\u{e014}",
            key => key,
        };
        let actions = json!([{"type": "keyDown", "value": code}, {"type": "keyUp", "value": code}]);
        self.of_session("actions", &json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}));
        self.settle();
    }

    pub fn click(&self, selector: &str) {
        let found = self.of_session("element", &json!({"using": "css selector", "value": selector}));
        let element = found.as_object().unwrap().values().next().unwrap().as_str().unwrap().to_owned();
        self.of_session(&format!("element/{element}/click"), &json!({}));
        self.settle();
    }

    pub fn new_tab(&self) {
        let tab = self.of_session("window/new", &json!({"type": "tab"}));
        self.of_session("window", &json!({"handle": tab["handle"]}));
    }

    pub fn save_picture(&self, path: &Path) {
        let answer = self.ask("GET", &format!("/session/{}/screenshot", self.session), &Value::Null);
        let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut bytes = Vec::new();
        for chunk in answer.as_str().unwrap().as_bytes().chunks(4) {
            let digit = |c: &u8| letters.iter().position(|letter| letter == c).unwrap_or(0) as u32;
            let word = chunk.iter().fold(0, |word, c| word << 6 | digit(c));
            let count = 3 - chunk.iter().filter(|&&c| c == b'=').count();
            bytes.extend_from_slice(&word.to_be_bytes()[1..1 + count]);
        }
        std::fs::write(path, bytes).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            self.ask("DELETE", &format!("/session/{}", self.session), &Value::Null);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
