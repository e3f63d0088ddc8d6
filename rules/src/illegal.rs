//! Why a move is refused, and what would be right.

use crate::bid::{Bid, Trump};
use crate::card::{Card, CardSet, Suit};
use crate::choices::{CallChoices, Choices, FriendChoices, PlayChoices};
use crate::contract::ContractChoices;
use crate::moves::{ContractMove, FriendCall, Move, NotAMove, Play, PlayedCard, Stage};
use crate::trick::{JokerWorth, Led, Trick};
use crate::view::{Private, Public};

/// Why a move is refused. A refused move changes nothing. The facts in a reason are such as the mover may know.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "each sentence says what its fields are")]
pub enum Illegal {
    #[error("the hand is over")]
    HandOver,
    #[error("it is not this seat's turn")]
    NotYourTurn,
    #[error(transparent)]
    Unreadable(#[from] NotAMove),
    #[error("this is no move of the stage the hand is in: send {}", .stage.expected())]
    WrongStage { stage: Stage },
    #[error("a bid is for at most 20 points; with this trump bid from {lowest} to 20")]
    BidTooHigh { lowest: u8 },
    #[error("this bid is too low; with this trump bid from {lowest} to 20")]
    BidTooLow { lowest: u8 },
    #[error("the standing bid cannot be beaten with this trump; bid another trump or pass")]
    TrumpCannotBeat,
    #[error("in this round only {points} points can be bid, with any trump")]
    OnlyLoweredBid { points: u8 },
    #[error("the dealer may not pass while no bid stands; bid from {minimum} points")]
    DealerMustOpen { minimum: u8 },
    #[error(
        "only a weak hand may be thrown in, and only instead of a seat's first call; bid or pass"
    )]
    MayNotThrowIn,
    #[error("{card} is not among the cards to bury from; bury three of the thirteen you hold")]
    BuriedNotHeld { card: Card },
    #[error("the contract cannot have this trump; keep {kept}, or see the choices")]
    TrumpNotToBeHad { kept: String },
    #[error("with this trump the contract is at least {lowest} points")]
    ContractTooLow { lowest: u8 },
    #[error("with this trump the contract is at most {highest} points")]
    ContractTooHigh { highest: u8 },
    #[error("the calling card is declared with the contract: add one, such as =15D?3C")]
    CallingCardMissing,
    #[error("the rules fix the calling card; leave it out")]
    CallingCardNotDeclared,
    #[error("{card} cannot call the joker: name any card but the joker and the Mighty")]
    CallingCardForbidden { card: Card },
    #[error("this kind of friend call is not allowed here; allowed: {allowed}")]
    FriendKindNotAllowed { allowed: String },
    #[error(
        "a lead can be asked for only where the rules have it, and only with 20 no trump; call the card alone"
    )]
    LeadRequestNotAllowed,
    #[error("{card} is not buried; mark one of {buried}")]
    MarkedNotBuried { card: Card, buried: CardSet },
    #[error("{card} is not in the hand")]
    CardNotHeld { card: Card },
    #[error("the joker may not be played to this trick")]
    JokerForbidden,
    #[error("the joker is called: play {playable}")]
    JokerIsCalled { playable: CardSet },
    #[error("{} were led: play one of {playable}", .suit.name())]
    MustFollow { suit: Suit, playable: CardSet },
    #[error(
        "{card} may not be led to the first trick while something else is held: lead one of {playable}"
    )]
    FirstLeadForbidden { card: Card, playable: CardSet },
    #[error("a joker led with power names a suit: play JK/S, JK/C, JK/D or JK/H")]
    JokerMustName,
    #[error("the joker must name a suit here; JK/- is not allowed")]
    JokerMustNameASuit,
    #[error("the joker names nothing here: play JK")]
    JokerNamesNothing,
    #[error("this card cannot call the joker here: play it without !")]
    NoJokerCall,
    #[error("nobody can reveal itself here: play without +")]
    NothingToReveal,
}

/// Says why a move that is not offered is refused.
pub(crate) fn explain(
    public: &Public,
    private: &Private,
    choices: Option<Choices>,
    refused: &Move,
) -> Illegal {
    let Some(choices) = choices else {
        return if public.stage().is_none() { Illegal::HandOver } else { Illegal::NotYourTurn };
    };
    match (&choices, refused) {
        (Choices::Call(call), Move::Bid(bid)) => bid_refused(public, call, *bid),
        (Choices::Call(call), Move::Pass) => Illegal::DealerMustOpen {
            minimum: call.points.iter().flatten().map(|(low, _)| *low).min().unwrap_or(20),
        },
        (Choices::Call(_), Move::ThrowIn) => Illegal::MayNotThrowIn,
        (Choices::Bury { from }, Move::Bury(burial)) => {
            match burial.cards().minus(*from).iter().next() {
                Some(card) => Illegal::BuriedNotHeld { card },
                None => Illegal::WrongStage { stage: choices.stage() },
            }
        }
        (Choices::Contract(contracts), Move::FixContract(fix)) => contract_refused(contracts, *fix),
        (Choices::FriendCall(friends), Move::CallFriend(call)) => friend_refused(friends, *call),
        (Choices::Play(plays), Move::Play(play)) => play_refused(public, private, plays, *play),
        (
            Choices::WeakHand
            | Choices::Call(_)
            | Choices::Bury { .. }
            | Choices::Contract(_)
            | Choices::FriendCall(_)
            | Choices::Play(_),
            Move::ThrowIn
            | Move::Keep
            | Move::Pass
            | Move::Bid(_)
            | Move::Bury(_)
            | Move::FixContract(_)
            | Move::CallFriend(_)
            | Move::Play(_),
        ) => Illegal::WrongStage { stage: choices.stage() },
    }
}

