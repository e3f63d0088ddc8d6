//! The server, as a client reaches it.

use std::time::Duration;

use mighty_protocol::v1::table_service_client::TableServiceClient;
use tonic::transport::{Channel, Endpoint};

/// A server to play on. It is connected to when something is first asked of it, and again whenever the connection was
/// lost. Clones share one connection.
#[derive(Clone, Debug)]
pub struct Server {
    address: String,
    channel: Channel,
}

/// An address that is none.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{address}` is no address of a server; write it as http://127.0.0.1:7435")]
pub struct BadAddress {
    address: String,
}

/// How often a quiet connection is asked for a sign of life, and how long it has for one.
const KEEP_ALIVE: Duration = Duration::from_secs(10);
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How many bytes may be under way in a stream. The server's queue for a slow reader counts from there.
const STREAM_WINDOW: u32 = 64 * 1024;
/// How many bytes may be under way in all streams of a connection.
const CONNECTION_WINDOW: u32 = 4 * 1024 * 1024;

impl Server {
    /// The server at this address, such as `http://127.0.0.1:7435`.
    ///
    /// # Errors
    /// The text is no address. Whether a server is there is not asked here.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn at(address: &str) -> Result<Server, BadAddress> {
        let bad = || BadAddress { address: address.to_owned() };
        let endpoint = Endpoint::from_shared(address.to_owned()).map_err(|_| bad())?;
        let uri = endpoint.uri();
        if uri.scheme_str() != Some("http") || uri.authority().is_none() {
            return Err(bad());
        }
        let endpoint = endpoint
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(KEEP_ALIVE)
            .keep_alive_timeout(KEEP_ALIVE_TIMEOUT)
            .keep_alive_while_idle(true)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW);
        Ok(Server { address: address.to_owned(), channel: endpoint.connect_lazy() })
    }

    /// Its address, as it was written.
    pub fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn tables(&self) -> TableServiceClient<Channel> {
        TableServiceClient::new(self.channel.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_an_address_is_an_address() {
        assert!(Server::at("http://127.0.0.1:7435").is_ok());
        for wrong in ["", "127.0.0.1:7435", "/tmp", "https://example.org", "http://a b"] {
            assert!(Server::at(wrong).is_err(), "{wrong}");
        }
    }
}
