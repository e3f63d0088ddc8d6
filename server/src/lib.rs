//! The authority: tables, lobby, ladder, store, the gRPC face.

pub mod accept;
pub mod config;
pub mod desk;
pub mod grpc;
pub mod ladder;
pub mod lobby;
pub mod matches;
pub mod stalls;
pub mod store;
pub mod table;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use mighty_house::NAMES;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_stream::Stream;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tonic::transport::Server;
use tonic::transport::server::Connected;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::config::Config;
use crate::desk::SharedDesk;
use crate::grpc::Services;
use crate::grpc::ladder::LadderApi;
use crate::grpc::record::RecordApi;
use crate::grpc::session::{SessionLimits, Sessions};
use crate::grpc::stored::ReadLimits;
use crate::grpc::table::{TableApi, TableApiLimits};
use crate::ladder::LadderStatus;
use crate::ladder::desk::{LadderDesk, LadderRules};
use crate::ladder::pairing::PairingRules;
use crate::ladder::rating::RatingRules;
use crate::lobby::{Lobby, LobbyLimits};
use crate::stalls::ServerClock;
use crate::store::{Store, StoreLimits};
use crate::table::state::TableLimits;
use crate::table::{HouseBots, TableSetting};

/// How a server is stopped, in two steps.
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    /// Hands may finish, then the server ends.
    pub gently: CancellationToken,
    /// The server ends at once.
    pub at_once: CancellationToken,
}

/// Runs a server on connections that come in, until it is stopped.
///
/// # Errors
/// The store cannot be opened, or connections cannot be served any more.
pub async fn run<I, IO>(config: Config, incoming: I, shutdown: Shutdown) -> anyhow::Result<()>
where
    I: Stream<Item = io::Result<IO>> + Send + 'static,
    IO: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
{
    Prepared::new(config, mighty_house::by_name)?.serve(incoming, shutdown).await
}

/// A server that needs nothing but connections.
pub struct Prepared {
    config: Config,
    lobby: Lobby,
    desk: Option<SharedDesk>,
    services: Services,
    /// Ends what is left when the server has stopped.
    stopping: CancellationToken,
}

impl Prepared {
    /// Opens the store, the lobby and the ladder.
    ///
    /// # Errors
    /// The store cannot be opened.
    pub fn new(config: Config, house: HouseBots) -> anyhow::Result<Prepared> {
        Prepared::with_desk(config, house, |config, lobby, store| {
            if config.no_ladder {
                return Ok(None);
            }
            let rules = ladder_rules(config, lobby)?;
            Ok(Some(Arc::new(LadderDesk::open(rules, lobby.clone(), store.clone()))))
        })
    }

    /// Opens the store and the lobby, and `open` opens the desk at which bots ask for matches.
    ///
    /// # Errors
    /// The store or the desk cannot be opened.
    pub fn with_desk(
        config: Config,
        house: HouseBots,
        open: impl FnOnce(&Config, &Lobby, &Store) -> anyhow::Result<Option<SharedDesk>>,
    ) -> anyhow::Result<Prepared> {
        let stopping = CancellationToken::new();
        let rating = RatingRules { pin_house_bots: config.ladder_pin_house_bots };
        let limits = StoreLimits { queue: config.store_queue, lock_wait: config.store_lock_wait };
        let store = match &config.store {
            Some(path) => Store::open(path, &limits, rating)?,
            None => Store::in_memory(&limits, rating)?,
        };
        let lobby = lobby(&config, store.clone(), house);
        let desk = open(&config, &lobby, &store)?;
        let services = services(&config, &lobby, desk.as_ref(), store, &stopping);
        Ok(Prepared { config, lobby, desk, services, stopping })
    }

