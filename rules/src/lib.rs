//! The game of Mighty: five seats, 53 cards, a declarer and a secretly called friend.
//!
//! This crate is the game and nothing else: no input or output, no clock, no randomness of its own. Rules, deck and
//! moves decide everything. `docs/RULES.md` is the rule book; each option there is a field of [`RuleSheet`].
//!
//! ```
//! use std::sync::Arc;
//! use mighty_rules::{Hand, Profile, Rules, Seat, Seed, Setup};
//!
//! let rules = Arc::new(Rules::of(Profile::Korean));
//! let seed = Seed::new([7; 32]);
//! let dealer = seed.cut().dealer();
//! let mut hand = Hand::deal(rules, &seed.deck(1, 0), Setup { dealer, first_bidder: dealer, pot: 0 });
//! while let Some(seat) = hand.turn() {
//!     let wanted = hand.default_move(seat).expect("the seat on turn has a move");
//!     hand.apply(seat, wanted).expect("the default is legal");
//! }
//! assert!(hand.outcome().is_some());
//! ```

mod auction;
mod bid;
mod card;
mod choices;
mod contract;
mod deal_miss;
mod deck;
mod default_move;
mod event;
mod hand;
mod illegal;
mod r#match;
mod moves;
mod options;
mod record;
mod rules;
mod score;
mod seat;
mod trick;
mod view;

pub use auction::{Auction, Call, Round, Standing, Verdict};
pub use bid::{Bid, NotABid, Trump};
pub use card::{Card, CardSet, Cards, NotACard, Rank, Suit, read_cards};
pub use choices::{CallChoices, Choices, FriendChoices, JokerChoice, PlayChoices};
pub use contract::{Contract, ContractChoices, WinningBid, Won};
pub use deal_miss::is_weak;
pub use deck::{Cut, Deck, NotADeck, Seed};
pub use event::{Audience, Event, HandResult, Notice, Viewer, Void, VoidReason};
pub use hand::{Hand, Outcome};
pub use illegal::Illegal;
pub use r#match::{Dealing, Match, MatchKind, Next};
pub use moves::{
    Burial, ContractMove, FriendCall, HeardCall, Move, NotAMove, Play, PlayedCard, Stage,
};
pub use options::{OPTIONS, OptionDoc, value_at, value_in};
pub use record::{
    Difference, GivenUp, HandLine, MatchLine, Refusal, Replay, Row, RowOutcome, Unreadable,
    VerifiedLine, replay, verify_line,
};
pub use rules::*;
pub use score::{Played, Score};
pub use seat::{BySeat, Seat};
pub use trick::{JokerWorth, Led, Trick};
pub use view::{Friend, Phase, Private, Public, Setup, Tricks, View};

/// Bytes as lower-case hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Hex digits as bytes; `None` where they are none.
pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.is_ascii() || text.len() % 2 == 1 {
        return None;
    }
    let pair = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    (0..text.len()).step_by(2).map(pair).collect()
}