fn bid_refused(public: &Public, call: &CallChoices, bid: Bid) -> Illegal {
    use crate::auction::Round;
    if public.auction.round == Round::Lowered {
        return Illegal::OnlyLoweredBid { points: public.rules.lowered_points() };
    }
    match call.points[bid.trump.index()] {
        Some((lowest, high)) if bid.points > high => Illegal::BidTooHigh { lowest },
        Some((lowest, _)) => Illegal::BidTooLow { lowest },
        None => Illegal::TrumpCannotBeat,
    }
}

fn contract_refused(contracts: &ContractChoices, fix: ContractMove) -> Illegal {
    let trump = fix.bid.trump;
    match contracts.range(trump) {
        None => {
            let kept: Vec<String> = Trump::ALL
                .iter()
                .filter(|trump| contracts.range(**trump).is_some())
                .map(ToString::to_string)
                .collect();
            Illegal::TrumpNotToBeHad { kept: kept.join(" or ") }
        }
        Some((lowest, _)) if fix.bid.points < lowest => Illegal::ContractTooLow { lowest },
        Some((_, highest)) if fix.bid.points > highest => Illegal::ContractTooHigh { highest },
        Some(_) => match fix.calling_card {
            None => Illegal::CallingCardMissing,
            Some(_) if contracts.calling_cards(trump).is_empty() => Illegal::CallingCardNotDeclared,
            Some(card) => Illegal::CallingCardForbidden { card },
        },
    }
}

fn friend_refused(friends: &FriendChoices, call: FriendCall) -> Illegal {
    match call {
        FriendCall::Card { lead_request: Some(_), .. } if friends.card => {
            return Illegal::LeadRequestNotAllowed;
        }
        FriendCall::Kitty(card) if !friends.kitty.is_empty() => {
            return Illegal::MarkedNotBuried { card, buried: friends.kitty };
        }
        FriendCall::Card { .. }
        | FriendCall::FirstTrick
        | FriendCall::Nobody
        | FriendCall::Kitty(_) => {}
    }
    let kinds = [
        (friends.card, "a card (f:AS)"),
        (friends.first_trick, "the first trick (f:1st)"),
        (friends.nobody, "nobody (f:none)"),
        (!friends.kitty.is_empty(), "a buried card (f:kitty:2C)"),
    ];
    let allowed: Vec<&str> =
        kinds.iter().filter(|(allowed, _)| *allowed).map(|(_, kind)| *kind).collect();
    Illegal::FriendKindNotAllowed { allowed: allowed.join(", ") }
}

fn play_refused(public: &Public, private: &Private, plays: &PlayChoices, play: Play) -> Illegal {
    let card = play.card.card();
    if !private.cards.contains(card) {
        return Illegal::CardNotHeld { card };
    }
    let Some(trick) = public.tricks().map(|tricks| &tricks.trick) else {
        return Illegal::HandOver;
    };
    if !plays.cards.contains(card) {
        return card_refused(trick, private, plays, card);
    }
    let named_rightly = match play.card {
        PlayedCard::Plain(Card::JOKER)
        | PlayedCard::JokerNaming(_)
        | PlayedCard::JokerNamingNone => plays.joker.plays().contains(&play.card),
        PlayedCard::Plain(_) => true,
        PlayedCard::Calling(card) => {
            if plays.calling != Some(card) {
                return Illegal::NoJokerCall;
            }
            true
        }
    };
    if named_rightly {
        return Illegal::NothingToReveal;
    }
    match play.card {
        PlayedCard::JokerNamingNone if trick.led_joker_names() => Illegal::JokerMustNameASuit,
        PlayedCard::JokerNaming(_) | PlayedCard::JokerNamingNone => Illegal::JokerNamesNothing,
        PlayedCard::Plain(_) | PlayedCard::Calling(_) => Illegal::JokerMustName,
    }
}

fn card_refused(trick: &Trick, private: &Private, plays: &PlayChoices, card: Card) -> Illegal {
    let playable = plays.cards;
    if card.is_joker() && trick.joker == JokerWorth::Forbidden {
        return Illegal::JokerForbidden;
    }
    if trick.is_empty() {
        return Illegal::FirstLeadForbidden { card, playable };
    }
    let joker_forced = trick.joker_called && playable.contains(Card::JOKER);
    match trick.led {
        Led::Suit(suit) if !joker_forced && !private.cards.suit(suit).is_empty() => {
            Illegal::MustFollow { suit, playable }
        }
        Led::Suit(_) | Led::Nothing | Led::Anything => Illegal::JokerIsCalled { playable },
    }
}
