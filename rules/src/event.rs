//! What happens in a hand, and who may know it.

use crate::auction::Round;
use crate::bid::Bid;
use crate::card::{Card, CardSet};
use crate::contract::{Contract, WinningBid};
use crate::moves::{HeardCall, PlayedCard};
use crate::score::Score;
use crate::seat::{BySeat, Seat};

/// Who learns of an event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Audience {
    /// Every seat and every spectator.
    Everyone,
    /// This seat alone.
    Only(Seat),
}

/// Who looks on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Viewer {
    /// The player of a seat.
    Seat(Seat),
    /// Somebody without a seat.
    Spectator,
}

impl Audience {
    /// Whether this viewer belongs to the audience.
    pub fn includes(self, viewer: Viewer) -> bool {
        match (self, viewer) {
            (Audience::Everyone, Viewer::Seat(_) | Viewer::Spectator) => true,
            (Audience::Only(seat), Viewer::Seat(viewer)) => seat == viewer,
            (Audience::Only(_), Viewer::Spectator) => false,
        }
    }
}

/// An event and its audience. It is shown whole or not at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Notice {
    /// Who learns of it.
    pub audience: Audience,
    /// What happened.
    pub event: Event,
}

/// Something that happened in a hand. The audience of each kind is noted; the hand decides it when the event is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The seat: these are its ten cards.
    Dealt {
        /// Whose.
        seat: Seat,
        /// The ten cards.
        cards: CardSet,
    },
    /// The seat: it is asked whether it keeps its weak hand. Others never learn who was asked.
    AskedToKeep {
        /// Who is asked.
        seat: Seat,
    },
    /// The seat: it kept its weak hand.
    Kept {
        /// Who kept.
        seat: Seat,
    },
    /// The first bidder: nobody is asked about a weak hand any more, its call is awaited.
    /// The others are not told, since a pause before it would show that somebody was asked.
    AuctionOpened,
    /// Everyone: a seat passed.
    Passed {
        /// Who.
        seat: Seat,
    },
    /// Everyone: a seat bid.
    BidMade {
        /// Who.
        seat: Seat,
        /// What.
        bid: Bid,
    },
    /// Everyone: nobody bid, and there is another auction with the same cards.
    AuctionAgain {
        /// Which.
        round: Round,
    },
    /// Everyone: the auction is over.
    AuctionWon {
        /// The declarer.
        declarer: Seat,
        /// What it was won with.
        with: WinningBid,
    },
    /// Everyone, where the kitty is shown: these are its three cards.
    KittyShown {
        /// The three cards.
        cards: CardSet,
    },
    /// The declarer: it took these three cards.
    KittyTaken {
        /// The three cards.
        cards: CardSet,
    },
    /// Everyone: the declarer has buried three cards.
    Buried,
    /// The declarer: these are the three cards it buried.
    BuriedCards {
        /// The three cards.
        cards: CardSet,
    },
    /// Everyone: the contract is fixed.
    ContractFixed {
        /// The contract, with the Mighty and the calling card of this hand.
        contract: Contract,
    },
    /// Everyone: the declarer called a friend.
    FriendCalled {
        /// What all hear.
        call: HeardCall,
    },
    /// The declarer: it marked this buried card as its friend.
    KittyMarked {
        /// The card.
        card: Card,
    },
    /// A seat that knows it from its own cards (the friend, or a declarer who is secretly alone): who the friend is.
    FriendTold {
        /// The friend; nobody in a game alone.
        friend: Option<Seat>,
    },
    /// Everyone: it came out who the friend is, or that there is none.
    FriendRevealed {
        /// The friend; nobody in a game alone.
        friend: Option<Seat>,
    },
    /// Everyone: a card was played.
    CardPlayed {
        /// Who played.
        seat: Seat,
        /// The card with what it names.
        card: PlayedCard,
        /// Whether it called the joker, as far as all can tell: one that is buried, or in the leader's own hand, is
        /// called in vain.
        calls_joker: bool,
    },
    /// Everyone: a trick is complete.
    TrickTaken {
        /// Who won it.
        winner: Seat,
        /// Its point cards, 0 to 5.
        points: u8,
    },
    /// Everyone, when the hand ends: these cards had been buried.
    BuriedShown {
        /// The three cards.
        cards: CardSet,
        /// The one marked as friend.
        marked: Option<Card>,
    },
    /// Everyone: the hand was played and is settled.
    HandScored {
        /// The result.
        result: HandResult,
    },
    /// Everyone: the hand ended without being played.
    HandVoid {
        /// Why, and who deals again.
        void: Void,
    },
}

/// The result of a hand that was played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HandResult {
    /// The declarer.
    pub declarer: Seat,
    /// The friend; nobody in a game alone.
    pub friend: Option<Seat>,
    /// The contract.
    pub contract: Bid,
    /// The points of the declarer's side, buried ones included.
    pub taken: u8,
    /// Whether the contract was made.
    pub made: bool,
    /// The product of the doubles.
    pub factor: i64,
    /// What each seat gets, its share of the pot included.
    pub scores: BySeat<Score>,
    /// What stays in the pot, in points.
    pub pot: u64,
    /// Who deals next.
    pub next_dealer: Seat,
}

/// A hand that ended without being played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Void {
    /// Why.
    pub why: VoidReason,
    /// Who deals again.
    pub next_dealer: Seat,
}

/// Why a hand was not played.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VoidReason {
    /// A seat threw in a weak hand, which is shown to all.
    DealMiss {
        /// Who.
        seat: Seat,
        /// Its ten cards.
        cards: CardSet,
    },
    /// Nobody bid.
    AllPassed,
}
