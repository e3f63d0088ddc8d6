//! A whole server in this process, behind a real port.

use std::iter::once;
use std::net::SocketAddr;

use mighty_protocol::v1;
use mighty_protocol::v1::ladder_service_client::LadderServiceClient;
use mighty_protocol::v1::record_service_client::RecordServiceClient;
use mighty_protocol::v1::table_service_client::TableServiceClient;
use mighty_server::accept::connections;
use mighty_server::config::Config;
use mighty_server::{Shutdown, run};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tonic::transport::{Channel, Endpoint};

use crate::soon;

/// A server in this process, on a port of its own.
pub struct TestServer {
    /// Where it listens.
    pub address: SocketAddr,
    channel: Channel,
    shutdown: Shutdown,
    served: JoinHandle<()>,
}

impl TestServer {
    /// A server with these flags.
    ///
    /// # Panics
    /// The flags are wrong, or no port is free.
    pub async fn start(flags: &[&str]) -> TestServer {
        let config = Config::read(once(&"mighty-server").chain(flags).map(Into::into));
        let config = config.expect("the flags are right");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("a bound listener has an address");
        let door = connections(listener, config.door());
        let shutdown = Shutdown::default();
        let running = run(config, door, shutdown.clone());
        let served = tokio::spawn(async { running.await.expect("the server ends well") });
        TestServer { address, channel: connect(address), shutdown, served }
    }

    /// A connection that all who ask for it share.
    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    /// The server as the Rust SDK reaches it.
    pub fn for_sdk(&self) -> mighty_client::Server {
        sdk_at(self.address)
    }

    /// Its tables.
    pub fn tables(&self) -> TableServiceClient<Channel> {
        TableServiceClient::new(self.channel.clone())
    }

    /// Its ladder.
    pub fn ladder(&self) -> LadderServiceClient<Channel> {
        LadderServiceClient::new(self.channel.clone())
    }

    /// Its records.
    pub fn records(&self) -> RecordServiceClient<Channel> {
        RecordServiceClient::new(self.channel.clone())
    }

    /// Makes a table for so many hands, with these house bots at its first seats; its id.
    ///
    /// # Panics
    /// The server refuses.
    pub async fn table(&self, profile: &str, hands: u32, house: &[&str]) -> String {
        let who = |name: &&str| v1::seat_plan::Who::House((*name).to_owned());
        let seats = house.iter().map(|name| v1::SeatPlan { who: Some(who(name)) });
        let request = v1::CreateTableRequest {
            profile: profile.to_owned(),
            overrides: [("match.hands".to_owned(), hands.to_string())].into(),
            seats: seats.collect(),
            clock: None,
        };
        let created = self.tables().create_table(request).await.expect("the table can be made");
        created.into_inner().table.expect("the new table is told").table_id
    }

    /// A record.
    ///
    /// # Panics
    /// There is none with this id.
    pub async fn record(&self, id: &str) -> v1::Record {
        let request = v1::GetRecordRequest { record_id: id.to_owned() };
        let record = self.records().get_record(request).await.expect("there is such a record");
        record.into_inner().record.expect("the record is told")
    }

    /// Stops the server at once, and sees to it that it ends well.
    ///
    /// # Panics
    /// It does not end, or not well.
    pub async fn stop(self) {
        self.shutdown.at_once.cancel();
        soon("the end of the server", self.served).await.expect("no task of the server panics");
    }
}

/// A connection to a server.
pub(crate) fn connect(address: SocketAddr) -> Channel {
    let endpoint = Endpoint::from_shared(format!("http://{address}"));
    endpoint.expect("this is an address").connect_lazy()
}

/// A server as the Rust SDK reaches it.
pub(crate) fn sdk_at(address: SocketAddr) -> mighty_client::Server {
    mighty_client::Server::at(&format!("http://{address}")).expect("this is an address")
}
