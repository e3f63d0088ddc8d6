//! What a viewer may know of a hand: what all know, and what it alone knows.
//!
//! Both are folds of events. The hand itself keeps them this way too, so that a view is a copy of
//! parts, never a copy of the whole with something taken out.

use std::sync::Arc;

use crate::auction::{Auction, Call};
use crate::card::{Card, CardSet};
use crate::choices::Choices;
use crate::contract::{Contract, Won};
use crate::deal_miss::is_weak;
use crate::event::{Event, HandResult, Viewer, Void};
use crate::moves::{HeardCall, Stage};
use crate::rules::Rules;
use crate::seat::{BySeat, Seat};
use crate::trick::Trick;

/// How a hand begins, as all know it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setup {
    /// Who deals.
    pub dealer: Seat,
    /// Who speaks first in the auction.
    pub first_bidder: Seat,
    /// What lies in the pot, in points.
    pub pot: u64,
}

/// What all know of a hand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Public {
    /// The rules of the table.
    pub rules: Arc<Rules>,
    /// How the hand began.
    pub setup: Setup,
    /// The auction, which stays to be looked at after it is over.
    pub auction: Auction,
    /// What the hand has come to, with what is known since.
    pub phase: Phase,
}

/// What a hand has come to, as all know it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Phase {
    /// The auction, or the secret question about a weak hand before it.
    Auction,
    /// The declarer buries three cards.
    Exchange(Won),
    /// The declarer fixes the contract.
    Contract(Won),
    /// The declarer calls the friend.
    FriendCall(Won, Contract),
    /// The ten tricks.
    Play(Tricks),
    /// Played and settled.
    Scored(Tricks, HandResult),
    /// Ended without being played.
    Void(Void),
}

/// The friend, as far as all know it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Friend {
    /// It has not come out yet.
    Hidden,
    /// This seat is the friend.
    Seat(Seat),
    /// The declarer plays alone.
    Nobody,
}

impl From<Option<Seat>> for Friend {
    fn from(friend: Option<Seat>) -> Friend {
        friend.map_or(Friend::Nobody, Friend::Seat)
    }
}

/// The play of a hand, as all know it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tricks {
    /// How the auction was won.
    pub won: Won,
    /// The contract.
    pub contract: Contract,
    /// The friend call, as all heard it.
    pub call: HeardCall,
    /// The friend, as far as all know it.
    pub friend: Friend,
    /// The complete tricks, each with its winner.
    pub taken: Vec<(Trick, Seat)>,
    /// The open trick; after the last, that one.
    pub trick: Trick,
    /// The cards that each seat has captured.
    pub captured: BySeat<CardSet>,
    /// All cards played so far.
    pub fallen: CardSet,
    /// What was buried, and which of it was marked as friend: shown when the hand ends.
    pub buried: Option<(CardSet, Option<Card>)>,
}

impl Tricks {
    fn begin(won: Won, contract: Contract, call: HeardCall, rules: &Rules) -> Tricks {
        let friend = match call {
            HeardCall::Card { .. } | HeardCall::FirstTrick => Friend::Hidden,
            HeardCall::Nobody | HeardCall::Kitty => Friend::Nobody,
        };
        Tricks {
            won,
            contract,
            call,
            friend,
            taken: Vec::with_capacity(Trick::IN_A_HAND as usize),
            trick: Trick::new(1, won.declarer, contract.bid.trump, rules),
            captured: BySeat::default(),
            fallen: CardSet::EMPTY,
            buried: None,
        }
    }

    /// Whether the joker fell in an earlier trick.
    pub fn joker_fell(&self) -> bool {
        self.fallen.minus(self.trick.cards()).contains(Card::JOKER)
    }

