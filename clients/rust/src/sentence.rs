//! What was told, as a line of a log says it: seats by number, cards and moves in the notation of the rule book.

use std::fmt;

use mighty_protocol::decode::{DefaultCause, Told};
use mighty_rules::{
    BySeat, CardSet, Contract, Event, HandResult, HeardCall, Play, Round, Score, Seat, Void,
    VoidReason, WinningBid,
};

pub(crate) fn write_told(f: &mut fmt::Formatter<'_>, told: &Told) -> fmt::Result {
    match told {
        Told::HandStarted(dealing) => {
            let setup = dealing.setup;
            let (dealer, first) = (setup.dealer, setup.first_bidder);
            write!(f, "hand {}: seat {dealer} deals, seat {first} speaks first", dealing.hand)
        }
        Told::InHand(event) => write_event(f, event),
        Told::HandEnded(end) => {
            write!(f, "hand {} has ended, totals {}", end.hand, line(&end.totals))
        }
        Told::DefaultMade { seat, cause: DefaultCause::Time } => {
            write!(f, "the time of seat {seat} ran out, the default is played")
        }
        Told::DefaultMade { seat, cause: DefaultCause::Refusals } => {
            write!(f, "too many answers of seat {seat} were refused, the default is played")
        }
        Told::SeatGivenUp { seat, stand_in } => {
            write!(f, "seat {seat} was given up, {stand_in} plays on")
        }
        Told::MatchEnded(end) => {
            write!(f, "final totals {}, record {}", line(&end.totals), end.record_id)
        }
        Told::SeatPresence { seat, present: true } => write!(f, "seat {seat} is back"),
        Told::SeatPresence { seat, present: false } => write!(f, "seat {seat} is away"),
    }
}

fn write_event(f: &mut fmt::Formatter<'_>, event: &Event) -> fmt::Result {
    match *event {
        Event::Dealt { seat, cards } => write!(f, "seat {seat} holds {}", spaced(cards)),
        Event::AskedToKeep { seat } => write!(f, "seat {seat} is asked to keep its weak hand"),
        Event::Kept { seat } => write!(f, "seat {seat} keeps its weak hand"),
        Event::AuctionOpened => f.write_str("the auction is open"),
        Event::Passed { seat } => write!(f, "seat {seat} passes"),
        Event::BidMade { seat, bid } => write!(f, "seat {seat} bids {bid}"),
        Event::AuctionAgain { round: Round::Lowered } => {
            f.write_str("nobody bid, there is a lowered auction")
        }
        Event::AuctionAgain { round: Round::First | Round::Second } => {
            f.write_str("nobody bid, there is another auction")
        }
        Event::AuctionWon { declarer, with: WinningBid::Bid(bid) } => {
            write!(f, "seat {declarer} is declarer with {bid}")
        }
        Event::AuctionWon { declarer, with: WinningBid::DealerDeclares { points } } => {
            write!(f, "nobody bid, seat {declarer} must declare for {points}")
        }
        Event::KittyShown { cards } => write!(f, "the kitty is {}", spaced(cards)),
        Event::KittyTaken { cards } => write!(f, "the declarer takes {}", spaced(cards)),
        Event::Buried => f.write_str("three cards are buried"),
        Event::BuriedCards { cards } => write!(f, "buried are {}", spaced(cards)),
        Event::ContractFixed { contract: Contract { bid, mighty, calling_card } } => {
            write!(f, "the contract is {bid}, the Mighty {mighty}, {calling_card} calls the joker")
        }
        Event::FriendCalled { call } => write_call(f, call),
        Event::KittyMarked { card } => write!(f, "{card} is marked as friend"),
        Event::FriendTold { friend: Some(_) } => f.write_str("you are the friend"),
        Event::FriendTold { friend: None } => f.write_str("you play alone"),
        Event::FriendRevealed { friend } => write_friend(f, friend),
        Event::CardPlayed { seat, card, calls_joker } => {
            let calls = if calls_joker { ", which calls the joker" } else { "" };
            write!(f, "seat {seat} plays {}{calls}", mighty_rules::Move::Play(Play::from(card)))
        }
        Event::TrickTaken { winner, points } => {
            write!(f, "seat {winner} takes the trick, points {points}")
        }
        Event::BuriedShown { cards, marked: None } => write!(f, "buried were {}", spaced(cards)),
        Event::BuriedShown { cards, marked: Some(marked) } => {
            write!(f, "buried were {}, {marked} was marked as friend", spaced(cards))
        }
        Event::HandScored {
            result: HandResult { declarer, contract, taken, made, scores, .. },
        } => {
            let outcome = if made { "makes" } else { "fails" };
            let scores = line(&scores);
            write!(f, "seat {declarer} {outcome} {contract} with {taken}, scores {scores}")
        }
        Event::HandVoid { void: Void { why: VoidReason::AllPassed, .. } } => {
            f.write_str("nobody bid, the hand is void")
        }
        Event::HandVoid { void: Void { why: VoidReason::DealMiss { seat, cards }, .. } } => {
            write!(f, "seat {seat} throws in {}, the hand is void", spaced(cards))
        }
    }
}

fn write_call(f: &mut fmt::Formatter<'_>, call: HeardCall) -> fmt::Result {
    match call {
        HeardCall::Card { card, lead_request: None } => {
            write!(f, "the holder of {card} is called as friend")
        }
        HeardCall::Card { card, lead_request: Some(suit) } => {
            write!(f, "the holder of {card} is called as friend, and asked to lead {}", suit.name())
        }
        HeardCall::FirstTrick => f.write_str("whoever wins the first trick is called as friend"),
        HeardCall::Nobody => f.write_str("nobody is called as friend"),
        HeardCall::Kitty => f.write_str("a buried card is called as friend"),
    }
}

/// Cards in notation, blanks between.
fn spaced(cards: CardSet) -> String {
    cards.iter().map(|card| card.to_string()).collect::<Vec<_>>().join(" ")
}

fn write_friend(f: &mut fmt::Formatter<'_>, friend: Option<Seat>) -> fmt::Result {
    match friend {
        Some(seat) => write!(f, "seat {seat} is the friend"),
        None => f.write_str("there is no friend"),
    }
}

fn line(scores: &BySeat<Score>) -> String {
    scores.0.map(|score| score.to_string()).join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::news::News;
    use mighty_rules::PlayedCard;

    #[test]
    fn events_read_as_players_say_them() {
        let seat = Seat::ALL[3];
        let card = |text: &str| text.parse().expect("a card");
        let table = [
            (Event::Passed { seat }, "seat 3 passes"),
            (Event::BidMade { seat, bid: "14D".parse().expect("a bid") }, "seat 3 bids 14D"),
            (
                Event::CardPlayed {
                    seat,
                    card: PlayedCard::Calling(card("3C")),
                    calls_joker: true,
                },
                "seat 3 plays 3C!, which calls the joker",
            ),
            (
                Event::FriendCalled {
                    call: HeardCall::Card { card: card("AS"), lead_request: None },
                },
                "the holder of AS is called as friend",
            ),
            (Event::FriendRevealed { friend: None }, "there is no friend"),
            (Event::TrickTaken { winner: seat, points: 2 }, "seat 3 takes the trick, points 2"),
        ];
        for (event, sentence) in table {
            assert_eq!(News::Told(Told::InHand(event)).to_string(), sentence);
        }
    }
}
