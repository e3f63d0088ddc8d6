//! What a seat may do, and its text notation.

use std::fmt;

use crate::bid::Bid;
use crate::card::{Card, CardSet, Suit, read_cards};

/// One move of a hand. A forced move is a move like any other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Move {
    /// `x`: throw in a weak hand.
    ThrowIn,
    /// `=`: keep it, asked before the auction.
    Keep,
    /// `-`: pass.
    Pass,
    /// `14D`: bid.
    Bid(Bid),
    /// `d:2C3D4H`: bury three cards.
    Bury(Burial),
    /// `=15D` or `=15D?2C`: fix the contract.
    FixContract(ContractMove),
    /// `f:AS`: call the friend.
    CallFriend(FriendCall),
    /// `7D`: play a card.
    Play(Play),
}

/// Three different cards to bury.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Burial(CardSet);

impl Burial {
    /// How many cards are buried.
    pub const CARDS: usize = 3;

    /// These cards, when they are exactly three.
    pub fn new(cards: CardSet) -> Option<Burial> {
        (cards.len() == Burial::CARDS).then_some(Burial(cards))
    }

    /// The cards.
    pub fn cards(self) -> CardSet {
        self.0
    }
}

/// The contract that a declarer fixes, with the calling card where it is declared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ContractMove {
    /// Points and trump.
    pub bid: Bid,
    /// The calling card, named exactly where the rules let the declarer name it.
    pub calling_card: Option<Card>,
}

/// A friend call as the declarer makes it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FriendCall {
    /// `f:AS`, `f:AS>D`: the holder of the card, perhaps asked to lead a suit.
    Card {
        /// The called card, any of the 53.
        card: Card,
        /// The suit in which the friend should lead; it binds nobody.
        lead_request: Option<Suit>,
    },
    /// `f:1st`: whoever wins the first trick.
    FirstTrick,
    /// `f:none`: nobody, announced.
    Nobody,
    /// `f:kitty:2C`: marks this buried card. Others hear `kitty` only.
    Kitty(Card),
}

/// A friend call as all hear it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HeardCall {
    /// The holder of the card, perhaps asked to lead a suit.
    Card {
        /// The called card.
        card: Card,
        /// The suit in which the friend should lead.
        lead_request: Option<Suit>,
    },
    /// Whoever wins the first trick.
    FirstTrick,
    /// Nobody.
    Nobody,
    /// One of the buried cards.
    Kitty,
}

impl FriendCall {
    /// What all hear of the call.
    pub fn heard(self) -> HeardCall {
        match self {
            FriendCall::Card { card, lead_request } => HeardCall::Card { card, lead_request },
            FriendCall::FirstTrick => HeardCall::FirstTrick,
            FriendCall::Nobody => HeardCall::Nobody,
            FriendCall::Kitty(_) => HeardCall::Kitty,
        }
    }
}

/// A card played, and what is said with it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Play {
    /// The card and what it says.
    pub card: PlayedCard,
    /// A trailing `+`: the friend reveals itself.
    pub reveals: bool,
}

/// A card played, with what it names or calls.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PlayedCard {
    /// `7D`, or `JK` for a joker that names nothing.
    Plain(Card),
    /// `3C!`: led to call the joker, where calling is optional.
    Calling(Card),
    /// `JK/H`: the joker led, naming the suit that the others follow.
    JokerNaming(Suit),
    /// `JK/-`: the joker led, naming none: everyone plays what they like.
    JokerNamingNone,
}

impl PlayedCard {
    /// The card itself.
    pub fn card(self) -> Card {
        match self {
            PlayedCard::Plain(card) | PlayedCard::Calling(card) => card,
            PlayedCard::JokerNaming(_) | PlayedCard::JokerNamingNone => Card::JOKER,
        }
    }
}

impl From<Card> for Move {
    /// Plays the card, without saying anything.
    fn from(card: Card) -> Move {
        Move::Play(PlayedCard::Plain(card).into())
    }
}

impl From<PlayedCard> for Play {
    fn from(card: PlayedCard) -> Play {
        Play { card, reveals: false }
    }
}

