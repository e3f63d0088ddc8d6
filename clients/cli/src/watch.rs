//! `mighty watch`: follows tables as a spectator. What comes is always read at once, however slowly it is shown, so that
//! nobody at the table ever waits for a watcher.

use std::io::Write;
use std::time::Duration;

use mighty_client::{News, Reconnecting, Server, Spectator, Stopped};
use mighty_protocol::v1;
use mighty_protocol::v1::table::State;
use mighty_protocol::v1::table_service_client::TableServiceClient;
use tokio::time::{Instant, sleep, sleep_until};
use tonic::Status;
use tonic::transport::Channel;

use crate::failure::Failure;
use crate::paint::Paint;
use crate::room::Room;
use crate::server::{Remote, is_gone, question};
use crate::show::{Item, Joined, Mode, Show, Speed};

/// How long to wait before looking again for a table to follow.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// How many of the newest tables are looked at for one that plays.
const TABLES_LOOKED_AT: u32 = 100;
/// Quick enough to follow, slow enough to see every card.
const TERMINAL_SPEED: Speed = Speed::Cards(4.0);
/// Somebody who looks on waits for a server as long as they like.
const RECONNECTING: Reconnecting = Reconnecting {
    first_wait: Duration::from_millis(500),
    longest_wait: Duration::from_secs(5),
    attempts: u32::MAX,
};
/// Somebody who wants one look does not.
const ATTEMPTS_FOR_ONE_LOOK: u32 = 3;

/// What to watch, and how.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The table; without it the newest that plays, then the next.
    table: Option<String>,
    /// Cards per second, such as 4 or 0.5, or `live` for as they happen [default: 4 on a terminal, else live].
    #[arg(long, value_name = "X")]
    speed: Option<Speed>,
    /// Print the table as it stands, and end.
    #[arg(long)]
    once: bool,
    #[command(flatten)]
    remote: Remote,
}

/// Watches until the named table's match is over, or until the user has seen enough.
pub(crate) async fn watch(
    args: &Args,
    is_terminal: bool,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let mode = match (args.remote.json, is_terminal && !args.once) {
        (true, _) => Mode::Json,
        (false, true) => Mode::Screen(Paint::of_output(true)),
        (false, false) => Mode::Lines,
    };
    let usual = if is_terminal { TERMINAL_SPEED } else { Speed::Live };
    let speed = if args.once { Speed::Live } else { args.speed.unwrap_or(usual) };
    let tables = TableServiceClient::new(args.remote.connect().await?);
    let server = Server::at(&args.remote.server)
        .map_err(|bad_address| Failure::Unusable(bad_address.to_string()))?;
    let mut show = Show::new(out, mode, speed, Room::of_output);
    show.begin()?;
    let mut watching = Watching { args, server, tables, show: &mut show };
    let ended = tokio::select! {
        ended = watching.run() => ended,
        _ = tokio::signal::ctrl_c() => Ok(()),
    };
    show.end()?;
    ended
}

struct Watching<'a, 'b, Out> {
    args: &'a Args,
    server: Server,
    tables: TableServiceClient<Channel>,
    show: &'a mut Show<'b, Out>,
}

impl<Out: Write> Watching<'_, '_, Out> {
    async fn run(&mut self) -> Result<(), Failure> {
        let mut last = None;
        loop {
            let table = self.next_table(last.as_deref()).await?;
            match self.follow(&table).await {
                // After a restart of the server its tables may be gone, while others play.
                Ok(()) | Err(Failure::Refused(_))
                    if self.args.table.is_none() && !self.args.once =>
                {
                    last = Some(table);
                }
                ended => return ended,
            }
        }
    }

