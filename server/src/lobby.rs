//! The lobby: which tables there are, who waits for a seat at them, and which token opens which seat.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use mighty_rules::{BySeat, Rules, Seat, Seed};
use sha2::{Digest, Sha256};
use tokio::sync::oneshot;
use tokio::time::Instant;
use uuid::Uuid;

use crate::grpc::record::{LiveRecord, LiveRecords};
use crate::matches::{Deals, MatchSpec, MatchTerms, PlayerId, TimeControl};
use crate::table::effect::{Connection, ConnectionId, Ending};
use crate::table::feed::Line;
use crate::table::standing::{Progress, SeatState, Standing};
use crate::table::update::{ResumeToken, Update, Waiting};
use crate::table::{FollowRefused, Sitting, TableHandle, TableSetting};

/// The limits of a lobby.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LobbyLimits {
    /// How many tables may wait or be played at a time.
    pub tables: usize,
    /// How many tables that are over are still found.
    pub finished: usize,
    /// How long a table at which nobody waits keeps its place when another one is wanted.
    pub waiting: Duration,
}

/// The lobby. A clone is the same lobby.
#[derive(Clone, Debug)]
pub struct Lobby {
    limits: LobbyLimits,
    setting: TableSetting,
    registry: Arc<Mutex<Registry>>,
}

#[derive(Debug, Default)]
struct Registry {
    /// By id; ids grow with time, so the last is the newest.
    tables: BTreeMap<String, Entry>,
    /// Seats by the hash of the token that opens them.
    seats: HashMap<[u8; 32], (String, Seat)>,
    is_closed: bool,
}

#[derive(Debug)]
struct Entry {
    created_at: SystemTime,
    stage: TableStage,
}

#[derive(Debug)]
enum TableStage {
    Waiting(Box<WaitingTable>),
    Opened(TableHandle),
}

/// A table at which seats are open.
#[derive(Debug)]
struct WaitingTable {
    rules: Arc<Rules>,
    time: TimeControl,
    seats: BySeat<Place>,
    spectators: Vec<Line>,
    since: Instant,
}

#[derive(Debug)]
enum Place {
    Open,
    House(PlayerId),
    Taken(Box<Guest>),
}

/// A player from outside who takes a seat.
#[derive(Debug)]
pub struct Guest {
    /// Who it is.
    pub player: PlayerId,
    /// Its connection.
    pub connection: Connection,
    /// Where its updates go.
    pub line: Line,
    /// Who is told when its match begins.
    pub seated: oneshot::Sender<Seated>,
}

/// A seat in a match that has begun.
#[derive(Clone, Debug)]
pub struct Seated {
    /// The table.
    pub table: TableHandle,
    /// The seat.
    pub seat: Seat,
}

/// Who is to sit at a seat of a new table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeatPlan {
    /// Anybody who comes.
    Open,
    /// The house bot of this name.
    House(String),
}

/// Who sits at a seat when a match begins.
#[derive(Debug)]
pub enum Occupant {
    /// A house bot.
    House(PlayerId),
    /// A player from outside.
    Guest(Box<Guest>),
}

/// A table as anybody may see it.
#[derive(Clone, Debug)]
pub struct TableInfo {
    /// Its id.
    pub id: String,
    /// When it was made.
    pub created_at: SystemTime,
    /// The rules.
    pub rules: Arc<Rules>,
    /// Who sits where; nobody while a seat is open.
    pub players: BySeat<Option<PlayerId>>,
    /// Whether it is a match of the ladder.
    pub ladder: bool,
    /// How it stands, once its match has begun.
    pub standing: Option<Standing>,
    /// How many look on.
    pub followers: usize,
}

/// Why the lobby did not do what it was asked.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LobbyError {
    /// There are too many tables.
    #[error("there are {limit} tables already, which is the limit of this server; try again later")]
    TooManyTables {
        /// How many there may be.
        limit: usize,
    },
    /// There is no such table.
    #[error(
        "there is no table `{0}`; finished tables are forgotten after a while, their records are kept"
    )]
    NoSuchTable(String),
    /// The match has begun, or all seats are taken.
    #[error("table `{0}` has no open seat; take one of another table, or follow this one")]
    NoOpenSeat(String),
    /// Somebody sits there.
    #[error("seat {seat} of table `{table}` is taken; leave the seat unset for the first open one")]
    SeatTaken {
        /// The table.
        table: String,
        /// The seat.
        seat: Seat,
    },
    /// No house bot has this name.
    #[error("there is no house bot `{name}`; there are {known}")]
    NoSuchHouseBot {
        /// The name.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// The token opens nothing.
    #[error(
        "this resume token opens no seat; send the one of the MatchStart, while its table is not forgotten"
    )]
    UnknownToken,
    /// Too many look on, or the table is gone.
    #[error(transparent)]
    Follow(#[from] FollowRefused),
    /// The server is stopping.
    #[error("the server is stopping and begins no match any more; come back in a moment")]
    Closed,
}

