//! The door: who may connect, how many at a time, and that they speak.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{sleep, timeout};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::{Connected, TcpConnectInfo};

/// How many may connect, and how long they may be silent at first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DoorLimits {
    /// How many connections may be open.
    pub connections: usize,
    /// How many of them from one address.
    pub per_address: usize,
    /// How long a connection may take for its first bytes.
    pub first_bytes: Duration,
    /// How long to wait after a failure to accept, such as too many open files.
    pub pause: Duration,
}

/// Every HTTP/2 client begins with a preface of so many bytes, and no HTTP/1 request is shorter in practice.
const PREFACE: usize = 24;
/// How long to wait for the rest of a preface that came in pieces.
const REST: Duration = Duration::from_millis(10);

/// The connections that come in and speak. Those that stay silent are closed before anything is spent on them.
pub fn connections(
    listener: TcpListener,
    limits: DoorLimits,
) -> impl Stream<Item = io::Result<Connection>> {
    // Those that have spoken wait in tasks of their own, so the queue needs no more than one place.
    let (inside, outside) = mpsc::channel(1);
    tokio::spawn(accept(listener, limits, inside));
    ReceiverStream::new(outside)
}

async fn accept(
    listener: TcpListener,
    limits: DoorLimits,
    inside: mpsc::Sender<io::Result<Connection>>,
) {
    let total = Arc::new(Semaphore::new(limits.connections));
    let peers = Arc::new(Mutex::new(HashMap::new()));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = inside.closed() => return,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(limits.pause).await;
                continue;
            }
        };
        // A connection too many is closed at once, by being dropped.
        let Ok(permit) = total.clone().try_acquire_owned() else { continue };
        let Some(guest) = Guest::count(&peers, peer, limits.per_address) else { continue };
        // Small messages are not held back for larger ones; where that cannot be set they are only slower.
        let _ = stream.set_nodelay(true);
        let connection = Connection { stream, _permit: permit, _guest: guest };
        let inside = inside.clone();
        tokio::spawn(async move {
            if let Ok(Ok(())) = timeout(limits.first_bytes, connection.speaks()).await {
                let _ = inside.send(Ok(connection)).await;
            }
        });
    }
}

/// A connection that counts among the others as long as it is open.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    _permit: OwnedSemaphorePermit,
    _guest: Guest,
}

type Peers = Arc<Mutex<HashMap<IpAddr, usize>>>;

/// One of the connections of an address.
#[derive(Debug)]
struct Guest {
    peers: Peers,
    address: IpAddr,
}

impl Guest {
    fn count(peers: &Peers, peer: SocketAddr, limit: usize) -> Option<Guest> {
        let address = peer.ip();
        let mut counts = peers.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(address).or_insert(0);
        if *count >= limit {
            return None;
        }
        *count += 1;
        Some(Guest { peers: peers.clone(), address })
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut counts = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.address);
            }
        }
    }
}

impl Connection {
    /// Waits until the client has said as much as every client does.
    async fn speaks(&self) -> io::Result<()> {
        let mut preface = [0; PREFACE];
        loop {
            match self.stream.peek(&mut preface).await? {
                PREFACE => return Ok(()),
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                _ => sleep(REST).await,
            }
        }
    }
}

impl Connected for Connection {
    type ConnectInfo = TcpConnectInfo;

    fn connect_info(&self) -> TcpConnectInfo {
        self.stream.connect_info()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
