//! Decks, how they are dealt, and how a secret seed makes fair ones.

use std::fmt;
use std::str::FromStr;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::card::{Card, CardSet, NotACard, Rank, Suit, read_cards};
use crate::rules::DealPattern;
use crate::seat::{BySeat, Seat};

/// The 53 cards, each once, in dealing order.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Deck([Card; Card::COUNT]);

/// Cards that are no deck.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotADeck {
    /// A text in it is no card.
    #[error(transparent)]
    NotACard(#[from] NotACard),
    /// There are not 53 different cards.
    #[error(
        "a deck has each of the 53 cards once; this one has {cards} cards, {different} of them different"
    )]
    WrongCards {
        /// How many cards there are.
        cards: usize,
        /// How many of them are different.
        different: usize,
    },
}

impl Deck {
    /// A deck of these cards in this order.
    ///
    /// # Errors
    /// Not each of the 53 cards is there once.
    pub fn new(cards: &[Card]) -> Result<Deck, NotADeck> {
        let set: CardSet = cards.iter().copied().collect();
        let wrong = NotADeck::WrongCards { cards: cards.len(), different: set.len() };
        match cards.try_into() {
            Ok(cards) if set == CardSet::FULL => Ok(Deck(cards)),
            _ => Err(wrong),
        }
    }

    /// The cards in dealing order.
    pub fn cards(&self) -> &[Card; Card::COUNT] {
        &self.0
    }

    /// The kitty: the last three cards.
    pub fn kitty(&self) -> CardSet {
        self.0[50..].iter().copied().collect()
    }

    /// Deals ten cards to each seat, beginning left of the dealer.
    pub fn deal(&self, pattern: DealPattern, dealer: Seat) -> BySeat<CardSet> {
        let rounds: &[usize] = match pattern {
            DealPattern::OneByOne => &[1; 10],
            DealPattern::Packets1234 => &[1, 2, 3, 4],
        };
        let mut hands = BySeat::default();
        let mut rest = self.0.iter();
        for packet in rounds {
            for seat in dealer.next().round() {
                let cards = rest.by_ref().take(*packet).copied();
                hands[seat] = cards.fold(hands[seat], CardSet::with);
            }
        }
        hands
    }
}

impl fmt::Display for Deck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|card| write!(f, "{card}"))
    }
}

impl fmt::Debug for Deck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Deck {
    type Err = NotADeck;

    fn from_str(text: &str) -> Result<Deck, NotADeck> {
        Deck::new(&read_cards(text)?)
    }
}

/// The secret of a match, 32 bytes from the operating system, from which all its decks follow.
///
/// It is published when the match ends; before, only its [`Seed::commitment`] is. It is not shown by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Seed([u8; 32]);

impl Seed {
    /// A seed of these bytes.
    pub fn new(bytes: [u8; 32]) -> Seed {
        Seed(bytes)
    }

    /// The bytes: they tell every card of the match.
    pub fn reveal(&self) -> &[u8; 32] {
        &self.0
    }

    /// The seed in hex, as it is published after the match.
    pub fn reveal_hex(&self) -> String {
        crate::hex(&self.0)
    }

    /// Reads a published seed: 64 hex digits.
    pub fn from_hex(text: &str) -> Option<Seed> {
        let bytes = crate::unhex(text)?;
        Some(Seed(bytes.try_into().ok()?))
    }

    /// SHA-256 of the seed, in hex: published before the first card.
    pub fn commitment(&self) -> String {
        crate::hex(&Sha256::digest(self.0))
    }

    /// The deck of a hand (from 1) after so many redeals: the cards sorted by
    /// HMAC-SHA256(seed, "hand/redeal/CARD").
    pub fn deck(&self, hand: u32, redeal: u32) -> Deck {
        let key = Hmac::<Sha256>::new_from_slice(&self.0).expect("any key length will do");
        let mut cards: Vec<([u8; 32], Card)> = CardSet::FULL
            .iter()
            .map(|card| {
                let mut mac = key.clone();
                mac.update(format!("{hand}/{redeal}/{card}").as_bytes());
                (mac.finalize().into_bytes().into(), card)
            })
            .collect();
        cards.sort_unstable();
        let order: Vec<Card> = cards.into_iter().map(|(_, card)| card).collect();
        Deck::new(&order).expect("each card was sorted once")
    }

    /// The cut for the first deal: a card for each seat; the highest rank deals, then the higher suit.
    pub fn cut(&self) -> Cut {
        let deck = self.deck(0, 0);
        let mut cards = deck.cards().iter().copied().filter(|card| !card.is_joker());
        Cut { cards: BySeat::from_fn(|_| cards.next().expect("52 cards are enough for five")) }
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seed(committed to {})", self.commitment())
    }
}

/// The cut for the first deal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The card that each seat drew.
    pub cards: BySeat<Card>,
}

impl Cut {
    /// The seat that deals first.
    pub fn dealer(&self) -> Seat {
        let height = |seat: &Seat| -> (Option<Rank>, Option<Suit>) {
            let card = self.cards[*seat];
            (card.rank(), card.suit())
        };
        Seat::ALL.into_iter().max_by_key(height).expect("there are five seats")
    }
}
