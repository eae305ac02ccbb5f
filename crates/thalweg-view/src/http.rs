//! As much of HTTP/1.1 as a page on the same machine needs: requests without bodies, one after the other on a connection.
//!
//! Heads are parsed by `httparse`. Everything else is a few lines, and ours: an answer is one write, at once (a client waits for
//! each of them), a connection that says nothing is closed after a while, and whatever is too long or is none is refused.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Bytes of a request at most, with its head: browsers send cookies of whatever else is served on this machine, up to 4 KiB each.
const LONGEST: usize = 64 << 10;
/// Headers of a request at most: browsers send some fifteen.
const MOST_HEADERS: usize = 64;
/// How often somebody who waits for a request looks whether the server ends.
const TICK: Duration = Duration::from_millis(100);
/// How long a connection may say nothing; how long it may take to say something, or to take an answer.
const IDLE: Duration = Duration::from_secs(120);
const SLOW: Duration = Duration::from_secs(10);

/// A request.
#[derive(Debug)]
pub struct Request<'r> {
    /// The path, without what follows `?`, and that.
    pub path: &'r str,
    pub query: &'r str,
    /// The header `Host`.
    pub host: Option<&'r str>,
}

/// An answer.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub content_type: &'static str,
    pub body: Vec<u8>,
}

impl Response {
    pub fn text(status: u16, text: impl Into<String>) -> Self {
        Self { status, content_type: "text/plain; charset=utf-8", body: text.into().into_bytes() }
    }
}

/// Answers the requests of a connection until it is closed, says something that is no request, or the server ends.
pub fn serve(mut stream: TcpStream, is_over: &AtomicBool, answer: &dyn Fn(&Request<'_>) -> Response) -> io::Result<()> {
    // An answer is a write of its own: nothing is gained by waiting for more.
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(TICK))?;
    stream.set_write_timeout(Some(SLOW))?;
    let mut buffer = Vec::with_capacity(LONGEST);
    let mut out = Vec::new();
    loop {
        let Some(length) = wait_for_head(&mut stream, &mut buffer, is_over)? else { return Ok(()) };
        let outcome = respond(&buffer[..length], answer, &mut out);
        stream.write_all(&out)?;
        if !outcome {
            return Ok(());
        }
        buffer.drain(..length);
    }
}

/// Reads until a whole head is there, and tells its length; `None` if there will be none. What is no head is one, too: it will
/// be refused.
fn wait_for_head(stream: &mut TcpStream, buffer: &mut Vec<u8>, is_over: &AtomicBool) -> io::Result<Option<usize>> {
    let mut since = Instant::now();
    let mut chunk = [0; LONGEST];
    loop {
        if let Some(length) = head_length(buffer) {
            return Ok(Some(length));
        }
        if buffer.len() >= LONGEST {
            return Ok(Some(buffer.len()));
        }
        match stream.read(&mut chunk[..LONGEST - buffer.len()]) {
            Ok(0) => return Ok(None),
            Ok(count) => {
                if buffer.is_empty() {
                    since = Instant::now();
                }
                buffer.extend_from_slice(&chunk[..count]);
            }
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) => {
                let patience = if buffer.is_empty() { IDLE } else { SLOW };
                if is_over.load(Ordering::SeqCst) || since.elapsed() > patience {
                    return Ok(None);
                }
            }
            Err(e) => return Err(e),
        }
    }
}

/// Where the empty line that ends a head ends.
fn head_length(buffer: &[u8]) -> Option<usize> {
    buffer.windows(4).position(|end| end == b"\r\n\r\n").map(|at| at + 4)
}

/// Puts the answer to a request together. Tells whether there may be another one.
fn respond(head: &[u8], answer: &dyn Fn(&Request<'_>) -> Response, out: &mut Vec<u8>) -> bool {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let whole = matches!(parsed.parse(head), Ok(httparse::Status::Complete(_)));
    let header = |name: &str| {
        let found = parsed.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        found.and_then(|header| std::str::from_utf8(header.value).ok())
    };
    let (Some(method), Some(target), true) = (parsed.method, parsed.path, whole) else {
        put(out, &Response::text(400, "this is no request"), true, false);
        return false;
    };
    let has_body =
        header("transfer-encoding").is_some() || header("content-length").is_some_and(|length| length.trim() != "0");
    if has_body {
        put(out, &Response::text(400, "requests have no bodies here"), true, false);
        return false;
    }
    let connection = header("connection").unwrap_or_default();
    let wants = |word: &str| connection.split(',').any(|part| part.trim().eq_ignore_ascii_case(word));
    let stays = if parsed.version == Some(1) { !wants("close") } else { wants("keep-alive") };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let response = match method {
        "GET" | "HEAD" => answer(&Request { path, query, host: header("host") }),
        _ => Response::text(405, "only GET and HEAD are answered"),
    };
    put(out, &response, method != "HEAD", stays);
    stays
}

/// What keeps the page to itself: nothing from elsewhere, nobody's frame, no address of ours in anybody's log, nothing stored.
const HEADERS: &str = "Cache-Control: no-store\r\n\
    Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
    Cross-Origin-Opener-Policy: same-origin\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\n\
    Referrer-Policy: no-referrer\r\n\
    X-Content-Type-Options: nosniff\r\n";

fn put(out: &mut Vec<u8>, response: &Response, with_body: bool, stays: bool) {
    let Response { status, content_type, body } = response;
    let reason = match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    };
    let connection = if stays { "keep-alive" } else { "close" };
    let length = body.len();
    out.clear();
    out.extend_from_slice(
        format!(
            "HTTP/1.1 {status} {reason}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\
            Connection: {connection}\r\n{HEADERS}\r\n"
        )
        .as_bytes(),
    );
    if with_body {
        out.extend_from_slice(body);
    }
}

/// The values of a query's parameters: numbers and plain words, so that nothing needs to be decoded.
pub fn parameter<'q>(query: &'q str, name: &str) -> Option<&'q str> {
    query.split('&').find_map(|pair| pair.split_once('=').filter(|(key, _)| *key == name)).map(|(_, value)| value)
}
