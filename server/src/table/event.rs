//! What happens at a table, numbered for each viewer.

use std::collections::VecDeque;
use std::sync::Arc;

use mighty_rules::{
    Audience, BySeat, Dealing, Event, Next, Rules, Score, Seat, Seed, View, Viewer,
};

/// Something that happened at a table: in its hand, or around it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableEvent {
    /// Everyone: a hand is dealt.
    HandStarted(Dealing),
    /// An event of the hand, for those whom the hand names.
    Hand(Event),
    /// Everyone: where the match stands after a hand.
    HandEnded {
        /// The hand that ended.
        dealing: Dealing,
        /// What follows it.
        next: Next,
        /// The totals, fines included.
        totals: BySeat<Score>,
        /// What lies in the pot, in points.
        pot: u64,
    },
    /// Everyone, but the seat alone while it is asked in secret: the table moved for a seat. The move follows.
    DefaultMade {
        /// For whom.
        seat: Seat,
        /// Why.
        cause: DefaultCause,
    },
    /// Everyone: a seat was given up, and a house bot plays on.
    SeatGivenUp {
        /// Which seat.
        seat: Seat,
        /// The name of the house bot.
        stand_in: Arc<str>,
    },
    /// Everyone: a player's connection was lost, or is back.
    SeatPresence {
        /// Whose.
        seat: Seat,
        /// Whether it is there.
        present: bool,
    },
    /// Everyone: the match is over.
    MatchEnded {
        /// The totals.
        totals: BySeat<Score>,
        /// The places, 1 for the highest total.
        places: BySeat<u8>,
        /// The secret from which all decks follow.
        seed: Seed,
        /// Where the record is.
        record_id: String,
    },
}

/// Why the table moved for a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DefaultCause {
    /// No answer came before the clock ran out.
    Time,
    /// Too many answers were refused.
    Refusals,
}

/// An event with its number among those of one viewer, from 1 without gaps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Numbered {
    /// The number.
    pub sequence: u64,
    /// The event.
    pub event: TableEvent,
}

/// What a viewer may know of the hand in play, and where it stands in the match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scene {
    /// The hand.
    pub view: View,
    /// Which hand it is.
    pub dealing: Dealing,
    /// The totals before this hand.
    pub totals: BySeat<Score>,
}

/// The events of a match as far as they are kept, so that who comes back gets what it missed.
#[derive(Debug)]
pub struct EventLog {
    kept: VecDeque<(Audience, TableEvent)>,
    /// How many events are kept at least; older hands are dropped whole.
    limit: usize,
    dropped: Counts,
    totals_dropped: BySeat<Score>,
    made: Counts,
}

/// A number for each viewer.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    seats: BySeat<u64>,
    spectator: u64,
}

impl Counts {
    fn of(&self, viewer: Viewer) -> u64 {
        match viewer {
            Viewer::Seat(seat) => self.seats[seat],
            Viewer::Spectator => self.spectator,
        }
    }

    fn count(&mut self, audience: Audience) {
        match audience {
            Audience::Everyone => {
                self.seats = self.seats.map(|count| count + 1);
                self.spectator += 1;
            }
            Audience::Only(seat) => self.seats[seat] += 1,
        }
    }
}

impl EventLog {
    /// A log that keeps so many events; those of the hand in play are always kept.
    pub fn new(limit: usize) -> EventLog {
        EventLog {
            kept: VecDeque::new(),
            limit,
            dropped: Counts::default(),
            totals_dropped: BySeat::default(),
            made: Counts::default(),
        }
    }

    /// The number of the last event of this viewer; 0 before the first.
    pub fn last(&self, viewer: Viewer) -> u64 {
        self.made.of(viewer)
    }

    /// Adds an event.
    pub fn push(&mut self, audience: Audience, event: TableEvent) {
        if matches!(event, TableEvent::HandStarted(_)) {
            self.drop_old_hands();
        }
        self.made.count(audience);
        self.kept.push_back((audience, event));
    }

    fn drop_old_hands(&mut self) {
        while self.kept.len() > self.limit {
            while let Some((audience, event)) = self.kept.pop_front() {
                self.dropped.count(audience);
                if let TableEvent::HandEnded { totals, .. } = event {
                    self.totals_dropped = totals;
                }
                if matches!(self.kept.front(), Some((_, TableEvent::HandStarted(_)))) {
                    break;
                }
            }
        }
    }

    /// The viewer's events after this number; `None` when some of them are not kept any more.
    pub fn after(&self, viewer: Viewer, sequence: u64) -> Option<Vec<Numbered>> {
        let dropped = self.dropped.of(viewer);
        (sequence >= dropped)
            .then(|| self.of(viewer).filter(|event| event.sequence > sequence).collect())
    }

    /// What the viewer knew after the event of this number, with the totals then: the fold of its events.
    /// No scene before the first hand, or where the hand is not kept any more.
    pub fn scene_at(
        &self,
        viewer: Viewer,
        sequence: u64,
        rules: &Arc<Rules>,
    ) -> (Option<Scene>, BySeat<Score>) {
        let mut scene: Option<Scene> = None;
        let mut totals = self.totals_dropped;
        for Numbered { event, .. } in self.of(viewer).take_while(|event| event.sequence <= sequence)
        {
            match event {
                TableEvent::HandStarted(dealing) => {
                    let view = View::new(rules.clone(), dealing.setup, viewer);
                    scene = Some(Scene { view, dealing, totals });
                }
                TableEvent::Hand(event) => {
                    if let Some(scene) = &mut scene {
                        scene.view.see(&event);
                    }
                }
                TableEvent::HandEnded { totals: after, .. } => totals = after,
                TableEvent::DefaultMade { .. }
                | TableEvent::SeatGivenUp { .. }
                | TableEvent::SeatPresence { .. }
                | TableEvent::MatchEnded { .. } => {}
            }
        }
        (scene, totals)
    }

    fn of(&self, viewer: Viewer) -> impl Iterator<Item = Numbered> + '_ {
        let seen = self.kept.iter().filter(move |(audience, _)| audience.includes(viewer));
        (self.dropped.of(viewer) + 1..)
            .zip(seen)
            .map(|(sequence, (_, event))| Numbered { sequence, event: event.clone() })
    }
}
