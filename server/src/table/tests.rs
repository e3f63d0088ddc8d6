//! Stories at a table, told as plain calls with a clock of our own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use mighty_rules::{
    BySeat, Choices, Event, Move, Next, Profile, Rules, Seat, Seed, Stage, View, Viewer,
    verify_line,
};

use super::clock::Moment;
use super::effect::{Connection, ConnectionId, Effect, Ending};
use super::event::{DefaultCause, Numbered, TableEvent};
use super::standing::Progress;
use super::state::{ComebackRefused, Table, TableLimits};
use super::update::{Answer, Notice, Refusal, Reply, ResumeToken, Snapshot, Turn, Update, Wanted};
use crate::matches::{FinishedMatch, MatchSpec, PlayerId, TimeControl};

/// A table, the clock on the wall, and what everybody has been told so far.
struct Story {
    table: Table,
    now: Moment,
    told: BTreeMap<u64, Vec<Update>>,
    shown: Vec<Update>,
    ended: Vec<(u64, Ending)>,
    is_finished: bool,
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn seat(number: usize) -> Seat {
    Seat::ALL[number]
}

fn with_turns(id: u64) -> Connection {
    let id = ConnectionId(id);
    Connection { id, at_once: false, omits_observation: false, wants_more: false }
}

fn at_once(id: u64) -> Connection {
    Connection { at_once: true, ..with_turns(id) }
}

fn limits() -> TableLimits {
    TableLimits {
        refusals: 3,
        defaults_in_a_row: 3,
        absence: seconds(60),
        handover: seconds(5),
        events_kept: 1000,
        stand_in: "cautious".into(),
    }
}

impl Story {
    /// A match of two hands by these rules: bots with a bank of 60 s and 2 s a move at the seats named, house bots elsewhere.
    /// The connection of seat 3 has the number 3.
    fn of(profile: Profile, overrides: &[(&str, &str)], bots: &[usize]) -> Story {
        Story::with(profile, overrides, bots, limits(), with_turns)
    }

    fn with(
        profile: Profile,
        overrides: &[(&str, &str)],
        bots: &[usize],
        limits: TableLimits,
        connect: fn(u64) -> Connection,
    ) -> Story {
        let mut options = vec![("match.hands", "2")];
        options.extend(overrides);
        let rules = Rules::with_texts(profile, options).unwrap();
        let player = |seat: Seat| PlayerId {
            name: format!("bot-{seat}"),
            version: String::new(),
            house: !bots.contains(&seat.number()),
        };
        let spec = Arc::new(MatchSpec {
            match_id: "m".to_owned(),
            rules: Arc::new(rules),
            duplicate: false,
            seed: Seed::new([7; 32]),
            players: BySeat::from_fn(player),
            time: TimeControl { bank: seconds(60), increment: seconds(2) },
            ladder: false,
        });
        let token = |seat: Seat| {
            bots.contains(&seat.number()).then(|| ResumeToken::new([seat.number() as u8; 32]))
        };
        let connection =
            |seat: Seat| bots.contains(&seat.number()).then(|| connect(seat.number() as u64));
        let (tokens, connections) = (BySeat::from_fn(token), BySeat::from_fn(connection));
        let now = Moment { at: seconds(100), stalled: Duration::ZERO };
        let mut story = Story {
            table: Table::open(spec, limits, tokens, connections, now),
            now,
            told: BTreeMap::new(),
            shown: Vec::new(),
            ended: Vec::new(),
            is_finished: false,
        };
        story.listen();
        story
    }

    fn five_bots(profile: Profile) -> Story {
        Story::of(profile, &[], &[0, 1, 2, 3, 4])
    }

    /// Takes in what the table wants done. Who reads a turn reads it at once.
    fn listen(&mut self) {
        for effect in self.table.take_effects() {
            match effect {
                Effect::Tell { to, update } => {
                    if let Update::Turn(turn) = &update {
                        let reader =
                            Seat::ALL.into_iter().find(|s| self.table.connection(*s) == Some(to));
                        if let Some(reader) = reader {
                            self.table.handed(reader, turn.number, self.now);
                        }
                    }
                    self.told.entry(to.0).or_default().push(update);
                }
                Effect::Show(update) => self.shown.push(update),
                Effect::End { connection, why } => self.ended.push((connection.0, why)),
                Effect::EndSpectators(_) => {}
                Effect::Finished => self.is_finished = true,
            }
        }
    }

    fn pass_time(&mut self, time: Duration) {
        self.now.at += time;
        self.table.tick(self.now);
        self.listen();
    }

    /// The last turn that this connection was handed.
    fn turn_of(&self, connection: u64) -> &Turn {
        let turn = |update: &Update| matches!(update, Update::Turn(_));
        match self.told[&connection].iter().rfind(|update| turn(update)) {
            Some(Update::Turn(turn)) => turn,
            _ => panic!("connection {connection} had no turn"),
        }
    }

    fn answer(&mut self, number: usize, turn: u64, text: &str) -> Reply {
        let wanted = Wanted::Text(text.to_owned());
        let answer = Answer { match_id: "m".to_owned(), turn, wanted };
        let reply = self.table.answer(seat(number), &answer, self.now);
        self.listen();
        reply
    }