/// What a hand waits for. The notation of a move is read for the stage it is made in,
/// since `9D` may be a bid or a card.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    /// A seat with a weak hand is asked whether it keeps it.
    WeakHand,
    /// The auction.
    Auction,
    /// The declarer has taken the kitty and buries three cards.
    Exchange,
    /// The declarer fixes the contract.
    Contract,
    /// The declarer calls the friend.
    FriendCall,
    /// The ten tricks.
    Play,
}

impl Stage {
    /// What is written at this stage, as an error says it.
    pub fn expected(self) -> &'static str {
        match self {
            Stage::WeakHand => "`=` to keep the hand or `x` to throw it in",
            Stage::Auction => {
                "a bid such as 14D or 16N, `-` to pass, or `x` to throw in a weak hand"
            }
            Stage::Exchange => "three cards to bury, such as d:2C3D4H",
            Stage::Contract => {
                "the contract, such as =15D, or =15D?2C where the calling card is declared"
            }
            Stage::FriendCall => "a friend call such as f:AS, f:AS>D, f:1st, f:none or f:kitty:2C",
            Stage::Play => {
                "a card such as 7D, 3C!, JK, JK/H or JK/-, with a trailing + to reveal the friend"
            }
        }
    }
}

/// A text that is no move of the stage.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is no move here: write {}", .stage.expected())]
pub struct NotAMove {
    /// What was written.
    pub text: String,
    /// The stage it was read for.
    pub stage: Stage,
}

impl Move {
    /// Reads one token of the text notation, as a move of this stage.
    ///
    /// # Errors
    /// The text is not written as a move of this stage. Whether the move is legal is not asked here.
    pub fn read(text: &str, stage: Stage) -> Result<Move, NotAMove> {
        let read = match stage {
            Stage::WeakHand => match text {
                "=" => Some(Move::Keep),
                "x" => Some(Move::ThrowIn),
                _ => None,
            },
            Stage::Auction => match text {
                "-" => Some(Move::Pass),
                "x" => Some(Move::ThrowIn),
                _ => text.parse().ok().map(Move::Bid),
            },
            Stage::Exchange => read_burial(text).map(Move::Bury),
            Stage::Contract => read_contract(text).map(Move::FixContract),
            Stage::FriendCall => read_friend_call(text).map(Move::CallFriend),
            Stage::Play => read_play(text).map(Move::Play),
        };
        read.ok_or_else(|| NotAMove { text: text.chars().take(40).collect(), stage })
    }
}

fn read_burial(text: &str) -> Option<Burial> {
    let cards = read_cards(text.strip_prefix("d:")?).ok()?;
    if cards.len() != Burial::CARDS {
        return None;
    }
    Burial::new(cards.into_iter().collect())
}

fn read_contract(text: &str) -> Option<ContractMove> {
    let text = text.strip_prefix('=')?;
    let (bid, calling_card) = match text.split_once('?') {
        Some((bid, card)) => (bid, Some(card.parse().ok()?)),
        None => (text, None),
    };
    Some(ContractMove { bid: bid.parse().ok()?, calling_card })
}

fn read_friend_call(text: &str) -> Option<FriendCall> {
    let call = text.strip_prefix("f:")?;
    Some(match call {
        "1st" => FriendCall::FirstTrick,
        "none" => FriendCall::Nobody,
        _ => match (call.strip_prefix("kitty:"), call.split_once('>')) {
            (Some(card), _) => FriendCall::Kitty(card.parse().ok()?),
            (None, Some((card, suit))) => {
                FriendCall::Card { card: card.parse().ok()?, lead_request: Some(read_suit(suit)?) }
            }
            (None, None) => FriendCall::Card { card: call.parse().ok()?, lead_request: None },
        },
    })
}

fn read_play(text: &str) -> Option<Play> {
    let (text, reveals) = match text.strip_suffix('+') {
        Some(text) => (text, true),
        None => (text, false),
    };
    let card = if let Some(named) = text.strip_prefix("JK/") {
        match named {
            "-" => PlayedCard::JokerNamingNone,
            suit => PlayedCard::JokerNaming(read_suit(suit)?),
        }
    } else if let Some(card) = text.strip_suffix('!') {
        PlayedCard::Calling(card.parse().ok()?)
    } else {
        PlayedCard::Plain(text.parse().ok()?)
    };
    Some(Play { card, reveals })
}

