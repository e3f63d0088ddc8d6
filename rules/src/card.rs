//! Suits, ranks, cards and sets of cards.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A suit, ordered as the auction ranks them: spades < clubs < diamonds < hearts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Suit {
    /// ♠, `S` in notation.
    Spades,
    /// ♣, `C` in notation.
    Clubs,
    /// ♦, `D` in notation.
    Diamonds,
    /// ♥, `H` in notation.
    Hearts,
}

impl Suit {
    /// The four suits, lowest first.
    pub const ALL: [Suit; 4] = [Suit::Spades, Suit::Clubs, Suit::Diamonds, Suit::Hearts];

    /// The suit of a notation letter, `S C D H`.
    pub fn from_letter(letter: char) -> Option<Suit> {
        match letter {
            'S' => Some(Suit::Spades),
            'C' => Some(Suit::Clubs),
            'D' => Some(Suit::Diamonds),
            'H' => Some(Suit::Hearts),
            _ => None,
        }
    }

    /// The notation letter.
    pub fn letter(self) -> char {
        match self {
            Suit::Spades => 'S',
            Suit::Clubs => 'C',
            Suit::Diamonds => 'D',
            Suit::Hearts => 'H',
        }
    }

    /// The English name, as a sentence would use it.
    pub fn name(self) -> &'static str {
        match self {
            Suit::Spades => "spades",
            Suit::Clubs => "clubs",
            Suit::Diamonds => "diamonds",
            Suit::Hearts => "hearts",
        }
    }
}

impl fmt::Display for Suit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

/// A rank, two lowest, ace highest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Rank {
    Two,
    Three,
    Four,
    Five,
    Six,
    Seven,
    Eight,
    Nine,
    Ten,
    Jack,
    Queen,
    King,
    Ace,
}

impl Rank {
    /// The thirteen ranks, lowest first.
    pub const ALL: [Rank; 13] = [
        Rank::Two,
        Rank::Three,
        Rank::Four,
        Rank::Five,
        Rank::Six,
        Rank::Seven,
        Rank::Eight,
        Rank::Nine,
        Rank::Ten,
        Rank::Jack,
        Rank::Queen,
        Rank::King,
        Rank::Ace,
    ];

    const LETTERS: &'static [u8; 13] = b"23456789TJQKA";

    /// The notation letter, `2` to `9`, `T J Q K A`.
    pub fn letter(self) -> char {
        Self::LETTERS[self as usize] as char
    }

    /// The rank of a notation letter.
    pub fn from_letter(letter: char) -> Option<Rank> {
        let at = Self::LETTERS.iter().position(|&l| l as char == letter)?;
        Some(Rank::ALL[at])
    }
}

/// One of the 53 cards.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

impl Card {
    /// The joker, `JK` in notation. It belongs to no suit.
    pub const JOKER: Card = Card(52);
    /// The ace of spades: the Mighty unless spades are trumps.
    pub const ACE_OF_SPADES: Card = Card::new(Rank::Ace, Suit::Spades);
    /// How many cards there are.
    pub const COUNT: usize = 53;

    /// The card of a rank and a suit.
    pub const fn new(rank: Rank, suit: Suit) -> Card {
        Card(suit as u8 * 13 + rank as u8)
    }

    /// The card with this index; `None` from 53 up.
    pub fn from_index(index: u8) -> Option<Card> {
        (index < 53).then_some(Card(index))
    }

    /// 0 to 52: suit by suit from spades, two to ace, the joker last.
    pub const fn index(self) -> u8 {
        self.0
    }

    /// The suit; `None` for the joker.
    pub fn suit(self) -> Option<Suit> {
        Suit::ALL.get(self.0 as usize / 13).copied()
    }

    /// The rank; `None` for the joker.
    pub fn rank(self) -> Option<Rank> {
        if self == Card::JOKER {
            return None;
        }
        Some(Rank::ALL[self.0 as usize % 13])
    }

    /// Whether this is the joker.
    pub fn is_joker(self) -> bool {
        self == Card::JOKER
    }

    /// Whether this is one of the twenty point cards, A K Q J T.
    pub fn is_point(self) -> bool {
        CardSet::POINTS.contains(self)
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.rank(), self.suit()) {
            (Some(rank), Some(suit)) => write!(f, "{}{}", rank.letter(), suit.letter()),
            _ => f.write_str("JK"),
        }
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is no card.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is no card: write rank and suit, such as AS, TD or 2C, or JK for the joker")]
pub struct NotACard(pub String);

impl FromStr for Card {
    type Err = NotACard;

    fn from_str(text: &str) -> Result<Card, NotACard> {
        if text == "JK" {
            return Ok(Card::JOKER);
        }
        let mut letters = text.chars();
        let card = match (letters.next(), letters.next(), letters.next()) {
            (Some(rank), Some(suit), None) => Rank::from_letter(rank).zip(Suit::from_letter(suit)),
            _ => None,
        };
        card.map(|(rank, suit)| Card::new(rank, suit)).ok_or_else(|| NotACard(text.to_owned()))
    }
}

impl Serialize for Card {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Card {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Card, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A set of cards, one bit a card.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CardSet(u64);

impl CardSet {
    /// No card.
    pub const EMPTY: CardSet = CardSet(0);
    /// All 53 cards.
    pub const FULL: CardSet = CardSet((1 << 53) - 1);
    /// The joker alone.
    pub const JOKER: CardSet = CardSet(1 << 52);
    /// The twenty point cards, A K Q J T of each suit.
    pub const POINTS: CardSet = CardSet(0b1_1111_0000_0000 * CardSet::of_rank(Rank::Two).0);