impl Lobby {
    /// An empty lobby.
    pub fn new(limits: LobbyLimits, setting: TableSetting) -> Lobby {
        Lobby { limits, setting, registry: Arc::default() }
    }

    /// Makes a table. Its match begins when no seat is open.
    ///
    /// # Errors
    /// An unknown house bot, too many tables, or a server that stops.
    pub fn create(
        &self,
        rules: Arc<Rules>,
        seats: BySeat<SeatPlan>,
        time: TimeControl,
    ) -> Result<TableInfo, LobbyError> {
        let mut places = Vec::with_capacity(Seat::ALL.len());
        for plan in seats.0 {
            places.push(match plan {
                SeatPlan::Open => Place::Open,
                SeatPlan::House(name) => Place::House(self.house_bot(&name)?),
            });
        }
        let seats = BySeat(places.try_into().expect("five plans make five places"));
        let mut registry = self.registry();
        self.make_room(&mut registry)?;
        let table =
            WaitingTable { rules, time, seats, spectators: Vec::new(), since: Instant::now() };
        let id = new_id();
        let stage = TableStage::Waiting(Box::new(table));
        registry.tables.insert(id.clone(), Entry { created_at: SystemTime::now(), stage });
        self.begin_if_full(&mut registry, &id);
        registry.info(&id)
    }

    /// The house bot of this name, as a player.
    ///
    /// # Errors
    /// There is none.
    pub fn house_bot(&self, name: &str) -> Result<PlayerId, LobbyError> {
        if (self.setting.house)(name, 0).is_none() {
            let known = mighty_house::NAMES.join(" and ");
            return Err(LobbyError::NoSuchHouseBot { name: name.to_owned(), known });
        }
        Ok(PlayerId { name: name.to_owned(), version: String::new(), house: true })
    }

    /// Some tables, newest first: those older than the one named, and the id after which to go on.
    pub fn list(&self, before: Option<&str>, size: usize) -> (Vec<TableInfo>, Option<String>) {
        let registry = self.registry();
        let until = before.map_or(Bound::Unbounded, Bound::Excluded);
        let mut older = registry.tables.range::<str, _>((Bound::Unbounded, until)).rev();
        let tables: Vec<TableInfo> =
            older.by_ref().take(size).map(|(id, entry)| entry.info(id)).collect();
        let next = older.next().and(tables.last()).map(|last| last.id.clone());
        (tables, next)
    }

    /// One table.
    ///
    /// # Errors
    /// There is none with this id.
    pub fn get(&self, id: &str) -> Result<TableInfo, LobbyError> {
        self.registry().info(id)
    }

    /// The table of a match that has begun; `None` while it waits, and where there is none.
    pub fn opened(&self, id: &str) -> Option<TableHandle> {
        self.registry().opened(id)
    }

    /// Takes a seat at a table that waits; the first open one, unless one is named.
    ///
    /// # Errors
    /// There is no such table, or no such open seat.
    pub fn sit(&self, id: &str, seat: Option<Seat>, guest: Guest) -> Result<(), LobbyError> {
        let mut registry = self.registry();
        *registry.find_place(id, seat)? = Place::Taken(Box::new(guest));
        self.begin_if_full(&mut registry, id);
        registry.tell_who_waits(id);
        Ok(())
    }

    /// A guest who waited at this table is gone.
    pub fn stand_up(&self, id: &str, connection: ConnectionId) {
        let mut registry = self.registry();
        let Some(Entry { stage: TableStage::Waiting(table), .. }) = registry.tables.get_mut(id)
        else {
            return;
        };
        for place in &mut table.seats.0 {
            if matches!(place, Place::Taken(guest) if guest.connection.id == connection) {
                *place = Place::Open;
            }
        }
        table.since = Instant::now();
        registry.tell_who_waits(id);
    }

