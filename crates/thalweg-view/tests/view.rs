//! What the page gets is what a plain scan finds; and nobody else gets anything.

mod serving;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use serving::{ready, with_server};
use thalweg_core::bits::Bits;
use thalweg_core::{Key, Order, for_each_key};
use thalweg_data::ArrayKind;
use thalweg_view::{Kind, Series, Server, columns, export};

/// A connection that asks one thing after the other.
struct Client {
    stream: TcpStream,
    host: String,
    token: String,
}

impl Client {
    fn of(server: &Server) -> Self {
        let address = server.address();
        let rest = address.strip_prefix("http://").unwrap();
        let (host, token) = rest.split_once('/').unwrap();
        let stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, host: host.to_owned(), token: token.trim_end_matches('/').to_owned() }
    }

    fn get(&mut self, what: &str) -> (u16, Vec<u8>) {
        let path = format!("/{}/{what}", self.token);
        let host = self.host.clone();
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"))
    }

    fn json(&mut self, what: &str) -> Value {
        let (status, body) = self.get(what);
        assert_eq!(status, 200, "{what}: {}", String::from_utf8_lossy(&body));
        serde_json::from_slice(&body).unwrap()
    }

    fn ask(&mut self, request: &str) -> (u16, Vec<u8>) {
        self.stream.write_all(request.as_bytes()).unwrap();
        let mut got = Vec::new();
        let mut chunk = [0; 1 << 16];
        loop {
            if let Some(end) = got.windows(4).position(|end| end == b"\r\n\r\n") {
                let head = String::from_utf8(got[..end].to_vec()).unwrap();
                let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap();
                let whole = end + 4 + length.parse::<usize>().unwrap();
                if got.len() >= whole {
                    assert_eq!(got.len(), whole);
                    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
                    return (status, got.split_off(end + 4));
                }
            }
            let count = self.stream.read(&mut chunk).unwrap();
            assert!(count > 0, "closed: {}", String::from_utf8_lossy(&got));
            got.extend_from_slice(&chunk[..count]);
        }
    }
}

/// The best bits by a plain scan.
fn scanned<K: Key>(keys: &[K], order: Order) -> u64 {
    let best = (0..keys.len()).min_by_key(|&i| (keys[i].rank(order), i)).unwrap();
    keys[best].to_low_bits()
}

fn words(bytes: &[u8], size: usize) -> Vec<u64> {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    bytes.chunks(size).map(word).collect()
}

#[test]
fn every_column_is_that_of_a_scan() {
    macro_rules! one {
        ($t:ident) => {
            for kind in ArrayKind::ALL.iter().copied() {
                let mut keys = vec![<$t>::default(); 30_011];
                kind.fill(5, &mut keys);
                let series = ready("a", &keys);
                for (from, to, width) in
                    [(0, 30_011, 1000), (17, 20_000, 999), (5, 6, 1), (29_000, 40_000, 400), (100, 1100, 1000)]
                {
                    let got = words(&columns::columns(&series, from, to, width).unwrap(), size_of::<$t>());
                    let (low, high) = got.split_at(got.len() / 2);
                    let mut count = 0;
                    for c in 0..width {
                        let start = columns::start(from, to - from, width, c);
                        let end = columns::start(from, to - from, width, c + 1).min(keys.len());
                        if start >= keys.len() {
                            break;
                        }
                        let column = &keys[start..end];
                        assert_eq!(low[c], scanned(column, Order::Min), "{} {kind:?} {c}", <$t>::NAME);
                        assert_eq!(high[c], scanned(column, Order::Max), "{} {kind:?} {c}", <$t>::NAME);
                        count += 1;
                    }
                    assert_eq!(low.len(), count);
                }
                let got = words(&columns::points(&series, 11, 300).unwrap(), size_of::<$t>());
                assert!(got.iter().zip(&keys[11..300]).all(|(bits, key)| *bits == key.to_low_bits()));
            }
        };
    }
    for_each_key!(one);
}

