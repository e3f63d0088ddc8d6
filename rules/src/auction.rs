//! The auction: whose turn it is, what stands, and when it is over.

use crate::bid::{Bid, Trump};
use crate::rules::{AllPass, Rules};
use crate::seat::{BySeat, Seat};

/// What a seat said in the auction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Call {
    /// It passed.
    Pass,
    /// It bid.
    Bid(Bid),
}

/// Which auction of the hand this is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Round {
    /// The first.
    First,
    /// A second whole auction, after five passes.
    Second,
    /// Once more round, for exactly the minimum less one.
    Lowered,
}

/// A bid that stands, and whose it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Standing {
    /// Who bid.
    pub seat: Seat,
    /// What.
    pub bid: Bid,
}

/// How far an auction has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It goes on.
    Open,
    /// This bid has won.
    Won(Standing),
    /// Nobody bid.
    AllPassed,
}

/// The auction as all hear it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Auction {
    /// Which auction of the hand this is.
    pub round: Round,
    /// The highest bid so far.
    pub standing: Option<Standing>,
    /// Whose turn it is, while the auction goes on.
    pub to_call: Seat,
    /// Who speaks first.
    pub first_bidder: Seat,
    /// All calls of the hand, those of an earlier round first.
    pub calls: Vec<(Seat, Call)>,
    has_called: BySeat<bool>,
    passed: BySeat<bool>,
    passes_in_a_row: u8,
}

impl Auction {
    /// An auction in which nobody has spoken.
    pub fn new(first_bidder: Seat) -> Auction {
        Auction {
            round: Round::First,
            standing: None,
            to_call: first_bidder,
            first_bidder,
            calls: Vec::with_capacity(16),
            has_called: BySeat::default(),
            passed: BySeat::default(),
            passes_in_a_row: 0,
        }
    }

    /// Begins another round with the same first bidder; passes are forgotten.
    pub(crate) fn begin_again(&mut self, round: Round) {
        let calls = std::mem::take(&mut self.calls);
        *self = Auction { round, calls, ..Auction::new(self.first_bidder) };
    }

    /// Whether this seat has not spoken in the hand yet.
    pub fn is_first_call_of(&self, seat: Seat) -> bool {
        self.round == Round::First && !self.has_called[seat]
    }

    /// The fewest and the most points that can be bid with this trump now; `None` where it cannot be bid.
    pub fn range(&self, trump: Trump, rules: &Rules) -> Option<(u8, u8)> {
        if self.round == Round::Lowered {
            let points = rules.lowered_points();
            return self.standing.is_none().then_some((points, points));
        }
        let mut lowest = rules.lowest_bid(trump);
        if let Some(standing) = self.standing {
            let equal = Bid { points: standing.bid.points, trump };
            let beats = equal.beats(standing.bid, rules.auction.ranking);
            lowest = lowest.max(standing.bid.points + u8::from(!beats));
        }
        (lowest <= Bid::MOST_POINTS).then_some((lowest, Bid::MOST_POINTS))
    }

    /// Whether this seat may pass: not the dealer that has to open, while no bid stands.
    pub fn may_pass(&self, seat: Seat, dealer: Seat, rules: &Rules) -> bool {
        let dealer_opens = rules.auction.all_pass == AllPass::DealerOpens;
        !(dealer_opens && seat == dealer && self.standing.is_none())
    }

    /// Hears a call of the seat whose turn it is.
    pub(crate) fn hear(&mut self, seat: Seat, call: Call, rules: &Rules) {
        self.calls.push((seat, call));
        self.has_called[seat] = true;
        match call {
            Call::Pass => {
                self.passed[seat] = true;
                self.passes_in_a_row += 1;
            }
            Call::Bid(bid) => {
                self.standing = Some(Standing { seat, bid });
                self.passes_in_a_row = 0;
            }
        }
        let may_speak = |next: &Seat| !(rules.auction.pass_is_final && self.passed[*next]);
        self.to_call = seat.next().round().find(may_speak).unwrap_or(seat);
    }

    /// Whether the auction goes on, and if not, how it ended.
    pub fn verdict(&self, rules: &Rules) -> Verdict {
        let Some(standing) = self.standing else {
            // With no bid yet, everybody has a turn.
            return if self.passes_in_a_row == 5 { Verdict::AllPassed } else { Verdict::Open };
        };
        let nobody_else_speaks = if rules.auction.pass_is_final {
            Seat::ALL.into_iter().all(|seat| self.passed[seat] || seat == standing.seat)
        } else {
            self.passes_in_a_row == 4
        };
        let nothing_beats_it =
            || Trump::ALL.iter().all(|trump| self.range(*trump, rules).is_none());
        if nobody_else_speaks || nothing_beats_it() {
            Verdict::Won(standing)
        } else {
            Verdict::Open
        }
    }
}