    /// The seat whose move the table really waits for.
    fn on_turn(&self) -> Option<Seat> {
        Seat::ALL.into_iter().find(|seat| self.table.house_view(*seat).is_some())
    }

    /// Whoever is on turn makes a usual move; the number of its seat.
    fn one_move(&mut self) -> usize {
        let seat = self.on_turn().expect("somebody is on turn");
        let (view, choices) = self.table.house_view(seat).unwrap();
        let wanted = usual_move(&view, &choices);
        if self.table.house_turn() == Some(seat) {
            self.table.house_move(seat, wanted, self.now);
        } else {
            let connection = self.table.connection(seat).unwrap();
            let turn = self.turn_of(connection.0).number;
            let answer = Answer { match_id: "m".to_owned(), turn, wanted: Wanted::Move(wanted) };
            let reply = self.table.answer(seat, &answer, self.now);
            assert!(matches!(reply, Reply::Accepted { repeated: false, .. }), "{reply:?}");
        }
        self.listen();
        seat.number()
    }

    /// Goes on with usual moves until it is this seat's turn to play a card or to speak.
    fn until_turn_of(&mut self, number: usize) -> u64 {
        while self.on_turn() != Some(seat(number)) {
            self.one_move();
        }
        let connection = self.table.connection(seat(number)).unwrap();
        self.turn_of(connection.0).number
    }

    fn until_stage(&mut self, stage: Stage) {
        let is_there = |story: &Story| {
            let seat = story.on_turn().expect("the stage comes");
            story.table.house_view(seat).is_some_and(|(_, choices)| choices.stage() == stage)
        };
        while !is_there(self) {
            self.one_move();
        }
    }

    /// Goes on with usual moves to the end of the match, and keeps the result.
    fn play_to_the_end(&mut self) -> FinishedMatch {
        while self.table.progress() == Progress::Playing {
            self.one_move();
        }
        assert!(self.is_finished);
        let finished = self.table.finished(SystemTime::UNIX_EPOCH);
        self.table.announce();
        self.listen();
        finished
    }

    /// All events that this connection was told, in order.
    fn events_of(&self, connection: u64) -> Vec<Numbered> {
        self.told.get(&connection).map_or(Vec::new(), |told| events(told))
    }

    fn shown_events(&self) -> Vec<Numbered> {
        events(&self.shown)
    }

    fn snapshot_of(&self, connection: u64) -> &Snapshot {
        snapshot(&self.told[&connection])
    }

    fn was_ended(&self, connection: u64, why: Ending) -> bool {
        self.ended.contains(&(connection, why))
    }

