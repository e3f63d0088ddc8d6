//! Trumps, bids and what beats what.

use std::fmt;
use std::str::FromStr;

use crate::card::{CardSet, Suit};
use crate::rules::Ranking;

/// What a bid or a contract names as trump.
///
/// The order is that of the `suits` ranking: spades < clubs < diamonds < hearts < no trump.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Trump {
    /// This suit is trump.
    Suit(Suit),
    /// There is no trump suit.
    NoTrump,
}

impl Trump {
    /// The five trumps, lowest first.
    pub const ALL: [Trump; 5] = [
        Trump::Suit(Suit::Spades),
        Trump::Suit(Suit::Clubs),
        Trump::Suit(Suit::Diamonds),
        Trump::Suit(Suit::Hearts),
        Trump::NoTrump,
    ];

    /// The cards that are trumps by suit (a Mighty of that suit included).
    pub fn cards(self) -> CardSet {
        match self {
            Trump::Suit(suit) => CardSet::of_suit(suit),
            Trump::NoTrump => CardSet::EMPTY,
        }
    }

    /// The trump of a notation letter, `S C D H N`.
    pub fn from_letter(letter: char) -> Option<Trump> {
        match letter {
            'N' => Some(Trump::NoTrump),
            _ => Suit::from_letter(letter).map(Trump::Suit),
        }
    }

    /// 0 to 4 in the order of [`Trump::ALL`].
    pub fn index(self) -> usize {
        match self {
            Trump::Suit(suit) => suit as usize,
            Trump::NoTrump => 4,
        }
    }
}

impl fmt::Display for Trump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trump::Suit(suit) => suit.fmt(f),
            Trump::NoTrump => f.write_str("N"),
        }
    }
}

/// Points and trump: a bid in the auction, or the contract that comes of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bid {
    /// How many of the twenty points the declarer's side means to take.
    pub points: u8,
    /// The trump.
    pub trump: Trump,
}

impl Bid {
    /// The most points that can be bid.
    pub const MOST_POINTS: u8 = 20;

    /// Whether this bid beats the standing one: a higher number always, an equal number as the ranking says.
    pub fn beats(self, standing: Bid, ranking: Ranking) -> bool {
        if self.points != standing.points {
            return self.points > standing.points;
        }
        match ranking {
            Ranking::Points => false,
            Ranking::NoTrump => self.trump == Trump::NoTrump && standing.trump != Trump::NoTrump,
            Ranking::Suits => self.trump > standing.trump,
        }
    }
}

impl fmt::Display for Bid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.points, self.trump)
    }
}

/// A text that is no bid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is no bid: write points and trump, such as 14D or 16N")]
pub struct NotABid(pub String);

impl FromStr for Bid {
    type Err = NotABid;

    fn from_str(text: &str) -> Result<Bid, NotABid> {
        let read = || {
            let last = text.chars().next_back()?;
            let trump = Trump::from_letter(last)?;
            let digits = &text[..text.len() - 1];
            let plain = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
            let points = digits.parse().ok().filter(|_| plain)?;
            Some(Bid { points, trump })
        };
        read().ok_or_else(|| NotABid(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_beats_what() {
        let table = [
            // bid, standing, points, no_trump, suits
            ("15S", "14N", true, true, true),
            ("14N", "14H", false, true, true),
            ("14H", "14D", false, false, true),
            ("14S", "14C", false, false, false),
            ("14N", "14N", false, false, false),
            ("13N", "14S", false, false, false),
        ];
        for (bid, standing, points, no_trump, suits) in table {
            let (bid, standing): (Bid, Bid) = (bid.parse().unwrap(), standing.parse().unwrap());
            assert_eq!(bid.beats(standing, Ranking::Points), points, "{bid} {standing}");
            assert_eq!(bid.beats(standing, Ranking::NoTrump), no_trump, "{bid} {standing}");
            assert_eq!(bid.beats(standing, Ranking::Suits), suits, "{bid} {standing}");
        }
    }

    #[test]
    fn what_is_no_bid_is_refused() {
        for wrong in ["", "D", "14", "14X", "+14D", "014D", "999D", "14D ", "14♦", "-1S"] {
            assert!(wrong.parse::<Bid>().is_err(), "{wrong}");
        }
    }
}
