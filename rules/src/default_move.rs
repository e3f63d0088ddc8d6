//! The move that is made for a seat that sends none: the same everywhere, and published.

use crate::bid::{Bid, Trump};
use crate::card::{Card, CardSet, Rank, Suit};
use crate::choices::{Choices, FriendChoices, JokerChoice, PlayChoices};
use crate::contract::ContractChoices;
use crate::hand::{intended_mighty, intended_trump};
use crate::moves::{Burial, ContractMove, FriendCall, Move, PlayedCard};
use crate::rules::FriendKind;
use crate::view::{Private, Public, View};

impl View {
    /// The move that the table makes for the viewer when it sends none; `None` while it is not its turn.
    pub fn default_move(&self) -> Option<Move> {
        default_move(&self.public, self.private.as_ref()?)
    }
}

/// The default of each stage:
///
/// * a weak hand is kept;
/// * the auction: pass, or where one must bid the lowest bid in the longest suit;
/// * bury the lowest plain cards, then trumps, then point cards, then the Mighty, then the joker;
/// * the contract as bid (a dealer who must declare: the fewest points in the longest suit), with the lowest calling card;
/// * call the Mighty, else the joker, else the highest trump, whichever is neither held nor buried; else the first
///   kind allowed that is no card; else the highest card that is neither held nor buried;
/// * play the lowest legal card, sparing point cards, then the calling card, the joker and the Mighty; a joker names
///   the longest suit.
///
/// Of equal ranks the suit that comes first in spades, clubs, diamonds, hearts is lower; of equally long suits the first.
pub(crate) fn default_move(public: &Public, private: &Private) -> Option<Move> {
    let choices = Choices::of(public, private)?;
    Some(match choices {
        Choices::WeakHand => Move::Keep,
        Choices::Call(call) if call.may_pass => Move::Pass,
        Choices::Call(call) => {
            let trump = Trump::Suit(longest_suit(private.cards));
            let range = |trump: Trump| call.points[trump.index()].map(|(low, _)| (low, trump));
            let lowest = Trump::ALL.into_iter().filter_map(range).min();
            let (points, trump) = range(trump).or(lowest)?;
            Move::Bid(Bid { points, trump })
        }
        Choices::Bury { from } => Move::Bury(bury(from, public)?),
        Choices::Contract(contracts) => Move::FixContract(contract(&contracts, public, private)?),
        Choices::FriendCall(friends) => Move::CallFriend(friend(&friends, public, private)?),
        Choices::Play(plays) => Move::Play(play(&plays, public, private)?.into()),
    })
}

/// The suit of which the cards have most; of equally long ones the first.
fn longest_suit(cards: CardSet) -> Suit {
    let longer = |longest: Suit, suit: Suit| {
        if cards.suit(suit).len() > cards.suit(longest).len() { suit } else { longest }
    };
    Suit::ALL.into_iter().reduce(longer).unwrap_or(Suit::Spades)
}

fn height(card: Card) -> (Option<Rank>, Option<Suit>) {
    (card.rank(), card.suit())
}

fn bury(from: CardSet, public: &Public) -> Option<Burial> {
    let trumps = intended_trump(public).map_or(CardSet::EMPTY, Trump::cards);
    let mighty = intended_mighty(public);
    let class = |card: Card| match card {
        Card::JOKER => 4,
        _ if card == mighty => 3,
        _ if card.is_point() => 2,
        _ if trumps.contains(card) => 1,
        _ => 0,
    };
    let mut cards: Vec<Card> = from.iter().collect();
    cards.sort_by_key(|card| (class(*card), height(*card)));
    Burial::new(cards.into_iter().take(Burial::CARDS).collect())
}

fn contract(
    contracts: &ContractChoices,
    public: &Public,
    private: &Private,
) -> Option<ContractMove> {
    let trump = intended_trump(public).unwrap_or(Trump::Suit(longest_suit(private.cards)));
    let (points, _) = contracts.range(trump)?;
    let cards = contracts.calling_cards(trump);
    let calling_card = cards.iter().min_by_key(|card| height(*card));
    Some(ContractMove { bid: Bid { points, trump }, calling_card })
}

fn friend(friends: &FriendChoices, public: &Public, private: &Private) -> Option<FriendCall> {
    let elsewhere = CardSet::FULL.minus(private.cards).minus(private.buried);
    let highest = |cards: CardSet| cards.iter().max_by_key(|card| height(*card));
    let call = |card| FriendCall::Card { card, lead_request: None };
    let trumps = intended_trump(public).map_or(CardSet::EMPTY, Trump::cards);
    let wanted = [Some(intended_mighty(public)), Some(Card::JOKER), highest(trumps.and(elsewhere))];
    let card = wanted.into_iter().flatten().find(|card| elsewhere.contains(*card));
    if let (true, Some(card)) = (friends.card, card) {
        return Some(call(card));
    }
    let kind = |kind: &FriendKind| match kind {
        FriendKind::Card => None,
        FriendKind::FirstTrick => Some(FriendCall::FirstTrick),
        FriendKind::None => Some(FriendCall::Nobody),
        FriendKind::Kitty => {
            friends.kitty.iter().min_by_key(|card| height(*card)).map(FriendCall::Kitty)
        }
    };
    public.rules.friend.calls.iter().find_map(kind).or_else(|| highest(elsewhere).map(call))
}

fn play(plays: &PlayChoices, public: &Public, private: &Private) -> Option<PlayedCard> {
    let contract = public.contract()?;
    let class = |card: Card| match card {
        _ if card == contract.mighty => 4,
        Card::JOKER => 3,
        _ if card == contract.calling_card => 2,
        _ if card.is_point() => 1,
        _ => 0,
    };
    let card = plays.cards.iter().min_by_key(|card| (class(*card), height(*card)))?;
    Some(match (card, plays.joker) {
        (Card::JOKER, JokerChoice::NamesSuit | JokerChoice::NamesSuitOrNone) => {
            PlayedCard::JokerNaming(longest_suit(private.cards))
        }
        (card, _) => PlayedCard::Plain(card),
    })
}
