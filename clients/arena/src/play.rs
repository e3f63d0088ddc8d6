//! Plays the schedule: tables begin in its order as soon as their bots are there, and blocks are kept in its order.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use mighty_rules::BySeat;
use mighty_server::accept::connections;
use mighty_server::config::Config;
use mighty_server::lobby::{Guest, Lobby, Occupant};
use mighty_server::matches::{Deals, MatchTerms};
use mighty_server::store::{SavedRecord, Store};
use mighty_server::table::effect::Ending;
use mighty_server::table::update::{Update, Waiting};
use mighty_server::{Prepared, Shutdown};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use crate::block::{self, Block, Played};
use crate::contest::{Contest, Origin};
use crate::desk::{ArenaDesk, Visit};
use crate::ledger::LedgerError;
use crate::process::{Ended, Launch, Process};
use crate::results::{Complaint, Results};
use crate::schedule::{Entrant, deal_seed};
use crate::tally::Trouble;

/// How it is played; none of it changes a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// After how many blocks to stop, those that were kept before among them.
    pub blocks: u64,
    /// How many tables are played at a time, at least 1.
    pub parallel: usize,
    /// How long to wait for a bot that does not come to its table.
    pub patience: Duration,
    /// How often a bot that ended too early is started again.
    pub restarts: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        let parallel = std::thread::available_parallelism().map_or(1, Into::into);
        Settings { blocks: 500, parallel, patience: Duration::from_secs(30), restarts: 10 }
    }
}

/// How it ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finish {
    /// All blocks were played.
    Played,
    /// The answer was in before.
    Answered,
    /// It was interrupted.
    Interrupted,
}

/// Why it cannot go on. The blocks that were finished are kept.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// A process cannot be started at all.
    #[error(
        "`{bot}` cannot be started: {why}; there must be a shell, `sh`, and room for a process"
    )]
    NotStarted {
        /// The bot.
        bot: String,
        /// What is wrong.
        why: std::io::Error,
    },
    /// A process ended before it connected.
    #[error("`{bot}` ended before it connected ({how}); its command is: {command}{}", last_lines(.lines))]
    EndedAtOnce {
        /// The bot.
        bot: String,
        /// How it ended.
        how: String,
        /// Its command line.
        command: String,
        /// What it said.
        lines: Vec<String>,
    },
    /// A bot did not come.
    #[error(
        "`{bot}` did not come to its table within {patience:?}, of which it wants {seats}; it has to play in the ladder at MIGHTY_SERVER by the name in MIGHTY_NAME, with as many streams as MIGHTY_SEATS says{}{}",
        said_hello(.strangers), last_lines(.lines)
    )]
    NeverCame {
        /// The bot.
        bot: String,
        /// How long it was waited for.
        patience: Duration,
        /// How many seats it has at the table.
        seats: usize,
        /// Names that were not expected.
        strangers: Vec<String>,
        /// What it said.
        lines: Vec<String>,
    },
    /// A process ended too often.
    #[error("`{bot}` ended too early {times} times, the last time with {how}{}", last_lines(.lines))]
    CrashedTooOften {
        /// The bot.
        bot: String,
        /// How often.
        times: u32,
        /// How it ended last.
        how: String,
        /// What it said.
        lines: Vec<String>,
    },
    /// Results cannot be kept.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The server in the arena does not do its part.
    #[error("the server of the arena failed: {0}; run the same command again to go on")]
    Server(String),
}

fn last_lines(lines: &[String]) -> String {
    match lines {
        [] => "; it said nothing on its error output".to_owned(),
        lines => format!("; the last that it said:\n  {}", lines.join("\n  ")),
    }
}

fn said_hello(strangers: &[String]) -> String {
    match strangers {
        [] => String::new(),
        strangers => format!("; who came instead said hello as {}", strangers.join(", ")),
    }
}

