//! The ladder's desk: bots ask for matches here, and are seated together.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use mighty_rules::{BySeat, Rules, Seat};
use rand::Rng;
use tokio::sync::{mpsc, watch};
use tokio::time::sleep_until;

use super::pairing::{self, Chair, PairingRules};
use super::rating::Rating;
use super::{LadderStatus, WaitingBot};
use crate::desk::{Entrant, MatchDesk};
use crate::lobby::{Guest, Lobby, LobbyError, Occupant};
use crate::matches::{Deals, MatchTerms, PlayerId, TimeControl};
use crate::store::Store;
use crate::table::effect::{ConnectionId, Ending};
use crate::table::standing::Progress;
use crate::table::update::{Update, Waiting};

/// What the ladder plays.
#[derive(Clone, Debug)]
pub struct LadderRules {
    /// The rules.
    pub rules: Arc<Rules>,
    /// The clock.
    pub time: TimeControl,
    /// How tables are put together.
    pub pairing: PairingRules,
    /// The house bots that fill up.
    pub house: Vec<PlayerId>,
    /// How many matches may be played at a time.
    pub tables: usize,
    /// After how many matches the ladder ends; 0 for never.
    pub matches: u64,
    /// How many bots may wait.
    pub waiting: usize,
}

/// The desk, for everybody but its own task.
#[derive(Clone, Debug)]
pub struct LadderDesk {
    mailbox: mpsc::Sender<Command>,
    is_open: watch::Receiver<bool>,
    status: watch::Receiver<LadderStatus>,
    store: Store,
}

#[derive(Debug)]
enum Command {
    Enter(Box<Entrant<Guest>>, Rating),
    Leave(ConnectionId),
    Over { table: String, is_finished: bool },
    Close,
}

impl LadderDesk {
    /// Opens the desk.
    pub fn open(rules: LadderRules, lobby: Lobby, store: Store) -> LadderDesk {
        let (mailbox, commands) = mpsc::channel(rules.waiting.max(1));
        let desk = Desk::new(rules);
        let (opener, is_open) = watch::channel(true);
        let (teller, status) = watch::channel(desk.status());
        let myself = mailbox.downgrade();
        tokio::spawn(run(desk, lobby, commands, myself, opener, teller));
        LadderDesk { mailbox, is_open, status, store }
    }

    async fn tell(&self, command: Command) {
        // A desk that is gone seats nobody: guests see their lines dropped.
        let _ = self.mailbox.send(command).await;
    }
}

#[tonic::async_trait]
impl MatchDesk for LadderDesk {
    fn is_open(&self) -> bool {
        *self.is_open.borrow()
    }

    async fn enter(&self, entrant: Entrant<Guest>) {
        let standing = self.store.standing(entrant.player.clone()).await;
        let rating = standing.ok().flatten().map_or_else(Rating::default, |known| known.rating);
        self.tell(Command::Enter(Box::new(entrant), rating)).await;
    }

    async fn leave(&self, connection: ConnectionId) {
        self.tell(Command::Leave(connection)).await;
    }

    fn status(&self) -> watch::Receiver<LadderStatus> {
        self.status.clone()
    }

    async fn close(&self) {
        self.tell(Command::Close).await;
    }
}

/// Those who wait, and how many matches there have been: decisions without I/O.
#[derive(Debug)]
struct Desk<G> {
    rules: LadderRules,
    waiting: Vec<Place<G>>,
    playing: BTreeSet<String>,
    started: u64,
    finished: u64,
}

#[derive(Debug)]
struct Place<G> {
    entrant: Entrant<G>,
    rating: f64,
    since: Instant,
    since_date: SystemTime,
    /// Why it waits, as it was last told.
    told: Option<Waiting>,
}

/// Who takes a seat of a match that is to begin.
#[derive(PartialEq, Eq, Debug)]
enum Seated<G> {
    House(PlayerId),
    Entrant(G),
}

impl<G> Desk<G> {
    fn new(rules: LadderRules) -> Desk<G> {
        let waiting = Vec::new();
        Desk { rules, waiting, playing: BTreeSet::new(), started: 0, finished: 0 }
    }

    /// Whether further matches may begin.
    fn is_open(&self) -> bool {
        self.rules.matches == 0 || self.started < self.rules.matches
    }

    fn enter(&mut self, entrant: Entrant<G>, rating: f64, now: Instant, date: SystemTime) {
        self.waiting.push(Place { entrant, rating, since: now, since_date: date, told: None });
    }

    fn is_full(&self) -> bool {
        self.waiting.len() >= self.rules.waiting
    }