    /// Looks on at a table.
    ///
    /// # Errors
    /// There is no such table, too many look on, or it is gone.
    pub async fn follow(&self, id: &str, line: Line) -> Result<(), LobbyError> {
        let table = {
            let mut registry = self.registry();
            match registry.tables.get_mut(id).map(|entry| &mut entry.stage) {
                None => return Err(LobbyError::NoSuchTable(id.to_owned())),
                Some(TableStage::Opened(table)) => table.clone(),
                Some(TableStage::Waiting(table)) => {
                    table.spectators.retain(|spectator| !spectator.outlet.is_gone());
                    let limit = self.setting.followers;
                    if table.spectators.len() >= limit {
                        return Err(FollowRefused::TooMany { limit }.into());
                    }
                    let _ = line.outlet.tell(Update::Waiting(table.waiting()));
                    table.spectators.push(line);
                    return Ok(());
                }
            }
        };
        Ok(table.follow(line).await?)
    }

    /// The seat that a resume token opens.
    ///
    /// # Errors
    /// It opens none.
    pub fn resume(&self, token: &str) -> Result<Seated, LobbyError> {
        let registry = self.registry();
        // The hash is looked up, so that the time it takes tells nothing of the tokens that there are.
        let (id, seat) = registry.seats.get(&hash(token)).ok_or(LobbyError::UnknownToken)?;
        let table = registry.opened(id).ok_or(LobbyError::UnknownToken)?;
        Ok(Seated { table, seat: *seat })
    }

    /// Begins a match at a new table.
    ///
    /// # Errors
    /// Too many tables, or a server that stops; the occupants are given back.
    pub fn start_match(
        &self,
        terms: MatchTerms,
        occupants: BySeat<Occupant>,
    ) -> Result<TableHandle, Box<(LobbyError, BySeat<Occupant>)>> {
        let mut registry = self.registry();
        if let Err(error) = self.make_room(&mut registry) {
            return Err(Box::new((error, occupants)));
        }
        let plan = MatchPlan { id: new_id(), terms, spectators: Vec::new() };
        Ok(self.begin(&mut registry, plan, occupants, SystemTime::now()))
    }

    /// How many matches are being played.
    pub fn playing(&self) -> usize {
        self.registry().tables.values().filter(|entry| entry.is_playing()).count()
    }

    /// No match begins any more, and who waits is sent away. What was opened is left.
    fn close(&self) -> Vec<TableHandle> {
        let mut registry = self.registry();
        registry.is_closed = true;
        registry.send_away_who_waits();
        registry.all_opened()
    }

    /// The server is stopping: no match begins any more, and hands in play may finish. Who waits is sent away.
    pub async fn drain(&self) {
        let tables = self.close();
        for table in &tables {
            table.drain().await;
        }
        for table in &tables {
            table.over().await;
        }
    }

    /// The server stops now: what is played is broken off, and what is being kept is announced.
    pub async fn break_off(&self) {
        let tables = self.close();
        for table in &tables {
            table.break_off().await;
        }
        for table in &tables {
            table.over().await;
        }
    }

    fn registry(&self) -> MutexGuard<'_, Registry> {
        // A registry is only ever changed as a whole, so one that a panic left behind is sound.
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets tables that are over beyond the limit, and sees whether there is room for another one.
    fn make_room(&self, registry: &mut Registry) -> Result<(), LobbyError> {
        if registry.is_closed {
            return Err(LobbyError::Closed);
        }
        let over: Vec<String> = registry.ids(Entry::is_over);
        for id in over.iter().take(over.len().saturating_sub(self.limits.finished)) {
            registry.forget(id);
        }
        let limit = self.limits.tables;
        if registry.busy() >= limit {
            for id in registry.ids(|entry| entry.is_deserted(self.limits.waiting)) {
                registry.forget(&id);
            }
        }
        if registry.busy() < limit { Ok(()) } else { Err(LobbyError::TooManyTables { limit }) }
    }

    fn begin_if_full(&self, registry: &mut Registry, id: &str) {
        let Some(entry) = registry.tables.remove(id) else { return };
        match entry.stage {
            TableStage::Waiting(table) if table.open_seats() == 0 => {
                let WaitingTable { rules, time, seats, spectators, .. } = *table;
                let occupants = seats.map(|place| match place {
                    Place::House(player) => Occupant::House(player),
                    Place::Taken(guest) => Occupant::Guest(guest),
                    Place::Open => unreachable!("no seat is open"),
                });
                let terms = MatchTerms { rules, time, deals: Deals::Fresh, ladder: false };
                let plan = MatchPlan { id: id.to_owned(), terms, spectators };
                self.begin(registry, plan, occupants, entry.created_at);
            }
            TableStage::Waiting(_) | TableStage::Opened(_) => {
                registry.tables.insert(id.to_owned(), entry);
            }
        }
    }

