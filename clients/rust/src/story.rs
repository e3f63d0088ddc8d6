//! A match as a viewer was told of it: the fold of its events.

use mighty_protocol::decode::{self, BadMessage, HandEnd, Observed, Told};
use mighty_protocol::v1;
use mighty_rules::{BySeat, Dealing, Score, View, Viewer};

use crate::news::MatchInfo;

/// A match as a viewer was told of it.
#[derive(Debug)]
pub(crate) struct Story {
    pub(crate) info: MatchInfo,
    /// How to come back to the seat; empty for a spectator.
    pub(crate) resume_token: String,
    /// Which hand is in play, and who deals it; unset before the first.
    pub(crate) dealing: Option<Dealing>,
    /// The hand in play; unset before the first.
    pub(crate) view: Option<View>,
    /// The totals so far.
    pub(crate) totals: BySeat<Score>,
    /// The last event that was told.
    pub(crate) heard: u64,
    /// The last event that the view contains: a snapshot brings it past what was told.
    folded: u64,
}

/// Why a story cannot be told on.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// A message is not understood.
    #[error(transparent)]
    BadMessage(#[from] BadMessage),
    /// There is no story yet.
    #[error("an update of a match came before its start")]
    NothingBegan,
    /// Events are missing: the view would be wrong from here on, but another stream may tell them.
    #[error("after event {after} came event {came}")]
    Gap { after: u64, came: u64 },
}

impl Story {
    pub(crate) fn begin(start: v1::MatchStart) -> Result<Story, BadMessage> {
        Ok(Story {
            info: MatchInfo::read(&start)?,
            resume_token: start.resume_token,
            dealing: None,
            view: None,
            totals: BySeat::default(),
            heard: 0,
            folded: 0,
        })
    }

    /// A match begins, or goes on: what was told of it before is kept.
    pub(crate) fn go_on(before: Option<Story>, start: v1::MatchStart) -> Result<Story, BadMessage> {
        let begun = Story::begin(start)?;
        Ok(match before {
            Some(before) if before.info.match_id == begun.info.match_id => {
                Story { info: begun.info, resume_token: begun.resume_token, ..before }
            }
            Some(_) | None => begun,
        })
    }

    /// Takes in the state of affairs, and says how many events were missed for it.
    pub(crate) fn catch_up(&mut self, snapshot: &v1::Snapshot) -> Result<u64, BadMessage> {
        let totals = &snapshot.totals_half_points;
        self.totals = decode::scores(totals, "Snapshot.totals_half_points")?;
        let rules = || self.info.rules.clone();
        let observation = snapshot.observation.as_ref();
        let observed = observation.map(|seen| decode::observation(seen, rules())).transpose()?;
        self.dealing = observed.as_ref().map(|Observed { view, hand, redeal, .. }| Dealing {
            hand: *hand,
            redeal: *redeal,
            setup: view.public.setup,
        });
        self.view = observed.map(|observed| observed.view);
        self.folded = snapshot.sequence;
        Ok(snapshot.missed)
    }

    /// Takes in an event. One that was told before, or of a kind newer than this program, tells nothing.
    pub(crate) fn hear(&mut self, event: &v1::Event) -> Result<Option<Told>, Trouble> {
        let told = event.kind.as_ref().map(|_| decode::told(event)).transpose()?;
        if event.sequence > self.folded {
            if event.sequence != self.folded + 1 {
                return Err(Trouble::Gap { after: self.folded, came: event.sequence });
            }
            if let Some(told) = &told {
                self.fold(told);
            }
            self.folded = event.sequence;
        }
        if event.sequence <= self.heard {
            return Ok(None);
        }
        self.heard = event.sequence;
        Ok(told)
    }

    fn fold(&mut self, told: &Told) {
        match told {
            Told::HandStarted(dealing) => {
                let viewer = self.info.seat.map_or(Viewer::Spectator, Viewer::Seat);
                self.dealing = Some(*dealing);
                self.view = Some(View::new(self.info.rules.clone(), dealing.setup, viewer));
            }
            Told::InHand(event) => {
                if let Some(view) = &mut self.view {
                    view.see(event);
                }
            }
            Told::HandEnded(HandEnd { totals, .. }) => self.totals = *totals,
            Told::SeatGivenUp { seat, .. } => self.info.seats[*seat].given_up = true,
            Told::SeatPresence { seat, present } => self.info.seats[*seat].present = *present,
            Told::DefaultMade { .. } | Told::MatchEnded(_) => {}
        }
    }
}