    fn was_notified(&self, connection: u64, wanted: Notice) -> bool {
        let notice =
            |update: &Update| matches!(update, Update::Notice(notice) if *notice == wanted);
        self.told[&connection].iter().any(notice)
    }
}

fn events(told: &[Update]) -> Vec<Numbered> {
    let of = |update: &Update| match update {
        Update::Events(events) | Update::MatchOver { events, .. } => events.clone(),
        Update::Turn(turn) => turn.events.clone(),
        Update::Waiting(_)
        | Update::MatchStart(_)
        | Update::Snapshot(_)
        | Update::Reply(_)
        | Update::Notice(_) => Vec::new(),
    };
    told.iter().flat_map(of).collect()
}

fn snapshot(told: &[Update]) -> &Snapshot {
    let is_snapshot = |update: &&Update| matches!(update, Update::Snapshot(_));
    match told.iter().rfind(is_snapshot) {
        Some(Update::Snapshot(snapshot)) => snapshot,
        _ => panic!("there was no snapshot"),
    }
}

/// The lowest bid where nobody has bid yet, else what the table would do.
fn usual_move(view: &View, choices: &Choices) -> Move {
    let bid = match choices {
        Choices::Call(call) if view.public.auction.standing.is_none() => call.bids().next(),
        Choices::Call(_)
        | Choices::WeakHand
        | Choices::Bury { .. }
        | Choices::Contract(_)
        | Choices::FriendCall(_)
        | Choices::Play(_) => None,
    };
    bid.map(Move::Bid).or_else(|| view.default_move()).expect("the seat is on turn")
}

/// What a bot knows that folds the events it is told, from what it knew before.
fn fold(
    view: Option<View>,
    events: &[Numbered],
    rules: &Arc<Rules>,
    viewer: Viewer,
) -> Option<View> {
    events.iter().fold(view, |view, told| match (&told.event, view) {
        (TableEvent::HandStarted(dealing), _) => {
            Some(View::new(rules.clone(), dealing.setup, viewer))
        }
        (TableEvent::Hand(event), Some(mut view)) => {
            view.see(event);
            Some(view)
        }
        (_, view) => view,
    })
}

fn is_in_order_from(first: u64, events: &[Numbered]) -> bool {
    events.iter().map(|event| event.sequence).eq(first..first + events.len() as u64)
}

fn default_made(number: usize, cause: DefaultCause) -> TableEvent {
    TableEvent::DefaultMade { seat: seat(number), cause }
}

fn given_up(number: usize) -> TableEvent {
    TableEvent::SeatGivenUp { seat: seat(number), stand_in: "cautious".into() }
}

fn has(events: &[Numbered], wanted: &TableEvent) -> bool {
    events.iter().any(|told| told.event == *wanted)
}

const PROFILES: [Profile; 4] =
    [Profile::Classic, Profile::Hunter, Profile::Ripper, Profile::Korean];

#[test]
fn five_bots_play_a_match_by_every_profile_and_the_record_holds() {
    for profile in PROFILES {
        let mut story = Story::five_bots(profile);
        let finished = story.play_to_the_end();
        let record = serde_json::to_string(&finished.record).unwrap();
        let verified = verify_line(&record).unwrap();
        assert_eq!(verified.differences, [], "{profile}");
        assert!(verified.commitment_checked);
        let totals = story.table.totals();
        for seat in Seat::ALL {
            let report = &finished.seats[seat];
            assert_eq!(report.total, totals[seat]);
            assert_eq!((report.defaults, report.refusals, report.given_up), (0, 0, false));
            assert!(story.was_ended(seat.number() as u64, Ending::MatchOver));
        }
        let settled = finished.record.rows.iter().filter(|row| row.outcome.result.is_some());
        assert_eq!(finished.hands as usize, settled.count());
    }
}

#[test]
fn every_viewer_counts_its_events_from_one_without_gaps_and_sees_no_card_of_others() {
    for profile in PROFILES {
        let mut story = Story::five_bots(profile);
        story.play_to_the_end();
        for number in 0..5 {
            let events = story.events_of(number as u64);
            assert!(is_in_order_from(1, &events), "{profile}, seat {number}");
            for told in &events {
                if let TableEvent::Hand(Event::Dealt { seat: whose, .. }) = told.event {
                    assert_eq!(whose, seat(number));
                }
            }
            let last = &events.last().unwrap().event;
            assert!(matches!(last, TableEvent::MatchEnded { .. }), "{profile}: {last:?}");
        }
        let shown = story.shown_events();
        assert!(is_in_order_from(1, &shown), "{profile}, spectators");
        let is_dealt =
            |told: &Numbered| matches!(told.event, TableEvent::Hand(Event::Dealt { .. }));
        assert!(!shown.iter().any(is_dealt));
    }
}

#[test]
fn what_a_turn_shows_is_what_its_seat_was_told() {
    for profile in PROFILES {
        let mut story = Story::five_bots(profile);
        let rules = story.table.spec().rules.clone();
        story.play_to_the_end();
        for number in 0..5 {
            let viewer = Viewer::Seat(seat(number));
            let (mut view, mut turns) = (None, 0);
            for update in &story.told[&(number as u64)] {
                view = fold(view, &events(std::slice::from_ref(update)), &rules, viewer);
                if let Update::Turn(turn) = update {
                    turns += 1;
                    assert_eq!(turn.number, turns, "turns are counted for each seat");
                    assert_eq!(view.as_ref(), turn.scene.as_ref().map(|scene| &scene.view));
                    assert_eq!(view.as_ref().unwrap().choices(), Some(turn.choices));
                }
            }
            assert!(turns > 20, "{profile}: a seat has at least its 20 cards to play");
        }
    }
}

#[test]
fn who_lets_its_time_run_out_gets_the_default_and_all_are_told_before_the_move() {
    let mut story = Story::five_bots(Profile::Classic);
    let number = story.one_move();
    let slow = seat(number).next().number();
    story.until_turn_of(slow);
    story.pass_time(seconds(61));
    assert!(!has(&story.shown_events(), &default_made(slow, DefaultCause::Time)));
    story.pass_time(seconds(1));
    let shown = story.shown_events();
    let [.., made, passed] = shown.as_slice() else { panic!("two events are shown") };
    assert_eq!(made.event, default_made(slow, DefaultCause::Time));
    assert_eq!(passed.event, TableEvent::Hand(Event::Passed { seat: seat(slow) }));
}

#[test]
fn a_seat_that_is_asked_in_secret_is_defaulted_in_secret() {
    // With such terms every hand is weak, and each seat is asked in its turn.
    let everybody_is_weak = [("deal.miss.at_most", "32767")];
    let play = |answers: bool| {
        let mut story = Story::of(Profile::Korean, &everybody_is_weak, &[0, 1, 2, 3, 4]);
        let asked = story.on_turn().unwrap().number();
        if answers {
            assert_eq!(story.one_move(), asked);
        } else {
            story.pass_time(seconds(62));
        }
        (story, asked)
    };
    let (in_time, asked) = play(true);
    let (too_late, _) = play(false);
    let default = default_made(asked, DefaultCause::Time);
    assert_eq!(in_time.shown_events(), too_late.shown_events());
    for other in (0..5).filter(|other| *other != asked) {
        let told = |story: &Story| story.events_of(other as u64);
        assert_eq!(told(&in_time), told(&too_late), "seat {other} learns nothing");
    }
    // The seat itself learns it with its next message.
    let mut too_late = too_late;
    too_late.until_stage(Stage::Auction);
    too_late.until_turn_of(asked);
    assert!(has(&too_late.events_of(asked as u64), &default));
    assert!(!has(&too_late.shown_events(), &default));
}

#[test]
fn a_seat_that_defaults_in_secret_is_given_up_only_when_all_see_it_on_turn() {
    let options = [("deal.miss.at_most", "32767"), ("match.hands", "1")];
    let once = TableLimits { defaults_in_a_row: 1, ..limits() };
    let mut story = Story::with(Profile::Korean, &options, &[0, 1, 2, 3, 4], once, with_turns);
    let asked = story.on_turn().unwrap().number();
    story.pass_time(seconds(62));
    assert!(!has(&story.shown_events(), &given_up(asked)));
    story.until_stage(Stage::Auction);
    while !has(&story.shown_events(), &given_up(asked)) {
        let before = story.on_turn().unwrap();
        assert_ne!(before, seat(asked), "the stand-in has the move");
        story.one_move();
    }
    assert_eq!(story.table.house_turn(), Some(seat(asked)));
}

#[test]
fn three_wrong_answers_and_the_default_is_played() {
    let mut story = Story::five_bots(Profile::Classic);
    story.until_stage(Stage::Play);
    let number = story.on_turn().unwrap().number();
    let turn = story.until_turn_of(number);
    let others_before: Vec<usize> =
        (0..5).filter(|other| *other != number).map(|o| story.told[&(o as u64)].len()).collect();
    for (text, tries_left, reason) in
        [("7X", 2, "`7X` is no move here"), ("14D", 1, "`14D` is no move here")]
    {
        let Reply::Refused { turn: refused, why, tries_left: left } =
            story.answer(number, turn, text)
        else {
            panic!("{text} is accepted")
        };
        assert_eq!((refused, left), (turn, Some(tries_left)));
        assert!(why.to_string().contains(reason), "{why}");
    }
    let others: Vec<usize> =
        (0..5).filter(|other| *other != number).map(|o| story.told[&(o as u64)].len()).collect();
    assert_eq!(others, others_before, "refusals go to their seat alone");
    let too_long = "x".repeat(41);
    let last = story.answer(number, turn, &too_long);
    assert!(matches!(last, Reply::Refused { why: Refusal::Malformed(_), tries_left: Some(0), .. }));
    assert!(has(&story.shown_events(), &default_made(number, DefaultCause::Refusals)));
    let finished = story.play_to_the_end();
    let report = &finished.seats[seat(number)];
    assert_eq!((report.defaults, report.refusals), (1, 3));
    let row = &finished.record.rows[0];
    assert_eq!(
        row.refusals.iter().map(|refusal| refusal.sent.as_str()).collect::<Vec<_>>(),
        ["7X", "14D", &too_long[..40]]
    );
    assert_eq!(row.defaults, [row.refusals[0].at]);
}

#[test]
fn a_card_that_may_not_be_played_is_refused_with_its_reason_and_changes_nothing() {
    let mut story = Story::five_bots(Profile::Classic);
    story.until_stage(Stage::Play);
    let number = story.on_turn().unwrap().number();
    let turn = story.until_turn_of(number);
    let (view, _) = story.table.house_view(seat(number)).unwrap();
    let held = view.private.unwrap().cards;
    let foreign =
        mighty_rules::CardSet::FULL.minus(held).iter().find(|card| !card.is_joker()).unwrap();
    let reply = story.answer(number, turn, &foreign.to_string());
    let Reply::Refused { why: Refusal::Illegal(why), tries_left: Some(2), .. } = reply else {
        panic!("{reply:?}")
    };
    assert_eq!(why, mighty_rules::Illegal::CardNotHeld { card: foreign });
    assert_eq!(story.table.house_view(seat(number)).unwrap().0, view);
}

#[test]
fn answers_are_safe_to_repeat() {
    let mut story = Story::five_bots(Profile::Classic);
    story.until_stage(Stage::Play);
    let number = story.on_turn().unwrap().number();
    let turn = story.until_turn_of(number);
    let default = story.turn_of(number as u64).default_move.to_string();
    let first = story.answer(number, turn, &default);
    assert!(matches!(first, Reply::Accepted { repeated: false, .. }));
    let again = story.answer(number, turn, &default);
    assert!(matches!(again, Reply::Accepted { repeated: true, .. }), "{again:?}");
    let table = [
        (turn, "AS"),
        (turn, "rubbish"),
        (turn - 1, "-"),
        (turn + 1, "-"),
        (0, "-"),
        (u64::MAX, "-"),
    ];
    let refused: Vec<Refusal> = table
        .map(|(turn, text)| match story.answer(number, turn, text) {
            Reply::Refused { why, tries_left: None, .. } => why,
            reply @ (Reply::Accepted { .. } | Reply::Refused { .. }) => {
                panic!("{turn} {text}: {reply:?}")
            }
        })
        .into();
    let played = Move::read(&default, Stage::Play).unwrap();
    assert_eq!(
        refused,
        [
            Refusal::Conflict { turn, played },
            Refusal::Conflict { turn, played },
            Refusal::StaleTurn { turn: turn - 1 },
            Refusal::UnknownTurn { turn: turn + 1 },
            Refusal::UnknownTurn { turn: 0 },
            Refusal::UnknownTurn { turn: u64::MAX },
        ]
    );
    assert_eq!(story.play_to_the_end().seats[seat(number)].refusals, 0, "none of these counts");
}

#[test]
fn an_answer_of_another_match_is_for_no_turn_here() {
    let mut story = Story::five_bots(Profile::Classic);
    let seat = story.on_turn().unwrap();
    let answer =
        Answer { match_id: "other".to_owned(), turn: 1, wanted: Wanted::Text("-".to_owned()) };
    let reply = story.table.answer(seat, &answer, story.now);
    assert!(matches!(reply, Reply::Refused { why: Refusal::UnknownTurn { .. }, .. }));
}

#[test]
fn an_answer_that_comes_too_late_is_stale_and_its_bot_learns_by_how_much() {
    let mut story = Story::five_bots(Profile::Classic);
    let slow = story.on_turn().unwrap().number();
    let turn = story.until_turn_of(slow);
    // The clock ran out at 62 s, but nobody has looked at it yet.
    story.now.at += seconds(65);
    let reply = story.answer(slow, turn, "-");
    assert!(matches!(reply, Reply::Refused { why: Refusal::StaleTurn { .. }, .. }));
    assert!(has(&story.shown_events(), &default_made(slow, DefaultCause::Time)));
    story.until_turn_of(slow);
    let next = story.turn_of(slow as u64);
    assert_eq!((next.last_took, next.last_late), (None, Some(seconds(3))));
    assert_eq!(next.time_left, seconds(2), "the bank is gone");
}

#[test]
fn the_clock_starts_when_the_turn_is_handed_over_and_the_servers_lateness_is_free() {
    let mut story = Story::five_bots(Profile::Classic);
    let slow = story.on_turn().unwrap().number();
    story.until_turn_of(slow);
    // 70 s on the wall, 30 of them lost by the server.
    story.now.stalled += seconds(30);
    story.pass_time(seconds(70));
    assert!(!has(&story.shown_events(), &default_made(slow, DefaultCause::Time)));
    assert_eq!(story.table.wake(story.now), Some(story.now.at + seconds(22)));
    story.one_move();
    story.until_turn_of(slow);
    let next = story.turn_of(slow as u64);
    assert_eq!((next.last_took, next.time_left), (Some(seconds(40)), seconds(60 - 38 + 2)));
}

#[test]
fn a_turn_that_its_bot_does_not_read_cannot_stop_the_table() {
    let mut story = Story::five_bots(Profile::Classic);
    let before = story.on_turn().unwrap();
    let turn = story.turn_of(before.number() as u64).number;
    let wanted = Wanted::Text("-".to_owned());
    let answer = Answer { match_id: "m".to_owned(), turn, wanted };
    // Nobody listens to what this answer brings about, so the next turn lies unread.
    story.table.answer(before, &answer, story.now);
    let unread = before.next().number();
    let default = default_made(unread, DefaultCause::Time);
    for (after, is_made) in [(62, false), (4, false), (1, true)] {
        story.now.at += seconds(after);
        story.table.tick(story.now);
        let is_last = story.table.connection(seat(unread)).is_some() && is_made;
        if is_last {
            story.listen();
        }
        assert_eq!(has(&story.shown_events(), &default), is_made, "after {after} s more");
    }
}

#[test]
fn a_bot_that_vanishes_and_returns_misses_nothing() {
    let mut story = Story::five_bots(Profile::Classic);
    story.until_stage(Stage::Play);
    story.until_turn_of(2);
    let last = story.events_of(2).last().unwrap().sequence;
    story.table.lost(ConnectionId(2), story.now);
    story.listen();
    let gone = TableEvent::SeatPresence { seat: seat(2), present: false };
    assert!(has(&story.shown_events(), &gone));
    assert!(!story.table.seats()[seat(2)].present);
    story.pass_time(seconds(10));
    story.table.sit(seat(2), with_turns(22), last, story.now).unwrap();
    story.listen();
    let [Update::MatchStart(start), Update::Snapshot(snapshot), Update::Turn(turn)] =
        story.told[&22].as_slice()
    else {
        panic!("a start, a snapshot and the turn are told: {:?}", story.told[&22])
    };
    assert!(start.resume_token.is_some());
    assert_eq!((snapshot.sequence, snapshot.missed), (last, 0));
    assert!(is_in_order_from(last + 1, &turn.events));
    let rest: Vec<&TableEvent> = turn.events.iter().map(|told| &told.event).collect();
    let back = TableEvent::SeatPresence { seat: seat(2), present: true };
    assert_eq!(rest, [&gone, &back]);
    assert_eq!(turn.number, story.turn_of(2).number, "it is the same turn");
    assert_eq!(turn.time_left, seconds(52), "its clock went on");
    story.play_to_the_end();
}

#[test]
fn who_comes_back_after_any_event_knows_what_it_would_have_known() {
    let mut story = Story::of(Profile::Korean, &[("match.hands", "1")], &[0, 1, 2, 3, 4]);
    let rules = story.table.spec().rules.clone();
    story.play_to_the_end();
    let all = story.events_of(3);
    let viewer = Viewer::Seat(seat(3));
    let whole = fold(None, &all, &rules, viewer);
    for after in 0..=all.len() as u64 {
        let connection = 1000 + after;
        story.table.sit(seat(3), with_turns(connection), after, story.now).unwrap();
        story.listen();
        let snapshot = story.snapshot_of(connection);
        assert_eq!(snapshot.sequence, after);
        let events = story.events_of(connection);
        assert_eq!(events, all[after as usize..]);
        let known = snapshot.scene.as_ref().map(|scene| scene.view.clone());
        assert_eq!(known, fold(None, &all[..after as usize], &rules, viewer));
        assert_eq!(fold(known, &events, &rules, viewer), whole);
        assert!(story.was_ended(connection, Ending::MatchOver));
    }
    let refused = story.table.sit(seat(3), with_turns(1), 4000, story.now).unwrap_err();
    assert_eq!(refused, ComebackRefused::EventToCome { named: 4000, last: all.len() as u64 });
}

#[test]
fn who_was_away_for_longer_than_events_are_kept_is_told_how_much_it_missed() {
    let short = TableLimits { events_kept: 10, ..limits() };
    let mut story = Story::with(Profile::Classic, &[], &[0, 1, 2, 3, 4], short, with_turns);
    story.until_stage(Stage::Play);
    while story.table.dealing().hand == 1 {
        story.one_move();
    }
    story.until_turn_of(4);
    let last = story.events_of(4).last().unwrap().sequence;
    story.table.sit(seat(4), with_turns(44), 3, story.now).unwrap();
    story.listen();
    let snapshot = story.snapshot_of(44);
    assert_eq!((snapshot.sequence, snapshot.missed), (last, last - 3));
    assert_eq!(snapshot.scene, story.turn_of(44).scene);
    assert_eq!(snapshot.totals, story.table.totals());
}

#[test]
fn a_newer_connection_takes_the_seat_over() {
    let mut story = Story::five_bots(Profile::Classic);
    let number = story.on_turn().unwrap().number();
    let id = number as u64;
    story.table.sit(seat(number), with_turns(99), 1, story.now).unwrap();
    story.listen();
    assert!(story.was_notified(id, Notice::TakenOver));
    assert!(story.was_ended(id, Ending::TakenOver));
    let presence = |told: &Numbered| matches!(told.event, TableEvent::SeatPresence { .. });
    assert!(!story.shown_events().iter().any(presence), "the others need not know");
    // That the older one is gone now is no news.
    story.table.lost(ConnectionId(id), story.now);
    assert_eq!(story.table.connection(seat(number)), Some(ConnectionId(99)));
    story.play_to_the_end();
}

#[test]
fn a_house_seat_is_nobodys_to_take() {
    let mut story = Story::of(Profile::Classic, &[], &[0]);
    let refused = story.table.sit(seat(1), with_turns(9), 0, story.now).unwrap_err();
    assert_eq!(refused, ComebackRefused::HouseSeat(seat(1)));
}

#[test]
fn three_defaults_in_a_row_and_a_house_bot_plays_on() {
    let mut story = Story::five_bots(Profile::Classic);
    let mut made = 0;
    while made < 3 {
        story.until_turn_of(1);
        story.pass_time(seconds(62));
        made += 1;
        assert_eq!(has(&story.shown_events(), &given_up(1)), made == 3, "after {made}");
    }
    assert!(story.was_notified(1, Notice::SeatGivenUp));
    let stale = story.turn_of(1).number;
    let reply = story.answer(1, stale, "-");
    assert!(matches!(reply, Reply::Refused { why: Refusal::StaleTurn { .. }, .. }));
    let finished = story.play_to_the_end();
    let report = &finished.seats[seat(1)];
    assert_eq!((report.given_up, report.defaults), (true, 3));
    assert_eq!(report.player.name, "bot-1", "the one that left keeps the result");
    assert!(story.was_ended(1, Ending::MatchOver), "it hears how its match ended");
}

#[test]
fn an_answer_in_between_begins_the_count_of_defaults_anew() {
    let mut story = Story::five_bots(Profile::Classic);
    for _ in 0..3 {
        for _ in 0..2 {
            story.until_turn_of(1);
            story.pass_time(seconds(62));
        }
        story.until_turn_of(1);
        story.one_move();
    }
    assert!(!has(&story.shown_events(), &given_up(1)));
    let finished = story.play_to_the_end();
    assert_eq!(finished.seats[seat(1)].defaults, 6);
}

#[test]
fn a_minutes_absence_and_the_seat_is_given_up() {
    for (away, is_given_up) in [(59, false), (60, true)] {
        let mut story = Story::five_bots(Profile::Classic);
        let gone = story.on_turn().unwrap().after(2).number();
        story.table.lost(ConnectionId(gone as u64), story.now);
        story.listen();
        story.pass_time(seconds(away));
        assert_eq!(has(&story.shown_events(), &given_up(gone)), is_given_up, "{away} s");
        story.table.sit(seat(gone), with_turns(77), 0, story.now).unwrap();
        story.listen();
        assert_eq!(
            story.told[&77]
                .iter()
                .any(|update| matches!(update, Update::Notice(Notice::SeatGivenUp))),
            is_given_up
        );
        let finished = story.play_to_the_end();
        assert_eq!(finished.seats[seat(gone)].given_up, is_given_up);
        let told: Vec<usize> =
            finished.record.rows.iter().flat_map(|row| &row.given_up).map(|g| g.seat).collect();
        assert_eq!(told, if is_given_up { vec![gone] } else { vec![] }, "the record says so");
    }
}

#[test]
fn a_bot_that_never_came_is_given_up_and_the_match_is_played() {
    let mut story = Story::of(Profile::Classic, &[], &[0, 1, 2, 3]);
    story.table.lost(ConnectionId(0), story.now);
    story.listen();
    for _ in 0..3 {
        story.pass_time(seconds(62));
    }
    assert!(story.table.seats()[seat(0)].given_up);
    story.play_to_the_end();
}

#[test]
fn who_leaves_is_replaced_at_once() {
    let mut story = Story::five_bots(Profile::Classic);
    let number = story.on_turn().unwrap().number();
    story.table.leave(seat(number), story.now);
    story.listen();
    assert!(story.was_ended(number as u64, Ending::Left));
    assert!(has(&story.shown_events(), &given_up(number)));
    assert_eq!(story.table.house_turn(), Some(seat(number)));
    assert!(story.play_to_the_end().seats[seat(number)].given_up);
}

#[test]
fn everybody_may_leave_and_the_match_is_still_finished() {
    let mut story = Story::five_bots(Profile::Ripper);
    for seat in Seat::ALL {
        story.table.leave(seat, story.now);
    }
    let finished = story.play_to_the_end();
    assert!(finished.seats.0.iter().all(|report| report.given_up));
}

#[test]
fn a_wrong_move_of_a_house_bot_is_an_open_default() {
    let mut story = Story::of(Profile::Classic, &[], &[]);
    let number = story.on_turn().unwrap().number();
    story.table.house_move(seat(number), Move::Keep, story.now);
    story.listen();
    assert!(has(&story.shown_events(), &default_made(number, DefaultCause::Refusals)));
}

#[test]
fn bots_get_their_events_with_turns_and_people_at_once() {
    let mut story = Story::with(Profile::Classic, &[], &[0, 1, 2, 3, 4], limits(), at_once);
    story.until_stage(Stage::Play);
    let (leader, second) = {
        let leader = story.on_turn().unwrap();
        (leader.number(), leader.next().number())
    };
    story.one_move();
    let told = &story.told[&(leader as u64)];
    assert!(matches!(told.last(), Some(Update::Events(_))), "the leader hears of its own card");
    let turn = story.turn_of(second as u64);
    let has_card =
        |told: &Numbered| matches!(told.event, TableEvent::Hand(Event::CardPlayed { .. }));
    assert!(turn.events.iter().any(has_card), "and the next with its turn");
    story.play_to_the_end();
    for number in 0..5 {
        assert!(is_in_order_from(1, &story.events_of(number)));
    }
}

#[test]
fn a_bot_that_folds_events_may_leave_observations_out() {
    let omit = |id| Connection { omits_observation: true, ..with_turns(id) };
    let story = Story::with(Profile::Classic, &[], &[0, 1, 2, 3, 4], limits(), omit);
    let number = story.on_turn().unwrap().number();
    assert!(story.turn_of(number as u64).scene.is_none());
}

#[test]
fn a_spectator_who_comes_late_sees_the_whole_hand_so_far() {
    let mut story = Story::five_bots(Profile::Hunter);
    let rules = story.table.spec().rules.clone();
    story.until_stage(Stage::Play);
    for _ in 0..17 {
        story.one_move();
    }
    let before = story.shown_events();
    let joined = story.table.look_on();
    let [Update::MatchStart(start), Update::Snapshot(snapshot)] = joined.as_slice() else {
        panic!("a start and a snapshot are told")
    };
    assert_eq!((start.viewer, &start.resume_token), (Viewer::Spectator, &None));
    assert_eq!(snapshot.sequence, before.last().unwrap().sequence);
    let view = &snapshot.scene.as_ref().unwrap().view;
    assert_eq!(Some(view), fold(None, &before, &rules, Viewer::Spectator).as_ref());
    assert_eq!(view.public.tricks().unwrap().fallen.len(), 17);
    assert!(view.private.is_none());
    story.play_to_the_end();
    let after = &story.shown_events()[before.len()..];
    assert!(is_in_order_from(snapshot.sequence + 1, after));
}

#[test]
fn the_seed_is_told_when_the_match_is_over_and_not_before() {
    let mut story = Story::five_bots(Profile::Classic);
    let Update::MatchStart(start) = &story.told[&0][0] else { panic!("a match starts first") };
    let commitment = start.spec.seed.commitment();
    assert_eq!(story.table.record().seed, None);
    while story.table.progress() == Progress::Playing {
        story.one_move();
    }
    let is_end = |told: &Numbered| matches!(told.event, TableEvent::MatchEnded { .. });
    assert!(!story.events_of(0).iter().any(is_end), "not before the result is kept");
    assert_eq!(story.table.record().seed, None);
    story.table.announce();
    story.listen();
    let events = story.events_of(0);
    let Some(Numbered { event: TableEvent::MatchEnded { seed, places, .. }, .. }) = events.last()
    else {
        panic!("the match ends with its end")
    };
    assert_eq!(seed.commitment(), commitment);
    assert!(places.0.contains(&1));
}

#[test]
fn who_comes_while_the_result_is_being_kept_hears_the_end_once() {
    let mut story = Story::five_bots(Profile::Classic);
    let shown_before = loop {
        let shown = story.shown_events().len() as u64;
        story.one_move();
        if story.table.progress() == Progress::Closing {
            break shown;
        }
    };
    let joined = story.table.look_on();
    assert_eq!(snapshot(&joined).sequence, shown_before, "the last card is not shown yet");
    story.table.sit(seat(2), with_turns(22), 0, story.now).unwrap();
    story.listen();
    assert!(story.events_of(22).is_empty());
    story.table.announce();
    story.listen();
    assert!(is_in_order_from(1, &story.shown_events()));
    assert!(is_in_order_from(1, &story.events_of(22)));
    assert!(story.was_ended(22, Ending::MatchOver));
}

#[test]
fn a_result_that_could_not_be_kept_is_not_announced() {
    let mut story = Story::of(Profile::Classic, &[("match.hands", "1")], &[0, 1, 2, 3, 4]);
    while story.table.progress() == Progress::Playing {
        story.one_move();
    }
    story.table.break_off(Ending::NotKept);
    story.table.announce();
    story.listen();
    let is_end = |told: &Numbered| matches!(told.event, TableEvent::MatchEnded { .. });
    for number in 0..5 {
        assert!(story.was_ended(number, Ending::NotKept));
        assert!(story.was_notified(number, Notice::BrokenOff));
        assert!(!story.events_of(number).iter().any(is_end));
    }
}

#[test]
fn a_result_that_is_being_kept_when_the_server_stops_is_announced() {
    let mut story = Story::five_bots(Profile::Classic);
    while story.table.progress() == Progress::Playing {
        story.one_move();
    }
    story.table.break_off(Ending::Stopped);
    story.table.announce();
    story.listen();
    for number in 0..5 {
        assert!(story.was_ended(number, Ending::MatchOver));
        assert!(!story.was_notified(number, Notice::BrokenOff));
    }
}

#[test]
fn a_stream_that_wants_more_is_told_that_another_match_follows() {
    let more = |id| Connection { wants_more: id == 0, ..with_turns(id) };
    let one_hand = [("match.hands", "1")];
    let mut story = Story::with(Profile::Classic, &one_hand, &[0, 1, 2, 3, 4], limits(), more);
    story.play_to_the_end();
    let follows = |connection: u64| {
        let last = story.told[&connection].last().unwrap();
        matches!(last, Update::MatchOver { another_follows: true, .. })
    };
    assert!(follows(0) && !follows(1));
}

#[test]
fn a_server_that_stops_lets_the_hand_finish_and_scores_nothing() {
    let mut story = Story::five_bots(Profile::Classic);
    story.until_stage(Stage::Play);
    story.table.drain();
    story.listen();
    assert!(story.was_notified(0, Notice::ShuttingDown));
    while story.table.progress() == Progress::Playing {
        story.one_move();
    }
    assert_eq!(story.table.progress(), Progress::BrokenOff);
    assert!(!story.is_finished);
    for number in 0..5 {
        let events = story.events_of(number);
        let ended = |told: &Numbered| {
            matches!(told.event, TableEvent::HandEnded { next: Next::Hand { .. }, .. })
        };
        assert!(events.iter().any(ended));
        assert!(story.was_notified(number, Notice::BrokenOff));
        assert!(story.was_ended(number, Ending::Stopped));
    }
    assert_eq!(story.table.wake(story.now), None);
}

#[test]
fn a_server_that_stops_in_the_last_hand_still_scores_the_match() {
    let mut story = Story::of(Profile::Classic, &[("match.hands", "1")], &[0, 1, 2, 3, 4]);
    story.until_stage(Stage::Play);
    story.table.drain();
    story.play_to_the_end();
    assert_eq!(story.table.progress(), Progress::Over);
}

#[test]
fn a_table_can_be_broken_off_at_any_time() {
    let mut story = Story::five_bots(Profile::Classic);
    story.table.break_off(Ending::Stopped);
    story.listen();
    for number in 0..5 {
        assert!(story.was_notified(number, Notice::BrokenOff));
    }
    assert!(matches!(story.shown.last(), Some(Update::Notice(Notice::BrokenOff))));
}

#[test]
fn whatever_four_bots_do_not_do_the_hand_ends() {
    let mut story = Story::of(Profile::Korean, &[("match.hands", "1")], &[0, 1, 2, 3]);
    let mut waits = 0;
    while story.table.progress() == Progress::Playing {
        if story.table.house_turn().is_some() {
            story.one_move();
        } else {
            story.pass_time(seconds(62));
            waits += 1;
        }
    }
    assert!(waits <= 4 * 3, "each of the four is waited for three times at most: {waits}");
}
