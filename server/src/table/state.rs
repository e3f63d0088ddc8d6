//! A table as a state machine: (what is asked, now) to effects. It does no I/O and never asks what time it is.

use std::mem;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use mighty_rules::{
    Audience, BySeat, Choices, Dealing, GivenUp, Hand, Match, MatchKind, MatchLine, Move, Next,
    Outcome, Refusal as RefusalLine, Row, Score, Seat, Seed, Stage, View, Viewer,
};

use super::chair::{Chair, Closed, ClosedTurn, OpenTurn, Sitter};
use super::clock::{Moment, SeatClock};
use super::effect::{Connection, ConnectionId, Effect, Ending};
use super::event::{DefaultCause, EventLog, Numbered, Scene, TableEvent};
use super::standing::{Progress, SeatState, Standing};
use super::update::{
    Answer, MatchStart, Notice, Refusal, Reply, ResumeToken, SeatInfo, Snapshot, Turn, Update,
    Wanted,
};
use crate::matches::{FinishedMatch, MatchSpec, SeatReport};

/// The limits of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableLimits {
    /// How many answers to one turn may be refused before the default is played.
    pub refusals: u32,
    /// After how many defaults in a row a seat is given up.
    pub defaults_in_a_row: u32,
    /// After how long an absence a seat is given up.
    pub absence: Duration,
    /// How long a turn may lie unread before its clock starts all the same.
    pub handover: Duration,
    /// How many events are kept for those who come back.
    pub events_kept: usize,
    /// The house bot that plays on for a seat that was given up.
    pub stand_in: Arc<str>,
}

/// Why a seat cannot be taken again.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ComebackRefused {
    /// No player from outside has this seat.
    #[error("seat {0} belongs to a house bot; send the resume token of your own seat")]
    HouseSeat(Seat),
    /// The last event that the player names has not happened.
    #[error(
        "after_sequence is {named}, but the last event of this seat is {last}: send the number of the last event that was received, or 0 for all"
    )]
    EventToCome {
        /// The number that was named.
        named: u64,
        /// The last event that there is.
        last: u64,
    },
}

/// A table: the match, who sits at it, whose turn it is and since when.
#[derive(Debug)]
pub struct Table {
    spec: Arc<MatchSpec>,
    limits: TableLimits,
    flow: Match,
    dealing: Dealing,
    hand: Hand,
    totals_before: BySeat<Score>,
    row: OpenRow,
    rows: Vec<Row>,
    settled: u32,
    chairs: BySeat<Chair>,
    turn: Option<OpenTurn>,
    log: EventLog,
    to_show: Vec<Numbered>,
    progress: Progress,
    draining: bool,
    outbox: Vec<Effect>,
}

/// The row of the record for the hand in play.
#[derive(Debug)]
struct OpenRow {
    deck: String,
    moves: Vec<String>,
    defaults: Vec<usize>,
    refusals: Vec<RefusalLine>,
    given_up: Vec<GivenUp>,
}

impl Table {
    /// Opens a table and deals its first hand. Each player from outside has a token, and its connection if it is there.
    pub fn open(
        spec: Arc<MatchSpec>,
        limits: TableLimits,
        tokens: BySeat<Option<ResumeToken>>,
        connections: BySeat<Option<Connection>>,
        now: Moment,
    ) -> Table {
        let kind = if spec.duplicate {
            MatchKind::Duplicate
        } else {
            MatchKind::Ordinary { first_dealer: spec.seed.cut().dealer() }
        };
        let flow = Match::new(spec.rules.clone(), kind);
        let dealing = flow.dealing().expect("a match has at least one hand");
        let (row, hand) = deal(&spec, dealing);
        let log = EventLog::new(limits.events_kept);
        let mut tokens = tokens;
        let chairs = BySeat::from_fn(|seat| {
            let clock = SeatClock::new(spec.time);
            if spec.players[seat].house {
                Chair::of_the_house(clock)
            } else {
                Chair::of_a_bot(clock, tokens[seat].take(), connections[seat], now)
            }
        });
        let mut table = Table {
            totals_before: flow.totals(),
            spec,
            limits,
            flow,
            dealing,
            hand,
            row,
            rows: Vec::new(),
            settled: 0,
            chairs,
            turn: None,
            log,
            to_show: Vec::new(),
            progress: Progress::Playing,
            draining: false,
            outbox: Vec::new(),
        };
        for seat in Seat::ALL {
            let start = table.match_start(Viewer::Seat(seat));
            table.tell(seat, start);
        }
        table.begin_hand(now);
        table
    }