/// A seat whose bot is away so long is given up: on one machine nobody is away but for good.
const ABSENCE: Duration = Duration::from_secs(5);
/// How long bots may take to end once there is nothing to play.
const FAREWELL: Duration = Duration::from_secs(3);
/// How far the schedule may be begun ahead of the block that is to be kept next, in blocks.
const AHEAD: u64 = 64;
/// How many unexpected names are remembered.
const STRANGERS: usize = 5;

/// Plays until all blocks are kept, the answer is in or somebody interrupts. After every block `watch` is called.
///
/// # Errors
/// A bot that cannot play, a disk that is full, a server that fails: the blocks that were finished are kept.
pub async fn play(
    contest: &Contest,
    settings: &Settings,
    results: &mut Results,
    interrupt: impl Future<Output = ()>,
    watch: impl FnMut(&Results),
) -> Result<Finish, ArenaError> {
    if let Some(finish) = finish(settings, results) {
        return Ok(finish);
    }
    let mut floor = Floor::open(contest, settings, results.tally().blocks()).await?;
    let finish = floor.play(results, interrupt, watch).await;
    let mut complaints = floor.complaints(results);
    results.complaints.append(&mut complaints);
    floor.close().await;
    finish
}

fn finish(settings: &Settings, results: &Results) -> Option<Finish> {
    if results.answer().is_some() {
        return Some(Finish::Answered);
    }
    (results.tally().blocks() >= settings.blocks).then_some(Finish::Played)
}

/// The floor of the arena: a server, its bots, and the tables that are played.
struct Floor<'a> {
    contest: &'a Contest,
    settings: &'a Settings,
    server: Server,
    visits: mpsc::Receiver<Visit>,
    ends: mpsc::Receiver<Ended>,
    ends_sender: mpsc::Sender<Ended>,
    overs: mpsc::Receiver<Over>,
    overs_sender: mpsc::Sender<Over>,
    bots: Vec<Bot>,
    strangers: BTreeSet<String>,
    /// The table that begins next.
    next: (u64, usize),
    running: usize,
    /// Blocks of which some tables are over, or all while one before is not.
    begun: BTreeMap<u64, Vec<Option<(Played, String)>>>,
}

/// The server of an arena.
struct Server {
    address: SocketAddr,
    lobby: Lobby,
    store: Store,
    is_open: watch::Sender<bool>,
    shutdown: Shutdown,
    serving: JoinHandle<anyhow::Result<()>>,
}

/// A bot on the floor.
#[derive(Default)]
struct Bot {
    process: Option<Process>,
    /// Streams that wait for a table.
    waiting: VecDeque<Guest>,
    /// Whether its process has connected.
    has_come: bool,
    crashes: u32,
    /// Those that no block has counted yet.
    uncounted: u32,
    last_crash: Option<Ended>,
}

/// A table is over.
struct Over {
    block: u64,
    table: usize,
    record: Option<SavedRecord>,
}

