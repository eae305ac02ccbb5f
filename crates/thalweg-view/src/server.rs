//! A server for one page and one person: on this machine only, and only for who has been told the address.

use std::fmt;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::Series;
use crate::answers;
use crate::http::{self, Request, Response};

/// Connections at a time. A browser opens six for a page.
const MOST_CONNECTIONS: usize = 256;

/// A bound server. Its address has a random token in it, without which nothing is answered; neither is what comes for another
/// host, by a name that somebody has made lead here.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    token: String,
    is_over: AtomicBool,
    connections: AtomicUsize,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the token.
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Server {
    /// Binds a port of 127.0.0.1, or any that is free for 0.
    ///
    /// # Errors
    /// If the port is taken, or the system has no random numbers.
    pub fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        let token = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let (is_over, connections) = (AtomicBool::new(false), AtomicUsize::new(0));
        Ok(Self { listener, address, token, is_over, connections })
    }

    /// The page's address, with the token.
    pub fn address(&self) -> String {
        format!("http://{}/{}/", self.address, self.token)
    }

    /// Answers until [`Server::stop`] is called, from another thread.
    ///
    /// # Errors
    /// If no connection can be accepted any more.
    pub fn run(&self, series: &[Series<'_>]) -> io::Result<()> {
        let answer = |request: &Request<'_>| self.answer(series, request);
        thread::scope(|scope| {
            loop {
                let accepted = self.listener.accept();
                if self.is_over.load(Ordering::SeqCst) {
                    return Ok(());
                }
                let mut stream = match accepted {
                    Ok((stream, _)) => stream,
                    Err(e) if is_passing(&e) => {
                        // Out of descriptors, say: some will be closed.
                        thread::sleep(Duration::from_millis(20));
                        continue;
                    }
                    Err(e) => {
                        self.is_over.store(true, Ordering::SeqCst);
                        return Err(e);
                    }
                };
                if self.connections.fetch_add(1, Ordering::SeqCst) >= MOST_CONNECTIONS {
                    self.connections.fetch_sub(1, Ordering::SeqCst);
                    let _ = stream.write_all(
                        b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                    );
                    continue;
                }
                let connection = move || {
                    // Whoever goes away in the middle of an answer does not want it.
                    let _ = http::serve(stream, &self.is_over, &answer);
                    self.connections.fetch_sub(1, Ordering::SeqCst);
                };
                if thread::Builder::new().spawn_scoped(scope, connection).is_err() {
                    self.connections.fetch_sub(1, Ordering::SeqCst);
                }
            }
        })
    }

    /// Lets [`Server::run`] end, as soon as what is being answered has been.
    pub fn stop(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        // It waits for a connection, so it gets one.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
    }

    fn answer(&self, series: &[Series<'_>], request: &Request<'_>) -> Response {
        let port = self.address.port();
        let is_ours = |host: &str| {
            let name = host.strip_suffix(&format!(":{port}")).or(if port == 80 { Some(host) } else { None });
            name.is_some_and(|name| name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost"))
        };
        if !request.host.is_some_and(is_ours) {
            return Response::text(403, "this is answered under its own address only");
        }
        let rest = request.path.strip_prefix('/').unwrap_or_default();
        let (token, name) = rest.split_once('/').map_or((rest, None), |(token, name)| (token, Some(name)));
        if !same(token.as_bytes(), self.token.as_bytes()) {
            return Response::text(
                403,
                "the address has a token in it, and this is another: take the one that thalweg view prints",
            );
        }
        match name {
            Some(name) => answers::answer(series, name, request.query),
            None => Response::text(404, "the address ends with a slash, which is missing here"),
        }
    }
}

/// Whether accepting may work again: the connection's fault, or something that others will give back.
fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted, OutOfMemory, WouldBlock};
    let kinds = [ConnectionAborted, ConnectionReset, Interrupted, OutOfMemory, WouldBlock];
    #[cfg(unix)]
    let is_full = matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM));
    #[cfg(not(unix))]
    let is_full = false;
    is_full || kinds.contains(&error.kind())
}

/// Whether two words are the same, in a time that does not tell where they differ.
fn same(one: &[u8], two: &[u8]) -> bool {
    one.len() == two.len() && one.iter().zip(two).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}