    /// What the table wants done since this was last asked.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        mem::take(&mut self.outbox)
    }

    /// The match that is played.
    pub fn spec(&self) -> &MatchSpec {
        &self.spec
    }

    /// How far the table is.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// The hand in play, or the last one.
    pub fn dealing(&self) -> Dealing {
        self.dealing
    }

    /// The totals so far.
    pub fn totals(&self) -> BySeat<Score> {
        self.flow.totals()
    }

    /// Who sits where, as anybody may see it.
    pub fn seats(&self) -> BySeat<SeatInfo> {
        self.standing().seat_infos(&self.spec)
    }

    /// What can be seen of the table from outside.
    pub fn standing(&self) -> Standing {
        let state = |seat: Seat| {
            let chair = &self.chairs[seat];
            SeatState {
                present: chair.sitter == Sitter::House || chair.connection.is_some(),
                given_up: chair.sitter == Sitter::StandIn,
            }
        };
        Standing {
            progress: self.progress,
            hand: self.dealing.hand,
            totals: self.flow.totals(),
            seats: BySeat::from_fn(state),
            followers: 0,
        }
    }

    /// The connection that has this seat now.
    pub fn connection(&self, seat: Seat) -> Option<ConnectionId> {
        self.chairs[seat].connection.map(|connection| connection.id)
    }

    /// The number of the last event that everybody knows of.
    pub fn sequence(&self) -> u64 {
        self.log.last(Viewer::Spectator)
    }

    /// When the table wants [`Table::tick`] next, on the server's clock.
    pub fn wake(&self, now: Moment) -> Option<Duration> {
        let due = |since: Moment, limit: Duration| now.at + limit.saturating_sub(now.since(since));
        let turn = self.turn.map(|turn| {
            let allowed = self.allowed(turn.seat);
            match turn.handed {
                Some(handed) => due(handed, allowed),
                None => due(turn.opened, self.limits.handover + allowed),
            }
        });
        let is_played = self.progress == Progress::Playing;
        let absences = self.chairs.iter().filter(|(_, chair)| is_played && chair.is_bots());
        let absences = absences.filter_map(|(_, chair)| chair.absent_since);
        let absences = absences.map(|since| due(since, self.limits.absence));
        turn.into_iter().chain(absences).min()
    }

    /// Does what is due: makes defaults for those whose time is over, and gives up seats of those who are gone too long.
    pub fn tick(&mut self, now: Moment) {
        if self.turn.is_some_and(|turn| self.is_late(turn, now)) {
            self.time_out(now);
        }
        for seat in Seat::ALL {
            let chair = &self.chairs[seat];
            let is_gone =
                chair.absent_since.is_some_and(|since| now.since(since) >= self.limits.absence);
            if is_gone && chair.is_bots() && self.progress == Progress::Playing {
                self.give_up(seat, now);
            }
        }
        self.flush();
    }

    /// A turn was handed to its reader: its clock starts.
    pub fn handed(&mut self, seat: Seat, number: u64, now: Moment) {
        if let Some(turn) = &mut self.turn
            && turn.seat == seat
            && turn.number == number
        {
            turn.handed.get_or_insert(now);
        }
    }

    /// A seat answers a turn.
    pub fn answer(&mut self, seat: Seat, answer: &Answer, now: Moment) -> Reply {
        let reply = self.take_answer(seat, answer, now);
        self.flush();
        reply
    }

    /// A player comes back to its seat, or takes it over from its older connection, and is told all that happened
    /// after the event of this number.
    ///
    /// # Errors
    /// The seat is a house bot's, or the event has not happened.
    pub fn sit(
        &mut self,
        seat: Seat,
        connection: Connection,
        after: u64,
        now: Moment,
    ) -> Result<(), ComebackRefused> {
        let viewer = Viewer::Seat(seat);
        let last = self.log.last(viewer);
        if self.spec.players[seat].house {
            return Err(ComebackRefused::HouseSeat(seat));
        }
        if after > last {
            return Err(ComebackRefused::EventToCome { named: after, last });
        }
        self.flush();
        match self.chairs[seat].connection.replace(connection) {
            Some(older) => {
                let update = Update::Notice(Notice::TakenOver);
                self.outbox.push(Effect::Tell { to: older.id, update });
                self.outbox.push(Effect::End { connection: older.id, why: Ending::TakenOver });
            }
            None => {
                self.chairs[seat].absent_since = None;
                if self.chairs[seat].is_bots() && self.progress == Progress::Playing {
                    let event = TableEvent::SeatPresence { seat, present: true };
                    self.publish(Audience::Everyone, event);
                }
            }
        }
        let start = self.match_start(viewer);
        self.tell(seat, start);
        let (snapshot, untold) = self.comeback(viewer, after);
        self.tell(seat, Update::Snapshot(Box::new(snapshot)));
        self.chairs[seat].untold = untold;
        if self.chairs[seat].sitter == Sitter::StandIn {
            self.tell(seat, Update::Notice(Notice::SeatGivenUp));
        }
        match self.progress {
            // The last events ride with the end of the match.
            Progress::Closing => {}
            Progress::Playing => {
                if self.turn.is_some_and(|turn| turn.seat == seat) {
                    self.hand_out_turn(now);
                }
                self.tell_events(seat);
                self.flush();
            }
            Progress::Over => self.tell_match_over(seat),
            Progress::BrokenOff => self.end(seat, Some(Notice::BrokenOff), Ending::Stopped),
        }
        Ok(())
    }

    /// A connection was lost. Its seat keeps its clock.
    pub fn lost(&mut self, connection: ConnectionId, now: Moment) {
        let Some(seat) = Seat::ALL.into_iter().find(|s| self.connection(*s) == Some(connection))
        else {
            return;
        };
        let chair = &mut self.chairs[seat];
        chair.connection = None;
        chair.untold.clear();
        chair.absent_since = Some(now);
        if let Some(turn) = &mut self.turn
            && turn.seat == seat
        {
            turn.handed.get_or_insert(now);
        }
        if self.chairs[seat].is_bots() && self.progress == Progress::Playing {
            self.publish(Audience::Everyone, TableEvent::SeatPresence { seat, present: false });
        }
        self.flush();
    }

    /// A player leaves: a house bot plays on for it.
    pub fn leave(&mut self, seat: Seat, now: Moment) {
        if let Some(connection) = self.chairs[seat].connection.take() {
            self.outbox.push(Effect::End { connection: connection.id, why: Ending::Left });
        }
        if self.chairs[seat].is_bots() && self.progress == Progress::Playing {
            self.chairs[seat].absent_since = Some(now);
            self.give_up(seat, now);
        }
        self.flush();
    }

    /// The seat of the house bot that is to move, if one is.
    pub fn house_turn(&self) -> Option<Seat> {
        let seat = self.hand.turn().filter(|_| self.progress == Progress::Playing)?;
        match self.chairs[seat].sitter {
            Sitter::Bot => None,
            Sitter::House | Sitter::StandIn => Some(seat),
        }
    }

    /// What the house bot at this seat may know and do; `None` while it is not its turn.
    pub fn house_view(&self, seat: Seat) -> Option<(View, Choices)> {
        Some((self.hand.view(Viewer::Seat(seat)), self.hand.choices(seat)?))
    }

    /// A house bot moves. A wrong move of it is our own mistake: then the default is made, for all to see.
    pub fn house_move(&mut self, seat: Seat, wanted: Move, now: Moment) {
        if self.house_turn() != Some(seat) {
            return;
        }
        match self.hand.check(seat, &wanted) {
            Ok(()) => self.make(seat, wanted, None, now),
            Err(why) => {
                tracing::error!(%seat, %why, "a house bot made a wrong move");
                self.make_default(seat, DefaultCause::Refusals, now);
            }
        }
        self.flush();
    }

    /// What somebody is told who begins to look on now.
    pub fn look_on(&mut self) -> Vec<Update> {
        self.flush();
        let start = self.match_start(Viewer::Spectator);
        let shown = self.sequence() - self.to_show.len() as u64;
        let (snapshot, _) = self.comeback(Viewer::Spectator, shown);
        vec![start, Update::Snapshot(Box::new(snapshot))]
    }

    /// What a spectator is told that was too slow and missed this many events.
    pub fn catch_up(&self, missed: u64) -> Update {
        Update::Snapshot(Box::new(self.snapshot(Viewer::Spectator, missed)))
    }

    /// The server is stopping: the hand in play may finish, no other is dealt.
    pub fn drain(&mut self) {
        if self.draining || self.progress != Progress::Playing {
            return;
        }
        self.draining = true;
        self.notify_all(Notice::ShuttingDown);
    }

    /// The match is broken off: nothing is scored. One whose result is being kept goes on to its announcement, unless
    /// that is just what failed.
    pub fn break_off(&mut self, why: Ending) {
        match self.progress {
            Progress::Playing => {}
            Progress::Closing if why == Ending::NotKept => {}
            Progress::Closing | Progress::Over | Progress::BrokenOff => return,
        }
        self.progress = Progress::BrokenOff;
        self.turn = None;
        for seat in Seat::ALL {
            self.tell_events(seat);
            self.end(seat, Some(Notice::BrokenOff), why);
        }
        self.flush();
        self.outbox.push(Effect::Show(Update::Notice(Notice::BrokenOff)));
        self.outbox.push(Effect::EndSpectators(why));
    }

    /// The result of a match whose last hand is over.
    pub fn finished(&self, ended_at: SystemTime) -> FinishedMatch {
        let totals = self.flow.totals();
        let places = self.flow.places();
        let seats = BySeat::from_fn(|seat| {
            let chair = &self.chairs[seat];
            SeatReport {
                player: self.spec.players[seat].clone(),
                total: totals[seat],
                place: places[seat],
                defaults: chair.defaults,
                refusals: chair.refusals,
                given_up: chair.sitter == Sitter::StandIn,
            }
        });
        FinishedMatch {
            match_id: self.spec.match_id.clone(),
            ended_at,
            ladder: self.spec.ladder,
            record: MatchLine { seed: Some(self.spec.seed.reveal_hex()), ..self.record() },
            seats,
            hands: self.settled,
        }
    }

    /// The record of the hands that are finished, without the seed, from which those to come would follow.
    pub fn record(&self) -> MatchLine {
        let spec = &self.spec;
        let cut = spec.seed.cut().cards.map(|card| card.to_string());
        MatchLine {
            record: Some(spec.match_id.clone()),
            profile: spec.rules.profile().name().to_owned(),
            overrides: spec.rules.overrides().clone(),
            rules: Some((**spec.rules).clone()),
            rules_hash: Some(spec.rules.hash().to_owned()),
            players: Some(BySeat::from_fn(|seat| spec.players[seat].name.clone()).0),
            duplicate: spec.duplicate,
            seed: None,
            commitment: Some(spec.seed.commitment()),
            cut: Some(cut.0.into()),
            rows: self.rows.clone(),
            totals: Some(self.flow.totals().0.into()),
            pot: Some(self.flow.pot()),
        }
    }

    /// The result is kept: it is announced, and everybody is done here.
    pub fn announce(&mut self) {
        if self.progress != Progress::Closing {
            return;
        }
        self.progress = Progress::Over;
        let event = TableEvent::MatchEnded {
            totals: self.flow.totals(),
            places: self.flow.places(),
            seed: Seed::new(*self.spec.seed.reveal()),
            record_id: self.spec.match_id.clone(),
        };
        self.publish(Audience::Everyone, event);
        for seat in Seat::ALL {
            self.tell_match_over(seat);
        }
        let match_id = self.spec.match_id.clone();
        let events = mem::take(&mut self.to_show);
        let over = Update::MatchOver { match_id, events, another_follows: false };
        self.outbox.push(Effect::Show(over));
        self.outbox.push(Effect::EndSpectators(Ending::MatchOver));
    }

    fn begin_hand(&mut self, now: Moment) {
        self.publish(Audience::Everyone, TableEvent::HandStarted(self.dealing));
        for notice in self.hand.log().to_vec() {
            self.publish(notice.audience, TableEvent::Hand(notice.event));
        }
        self.open_turn(now);
        self.flush();
    }

    /// Hands the move to whoever has it.
    fn open_turn(&mut self, now: Moment) {
        let (Some(seat), Some(stage)) = (self.hand.turn(), self.hand.stage()) else { return };
        let chair = &mut self.chairs[seat];
        if !chair.is_bots() {
            return;
        }
        // A seat that lost its last chance while it was asked in secret is given up only here, where all see it on turn.
        if chair.defaults_in_a_row >= self.limits.defaults_in_a_row && stage != Stage::WeakHand {
            self.give_up(seat, now);
            return;
        }
        chair.turns += 1;
        let handed = chair.connection.is_none().then_some(now);
        let number = chair.turns;
        self.turn = Some(OpenTurn { seat, number, stage, opened: now, handed, refused: 0 });
        self.hand_out_turn(now);
    }

    fn hand_out_turn(&mut self, now: Moment) {
        let Some(turn) = self.turn else { return };
        let seat = turn.seat;
        let (Some(choices), Some(default_move)) =
            (self.hand.choices(seat), self.hand.default_move(seat))
        else {
            return;
        };
        let scene = self.scene(Viewer::Seat(seat));
        let chair = &mut self.chairs[seat];
        let Some(connection) = chair.connection else { return };
        let used = turn.handed.map_or(Duration::ZERO, |handed| now.since(handed));
        let update = Turn {
            match_id: self.spec.match_id.clone(),
            number: turn.number,
            events: mem::take(&mut chair.untold),
            scene: (!connection.omits_observation).then_some(scene),
            choices,
            default_move,
            time_left: chair.clock.allowance().saturating_sub(used),
            last_took: chair.last_took,
            last_late: chair.last_late,
        };
        self.tell(seat, Update::Turn(Box::new(update)));
    }

    fn take_answer(&mut self, seat: Seat, answer: &Answer, now: Moment) -> Reply {
        let number = answer.turn;
        let refused = |why| Reply::Refused { turn: number, why, tries_left: None };
        if answer.match_id != self.spec.match_id {
            return refused(Refusal::UnknownTurn { turn: number });
        }
        if let Some(turn) = self.turn.filter(|turn| turn.seat == seat && turn.number == number) {
            if !self.is_late(turn, now) {
                return self.take_move(turn, &answer.wanted, now);
            }
            self.time_out(now);
        }
        let chair = &mut self.chairs[seat];
        if number == 0 || number > chair.turns {
            return refused(Refusal::UnknownTurn { turn: number });
        }
        let Some(closed) = chair.last_turn.filter(|closed| closed.number == number) else {
            return refused(Refusal::StaleTurn { turn: number });
        };
        match closed.how {
            Closed::Answered(played) => {
                if read(&answer.wanted, closed.stage) == Ok(played) {
                    Reply::Accepted { turn: number, played, repeated: true }
                } else {
                    refused(Refusal::Conflict { turn: number, played })
                }
            }
            Closed::TimedOut(deadline) => {
                chair.last_late = Some(now.since(deadline));
                refused(Refusal::StaleTurn { turn: number })
            }
            Closed::Lost => refused(Refusal::StaleTurn { turn: number }),
        }
    }

    /// Takes a move for the open turn, in time.
    fn take_move(&mut self, turn: OpenTurn, wanted: &Wanted, now: Moment) -> Reply {
        let OpenTurn { seat, number, stage, .. } = turn;
        let checked = read(wanted, stage)
            .and_then(|wanted| Ok(self.hand.check(seat, &wanted).map(|()| wanted)?));
        match checked {
            Ok(played) => {
                let took = self.charge(turn, now);
                let chair = &mut self.chairs[seat];
                chair.last_took = Some(took);
                chair.last_late = None;
                chair.defaults_in_a_row = 0;
                self.close_turn(turn, Closed::Answered(played));
                self.make(seat, played, None, now);
                Reply::Accepted { turn: number, played, repeated: false }
            }
            Err(why) => {
                self.chairs[seat].refusals += 1;
                self.row.refusals.push(RefusalLine {
                    at: self.row.moves.len(),
                    seat: seat.number(),
                    sent: wanted.to_string().chars().take(LONGEST_TEXT).collect(),
                    why: why.to_string(),
                });
                let refused = turn.refused + 1;
                if let Some(open) = &mut self.turn {
                    open.refused = refused;
                }
                let tries_left = self.limits.refusals.saturating_sub(refused);
                if tries_left == 0 {
                    self.charge(turn, now);
                    self.close_turn(turn, Closed::Lost);
                    self.default_for(seat, stage, DefaultCause::Refusals, now);
                }
                Reply::Refused { turn: number, why, tries_left: Some(tries_left) }
            }
        }
    }

    /// How long a turn has been thought about.
    fn thought(&self, turn: OpenTurn, now: Moment) -> Duration {
        match turn.handed {
            Some(handed) => now.since(handed),
            None => now.since(turn.opened).saturating_sub(self.limits.handover),
        }
    }

    fn is_late(&self, turn: OpenTurn, now: Moment) -> bool {
        self.thought(turn, now) >= self.allowed(turn.seat)
    }

    /// How long a seat may think now. A turn that was just handed out is not late, even on a clock that has run down.
    fn allowed(&self, seat: Seat) -> Duration {
        self.chairs[seat].clock.allowance().max(Duration::from_millis(1))
    }

    fn charge(&mut self, turn: OpenTurn, now: Moment) -> Duration {
        let took = self.thought(turn, now);
        self.chairs[turn.seat].clock.charge(took);
        took
    }

    fn close_turn(&mut self, turn: OpenTurn, how: Closed) {
        self.turn = None;
        self.chairs[turn.seat].last_turn =
            Some(ClosedTurn { number: turn.number, stage: turn.stage, how });
    }

    /// The time of the open turn is over.
    fn time_out(&mut self, now: Moment) {
        let Some(turn) = self.turn else { return };
        let late = self.thought(turn, now).saturating_sub(self.allowed(turn.seat));
        let deadline = Moment { at: now.at.saturating_sub(late), stalled: now.stalled };
        self.charge(turn, now);
        self.chairs[turn.seat].last_took = None;
        self.close_turn(turn, Closed::TimedOut(deadline));
        self.default_for(turn.seat, turn.stage, DefaultCause::Time, now);
    }

    /// Makes the default of a player from outside, and gives its seat up when that was one too many.
    fn default_for(&mut self, seat: Seat, stage: Stage, cause: DefaultCause, now: Moment) {
        let chair = &mut self.chairs[seat];
        chair.defaults += 1;
        chair.defaults_in_a_row += 1;
        let one_too_many = chair.defaults_in_a_row >= self.limits.defaults_in_a_row;
        self.make_default(seat, cause, now);
        let still_sits = self.chairs[seat].is_bots() && self.progress == Progress::Playing;
        if one_too_many && stage != Stage::WeakHand && still_sits {
            self.give_up(seat, now);
        }
    }

    fn make_default(&mut self, seat: Seat, cause: DefaultCause, now: Moment) {
        if let Some(default_move) = self.hand.default_move(seat) {
            self.make(seat, default_move, Some(cause), now);
        }
    }

    /// Makes a move that was checked, and goes on from there.
    fn make(&mut self, seat: Seat, checked: Move, default: Option<DefaultCause>, now: Moment) {
        let stage = self.hand.stage();
        let is_secret = stage == Some(Stage::WeakHand);
        if let Some(cause) = default {
            let audience = if is_secret { Audience::Only(seat) } else { Audience::Everyone };
            self.row.defaults.push(self.row.moves.len());
            self.publish(audience, TableEvent::DefaultMade { seat, cause });
        }
        let made = self.hand.apply(seat, checked).expect("the move was checked").to_vec();
        self.row.moves.push(checked.to_string());
        for notice in made {
            self.publish(notice.audience, TableEvent::Hand(notice.event));
        }
        if is_secret {
            tracing::trace!(%seat, "a weak hand was asked about");
        } else {
            let took = self.chairs[seat].last_took;
            tracing::debug!(sequence = self.sequence(), %seat, ?stage, ?took, "move");
        }
        match self.hand.outcome() {
            Some(outcome) => self.end_hand(&outcome, now),
            None => self.open_turn(now),
        }
    }

    fn end_hand(&mut self, outcome: &Outcome, now: Moment) {
        let Dealing { hand, redeal, setup } = self.dealing;
        let next = self.flow.finish(outcome);
        let row = &mut self.row;
        self.rows.push(Row {
            hand,
            redeal,
            dealer: setup.dealer.number(),
            first_bidder: setup.first_bidder.number(),
            deck: Some(mem::take(&mut row.deck)),
            moves: mem::take(&mut row.moves).join(" "),
            defaults: mem::take(&mut row.defaults),
            refusals: mem::take(&mut row.refusals),
            given_up: mem::take(&mut row.given_up),
            outcome: outcome.into(),
        });
        match outcome {
            Outcome::Scored(_) => self.settled += 1,
            Outcome::Void(_) => {}
        }
        let (totals, pot) = (self.flow.totals(), self.flow.pot());
        let event = TableEvent::HandEnded { dealing: self.dealing, next, totals, pot };
        self.publish(Audience::Everyone, event);
        tracing::debug!(hand, redeal, ?next, "hand over");
        match next {
            Next::Over { .. } => {
                self.progress = Progress::Closing;
                self.outbox.push(Effect::Finished);
            }
            Next::Redeal | Next::Hand { .. } => {
                for seat in Seat::ALL {
                    self.tell_events(seat);
                }
                if self.draining {
                    self.break_off(Ending::Stopped);
                    return;
                }
                self.dealing = self.flow.dealing().expect("the match goes on");
                self.totals_before = totals;
                (self.row, self.hand) = deal(&self.spec, self.dealing);
                self.begin_hand(now);
            }
        }
    }

    /// A house bot plays on for this seat, which keeps its name in the result.
    fn give_up(&mut self, seat: Seat, now: Moment) {
        self.chairs[seat].sitter = Sitter::StandIn;
        let stand_in = self.limits.stand_in.clone();
        self.row.given_up.push(GivenUp {
            at: self.row.moves.len(),
            seat: seat.number(),
            stand_in: stand_in.to_string(),
        });
        self.publish(Audience::Everyone, TableEvent::SeatGivenUp { seat, stand_in });
        self.tell(seat, Update::Notice(Notice::SeatGivenUp));
        if let Some(turn) = self.turn.filter(|turn| turn.seat == seat) {
            self.charge(turn, now);
            self.close_turn(turn, Closed::Lost);
        }
    }

    /// Adds an event to the log, and to what its viewers are to be told.
    fn publish(&mut self, audience: Audience, event: TableEvent) {
        self.log.push(audience, event.clone());
        for seat in Seat::ALL {
            let sequence = self.log.last(Viewer::Seat(seat));
            let chair = &mut self.chairs[seat];
            if audience.includes(Viewer::Seat(seat)) && chair.connection.is_some() {
                chair.untold.push(Numbered { sequence, event: event.clone() });
            }
        }
        if audience.includes(Viewer::Spectator) {
            self.to_show.push(Numbered { sequence: self.sequence(), event });
        }
    }

    /// Tells events to those who want them at once.
    fn flush(&mut self) {
        // The last events of a match ride with its end, once the result is kept.
        if self.progress == Progress::Closing {
            return;
        }
        for seat in Seat::ALL {
            if self.chairs[seat].connection.is_some_and(|connection| connection.at_once) {
                self.tell_events(seat);
            }
        }
        if !self.to_show.is_empty() {
            let events = mem::take(&mut self.to_show);
            self.outbox.push(Effect::Show(Update::Events(events)));
        }
    }

    fn tell_events(&mut self, seat: Seat) {
        let events = mem::take(&mut self.chairs[seat].untold);
        if !events.is_empty() {
            self.tell(seat, Update::Events(events));
        }
    }

    fn tell(&mut self, seat: Seat, update: Update) {
        if let Some(to) = self.connection(seat) {
            self.outbox.push(Effect::Tell { to, update });
        }
    }

    fn tell_match_over(&mut self, seat: Seat) {
        let events = mem::take(&mut self.chairs[seat].untold);
        let another_follows = self.chairs[seat].connection.is_some_and(|there| there.wants_more);
        let match_id = self.spec.match_id.clone();
        self.tell(seat, Update::MatchOver { match_id, events, another_follows });
        self.end(seat, None, Ending::MatchOver);
    }

    fn end(&mut self, seat: Seat, last_word: Option<Notice>, why: Ending) {
        if let Some(notice) = last_word {
            self.tell(seat, Update::Notice(notice));
        }
        if let Some(connection) = self.chairs[seat].connection.take() {
            self.outbox.push(Effect::End { connection: connection.id, why });
        }
    }

    fn notify_all(&mut self, notice: Notice) {
        for seat in Seat::ALL {
            self.tell(seat, Update::Notice(notice));
        }
        self.outbox.push(Effect::Show(Update::Notice(notice)));
    }

    fn match_start(&self, viewer: Viewer) -> Update {
        let resume_token = match viewer {
            Viewer::Seat(seat) => self.chairs[seat].token.clone(),
            Viewer::Spectator => None,
        };
        Update::MatchStart(Box::new(MatchStart {
            spec: self.spec.clone(),
            viewer,
            seats: self.seats(),
            resume_token,
            refusals_allowed: self.limits.refusals,
        }))
    }

    fn scene(&self, viewer: Viewer) -> Scene {
        Scene { view: self.hand.view(viewer), dealing: self.dealing, totals: self.totals_before }
    }

    fn snapshot(&self, viewer: Viewer, missed: u64) -> Snapshot {
        Snapshot {
            sequence: self.log.last(viewer),
            scene: Some(self.scene(viewer)),
            totals: self.flow.totals(),
            missed,
        }
    }

    /// What the viewer knew when it went, and what has happened since; where that is not kept any more, what it may
    /// know now.
    fn comeback(&self, viewer: Viewer, after: u64) -> (Snapshot, Vec<Numbered>) {
        if after == self.log.last(viewer) {
            return (self.snapshot(viewer, 0), Vec::new());
        }
        match self.log.after(viewer, after) {
            Some(since) => {
                let (scene, totals) = self.log.scene_at(viewer, after, &self.spec.rules);
                (Snapshot { sequence: after, scene, totals, missed: 0 }, since)
            }
            None => (self.snapshot(viewer, self.log.last(viewer) - after), Vec::new()),
        }
    }
}

/// A move in text notation has at most so many characters.
pub const LONGEST_TEXT: usize = 40;

fn read(wanted: &Wanted, stage: Stage) -> Result<Move, Refusal> {
    match wanted {
        Wanted::Move(wanted) => Ok(*wanted),
        Wanted::Text(text) if text.chars().count() > LONGEST_TEXT => Err(Refusal::Malformed(
            format!("the text is too long; a move has at most {LONGEST_TEXT} characters"),
        )),
        Wanted::Text(text) => {
            Ok(Move::read(text, stage).map_err(mighty_rules::Illegal::Unreadable)?)
        }
        Wanted::Malformed(problem) => Err(Refusal::Malformed(problem.clone())),
    }
}

/// Deals a hand of the match, and opens its row in the record.
fn deal(spec: &MatchSpec, dealing: Dealing) -> (OpenRow, Hand) {
    let deck = spec.seed.deck(dealing.hand, dealing.redeal);
    let hand = Hand::deal(spec.rules.clone(), &deck, dealing.setup);
    let row = OpenRow {
        deck: deck.to_string(),
        moves: Vec::new(),
        defaults: Vec::new(),
        refusals: Vec::new(),
        given_up: Vec::new(),
    };
    (row, hand)
}