#[test]
fn nan_is_a_gap_only_where_nothing_else_is() {
    let mut keys = vec![f32::NAN; 100];
    keys[10] = 2.0;
    keys[11] = -1.0;
    let series = ready("a", &keys);
    let got = words(&columns::columns(&series, 0, 100, 10).unwrap(), 4);
    let value = |i: usize| f32::from_bits(got[i] as u32);
    assert_eq!((value(1), value(11)), (-1.0, 2.0));
    assert!((0..20).filter(|i| i % 10 != 1).all(|i| value(i).is_nan()));
}

#[test]
fn strangers_get_nothing() {
    let keys = [3i32, 1, 2];
    with_server(&[ready("a", &keys)], |server| {
        let mut client = Client::of(server);
        let (host, token) = (client.host.clone(), client.token.clone());
        let port = host.split_once(':').unwrap().1;
        let mut status = |path: &str, host: &str| client.ask(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n")).0;
        assert_eq!(status(&format!("/{token}/state"), &host), 200);
        assert_eq!(status(&format!("/{token}/"), &format!("localhost:{port}")), 200);
        let almost = format!("/{}{}/state", &token[..31], if token.ends_with('0') { 1 } else { 0 });
        for path in ["/", "/state", "/favicon.ico", "//state", "/0123/state", &almost] {
            assert_eq!(status(path, &host), 403, "{path}");
        }
        for other in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1", "127.0.0.1:1", ""] {
            assert_eq!(status(&format!("/{token}/state"), other), 403, "{other}");
        }
        assert_eq!(status(&format!("/{token}/nothing"), &host), 404);
        assert_eq!(client.ask(&format!("GET /{token}/state HTTP/1.1\r\nX: y\r\n\r\n")).0, 403);
        assert_eq!(client.ask(&format!("DELETE /{token}/state HTTP/1.1\r\nHost: {host}\r\n\r\n")).0, 405);
        let mut other = Client::of(server);
        assert_eq!(other.ask("nonsense\r\n\r\n").0, 400);
        let mut other = Client::of(server);
        assert_eq!(other.ask(&format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\nContent-Length: 9\r\n\r\n")).0, 400);
        let mut other = Client::of(server);
        assert_eq!(other.ask(&format!("GET /{} HTTP/1.1\r\nHost: {host}", "x".repeat(70_000))[..64 << 10]).0, 400);
    });
}

#[test]
fn questions_have_answers_or_a_reason() {
    let keys: Vec<i64> = (0..5000i64).map(|i| (i * 7919) % 4999 - 2000).collect();
    let floats = [1.5f64, f64::NAN, -0.0, 0.0, f64::INFINITY];
    let unbuilt = Series::new("c", Kind::of::<f64>(), Bits::of(&floats));
    with_server(&[ready("a", &keys), ready("b", &floats), unbuilt], |server| {
        let mut client = Client::of(server);
        let state = client.json("state");
        assert_eq!(state["series"][0]["length"], 5000);
        assert_eq!(state["series"][1]["ready"], true);
        assert_eq!(state["series"][2]["ready"], false);
        for what in ["best?series=2&from=0&to=2", "columns?series=2&from=0&to=5&width=2"] {
            assert_eq!(client.get(what).0, 503);
        }
        for (order, key) in [("min", Order::Min), ("max", Order::Max)] {
            let got = client.json(&format!("best?series=0&order={order}&from=100&to=4000"));
            let position = (100..4000).min_by_key(|&i| (keys[i].rank(key), i)).unwrap();
            assert_eq!(got["position"], position);
            assert_eq!(got["value"], keys[position].to_string());
            let mut all: Vec<usize> = (7..3000).collect();
            all.sort_by_key(|&i| (keys[i].rank(key), i));
            let got = client.json(&format!("smallest?series=0&order={order}&from=7&to=3000&k=50"));
            let positions: Vec<usize> =
                got.as_array().unwrap().iter().map(|one| one["position"].as_u64().unwrap() as usize).collect();
            assert_eq!(positions, all[..50]);
        }
        for at in [0, 1, 17, 2500, 4998, 4999] {
            let right = (at + 1..5000).find(|&i| keys[i] < keys[at]);
            let left = (0..at).rev().find(|&i| keys[i] < keys[at]);
            for (side, expected) in [("right", right), ("left", left)] {
                let got = client.json(&format!("next?series=0&at={at}&side={side}"));
                assert_eq!(got["position"].as_u64().map(|p| p as usize), expected, "{at} {side}");
            }
        }
        // A number is smaller than NaN.
        assert_eq!(client.json("next?series=1&at=1&side=right")["position"], 2);
        assert_eq!(client.json("at?series=1&at=4")["value"], "inf");
        let told = client.json("at?series=0&at=20&from=10&to=300");
        assert_eq!(told["low"]["value"], keys[10..300].iter().min().unwrap().to_string());
        let how = client.json("how?series=0&left=3&right=4900");
        assert_eq!(how["position"], client.json("best?series=0&from=3&to=4901")["position"]);
        assert!(!how["looks"].as_array().unwrap().is_empty());
        for bad in [
            "columns?series=0&from=0&to=10&width=20",
            "columns?series=0&from=0&to=99999&width=0",
            "columns?series=0&from=9&to=1&width=1",
            "columns?series=0&from=0&to=90000&width=20000",
            "points?series=0&from=0&to=99999999",
            "best?series=0&from=5&to=5",
            "best?series=9&from=0&to=5",
            "best?series=0&from=x&to=5",
            "how?series=0&left=5&right=5000",
            "smallest?series=0&from=0&to=9&k=0",
            "next?series=0&at=5000&side=left",
            "best",
            "columns?series=0&from=18446744073709551615&to=0&width=1",
        ] {
            let (status, body) = client.get(bad);
            assert!(status == 400 && !body.is_empty(), "{bad}: {status}");
        }
    });
}

#[test]
fn many_ask_at_once() {
    let keys: Vec<f32> = (0..200_000).map(|i| (i as f32 / 777.0).sin()).collect();
    with_server(&[ready("a", &keys)], |server| {
        thread::scope(|scope| {
            for tab in 0..4 {
                scope.spawn(move || {
                    let mut client = Client::of(server);
                    let first = client.get(&format!("columns?series=0&from={tab}&to=100000&width=50")).1;
                    for _ in 0..2000 {
                        let (status, again) = client.get(&format!("columns?series=0&from={tab}&to=100000&width=50"));
                        assert!(status == 200 && again == first);
                    }
                });
            }
        });
    });
}

#[test]
fn a_page_without_a_server_holds_what_it_says() {
    let keys: Vec<i16> = (0..100_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 16) as i16).collect();
    let few = [1.0f64, f64::NAN, 3.0];
    let mut page = Vec::new();
    export::write(&[ready("<a>", &keys), ready("b", &few)], "</script>", 40_000, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    let (_, rest) = page.split_once("id=\"embedded\">").unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    let data: Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["title"], "</script>");
    assert_eq!(data["series"][0]["name"], "<a>");
    let levels = data["series"][0]["levels"].as_array().unwrap();
    assert!(levels.len() > 1 && page.len() < 200_000, "{} {}", levels.len(), page.len());
    for level in levels {
        let bucket = level["bucket"].as_u64().unwrap() as usize;
        let both = words(&unbase64(level["data"].as_str().unwrap()), 2);
        let (low, high) = both.split_at(both.len() / 2);
        assert_eq!(low.len(), keys.len().div_ceil(bucket));
        for (i, keys) in keys.chunks(bucket).enumerate() {
            assert_eq!((low[i], high[i]), (scanned(keys, Order::Min), scanned(keys, Order::Max)));
        }
    }
    let points = words(&unbase64(data["series"][1]["points"].as_str().unwrap()), 8);
    assert_eq!(points, few.map(f64::to_bits));
    // Nothing is loaded from anywhere.
    assert!(!page.contains("src=\"") && !page.contains("href=\"style"));
}

fn unbase64(text: &str) -> Vec<u8> {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    for chunk in text.as_bytes().chunks(4) {
        let word = chunk.iter().fold(0u32, |word, &c| word << 6 | letters.find(c as char).unwrap_or(0) as u32);
        let count = 3 - chunk.iter().filter(|&&c| c == b'=').count();
        bytes.extend_from_slice(&word.to_be_bytes()[1..1 + count]);
    }
    bytes
}
