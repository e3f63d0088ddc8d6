//! A line between a client and a server that can be cut.

use std::net::SocketAddr;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tonic::transport::Channel;

use crate::server::{connect, sdk_at};

/// A line to a server: everything that goes over it is passed on, until it is cut. A new connection may be made after.
#[derive(Clone)]
pub struct Line {
    address: SocketAddr,
    cuts: watch::Sender<u32>,
}

impl Line {
    /// A line to the server at this address.
    ///
    /// # Panics
    /// No port is free.
    pub async fn to(server: SocketAddr) -> Line {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("a bound listener has an address");
        let line = Line { address, cuts: watch::Sender::new(0) };
        let cuts = line.cuts.clone();
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let mut cut = cuts.subscribe();
                tokio::spawn(async move {
                    let mut far = TcpStream::connect(server).await.expect("the server listens");
                    tokio::select! {
                        _ = copy_bidirectional(&mut near, &mut far) => {}
                        _ = cut.changed() => {}
                    }
                });
            }
        });
        line
    }

    /// Cuts every connection that is open.
    pub fn cut(&self) {
        self.cuts.send_modify(|cuts| *cuts += 1);
    }

    /// A connection over this line.
    pub fn connect(&self) -> Channel {
        connect(self.address)
    }

    /// The server as the Rust SDK reaches it over this line.
    pub fn for_sdk(&self) -> mighty_client::Server {
        sdk_at(self.address)
    }
}
