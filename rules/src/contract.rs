//! The contract: what the declarer may make of the bid that won the auction.

use crate::bid::{Bid, Trump};
use crate::card::{Card, CardSet};
use crate::moves::ContractMove;
use crate::rules::{CallingCard, Rules, TrumpChange};
use crate::seat::Seat;

/// The end of the auction: who is declarer, and on what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Won {
    /// The declarer.
    pub declarer: Seat,
    /// What the auction was won with.
    pub with: WinningBid,
    /// The kitty, where the rules show it to all.
    pub kitty: Option<CardSet>,
}

/// What the auction was won with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WinningBid {
    /// The highest bid.
    Bid(Bid),
    /// Nobody bid: the dealer must declare for these points, with any trump.
    DealerDeclares {
        /// The minimum less one.
        points: u8,
    },
}

impl WinningBid {
    /// The trump that was bid, if any was.
    pub fn trump(self) -> Option<Trump> {
        match self {
            WinningBid::Bid(bid) => Some(bid.trump),
            WinningBid::DealerDeclares { .. } => None,
        }
    }

    /// The fewest points for which the contract may have this trump; `None` where it may not.
    pub fn lowest_contract(self, trump: Trump, rules: &Rules) -> Option<u8> {
        let bid = match self {
            WinningBid::DealerDeclares { points } => return Some(points),
            WinningBid::Bid(bid) if bid.trump == trump => return Some(bid.points),
            WinningBid::Bid(bid) => bid,
        };
        let exchange = &rules.exchange;
        let price = match (exchange.trump_change, trump) {
            (TrumpChange::None, _) => return None,
            (TrumpChange::Free, _) => 0,
            (TrumpChange::Raise, Trump::NoTrump) => exchange.no_trump_change_raise,
            (TrumpChange::Raise, Trump::Suit(_)) => exchange.suit_change_raise,
        };
        let points = bid.points.saturating_add(price);
        if points <= Bid::MOST_POINTS {
            return Some(points);
        }
        // Capped, the price is met by 20, but from 20 itself only no trump is to be had.
        let met_by_20 =
            exchange.raise_capped && (trump == Trump::NoTrump || bid.points < Bid::MOST_POINTS);
        met_by_20.then_some(Bid::MOST_POINTS)
    }
}

/// The contracts that a declarer may choose from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ContractChoices {
    /// For each trump, in the order of [`Trump::ALL`], the points from and to which it may be had.
    pub points: [Option<(u8, u8)>; 5],
    /// For each trump the calling cards that may be named: any card but the joker and the Mighty
    /// where the declarer names one, none where the rules fix it or the trump is not to be had.
    pub calling_cards: [CardSet; 5],
}

impl ContractChoices {
    /// What may be made of the bid that won.
    pub fn of(won: WinningBid, rules: &Rules) -> ContractChoices {
        let points = Trump::ALL.map(|trump| {
            let lowest = won.lowest_contract(trump, rules)?;
            let highest = if rules.exchange.may_raise { Bid::MOST_POINTS } else { lowest };
            Some((lowest, highest))
        });
        let calling_cards = Trump::ALL.map(|trump| match rules.calling_card(trump) {
            CallingCard::Declared if points[trump.index()].is_some() => {
                CardSet::FULL.minus(CardSet::JOKER).without(rules.mighty(trump))
            }
            CallingCard::Declared | CallingCard::Fixed(_) => CardSet::EMPTY,
        });
        ContractChoices { points, calling_cards }
    }

    /// The points from and to which this trump may be had.
    pub fn range(&self, trump: Trump) -> Option<(u8, u8)> {
        self.points[trump.index()]
    }

    /// Every contract, without its calling card.
    pub fn bids(&self) -> impl Iterator<Item = Bid> + '_ {
        Trump::ALL.into_iter().flat_map(|trump| {
            let (low, high) = self.range(trump).unwrap_or((1, 0));
            (low..=high).map(move |points| Bid { points, trump })
        })
    }

    /// The calling cards that may be named with this trump; none where the rules fix it.
    pub fn calling_cards(&self, trump: Trump) -> CardSet {
        self.calling_cards[trump.index()]
    }

    /// The only contract there is, where there is nothing to choose and no calling card to name.
    pub fn forced(&self) -> Option<ContractMove> {
        match (self.count(), self.bids().next()) {
            (1, Some(bid)) => Some(ContractMove { bid, calling_card: None }),
            _ => None,
        }
    }

    /// Whether this contract is among them.
    pub fn contains(&self, fix: ContractMove) -> bool {
        let ContractMove { bid, calling_card } = fix;
        let in_range =
            self.range(bid.trump).is_some_and(|(low, high)| (low..=high).contains(&bid.points));
        let cards = self.calling_cards(bid.trump);
        let right_card = match calling_card {
            Some(card) => cards.contains(card),
            None => cards.is_empty(),
        };
        in_range && right_card
    }

    /// How many contracts there are, each calling card counted apart.
    pub fn count(&self) -> usize {
        self.bids().map(|bid| self.calling_cards(bid.trump).len().max(1)).sum()
    }

    /// Every contract with every calling card.
    pub fn moves(&self) -> impl Iterator<Item = ContractMove> + '_ {
        self.bids().flat_map(|bid| {
            let cards = self.calling_cards(bid.trump);
            let fixed = cards.is_empty().then_some(None);
            cards
                .iter()
                .map(Some)
                .chain(fixed)
                .map(move |calling_card| ContractMove { bid, calling_card })
        })
    }
}

/// The contract of a hand, with what it makes of the cards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contract {
    /// Points and trump.
    pub bid: Bid,
    /// The Mighty of this hand.
    pub mighty: Card,
    /// The card that calls the joker in this hand.
    pub calling_card: Card,
}

impl Contract {
    /// The contract that this move fixes. `None` where the calling card is declared and the move names none.
    pub fn fixed_by(fix: ContractMove, rules: &Rules) -> Option<Contract> {
        let trump = fix.bid.trump;
        let calling_card = match rules.calling_card(trump) {
            CallingCard::Fixed(card) => card,
            CallingCard::Declared => fix.calling_card?,
        };
        Some(Contract { bid: fix.bid, mighty: rules.mighty(trump), calling_card })
    }
}