fn read_suit(text: &str) -> Option<Suit> {
    let mut letters = text.chars();
    let suit = Suit::from_letter(letters.next()?)?;
    letters.next().is_none().then_some(suit)
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::ThrowIn => f.write_str("x"),
            Move::Keep => f.write_str("="),
            Move::Pass => f.write_str("-"),
            Move::Bid(bid) => bid.fmt(f),
            Move::Bury(burial) => write!(f, "d:{}", burial.cards()),
            Move::FixContract(contract) => contract.fmt(f),
            Move::CallFriend(call) => call.fmt(f),
            Move::Play(play) => play.fmt(f),
        }
    }
}

impl fmt::Display for ContractMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.calling_card {
            Some(card) => write!(f, "={}?{card}", self.bid),
            None => write!(f, "={}", self.bid),
        }
    }
}

impl fmt::Display for FriendCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FriendCall::Card { card, lead_request: None } => write!(f, "f:{card}"),
            FriendCall::Card { card, lead_request: Some(suit) } => write!(f, "f:{card}>{suit}"),
            FriendCall::FirstTrick => f.write_str("f:1st"),
            FriendCall::Nobody => f.write_str("f:none"),
            FriendCall::Kitty(card) => write!(f, "f:kitty:{card}"),
        }
    }
}

impl fmt::Display for HeardCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            HeardCall::Card { card, lead_request } => {
                FriendCall::Card { card, lead_request }.fmt(f)
            }
            HeardCall::FirstTrick => FriendCall::FirstTrick.fmt(f),
            HeardCall::Nobody => FriendCall::Nobody.fmt(f),
            HeardCall::Kitty => f.write_str("f:kitty"),
        }
    }
}

impl fmt::Display for Play {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.card.fmt(f)?;
        f.write_str(if self.reveals { "+" } else { "" })
    }
}

impl fmt::Display for PlayedCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayedCard::Plain(card) => card.fmt(f),
            PlayedCard::Calling(card) => write!(f, "{card}!"),
            PlayedCard::JokerNaming(suit) => write!(f, "JK/{suit}"),
            PlayedCard::JokerNamingNone => f.write_str("JK/-"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_token_reads_back_as_written() {
        let table = [
            (Stage::WeakHand, "= x"),
            (Stage::Auction, "- x 14D 20N 2S 9C"),
            (Stage::Exchange, "d:2C3D4H d:ASAHJK"),
            (Stage::Contract, "=15D =15D?2C =20N"),
            (Stage::FriendCall, "f:AS f:JK f:AS>D f:JK>H f:1st f:none f:kitty:2C"),
            (Stage::Play, "7D 9C 3C! JK JK/H JK/- 7D+ 3C!+ JK/S+ JK+ JK/-+"),
        ];
        for (stage, tokens) in table {
            for token in tokens.split(' ') {
                let written = Move::read(token, stage).unwrap().to_string();
                // A set of cards is written in card order, whatever order it was read in.
                if stage != Stage::Exchange {
                    assert_eq!(written, token);
                }
            }
        }
    }

    #[test]
    fn what_is_not_written_rightly_is_refused_and_told() {
        let table = [
            (Stage::WeakHand, "- "),
            (Stage::Auction, "pass 14 D 14d 14D? 7 =14D"),
            (Stage::Exchange, "d:2C3D d:2C2C2C d:2C3D4H5S 2C3D4H d:2c3D4H"),
            (Stage::Contract, "15D =15D? =15D?XX =D"),
            (Stage::FriendCall, "f: f:AX f:AS> f:AS>N f:kitty f:kitty: AS f:1ST"),
            (Stage::Play, "JK/N JK/ JK/SS 7D++ +7D !3C 3C+! 14D 7D/H"),
        ];
        for (stage, tokens) in table {
            for token in tokens.split(' ') {
                let refused = Move::read(token, stage).unwrap_err().to_string();
                assert!(refused.contains(stage.expected()), "{token}: {refused}");
            }
        }
    }
}