    fn take(&mut self, winner: Seat, rules: &Rules) {
        if self.taken.len() >= Trick::IN_A_HAND as usize {
            return;
        }
        self.captured[winner] = self.captured[winner].or(self.trick.cards());
        self.taken.push((self.trick, winner));
        if self.trick.number < Trick::IN_A_HAND {
            let number = self.trick.number + 1;
            self.trick = Trick::new(number, winner, self.contract.bid.trump, rules);
        }
    }
}

impl Public {
    /// A hand of which nothing has happened yet.
    pub fn new(rules: Arc<Rules>, setup: Setup) -> Public {
        let auction = Auction::new(setup.first_bidder);
        Public { rules, setup, auction, phase: Phase::Auction }
    }

    /// The stage that the hand waits in, as all know it; `None` once it is over.
    pub fn stage(&self) -> Option<Stage> {
        match self.phase {
            Phase::Auction => Some(Stage::Auction),
            Phase::Exchange(_) => Some(Stage::Exchange),
            Phase::Contract(_) => Some(Stage::Contract),
            Phase::FriendCall(..) => Some(Stage::FriendCall),
            Phase::Play(_) => Some(Stage::Play),
            Phase::Scored(..) | Phase::Void(_) => None,
        }
    }

    /// Whose move it is, as far as all know; `None` once the hand is over.
    #[inline]
    pub fn to_act(&self) -> Option<Seat> {
        match &self.phase {
            Phase::Auction => Some(self.auction.to_call),
            Phase::Exchange(won) | Phase::Contract(won) | Phase::FriendCall(won, _) => {
                Some(won.declarer)
            }
            Phase::Play(tricks) => Some(tricks.trick.to_play()),
            Phase::Scored(..) | Phase::Void(_) => None,
        }
    }

    /// How the auction was won, once it is.
    pub fn won(&self) -> Option<&Won> {
        match &self.phase {
            Phase::Auction | Phase::Void(_) => None,
            Phase::Exchange(won) | Phase::Contract(won) | Phase::FriendCall(won, _) => Some(won),
            Phase::Play(tricks) | Phase::Scored(tricks, _) => Some(&tricks.won),
        }
    }

    /// The contract, once it is fixed.
    pub fn contract(&self) -> Option<&Contract> {
        match &self.phase {
            Phase::Auction | Phase::Void(_) | Phase::Exchange(_) | Phase::Contract(_) => None,
            Phase::FriendCall(_, contract) => Some(contract),
            Phase::Play(tricks) | Phase::Scored(tricks, _) => Some(&tricks.contract),
        }
    }

    /// The tricks, once a friend was called.
    pub fn tricks(&self) -> Option<&Tricks> {
        match &self.phase {
            Phase::Auction
            | Phase::Void(_)
            | Phase::Exchange(_)
            | Phase::Contract(_)
            | Phase::FriendCall(..) => None,
            Phase::Play(tricks) | Phase::Scored(tricks, _) => Some(tricks),
        }
    }

    fn tricks_mut(&mut self) -> Option<&mut Tricks> {
        match &mut self.phase {
            Phase::Auction
            | Phase::Void(_)
            | Phase::Exchange(_)
            | Phase::Contract(_)
            | Phase::FriendCall(..) => None,
            Phase::Play(tricks) | Phase::Scored(tricks, _) => Some(tricks),
        }
    }

    /// How many cards each seat holds: ten less those it played (the declarer has thirteen until it buries).
    pub fn cards_held(&self) -> BySeat<u8> {
        BySeat::from_fn(|seat| match &self.phase {
            Phase::Exchange(won) if won.declarer == seat => 13,
            Phase::Auction
            | Phase::Exchange(_)
            | Phase::Contract(_)
            | Phase::FriendCall(..)
            | Phase::Void(_) => 10,
            Phase::Play(tricks) | Phase::Scored(tricks, _) => {
                let open = tricks.taken.len() < tricks.trick.number as usize;
                let here = open && tricks.trick.plays().any(|(player, _)| player == seat);
                Trick::IN_A_HAND - tricks.taken.len() as u8 - u8::from(here)
            }
        })
    }