    /// The thirteen cards of a suit (the joker belongs to none).
    pub const fn of_suit(suit: Suit) -> CardSet {
        CardSet(0x1fff << (suit as u8 * 13))
    }

    /// The four cards of a rank.
    pub const fn of_rank(rank: Rank) -> CardSet {
        CardSet(0x80_0400_2001 << rank as u8)
    }

    /// The set of this one card.
    pub const fn only(card: Card) -> CardSet {
        CardSet(1 << card.0)
    }

    /// Whether the card is in the set.
    pub const fn contains(self, card: Card) -> bool {
        self.0 >> card.0 & 1 == 1
    }

    /// The set with the card.
    #[must_use]
    pub const fn with(self, card: Card) -> CardSet {
        CardSet(self.0 | 1 << card.0)
    }

    /// The set without the card.
    #[must_use]
    pub const fn without(self, card: Card) -> CardSet {
        CardSet(self.0 & !(1 << card.0))
    }

    /// Cards in either set.
    #[must_use]
    pub const fn or(self, other: CardSet) -> CardSet {
        CardSet(self.0 | other.0)
    }

    /// Cards in both sets.
    #[must_use]
    pub const fn and(self, other: CardSet) -> CardSet {
        CardSet(self.0 & other.0)
    }

    /// Cards of this set that are not in the other.
    #[must_use]
    pub const fn minus(self, other: CardSet) -> CardSet {
        CardSet(self.0 & !other.0)
    }

    /// Whether every card of this set is in the other.
    pub const fn is_subset_of(self, other: CardSet) -> bool {
        self.0 & !other.0 == 0
    }

    /// Whether there is no card.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many cards.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// How many point cards.
    pub const fn points(self) -> u8 {
        (self.0 & CardSet::POINTS.0).count_ones() as u8
    }

    /// The cards in the order of their index.
    pub fn iter(self) -> Cards {
        Cards(self.0)
    }

    /// The card at this place of the order of [`CardSet::iter`].
    #[inline]
    pub fn nth(self, place: usize) -> Option<Card> {
        let mut rest = self.0;
        for _ in 0..place.min(53) {
            rest &= rest.wrapping_sub(1);
        }
        Cards(rest).next()
    }

    /// The card with the highest index: of cards of one suit the one of the highest rank.
    pub fn highest(self) -> Option<Card> {
        (!self.is_empty()).then(|| Card(63 - self.0.leading_zeros() as u8))
    }

    /// The cards of one suit.
    #[must_use]
    pub const fn suit(self, suit: Suit) -> CardSet {
        self.and(CardSet::of_suit(suit))
    }

    /// The bits, card index by card index.
    pub const fn bits(self) -> u64 {
        self.0
    }
}

/// The cards of a set, in the order of their index.
#[derive(Clone, Debug)]
pub struct Cards(u64);

impl Iterator for Cards {
    type Item = Card;

    fn next(&mut self) -> Option<Card> {
        if self.0 == 0 {
            return None;
        }
        let card = Card(self.0.trailing_zeros() as u8);
        self.0 &= self.0 - 1;
        Some(card)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.count_ones() as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Cards {}

impl IntoIterator for CardSet {
    type Item = Card;
    type IntoIter = Cards;

    fn into_iter(self) -> Cards {
        self.iter()
    }
}

impl FromIterator<Card> for CardSet {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> CardSet {
        cards.into_iter().fold(CardSet::EMPTY, CardSet::with)
    }
}

impl fmt::Display for CardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|card| write!(f, "{card}"))
    }
}

impl fmt::Debug for CardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

impl FromStr for CardSet {
    type Err = NotACard;

    /// Reads cards written one after the other, blanks allowed: `2C3D4H`, `AS KS`.
    fn from_str(text: &str) -> Result<CardSet, NotACard> {
        read_cards(text).map(|cards| cards.into_iter().collect())
    }
}

/// Reads cards written one after the other, blanks allowed, in their order, repeats included.
///
/// # Errors
/// The first pair of letters that is no card.
pub fn read_cards(text: &str) -> Result<Vec<Card>, NotACard> {
    let letters: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    letters.chunks(2).map(|pair| pair.iter().collect::<String>().parse()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_reads_back_as_written() {
        for card in CardSet::FULL {
            assert_eq!(card.to_string().parse(), Ok(card));
        }
        for wrong in ["", "1S", "AX", "10S", "as", "JKS", "J", "ASS", "A♠"] {
            assert!(wrong.parse::<Card>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn twenty_point_cards() {
        assert_eq!(CardSet::POINTS.len(), 20);
        let by_rank = CardSet::FULL.iter().filter(|c| c.rank() >= Some(Rank::Ten));
        assert_eq!(by_rank.collect::<CardSet>(), CardSet::POINTS);
    }
}