    /// Who sits down together now; who goes on waiting has a new reason, and `told` is called where it changed.
    fn decide(
        &mut self,
        now: Instant,
        rng: &mut impl Rng,
        mut told: impl FnMut(&G, &Waiting),
    ) -> Vec<BySeat<Seated<G>>> {
        let mut free = self.rules.tables.saturating_sub(self.playing.len());
        if self.rules.matches > 0 {
            let left = self.rules.matches.saturating_sub(self.started);
            free = free.min(usize::try_from(left).unwrap_or(usize::MAX));
        }
        let list: Vec<pairing::Waiting> = self.waiting.iter().map(Place::as_listed).collect();
        let pairing = pairing::pair(&list, &self.rules.house, free, now, &self.rules.pairing, rng);
        let names: BTreeSet<&str> =
            pairing.waits.iter().map(|(at, _)| list[*at].owner.as_str()).collect();
        let seats_open = Seat::ALL.len().saturating_sub(names.len()) as u32;
        for (at, reason) in pairing.waits {
            let place = &mut self.waiting[at];
            let waiting = Waiting { reason, seats_open };
            if place.told.as_ref() != Some(&waiting) {
                told(&place.entrant.guest, &waiting);
                place.told = Some(waiting);
            }
        }
        let mut places: Vec<Option<Place<G>>> = self.waiting.drain(..).map(Some).collect();
        let tables = pairing.tables.into_iter().map(|chairs| {
            chairs.map(|chair| match chair {
                Chair::House(player) => Seated::House(player),
                Chair::Waiting(at) => {
                    let place = places[at].take().expect("nobody is given two chairs");
                    Seated::Entrant(place.entrant.guest)
                }
            })
        });
        let tables: Vec<_> = tables.collect();
        self.waiting = places.into_iter().flatten().collect();
        self.started += tables.len() as u64;
        tables
    }

    /// When somebody will have waited long enough for house bots.
    fn wake(&self, now: Instant) -> Option<Instant> {
        let due = self.waiting.iter().map(|place| place.since + self.rules.pairing.fill_after);
        due.filter(|due| *due > now).min()
    }

    fn status(&self) -> LadderStatus {
        let waiting = self.waiting.iter().map(|place| WaitingBot {
            name: place.entrant.player.name.clone(),
            since: place.since_date,
            reason: place.told.as_ref().map_or_else(String::new, |told| told.reason.clone()),
        });
        LadderStatus {
            enabled: true,
            profile: self.rules.rules.profile().name().to_owned(),
            finished: self.finished,
            waiting: waiting.collect(),
            tables: self.playing.iter().cloned().collect(),
        }
    }
}

impl<G> Place<G> {
    fn as_listed(&self) -> pairing::Waiting {
        let Entrant { player, wanted, played, .. } = &self.entrant;
        pairing::Waiting {
            player: player.clone(),
            // In open mode each name is its own owner.
            owner: player.name.clone(),
            rating: self.rating,
            since: self.since,
            wanted: *wanted,
            played: *played,
        }
    }
}