    /// Takes in an event. One that does not fit what was known changes nothing.
    pub fn see(&mut self, event: &Event) {
        match *event {
            Event::Passed { seat } => self.auction.hear(seat, Call::Pass, &self.rules),
            Event::BidMade { seat, bid } => {
                self.auction.hear(seat, Call::Bid(bid), &self.rules);
            }
            Event::AuctionAgain { round } => self.auction.begin_again(round),
            Event::AuctionWon { declarer, with } => {
                self.phase = Phase::Exchange(Won { declarer, with, kitty: None });
            }
            Event::KittyShown { cards } => {
                if let Phase::Exchange(won) = &mut self.phase {
                    won.kitty = Some(cards);
                }
            }
            Event::Buried => {
                if let Phase::Exchange(won) = self.phase {
                    self.phase = Phase::Contract(won);
                }
            }
            Event::ContractFixed { contract } => {
                if let Phase::Contract(won) = self.phase {
                    self.phase = Phase::FriendCall(won, contract);
                }
            }
            Event::FriendCalled { call } => {
                if let Phase::FriendCall(won, contract) = self.phase {
                    self.phase = Phase::Play(Tricks::begin(won, contract, call, &self.rules));
                }
            }
            Event::FriendRevealed { friend } => {
                if let Some(tricks) = self.tricks_mut() {
                    tricks.friend = friend.into();
                }
            }
            Event::CardPlayed { card, calls_joker, .. } => {
                if let Some(tricks) = self.tricks_mut()
                    && !tricks.trick.is_complete()
                {
                    tricks.trick.lay(card, calls_joker);
                    tricks.fallen = tricks.fallen.with(card.card());
                }
            }
            Event::TrickTaken { winner, .. } => {
                if let Phase::Play(tricks) = &mut self.phase {
                    tricks.take(winner, &self.rules);
                }
            }
            Event::BuriedShown { cards, marked } => {
                if let Some(tricks) = self.tricks_mut() {
                    tricks.buried = Some((cards, marked));
                }
            }
            Event::HandScored { result } => {
                let phase = std::mem::replace(&mut self.phase, Phase::Auction);
                self.phase = match phase {
                    Phase::Play(tricks) => Phase::Scored(tricks, result),
                    Phase::Auction
                    | Phase::Exchange(_)
                    | Phase::Contract(_)
                    | Phase::FriendCall(..)
                    | Phase::Scored(..)
                    | Phase::Void(_) => phase,
                };
            }
            Event::HandVoid { void } => self.phase = Phase::Void(void),
            Event::Dealt { .. }
            | Event::AskedToKeep { .. }
            | Event::Kept { .. }
            | Event::AuctionOpened
            | Event::KittyTaken { .. }
            | Event::BuriedCards { .. }
            | Event::KittyMarked { .. }
            | Event::FriendTold { .. } => {}
        }
    }
}

/// What one seat alone knows of a hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Private {
    /// The seat.
    pub seat: Seat,
    /// The cards it holds.
    pub cards: CardSet,
    /// Whether its ten dealt cards are weak enough to throw in.
    pub is_weak: bool,
    /// Whether it is being asked to keep its weak hand.
    pub asked_to_keep: bool,
    /// Whether it was told that the auction is open (only the first bidder is).
    pub auction_opened: bool,
    /// The kitty that it took, as declarer.
    pub kitty: CardSet,
    /// What it buried, as declarer.
    pub buried: CardSet,
    /// The buried card that it marked as its friend.
    pub marked: Option<Card>,
    /// Who the friend is, as far as it knows from its own cards.
    pub friend: Friend,
}

impl Private {
    /// A seat that has no cards yet.
    pub fn new(seat: Seat) -> Private {
        Private {
            seat,
            cards: CardSet::EMPTY,
            is_weak: false,
            asked_to_keep: false,
            auction_opened: false,
            kitty: CardSet::EMPTY,
            buried: CardSet::EMPTY,
            marked: None,
            friend: Friend::Hidden,
        }
    }