    fn begin(
        &self,
        registry: &mut Registry,
        plan: MatchPlan,
        occupants: BySeat<Occupant>,
        created_at: SystemTime,
    ) -> TableHandle {
        let MatchPlan { id, terms, spectators } = plan;
        let MatchTerms { rules, time, deals, ladder } = terms;
        let (duplicate, seed) = match deals {
            Deals::Fresh => (false, Seed::new(secret())),
            Deals::Duplicate(seed) => (true, seed),
        };
        let mut tokens = BySeat::default();
        let mut sitting: BySeat<Option<Sitting>> = BySeat::default();
        let mut to_be_told = Vec::new();
        let mut players = Vec::with_capacity(Seat::ALL.len());
        for (seat, occupant) in Seat::ALL.into_iter().zip(occupants.0) {
            players.push(match occupant {
                Occupant::House(player) => player,
                Occupant::Guest(guest) => {
                    let Guest { player, connection, line, seated } = *guest;
                    let token = ResumeToken::new(secret());
                    registry.seats.insert(hash(token.reveal()), (id.clone(), seat));
                    tokens[seat] = Some(token);
                    if !line.outlet.is_gone() {
                        sitting[seat] = Some(Sitting { connection, line });
                    }
                    to_be_told.push((seat, seated));
                    player
                }
            });
        }
        let spec = MatchSpec {
            match_id: id.clone(),
            rules,
            duplicate,
            seed,
            players: BySeat(players.try_into().expect("five occupants make five players")),
            time,
            ladder,
        };
        let (table, opening) = TableHandle::open(&self.setting, spec, tokens, sitting, spectators);
        for (seat, seated) in to_be_told {
            // A session that has gone meanwhile is found absent by the table.
            let _ = seated.send(Seated { table: table.clone(), seat });
        }
        opening.begin();
        let stage = TableStage::Opened(table.clone());
        registry.tables.insert(id, Entry { created_at, stage });
        table
    }
}

#[tonic::async_trait]
impl LiveRecords for Lobby {
    async fn live_record(&self, id: &str) -> Option<LiveRecord> {
        let table = self.opened(id)?;
        match table.standing().progress {
            Progress::Playing | Progress::Closing => {
                let line = table.record().await.ok()?;
                Some(LiveRecord { line, ladder: table.spec().ladder })
            }
            Progress::Over | Progress::BrokenOff => None,
        }
    }
}

struct MatchPlan {
    id: String,
    terms: MatchTerms,
    spectators: Vec<Line>,
}

impl Registry {
    fn info(&self, id: &str) -> Result<TableInfo, LobbyError> {
        let entry = self.tables.get(id).ok_or_else(|| LobbyError::NoSuchTable(id.to_owned()))?;
        Ok(entry.info(id))
    }

    fn opened(&self, id: &str) -> Option<TableHandle> {
        match &self.tables.get(id)?.stage {
            TableStage::Waiting(_) => None,
            TableStage::Opened(table) => Some(table.clone()),
        }
    }

    fn all_opened(&self) -> Vec<TableHandle> {
        self.tables.keys().filter_map(|id| self.opened(id)).collect()
    }

    fn ids(&self, wanted: impl Fn(&Entry) -> bool) -> Vec<String> {
        self.tables.iter().filter(|(_, entry)| wanted(entry)).map(|(id, _)| id.clone()).collect()
    }

    fn busy(&self) -> usize {
        self.tables.values().filter(|entry| !entry.is_over()).count()
    }

    fn forget(&mut self, id: &str) {
        self.tables.remove(id);
        self.seats.retain(|_, (table, _)| table != id);
    }