    /// Serves connections that come in, until the server is stopped.
    ///
    /// # Errors
    /// Connections cannot be served any more.
    pub async fn serve<I, IO>(self, incoming: I, shutdown: Shutdown) -> anyhow::Result<()>
    where
        I: Stream<Item = io::Result<IO>> + Send + 'static,
        IO: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
    {
        let Prepared { config, lobby, desk, services, stopping } = self;
        let (router, health) = grpc::routes(services).await.context("the wire's descriptors")?;
        let closing = CancellationToken::new();
        let serving = Server::builder()
            .accept_http1(true)
            .max_concurrent_streams(config.streams_per_connection)
            .http2_max_local_error_reset_streams(Some(config.faulty_calls))
            .http2_max_pending_accept_reset_streams(Some(config.withdrawn_calls))
            .http2_max_header_list_size(config.header_bytes)
            .http2_keepalive_interval(Some(config.keepalive))
            .http2_keepalive_timeout(Some(config.keepalive_timeout))
            .initial_stream_window_size(config.stream_window)
            .initial_connection_window_size(config.connection_window)
            .add_routes(Routes::from(router))
            .serve_with_incoming_shutdown(incoming, closing.clone().cancelled_owned());
        let mut serving = tokio::spawn(serving);
        tokio::select! {
            served = &mut serving => served.context("serving")?.context("serving")?,
            () = shutdown.gently.cancelled() => {}
            () = shutdown.at_once.cancelled() => {}
        }
        let closing_down =
            Closing { lobby, desk, health, drain: config.drain, farewell: config.farewell };
        closing_down.finish(&shutdown).await;
        stopping.cancel();
        closing.cancel();
        // Clients that do not answer would keep the server for ever.
        if timeout(config.farewell, &mut serving).await.is_err() {
            serving.abort();
        }
        tracing::info!("the server has stopped");
        Ok(())
    }
}

fn lobby(config: &Config, store: Store, house: HouseBots) -> Lobby {
    let setting = TableSetting {
        limits: TableLimits {
            refusals: config.refusals,
            defaults_in_a_row: config.defaults_in_a_row,
            absence: config.absence,
            handover: config.handover,
            events_kept: config.events_kept,
            stand_in: config.stand_in.as_str().into(),
        },
        mailbox: config.queue,
        followers: config.followers,
        clock: ServerClock::start(),
        store,
        house,
    };
    let limits = LobbyLimits {
        tables: config.tables,
        finished: config.finished_tables,
        waiting: config.deserted_after,
    };
    Lobby::new(limits, setting)
}

fn services(
    config: &Config,
    lobby: &Lobby,
    desk: Option<&SharedDesk>,
    store: Store,
    stopping: &CancellationToken,
) -> Services {
    let limits = SessionLimits {
        hello: config.hello,
        queue: config.queue,
        answers: config.answers,
        streams: config.streams,
    };
    let sessions = Sessions::new(limits, lobby.clone(), desk.cloned(), stopping.clone());
    let limits = TableApiLimits {
        page_size: config.page_size as usize,
        time: config.time(),
        longest_time: config.longest_time,
        longest_match: config.longest_match,
    };
    let tables = TableApi::new(Arc::new(sessions), limits);
    let limits = ReadLimits {
        page_size: config.page_size,
        record_streams: config.record_streams,
        stream_batch: config.record_batch,
        stream_wait: config.record_patience,
    };
    let status =
        desk.map_or_else(|| watch::channel(LadderStatus::default()).1, |desk| desk.status());
    let ladder = LadderApi::new(store.clone(), status, limits);
    let records = RecordApi::new(store, Arc::new(lobby.clone()), limits, stopping.clone());
    Services {
        tables,
        ladder,
        records,
        message_bytes: config.message_bytes,
        call_time: config.call_time,
    }
}

fn ladder_rules(config: &Config, lobby: &Lobby) -> anyhow::Result<LadderRules> {
    let house = NAMES.iter().map(|name| lobby.house_bot(name)).collect::<Result<_, _>>()?;
    Ok(LadderRules {
        rules: config.ladder_rules().map_err(anyhow::Error::msg)?,
        time: config.ladder_time(),
        pairing: PairingRules {
            fill_after: config.ladder_fill_after,
            spread: config.ladder_spread,
        },
        house,
        tables: config.ladder_tables,
        matches: config.ladder_matches,
        waiting: config.ladder_waiting,
    })
}

/// What is done on the way out.
struct Closing {
    lobby: Lobby,
    desk: Option<SharedDesk>,
    health: HealthReporter,
    drain: Duration,
    farewell: Duration,
}

impl Closing {
    async fn finish(self, shutdown: &Shutdown) {
        let Closing { lobby, desk, health, drain, farewell } = self;
        grpc::set_health(&health, ServingStatus::NotServing).await;
        if let Some(desk) = &desk {
            // Here and below: what does not even take a command is left behind.
            let _ = timeout(farewell, desk.close()).await;
        }
        tracing::info!(matches = lobby.playing(), limit = ?drain, "the server is stopping; hands may finish");
        tokio::select! {
            biased;
            () = shutdown.at_once.cancelled() => {}
            drained = timeout(drain, lobby.drain()) => {
                if drained.is_err() {
                    tracing::warn!("some hands did not finish in time");
                }
            }
        }
        let _ = timeout(farewell, lobby.break_off()).await;
    }
}