    /// Takes in an event that this seat may know.
    pub fn see(&mut self, event: &Event, rules: &Rules) {
        match *event {
            Event::Dealt { cards, .. } => {
                self.cards = cards;
                self.is_weak = rules.deal.miss.as_ref().is_some_and(|miss| is_weak(cards, miss));
            }
            Event::AskedToKeep { .. } => self.asked_to_keep = true,
            Event::Kept { .. } => self.asked_to_keep = false,
            Event::AuctionOpened => self.auction_opened = true,
            Event::KittyTaken { cards } => {
                self.kitty = cards;
                self.cards = self.cards.or(cards);
            }
            Event::BuriedCards { cards } => {
                self.buried = cards;
                self.cards = self.cards.minus(cards);
            }
            Event::KittyMarked { card } => self.marked = Some(card),
            Event::FriendTold { friend } => self.friend = friend.into(),
            Event::CardPlayed { seat, card, .. } => {
                if seat == self.seat {
                    self.cards = self.cards.without(card.card());
                }
            }
            Event::HandVoid { .. } => self.asked_to_keep = false,
            Event::Passed { .. }
            | Event::BidMade { .. }
            | Event::AuctionAgain { .. }
            | Event::AuctionWon { .. }
            | Event::KittyShown { .. }
            | Event::Buried
            | Event::ContractFixed { .. }
            | Event::FriendCalled { .. }
            | Event::FriendRevealed { .. }
            | Event::TrickTaken { .. }
            | Event::BuriedShown { .. }
            | Event::HandScored { .. } => {}
        }
    }
}

/// All that a viewer may know of a hand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// What all know.
    pub public: Public,
    /// What the viewer's seat alone knows; a spectator has none.
    pub private: Option<Private>,
}

impl View {
    /// The view of a hand of which nothing has happened yet.
    pub fn new(rules: Arc<Rules>, setup: Setup, viewer: Viewer) -> View {
        let private = match viewer {
            Viewer::Seat(seat) => Some(Private::new(seat)),
            Viewer::Spectator => None,
        };
        View { public: Public::new(rules, setup), private }
    }

    /// Takes in an event that the viewer received.
    pub fn see(&mut self, event: &Event) {
        self.public.see(event);
        if let Some(private) = &mut self.private {
            private.see(event, &self.public.rules);
        }
    }

    /// Who looks on.
    pub fn viewer(&self) -> Viewer {
        self.private.as_ref().map_or(Viewer::Spectator, |private| Viewer::Seat(private.seat))
    }

    /// The rules of the table.
    pub fn rules(&self) -> &Rules {
        &self.public.rules
    }

    /// What the viewer may do now; `None` while it is not its turn.
    pub fn choices(&self) -> Option<Choices> {
        Choices::of(&self.public, self.private.as_ref()?)
    }

    /// The friend, as far as the viewer knows.
    pub fn friend(&self) -> Friend {
        let known = self.public.tricks().map_or(Friend::Hidden, |tricks| tricks.friend);
        match (known, &self.private) {
            (Friend::Hidden, Some(private)) => private.friend,
            (Friend::Hidden, None) | (Friend::Seat(_) | Friend::Nobody, _) => known,
        }
    }

    /// The points captured in tricks by the declarer's side, as far as the viewer knows who that is, and by the others.
    pub fn captured_points(&self) -> (u8, u8) {
        let Some(tricks) = self.public.tricks() else { return (0, 0) };
        let friend = self.friend();
        let ours = |seat| seat == tricks.won.declarer || friend == Friend::Seat(seat);
        tricks.captured.iter().fold((0, 0), |(with, against), (seat, cards)| {
            let points = cards.points();
            if ours(seat) { (with + points, against) } else { (with, against + points) }
        })
    }
}
