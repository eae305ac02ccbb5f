//! How long it takes to see a file of raw `f32`: `cargo run --release -p thalweg-view --example measure -- FILE`.
//!
//! Maps the file, builds both indexes, asks for 4,000 columns at many zooms, in the process and through the server, and compares
//! a part of them with a plain scan. `bench/view-peers.py` puts other tools beside it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use thalweg_arrays::rmq::file::{Image, Stored};
use thalweg_core::Order;
use thalweg_core::bits::{Array, Bits};
use thalweg_view::{Kind, Series, Server, columns};

const WIDTH: usize = 4000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("a file of raw f32 is missing")?;
    let begun = Instant::now();
    let file = std::fs::File::open(&path)?;
    // SAFETY: read only; nobody changes the file while it is measured.
    let map = unsafe { memmap2::Mmap::map(&file)? };
    // SAFETY: every pattern is a float.
    let (_, keys, _) = unsafe { map.align_to::<f32>() };
    let n = keys.len();
    let series = Series::new("a", Kind::of::<f32>(), Bits::of(keys));
    // By both threads, a few pages at a time.
    #[cfg(target_os = "linux")]
    thalweg_core::parallel::for_each_chunk(map.len(), 4 << 20, &|range| {
        let _ = map.advise_range(memmap2::Advice::PopulateRead, range.start, range.len());
    });
    println!("pages    {:7.1} ms", millis(begun));
    series.build(&|_| ())?;
    println!("built    {:7.1} ms", millis(begun));
    columns::columns(&series, 0, n, WIDTH).map_err(|e| e.to_string())?;
    println!("picture  {:7.1} ms after the beginning, {n} elements", millis(begun));

    let mut times = Vec::new();
    for zoom in 0..12 {
        let span = (n >> zoom).max(WIDTH);
        for i in 0..20 {
            let from = (n - span) / 20 * i;
            let start = Instant::now();
            let got = columns::columns(&series, from, from + span, WIDTH).map_err(|e| e.to_string())?;
            times.push(millis(start));
            if i == 7 {
                compare(keys, from, span, &got);
            }
        }
    }
    tell("columns, in the process", &mut times);
    kept(keys, &series)?;

    let server = Server::bind(0)?;
    let series = [series];
    std::thread::scope(|scope| -> Result<(), Box<dyn std::error::Error>> {
        scope.spawn(|| server.run(&series));
        let address = server.address();
        let (host, token) = address.trim_start_matches("http://").split_once('/').ok_or("no address")?;
        let mut stream = TcpStream::connect(host)?;
        stream.set_nodelay(true)?;
        let mut ask = |what: &str, body: usize| -> std::io::Result<()> {
            write!(stream, "GET /{token}{what} HTTP/1.1\r\nHost: {host}\r\n\r\n")?;
            let (mut got, mut chunk) = (Vec::new(), vec![0; 1 << 16]);
            loop {
                let count = stream.read(&mut chunk)?;
                got.extend_from_slice(&chunk[..count]);
                if let Some(end) = got.windows(4).position(|end| end == b"\r\n\r\n")
                    && got.len() >= end + 4 + body
                {
                    assert!(got.starts_with(b"HTTP/1.1 200"));
                    return Ok(());
                }
            }
        };
        let mut times = Vec::new();
        for i in 0..240 {
            let span = (n >> (i % 12)).max(WIDTH);
            let from = (n - span) / 240 * i;
            let what = format!("columns?series=0&from={from}&to={}&width={WIDTH}", from + span);
            let start = Instant::now();
            ask(&what, 8 * WIDTH)?;
            times.push(millis(start));
        }
        tell("columns, through the server", &mut times);
        let start = Instant::now();
        let requests = 1_000_000;
        for i in 0..requests {
            ask(&format!("at?series=0&at={}", i * 997 % n), 1)?;
        }
        println!("{requests} requests on one connection: {:.1} s", millis(start) / 1e3);
        server.stop();
        Ok(())
    })
}

/// The first picture with indexes that were kept, which lie in the page cache: as `thalweg view` opens them.
fn kept(keys: &[f32], series: &Series<'_>) -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let orders = [(Order::Min, folder.path().join("min.thw")), (Order::Max, folder.path().join("max.thw"))];
    for (order, path) in &orders {
        let index = series.index(*order).ok_or("no index")?;
        Image::without_array(index, "f32", *order)?.save(path)?;
    }
    let begun = Instant::now();
    let opened = Series::new("a", Kind::of::<f32>(), Bits::of(keys));
    let [minima, maxima] = &orders;
    let (minima, maxima) = (Stored::open(&minima.1)?, Stored::open(&maxima.1)?);
    opened.put([minima.engine_over(Array::of(keys))?, maxima.engine_over(Array::of(keys))?]);
    let got = columns::columns(&opened, 0, keys.len(), WIDTH).map_err(|e| e.to_string())?;
    println!("kept     {:7.1} ms from opening indexes to the picture", millis(begun));
    assert!(got == columns::columns(series, 0, keys.len(), WIDTH).map_err(|e| e.to_string())?);
    Ok(())
}

fn millis(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

fn tell(what: &str, times: &mut [f64]) {
    times.sort_by(f64::total_cmp);
    println!("{what}: median {:.3} ms, worst {:.3} ms", times[times.len() / 2], times[times.len() - 1]);
}

/// Some columns against a scan.
fn compare(keys: &[f32], from: usize, span: usize, got: &[u8]) {
    let value = |i: usize| f32::from_le_bytes([got[4 * i], got[4 * i + 1], got[4 * i + 2], got[4 * i + 3]]);
    for c in (0..WIDTH).step_by(401) {
        let range = columns::start(from, span, WIDTH, c)..columns::start(from, span, WIDTH, c + 1);
        let low = keys[range.clone()].iter().copied().fold(f32::INFINITY, f32::min);
        let high = keys[range].iter().copied().fold(f32::NEG_INFINITY, f32::max);
        assert_eq!((value(c), value(WIDTH + c)), (low, high), "column {c}");
    }
}