    /// The table that was named, else the newest that plays, for which it waits.
    async fn next_table(&mut self, last: Option<&str>) -> Result<String, Failure> {
        if let Some(named) = &self.args.table {
            // Nobody shall wait for something to come back that never was a server of Mighty.
            return match self.newest_playing(last).await {
                Ok(_) => Ok(named.clone()),
                Err(status) => Err(self.args.remote.failure(&status)),
            };
        }
        let nothing = "nothing is being played; `make ladder` starts matches, and a table of `mighty create-table` \
            starts when its seats are taken";
        let mut told = None;
        loop {
            let remark = match self.newest_playing(last).await {
                Ok(Some(table)) => return Ok(table),
                Ok(None) if self.args.once => return Err(Failure::Refused(nothing.to_owned())),
                Ok(None) => format!("{nothing}; waiting for one"),
                Err(status) if is_gone(&status) && !self.args.once => {
                    "the server is gone; waiting for it to come back".to_owned()
                }
                Err(status) => return Err(self.args.remote.failure(&status)),
            };
            if told.as_ref() != Some(&remark) {
                self.show.receive(Item::Remark(remark.clone()));
                self.show.step()?;
                told = Some(remark);
            }
            sleep(LOOK_AGAIN).await;
        }
    }

    async fn newest_playing(&mut self, last: Option<&str>) -> Result<Option<String>, Status> {
        let request =
            v1::ListTablesRequest { page_size: TABLES_LOOKED_AT, page_token: String::new() };
        let tables = self.tables.list_tables(question(request)).await?.into_inner().tables;
        let playing = tables
            .into_iter()
            .find(|table| table.state() == State::Playing && Some(table.table_id.as_str()) != last);
        Ok(playing.map(|table| table.table_id))
    }

    /// Follows one table to its end, and shows it to its end.
    async fn follow(&mut self, table: &str) -> Result<(), Failure> {
        let attempts = if self.args.once { ATTEMPTS_FOR_ONE_LOOK } else { RECONNECTING.attempts };
        let reconnecting = Reconnecting { attempts, ..RECONNECTING };
        let mut spectator = Spectator::new(&self.server, table, "", reconnecting);
        let mut ended = None;
        let mut stands_until = Instant::now();
        while ended.is_none() || self.show.has_more() {
            tokio::select! {
                news = spectator.next(), if ended.is_none() => match news {
                    Ok(news) => {
                        let is_settled = is_settled(&news);
                        if let Some(item) = item(news, &spectator) {
                            self.show.receive(item);
                        }
                        if self.args.once && is_settled {
                            ended = Some(Ok(()));
                        }
                    }
                    Err(stopped) => ended = Some(self.ending(stopped)),
                },
                () = sleep_until(stands_until), if self.show.has_more() => {
                    stands_until = Instant::now() + self.show.step()?;
                }
            }
        }
        sleep_until(stands_until).await;
        ended.unwrap_or(Ok(()))
    }

    fn ending(&self, stopped: Stopped) -> Result<(), Failure> {
        match stopped {
            Stopped::Finished { .. } | Stopped::Left { .. } | Stopped::BrokenOff => Ok(()),
            Stopped::Refused { message, .. } => Err(Failure::Refused(message)),
            Stopped::TakenOver | Stopped::SeatGivenUp => Err(Failure::Refused(stopped.to_string())),
            Stopped::GaveUpReconnecting { .. } => Err(self.args.remote.unreachable()),
            Stopped::Misunderstood { .. } => Err(Failure::Unusable(stopped.to_string())),
        }
    }
}

/// Whether it is known after this news how the table stands.
fn is_settled(news: &News) -> bool {
    match news {
        News::Waiting { .. } | News::CaughtUp { .. } => true,
        News::MatchStarted(_)
        | News::Reconnecting { .. }
        | News::Told(_)
        | News::Refused(_)
        | News::MatchOver { .. }
        | News::Notice { .. } => false,
    }
}

/// What there is to show of news.
fn item(news: News, spectator: &Spectator) -> Option<Item> {
    match news {
        News::MatchStarted(info) => Some(Item::Start(info)),
        News::CaughtUp { missed } => {
            let (dealing, view) = spectator.dealing().zip(spectator.view().cloned())?;
            let totals = spectator.totals();
            Some(Item::Joined(Box::new(Joined { dealing, view, totals, missed })))
        }
        News::Told(told) => Some(Item::Told(told)),
        News::Waiting { .. } | News::Notice { .. } | News::Reconnecting { .. } => {
            Some(Item::Remark(news.to_string()))
        }
        // That it is over was told as an event; answers are refused to players only.
        News::MatchOver { .. } | News::Refused(_) => None,
    }
}
