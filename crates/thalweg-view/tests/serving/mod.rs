//! A server over some series, while a test asks it.

use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use thalweg_core::Key;
use thalweg_core::bits::Bits;
use thalweg_view::{Kind, Series, Server};

pub fn ready<'a, K: Key>(name: &str, keys: &'a [K]) -> Series<'a> {
    let series = Series::new(name, Kind::of::<K>(), Bits::of(keys));
    series.build(&|_| ()).unwrap();
    assert_eq!(series.progress(), keys.len());
    series
}

/// Runs a server over some series while somebody asks.
pub fn with_server(series: &[Series<'_>], ask: impl FnOnce(&Server)) {
    struct Stop<'s>(&'s Server);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.stop();
        }
    }
    let server = Server::bind(0).unwrap();
    thread::scope(|scope| {
        let running = scope.spawn(|| server.run(series));
        {
            let _stop = Stop(&server);
            ask(&server);
        }
        let begun = Instant::now();
        running.join().unwrap().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(3), "it ends soon");
    });
    assert!(TcpStream::connect(server.address().strip_prefix("http://").unwrap().split_once('/').unwrap().0).is_ok());
    let address = server.address();
    drop(server);
    let host = address.strip_prefix("http://").unwrap().split_once('/').unwrap().0.to_owned();
    assert!(TcpStream::connect(host).is_err(), "nobody listens any more");
}