async fn run(
    mut desk: Desk<Guest>,
    lobby: Lobby,
    mut commands: mpsc::Receiver<Command>,
    myself: mpsc::WeakSender<Command>,
    opener: watch::Sender<bool>,
    teller: watch::Sender<LadderStatus>,
) {
    let mut is_closed = false;
    loop {
        let wake = desk.wake(now());
        let wake = async move {
            match wake {
                Some(at) => sleep_until(at.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            command = commands.recv() => match command {
                None => return,
                Some(Command::Enter(entrant, _)) if is_closed => {
                    entrant.guest.line.end(Ending::Stopped);
                }
                Some(Command::Enter(entrant, _)) if desk.is_full() => {
                    entrant.guest.line.end(Ending::NoRoom);
                }
                Some(Command::Enter(entrant, rating)) => {
                    desk.enter(*entrant, rating.mu, now(), SystemTime::now());
                }
                Some(Command::Leave(connection)) => desk
                    .waiting
                    .retain(|place| place.entrant.guest.connection.id != connection),
                Some(Command::Over { table, is_finished }) => {
                    desk.playing.remove(&table);
                    desk.finished += u64::from(is_finished);
                }
                Some(Command::Close) => is_closed = true,
            },
            () = wake => {}
        }
        if is_closed {
            opener.send_replace(false);
            desk.send_away(Ending::Stopped);
        } else {
            begin_matches(&mut desk, &lobby, &myself);
            if !desk.is_open() {
                opener.send_replace(false);
                desk.send_away(Ending::NoMore);
            }
        }
        teller.send_replace(desk.status());
    }
}

fn begin_matches(desk: &mut Desk<Guest>, lobby: &Lobby, myself: &mpsc::WeakSender<Command>) {
    let told = |guest: &Guest, waiting: &Waiting| {
        // Who does not even read why it waits will be found gone, or behind, when its match begins.
        let _ = guest.line.outlet.tell(Update::Waiting(waiting.clone()));
    };
    for chairs in desk.decide(now(), &mut rand::rng(), told) {
        let occupants = chairs.map(|seated| match seated {
            Seated::House(player) => Occupant::House(player),
            Seated::Entrant(guest) => Occupant::Guest(Box::new(guest)),
        });
        let (rules, time) = (desk.rules.rules.clone(), desk.rules.time);
        let terms = MatchTerms { rules, time, deals: Deals::Fresh, ladder: true };
        match lobby.start_match(terms, occupants) {
            Ok(table) => {
                let id = table.spec().match_id.clone();
                desk.playing.insert(id.clone());
                let myself = myself.clone();
                tokio::spawn(async move {
                    let is_finished = table.over().await == Progress::Over;
                    if let Some(desk) = myself.upgrade() {
                        let _ = desk.send(Command::Over { table: id, is_finished }).await;
                    }
                });
            }
            Err(refused) => {
                let (error, occupants) = *refused;
                tracing::warn!(%error, "a match of the ladder could not begin");
                desk.started -= 1;
                let why =
                    if error == LobbyError::Closed { Ending::Stopped } else { Ending::NoRoom };
                for occupant in occupants.0 {
                    match occupant {
                        Occupant::House(_) => {}
                        Occupant::Guest(guest) => guest.line.end(why),
                    }
                }
            }
        }
    }
}

impl Desk<Guest> {
    fn send_away(&mut self, why: Ending) {
        for place in self.waiting.drain(..) {
            place.entrant.guest.line.end(why);
        }
    }
}

fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mighty_rules::Profile;
    use rand::SeedableRng;
    use rand::rngs::ChaCha12Rng;

    use super::*;

    fn house(name: &str) -> PlayerId {
        PlayerId { name: name.to_owned(), version: String::new(), house: true }
    }

    fn desk(matches: u64, tables: usize) -> Desk<&'static str> {
        let minute = Duration::from_secs(60);
        Desk::new(LadderRules {
            rules: Arc::new(Rules::of(Profile::Korean)),
            time: TimeControl { bank: minute, increment: Duration::ZERO },
            pairing: PairingRules { fill_after: Duration::from_secs(15), spread: 0.0 },
            house: vec![house("cautious"), house("random")],
            tables,
            matches,
            waiting: 8,
        })
    }

    fn enter(desk: &mut Desk<&'static str>, name: &'static str, now: Instant) {
        let player = PlayerId { house: false, ..house(name) };
        let entrant = Entrant { guest: name, player, wanted: 0, played: 0 };
        desk.enter(entrant, 25.0, now, SystemTime::UNIX_EPOCH);
    }

    /// The names at each table that begins now, sorted; house bots with a star.
    fn begun(desk: &mut Desk<&'static str>, now: Instant) -> Vec<String> {
        let tables = desk.decide(now, &mut ChaCha12Rng::seed_from_u64(1), |_, _| {});
        let name = |seated: &Seated<&str>| match seated {
            Seated::House(player) => format!("*{}", player.name),
            Seated::Entrant(name) => (*name).to_owned(),
        };
        tables
            .iter()
            .map(|table| {
                let mut names: Vec<String> = table.0.iter().map(name).collect();
                names.sort_unstable();
                names.join(" ")
            })
            .collect()
    }

    #[test]
    fn five_bots_sit_down_and_a_lonely_one_gets_house_bots_of_both_kinds() {
        let (start, mut desk) = (Instant::now(), desk(0, 9));
        for name in ["a", "b", "c", "d"] {
            enter(&mut desk, name, start);
        }
        assert!(begun(&mut desk, start).is_empty());
        enter(&mut desk, "e", start);
        assert_eq!(begun(&mut desk, start), ["a b c d e"]);
        enter(&mut desk, "f", start);
        assert!(begun(&mut desk, start).is_empty());
        let later = desk.wake(start).expect("it is woken for f");
        assert_eq!(later, start + Duration::from_secs(15));
        assert_eq!(begun(&mut desk, later), ["*cautious *cautious *random *random f"]);
        assert_eq!(desk.wake(later), None);
    }

    #[test]
    fn two_connections_of_one_bot_never_share_a_table() {
        let (start, mut desk) = (Instant::now(), desk(0, 9));
        for name in ["a", "a", "a", "b", "c"] {
            enter(&mut desk, name, start);
        }
        let tables = begun(&mut desk, start + Duration::from_secs(15));
        assert_eq!(tables.len(), 3);
        assert!(
            tables.iter().all(|names| names.split(' ').filter(|name| *name == "a").count() == 1)
        );
    }

    #[test]
    fn a_ladder_of_so_many_matches_begins_no_other() {
        let (start, mut desk) = (Instant::now(), desk(1, 9));
        for name in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"] {
            enter(&mut desk, name, start);
        }
        assert!(desk.is_open());
        assert_eq!(begun(&mut desk, start).len(), 1);
        assert!(!desk.is_open());
        assert!(begun(&mut desk, start + Duration::from_secs(60)).is_empty());
    }

    #[test]
    fn who_waits_is_told_why_once() {
        let (start, mut desk) = (Instant::now(), desk(0, 0));
        enter(&mut desk, "a", start);
        let mut told = Vec::new();
        for _ in 0..2 {
            desk.decide(start, &mut ChaCha12Rng::seed_from_u64(1), |name, waiting| {
                assert_eq!((*name, waiting.seats_open), ("a", 4));
                told.push(waiting.reason.clone());
            });
        }
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(desk.status().waiting[0].reason, told[0]);
    }
}