impl Floor<'_> {
    async fn open<'a>(
        contest: &'a Contest,
        settings: &'a Settings,
        blocks: u64,
    ) -> Result<Floor<'a>, ArenaError> {
        let (desk, visits, is_open) = ArenaDesk::open();
        let server = Server::open(desk, is_open)
            .await
            .map_err(|error| ArenaError::Server(format!("{error:#}")))?;
        let (ends_sender, ends) = mpsc::channel(contest.bots.len().max(1));
        let (overs_sender, overs) = mpsc::channel(settings.parallel.max(1));
        let bots = contest.bots.iter().map(|_| Bot::default()).collect();
        let mut floor = Floor {
            contest,
            settings,
            server,
            visits,
            ends,
            ends_sender,
            overs,
            overs_sender,
            bots,
            strangers: BTreeSet::new(),
            next: (blocks, 0),
            running: 0,
            begun: BTreeMap::new(),
        };
        for bot in 0..contest.bots.len() {
            floor.start(bot)?;
        }
        Ok(floor)
    }

    /// Starts the process of a bot, where it has one.
    fn start(&mut self, bot: Entrant) -> Result<(), ArenaError> {
        let contestant = &self.contest.bots[bot];
        let Origin::Command(command) = &contestant.origin else { return Ok(()) };
        let launch = Launch {
            bot,
            name: contestant.name.clone(),
            command: command.clone(),
            seats: self.contest.schedule.most_seats(bot) * self.settings.parallel,
            server: self.server.address,
        };
        let process = launch.start(self.ends_sender.clone());
        let process =
            process.map_err(|why| ArenaError::NotStarted { bot: contestant.name.clone(), why })?;
        self.bots[bot].process = Some(process);
        self.bots[bot].has_come = false;
        Ok(())
    }

    async fn play(
        &mut self,
        results: &mut Results,
        interrupt: impl Future<Output = ()>,
        mut watch: impl FnMut(&Results),
    ) -> Result<Finish, ArenaError> {
        let mut interrupt = pin!(interrupt);
        let mut quiet_since = Instant::now();
        loop {
            while self.begin_next(results)? {
                quiet_since = Instant::now();
            }
            let is_quiet = self.running == 0;
            tokio::select! {
                () = &mut interrupt => return Ok(Finish::Interrupted),
                Some(visit) = self.visits.recv() => self.visit(visit),
                Some(ended) = self.ends.recv() => {
                    quiet_since = Instant::now();
                    self.restart(ended)?;
                }
                Some(over) = self.overs.recv() => {
                    quiet_since = Instant::now();
                    self.running -= 1;
                    self.take_down(over)?;
                    while let Some(block) = self.next_whole_block(results) {
                        let (block, records) = block;
                        results.keep(block, &records)?;
                        watch(results);
                        if let Some(finish) = finish(self.settings, results) {
                            return Ok(finish);
                        }
                    }
                }
                () = sleep_until(quiet_since + self.settings.patience), if is_quiet => {
                    return Err(self.who_never_came());
                }
            }
        }
    }

    /// Begins the next table, if there is one, room for it, and all its bots are there.
    fn begin_next(&mut self, results: &Results) -> Result<bool, ArenaError> {
        let (block, table) = self.next;
        let is_due = block < self.settings.blocks
            && block < results.tally().blocks() + AHEAD
            && self.running < self.settings.parallel;
        if !is_due || self.missing().is_some() {
            return Ok(false);
        }
        let seats = self.contest.schedule.seats(block, table);
        let mut occupants = Vec::with_capacity(seats.0.len());
        for bot in seats.0 {
            occupants.push(match &self.contest.bots[bot].origin {
                Origin::House(name) => {
                    Occupant::House(self.server.lobby.house_bot(name).map_err(server_error)?)
                }
                Origin::Command(_) => {
                    let guest = self.bots[bot].waiting.pop_front();
                    Occupant::Guest(Box::new(guest.expect("nobody at this table is missing")))
                }
            });
        }
        let occupants = BySeat(occupants.try_into().expect("five bots make five occupants"));
        let terms = MatchTerms {
            rules: self.contest.rules.clone(),
            time: self.contest.time,
            deals: Deals::Duplicate(deal_seed(&self.contest.seed, block)),
            ladder: false,
        };
        let begun = self.server.lobby.start_match(terms, occupants);
        let handle = begun.map_err(|refused| server_error(refused.0))?;
        self.running += 1;
        self.next = match table + 1 {
            last if last == self.contest.schedule.tables() => (block + 1, 0),
            table => (block, table),
        };
        let (store, overs) = (self.server.store.clone(), self.overs_sender.clone());
        tokio::spawn(async move {
            handle.over().await;
            // A match that was broken off was not stored.
            let record = store.take(&handle.spec().match_id).await.ok().flatten();
            let _ = overs.send(Over { block, table, record }).await;
        });
        Ok(true)
    }

    /// A bot of the next table that is not there, and how many seats it has.
    fn missing(&mut self) -> Option<(Entrant, usize)> {
        let (block, table) = self.next;
        let seats = self.contest.schedule.seats(block, table).0;
        seats.into_iter().find_map(|bot| {
            let wanted = seats.iter().filter(|seated| **seated == bot).count();
            let waiting = &mut self.bots[bot].waiting;
            waiting.retain(|guest| !guest.line.outlet.is_gone());
            let has_process = self.bots[bot].process.is_some();
            (has_process && self.bots[bot].waiting.len() < wanted).then_some((bot, wanted))
        })
    }

    fn visit(&mut self, visit: Visit) {
        match visit {
            Visit::Enter(guest) => self.welcome(*guest),
            Visit::Leave(connection) => {
                for bot in &mut self.bots {
                    bot.waiting.retain(|guest| guest.connection.id != connection);
                }
            }
        }
    }

    fn welcome(&mut self, guest: Guest) {
        let name = &guest.player.name;
        let known = self
            .contest
            .bots
            .iter()
            .position(|bot| matches!(bot.origin, Origin::Command(_)) && bot.name == *name);
        let most =
            known.map_or(0, |bot| self.contest.schedule.most_seats(bot) * self.settings.parallel);
        match known {
            Some(bot) if self.bots[bot].waiting.len() < most => {
                self.bots[bot].has_come = true;
                self.bots[bot].waiting.push_back(guest);
            }
            // A bot that opens more streams than it was told to needs them no more than the arena does.
            Some(_) => guest.line.end(Ending::NoMore),
            None => {
                if self.strangers.len() < STRANGERS {
                    self.strangers.insert(name.clone());
                }
                let reason =
                    "no bot of this arena has this name; say hello with the one in MIGHTY_NAME";
                let waiting = Waiting { reason: reason.to_owned(), seats_open: 0 };
                let _ = guest.line.outlet.tell(Update::Waiting(waiting));
                guest.line.end(Ending::NoMore);
            }
        }
    }

    /// A process has ended before the arena did.
    fn restart(&mut self, ended: Ended) -> Result<(), ArenaError> {
        let contestant = &self.contest.bots[ended.bot];
        let bot = &mut self.bots[ended.bot];
        if let (false, Origin::Command(command)) = (bot.has_come, &contestant.origin) {
            return Err(ArenaError::EndedAtOnce {
                bot: contestant.name.clone(),
                how: ended.how,
                command: command.clone(),
                lines: ended.complaints,
            });
        }
        bot.crashes += 1;
        bot.uncounted += 1;
        bot.waiting.clear();
        if bot.crashes > self.settings.restarts {
            return Err(ArenaError::CrashedTooOften {
                bot: contestant.name.clone(),
                times: bot.crashes,
                how: ended.how,
                lines: ended.complaints,
            });
        }
        let which = ended.bot;
        bot.last_crash = Some(ended);
        self.start(which)
    }

    /// Takes down what a table came to.
    fn take_down(&mut self, over: Over) -> Result<(), ArenaError> {
        let Over { block, table, record } = over;
        let broken = || ArenaError::Server(format!("table {table} of block {block} broke off"));
        let record = record.ok_or_else(broken)?;
        let bots = self.contest.schedule.seats(block, table).0;
        let played = block::played(&bots, &record).ok_or_else(broken)?;
        let tables = self.contest.schedule.tables();
        let begun = self.begun.entry(block).or_insert_with(|| vec![None; tables]);
        begun[table] = Some((played, record.line));
        Ok(())
    }

    /// The block that is to be kept next, with its records, once all its tables are over.
    fn next_whole_block(&mut self, results: &Results) -> Option<(Block, Vec<String>)> {
        let number = results.tally().blocks();
        let is_whole = |tables: &Vec<Option<_>>| tables.iter().all(Option::is_some);
        if !self.begun.get(&number).is_some_and(is_whole) {
            return None;
        }
        let tables = self.begun.remove(&number)?;
        let (tables, records) = tables.into_iter().flatten().unzip();
        let crashes = self.bots.iter_mut().map(|bot| std::mem::take(&mut bot.uncounted));
        let crashes = crashes.collect();
        Some((Block { block: number, tables, crashes, records_bytes: 0 }, records))
    }

    fn who_never_came(&mut self) -> ArenaError {
        let Some((bot, seats)) = self.missing() else {
            return ArenaError::Server("no table began although all bots were there".to_owned());
        };
        ArenaError::NeverCame {
            bot: self.contest.bots[bot].name.clone(),
            patience: self.settings.patience,
            seats,
            strangers: self.strangers.iter().cloned().collect(),
            lines: self.bots[bot].process.as_ref().map_or_else(Vec::new, Process::complaints),
        }
    }

    /// The last words of every bot that had trouble.
    fn complaints(&mut self, results: &Results) -> Vec<Complaint> {
        let mut complaints = Vec::new();
        for (at, (contestant, bot)) in self.contest.bots.iter().zip(&mut self.bots).enumerate() {
            let name = || contestant.name.clone();
            if let Some(Ended { how, complaints: lines, .. }) = bot.last_crash.take() {
                let what = format!("ended too early with {how}");
                complaints.push(Complaint { bot: name(), what, lines });
            }
            let lines = bot.process.as_ref().map_or_else(Vec::new, Process::complaints);
            if results.tally().trouble(at) != Trouble::default() && !lines.is_empty() {
                complaints.push(Complaint { bot: name(), what: "said last".to_owned(), lines });
            }
        }
        complaints
    }

    /// Sends everybody home, and stops the server.
    async fn close(mut self) {
        self.server.is_open.send_replace(false);
        for guest in self.bots.iter_mut().flat_map(|bot| bot.waiting.drain(..)) {
            guest.line.end(Ending::NoMore);
        }
        let mut left = self.bots.iter().filter(|bot| bot.process.is_some()).count();
        let farewell = async {
            // Bots at tables that nobody needs any more are told with the end of the server.
            while left > 0 && self.running == 0 {
                tokio::select! {
                    Some(visit) = self.visits.recv() => match visit {
                        Visit::Enter(guest) => guest.line.end(Ending::NoMore),
                        Visit::Leave(_) => {}
                    },
                    Some(_) = self.ends.recv() => left -= 1,
                }
            }
        };
        let _ = timeout(FAREWELL, farewell).await;
        self.server.close().await;
        // Who has not gone by itself would look for a server that is no more.
        for process in self.bots.into_iter().filter_map(|bot| bot.process) {
            process.stop().await;
        }
    }
}

fn server_error(error: impl std::fmt::Display) -> ArenaError {
    ArenaError::Server(error.to_string())
}

impl Server {
    async fn open(desk: ArenaDesk, is_open: watch::Sender<bool>) -> anyhow::Result<Server> {
        let mut config = Config::with_defaults();
        config.absence = ABSENCE;
        config.streams_per_connection = 1024;
        let door = config.door();
        let mut inside = None;
        let prepared = Prepared::with_desk(config, mighty_house::by_name, |_, lobby, store| {
            inside = Some((lobby.clone(), store.clone()));
            Ok(Some(Arc::new(desk)))
        })?;
        let (lobby, store) = inside.expect("a server that is prepared has opened its desk");
        let listener = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let shutdown = Shutdown::default();
        let serving = prepared.serve(connections(listener, door), shutdown.clone());
        let serving = tokio::spawn(serving);
        Ok(Server { address, lobby, store, is_open, shutdown, serving })
    }

    async fn close(self) {
        self.shutdown.at_once.cancel();
        let mut serving = self.serving;
        if timeout(FAREWELL, &mut serving).await.is_err() {
            serving.abort();
        }
    }
}