    fn find_place(&mut self, id: &str, seat: Option<Seat>) -> Result<&mut Place, LobbyError> {
        let entry = self.tables.get_mut(id);
        let entry = entry.ok_or_else(|| LobbyError::NoSuchTable(id.to_owned()))?;
        let no_open_seat = || LobbyError::NoOpenSeat(id.to_owned());
        let TableStage::Waiting(table) = &mut entry.stage else { return Err(no_open_seat()) };
        let is_open = |seat: &Seat| matches!(table.seats[*seat], Place::Open);
        let seat = match seat {
            Some(seat) if is_open(&seat) => seat,
            Some(seat) => return Err(LobbyError::SeatTaken { table: id.to_owned(), seat }),
            None => Seat::ALL.into_iter().find(is_open).ok_or_else(no_open_seat)?,
        };
        Ok(&mut table.seats[seat])
    }

    fn tell_who_waits(&self, id: &str) {
        let Some(Entry { stage: TableStage::Waiting(table), .. }) = self.tables.get(id) else {
            return;
        };
        let guests = table.seats.0.iter().filter_map(|place| match place {
            Place::Taken(guest) => Some(&guest.line),
            Place::Open | Place::House(_) => None,
        });
        for line in guests.chain(&table.spectators) {
            // Who does not even read that it waits will be found gone, or behind, when the match begins.
            let _ = line.outlet.tell(Update::Waiting(table.waiting()));
        }
    }

    fn send_away_who_waits(&mut self) {
        for id in self.ids(|entry| matches!(entry.stage, TableStage::Waiting(_))) {
            let Some(Entry { stage: TableStage::Waiting(table), .. }) = self.tables.remove(&id)
            else {
                continue;
            };
            let guests = table.seats.0.into_iter().filter_map(|place| match place {
                Place::Taken(guest) => Some(guest.line),
                Place::Open | Place::House(_) => None,
            });
            for line in guests.chain(table.spectators) {
                line.end(Ending::Stopped);
            }
        }
    }
}

impl Entry {
    fn info(&self, id: &str) -> TableInfo {
        match &self.stage {
            TableStage::Waiting(table) => TableInfo {
                id: id.to_owned(),
                created_at: self.created_at,
                rules: table.rules.clone(),
                players: BySeat::from_fn(|seat| match &table.seats[seat] {
                    Place::Open => None,
                    Place::House(player) => Some(player.clone()),
                    Place::Taken(guest) => Some(guest.player.clone()),
                }),
                ladder: false,
                standing: None,
                followers: table.spectators.len(),
            },
            TableStage::Opened(table) => {
                let (spec, standing) = (table.spec(), table.standing());
                TableInfo {
                    id: id.to_owned(),
                    created_at: self.created_at,
                    rules: spec.rules.clone(),
                    players: BySeat::from_fn(|seat| Some(spec.players[seat].clone())),
                    ladder: spec.ladder,
                    standing: Some(standing),
                    followers: standing.followers,
                }
            }
        }
    }

    fn is_playing(&self) -> bool {
        matches!(self.stage, TableStage::Opened(_)) && !self.is_over()
    }

    fn is_over(&self) -> bool {
        match &self.stage {
            TableStage::Waiting(_) => false,
            TableStage::Opened(table) => match table.standing().progress {
                Progress::Playing | Progress::Closing => false,
                Progress::Over | Progress::BrokenOff => true,
            },
        }
    }

    /// Whether nobody has waited here for that long.
    fn is_deserted(&self, limit: Duration) -> bool {
        match &self.stage {
            TableStage::Waiting(table) => {
                let is_taken = |place: &Place| matches!(place, Place::Taken(_));
                !table.seats.0.iter().any(is_taken) && table.since.elapsed() >= limit
            }
            TableStage::Opened(_) => false,
        }
    }
}

impl WaitingTable {
    fn open_seats(&self) -> u32 {
        self.seats.0.iter().filter(|place| matches!(place, Place::Open)).count() as u32
    }

    fn waiting(&self) -> Waiting {
        let seats_open = self.open_seats();
        let reason = match seats_open {
            1 => "One seat of this table is still open.".to_owned(),
            _ => format!("{seats_open} seats of this table are still open."),
        };
        Waiting { reason, seats_open }
    }
}

impl TableInfo {
    /// How a seat is; an open one has nobody present.
    pub fn seat(&self, seat: Seat) -> SeatState {
        match &self.standing {
            Some(standing) => standing.seats[seat],
            None => SeatState { present: self.players[seat].is_some(), given_up: false },
        }
    }
}

/// Ids grow with time.
fn new_id() -> String {
    Uuid::now_v7().to_string()
}

/// 32 bytes that nobody can guess.
fn secret() -> [u8; 32] {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).expect("the operating system has random bytes");
    bytes
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}
