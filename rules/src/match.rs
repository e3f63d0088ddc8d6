//! A match: who deals, who speaks first, what is redealt, given up or carried over.

use std::sync::Arc;

use crate::event::{HandResult, Void, VoidReason};
use crate::hand::Outcome;
use crate::rules::{FirstBidder, MissDealer, Rules};
use crate::score::Score;
use crate::seat::{BySeat, Seat};
use crate::view::Setup;

/// How the hands of a match hang together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MatchKind {
    /// Each hand follows from the one before.
    Ordinary {
        /// Who deals first, as the cut decided.
        first_dealer: Seat,
    },
    /// Each deal stands alone: its number says who deals, nothing is carried over, and a void deal is over.
    Duplicate,
}

/// The flow of a match, from the first deal to the totals.
#[derive(Clone, Debug)]
pub struct Match {
    rules: Arc<Rules>,
    kind: MatchKind,
    dealing: Dealing,
    /// The seat that threw in a hand and begins the auctions of that hand from then on.
    claimant: Option<Seat>,
    previous_declarer: Option<Seat>,
    totals: BySeat<Score>,
    over: bool,
}

/// What is dealt next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dealing {
    /// Which hand, from 1.
    pub hand: u32,
    /// How often this hand has been dealt before, 0 to 10.
    pub redeal: u32,
    /// Dealer, first bidder and pot.
    pub setup: Setup,
}

/// What follows a hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// The same hand is dealt again.
    Redeal,
    /// The next hand is dealt; the last one was given up if `given_up`.
    Hand {
        /// Whether the hand counts as played without having been.
        given_up: bool,
    },
    /// The match is over.
    Over {
        /// Whether the last hand counts as played without having been.
        given_up: bool,
    },
}

impl Match {
    /// A hand that has been dealt again so often and is void once more is given up.
    pub const REDEALS: u32 = 10;

    /// A match of which nothing was dealt yet.
    pub fn new(rules: Arc<Rules>, kind: MatchKind) -> Match {
        let dealer = match kind {
            MatchKind::Ordinary { first_dealer } => first_dealer,
            MatchKind::Duplicate => Seat::ALL[0],
        };
        let setup = Setup { dealer, first_bidder: dealer, pot: 0 };
        let mut a_match = Match {
            rules,
            kind,
            dealing: Dealing { hand: 1, redeal: 0, setup },
            claimant: None,
            previous_declarer: None,
            totals: BySeat::default(),
            over: false,
        };
        a_match.dealing.setup.first_bidder = a_match.first_bidder(dealer);
        a_match
    }

    /// What is dealt next; `None` once the match is over.
    pub fn dealing(&self) -> Option<Dealing> {
        (!self.over).then_some(self.dealing)
    }

    /// What each seat has so far, fines included.
    pub fn totals(&self) -> BySeat<Score> {
        self.totals
    }

    /// What lies in the pot, in points.
    pub fn pot(&self) -> u64 {
        self.dealing.setup.pot
    }

    /// Whether all hands are played.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// The place of each seat by its total, 1 for the highest; equals share the better place.
    pub fn places(&self) -> BySeat<u8> {
        self.totals.map(|total| {
            let better = self.totals.0.iter().filter(|other| **other > total).count();
            better as u8 + 1
        })
    }

    /// Takes in how the hand that was dealt has ended, and decides what follows.
    pub fn finish(&mut self, outcome: &Outcome) -> Next {
        if self.over {
            return Next::Over { given_up: false };
        }
        match outcome {
            Outcome::Scored(result) => self.finish_scored(result),
            Outcome::Void(void) => self.finish_void(void),
        }
    }

    fn finish_scored(&mut self, result: &HandResult) -> Next {
        for (seat, score) in result.scores.iter() {
            self.totals[seat] += *score;
        }
        self.dealing.setup.pot = result.pot;
        self.previous_declarer = Some(result.declarer);
        self.next_hand(result.next_dealer, false)
    }

    fn finish_void(&mut self, void: &Void) -> Next {
        if self.kind == MatchKind::Duplicate {
            return self.next_hand(void.next_dealer, true);
        }
        self.pay_the_fine(void);
        if self.dealing.redeal == Match::REDEALS {
            return self.next_hand(void.next_dealer, true);
        }
        if let (VoidReason::DealMiss { seat, .. }, Some(miss)) = (void.why, &self.rules.deal.miss)
            && miss.next_dealer == MissDealer::Claimant
        {
            self.claimant = Some(seat);
        }
        let redeal = self.dealing.redeal + 1;
        self.deal(self.dealing.hand, redeal, void.next_dealer);
        Next::Redeal
    }

    /// The dealer of a hand thrown in (or, where the rules say so, passed by all) pays into the pot.
    fn pay_the_fine(&mut self, void: &Void) {
        let Some(miss) = &self.rules.deal.miss else { return };
        let is_fined = match void.why {
            VoidReason::DealMiss { .. } => true,
            VoidReason::AllPassed => miss.fines_all_pass,
        };
        if is_fined {
            let dealer = self.dealing.setup.dealer;
            self.totals[dealer] += -Score::points(i64::from(miss.fine));
            self.dealing.setup.pot += u64::from(miss.fine);
        }
    }

    fn next_hand(&mut self, dealer: Seat, given_up: bool) -> Next {
        self.claimant = None;
        if self.dealing.hand >= u32::from(self.rules.r#match.hands) {
            self.over = true;
            return Next::Over { given_up };
        }
        let hand = self.dealing.hand + 1;
        let dealer = match self.kind {
            MatchKind::Ordinary { .. } => dealer,
            MatchKind::Duplicate => Seat::ALL[(hand as usize - 1) % 5],
        };
        self.deal(hand, 0, dealer);
        Next::Hand { given_up }
    }

    fn deal(&mut self, hand: u32, redeal: u32, dealer: Seat) {
        let pot = match self.kind {
            MatchKind::Ordinary { .. } => self.dealing.setup.pot,
            MatchKind::Duplicate => 0,
        };
        let first_bidder = self.first_bidder(dealer);
        self.dealing = Dealing { hand, redeal, setup: Setup { dealer, first_bidder, pot } };
    }

    fn first_bidder(&self, dealer: Seat) -> Seat {
        if let Some(claimant) = self.claimant {
            return claimant;
        }
        let previous_declarer = match self.kind {
            MatchKind::Ordinary { .. } => self.previous_declarer,
            MatchKind::Duplicate => None,
        };
        first_bidder(&self.rules, dealer, previous_declarer)
    }
}

/// Who speaks first, where nobody has claimed a deal miss. There is no previous declarer in a hand that stands alone.
pub(crate) fn first_bidder(rules: &Rules, dealer: Seat, previous_declarer: Option<Seat>) -> Seat {
    match rules.auction.first_bidder {
        FirstBidder::LeftOfDealer => dealer.next(),
        FirstBidder::Dealer => dealer,
        FirstBidder::PreviousDeclarer => previous_declarer.unwrap_or(dealer),
    }
}
