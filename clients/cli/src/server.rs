//! The server that a command talks to, and what its refusals mean for the exit code.

use std::convert::Infallible;
use std::time::Duration;

use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};

use crate::failure::Failure;

/// How long a server may take to accept a connection.
const CONNECT_WAIT: Duration = Duration::from_secs(5);
/// How long a server may take to answer a question.
const ANSWER_WAIT: Duration = Duration::from_secs(30);
/// How often a connection is tried for life, and how long it may take to show it.
const KEEP_ALIVE: Duration = Duration::from_secs(20);

/// Where the server is, and how to print what it says.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Remote {
    /// The server's address, such as http://127.0.0.1:7435 or 127.0.0.1:7435.
    #[arg(
        long,
        env = "MIGHTY_SERVER",
        default_value = "http://127.0.0.1:7435",
        value_name = "URL",
        value_parser = read_address
    )]
    pub(crate) server: String,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

impl Remote {
    /// Connects.
    ///
    /// # Errors
    /// The address is none, or nothing answers there.
    pub(crate) async fn connect(&self) -> Result<Channel, Failure> {
        let address = &self.server;
        let endpoint = Endpoint::from_shared(address.clone())
            .map_err(|_| no_address(address))?
            .connect_timeout(CONNECT_WAIT)
            .http2_keep_alive_interval(KEEP_ALIVE)
            .keep_alive_timeout(KEEP_ALIVE);
        match endpoint.uri().scheme_str() {
            Some("http") => {}
            Some(_) | None => return Err(no_address(address)),
        }
        endpoint.connect().await.map_err(|_| self.unreachable())
    }

    /// No server answers.
    pub(crate) fn unreachable(&self) -> Failure {
        Failure::Unreachable(format!(
            "no server answers at {}; start one with `make ladder` or `mighty-server`, or name another with --server",
            self.server
        ))
    }

    fn foreign(&self) -> String {
        format!("something answers at {}, but it is no Mighty server", self.server)
    }

    /// Why the server did not do what was asked.
    pub(crate) fn failure(&self, status: &Status) -> Failure {
        let sentence = match (status.code(), status.message()) {
            _ if is_foreign(status) => return Failure::Unreachable(self.foreign()),
            (Code::Cancelled | Code::Unknown, _) => {
                return Failure::Unreachable(format!(
                    "{}, or one that has just gone",
                    self.foreign()
                ));
            }
            (Code::Unavailable, _) => return self.unreachable(),
            (Code::DeadlineExceeded, _) => {
                format!("the server at {} took too long to answer", self.server)
            }
            (code, "") => format!("the server refused: {}", code.description()),
            (_, sentence) => sentence.to_owned(),
        };
        if status.code() == Code::InvalidArgument {
            return Failure::Unusable(sentence);
        }
        Failure::Refused(sentence)
    }
}

/// Whether the server is gone. A connection that breaks under a question shows as `Cancelled` or `Unknown`, which no
/// server of Mighty answers.
pub(crate) fn is_gone(status: &Status) -> bool {
    matches!(status.code(), Code::Unavailable | Code::Cancelled | Code::Unknown)
}

/// An address as it is written out: `host:port` gets its scheme.
fn read_address(text: &str) -> Result<String, Infallible> {
    let port = text.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
    let is_bare = port.is_some() && !text.contains("://");
    Ok(if is_bare { format!("http://{text}") } else { text.to_owned() })
}

/// Whether whoever answers does not speak gRPC. The transport says so in words only.
fn is_foreign(status: &Status) -> bool {
    let message = status.message();
    message.contains("grpc-status header missing")
        || status.code() == Code::Internal && message.starts_with("h2 protocol error")
}

fn no_address(address: &str) -> Failure {
    Failure::Unusable(format!(
        "`{address}` is no address of a server; write one such as http://127.0.0.1:7435"
    ))
}

/// A question that must be answered in time.
pub(crate) fn question<T>(message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(ANSWER_WAIT);
    request
}

/// A part that a message should have, but that a server of another version may have left out.
pub(crate) fn expected<T>(part: Option<T>, what: &str) -> Result<T, Failure> {
    part.ok_or_else(|| Failure::Unusable(format!("the server's answer has no {what}")))
}
