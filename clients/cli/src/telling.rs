//! What a spectator is told, event by event: as a sentence, and as JSON.

use mighty_client::{DefaultCause, HandEnd, MatchEnd, MatchInfo, News, Told};
use mighty_rules::{
    Call, Event, Friend, Next, Outcome, Round, RowOutcome, Seat, VoidReason, WinningBid, Won,
};
use serde_json::{Value, json};

use crate::drawing::{Style, signed};
use crate::show::Joined;
use crate::text::{counted, printable};

/// What happened, in a sentence.
pub(crate) fn sentence(told: &Told, style: Style<'_>) -> String {
    let name = |seat| style.names.of(seat);
    match told {
        Told::HandStarted(dealing) => style.dealing(dealing),
        Told::InHand(event) => in_hand(event, style),
        Told::HandEnded(HandEnd { hand, next, totals, .. }) => {
            let next = match next {
                Next::Redeal => "it is dealt again",
                Next::Hand { given_up: false } => "the next is dealt",
                Next::Hand { given_up: true } => "it is given up, the next is dealt",
                Next::Over { .. } => "the match is over",
            };
            let totals = totals.map(signed).0.join(" ");
            format!("hand {hand} is over, {next}; totals {totals}")
        }
        Told::DefaultMade { seat, cause } => {
            let why = match cause {
                DefaultCause::Time => "no answer came in time",
                DefaultCause::Refusals => "too many answers were refused",
            };
            format!("{}: {why}, the default move is made", name(*seat))
        }
        Told::SeatGivenUp { seat, stand_in } => {
            format!("{} is given up, house bot {} plays on", name(*seat), printable(stand_in))
        }
        Told::SeatPresence { seat, present: true } => format!("{} is back", name(*seat)),
        Told::SeatPresence { seat, present: false } => {
            format!("{} has lost its connection", name(*seat))
        }
        Told::MatchEnded(MatchEnd { totals, places, record_id, .. }) => {
            let places = places.map(|place| place.to_string()).0.join(" ");
            let totals = totals.map(signed).0.join(" ");
            let record = printable(record_id);
            format!("the match is over: totals {totals}, places {places}, record {record}")
        }
    }
}

fn in_hand(event: &Event, style: Style<'_>) -> String {
    let name = |seat| style.names.of(seat);
    match event {
        Event::Passed { seat } => format!("{} passes", name(*seat)),
        Event::BidMade { seat, bid } => format!("{} bids {bid}", name(*seat)),
        Event::AuctionWon { declarer, with } => {
            let won = Won { declarer: *declarer, with: *with, kitty: None };
            format!("declarer is {}", style.won(&won))
        }
        Event::FriendCalled { call } => format!("friend: {}", style.call(*call)),
        Event::FriendRevealed { friend: Some(seat) } => format!("{} is the friend", name(*seat)),
        Event::CardPlayed { seat, card, calls_joker } => {
            let calls = if *calls_joker { ", which calls the joker" } else { "" };
            format!("{} plays {card}{calls}", name(*seat))
        }
        Event::TrickTaken { winner, points } => {
            let points = counted(u64::from(*points), "point", "points");
            format!("{} takes the trick, {points}", name(*winner))
        }
        Event::HandScored { result } => {
            let scores = result.scores.map(signed).0.join(" ");
            format!("{}; scores {scores}", style.result(result))
        }
        Event::HandVoid { void } => style.void(void),
        Event::BuriedShown { cards, marked } => {
            let marked = marked.map(|card| format!(", {card} was marked as friend"));
            let cards: Vec<String> = cards.iter().map(|card| style.paint.card(card)).collect();
            format!("buried were {}{}", cards.join(" "), marked.unwrap_or_default())
        }
        // These name no seat, or never reach a spectator.
        Event::Dealt { .. }
        | Event::AskedToKeep { .. }
        | Event::Kept { .. }
        | Event::AuctionOpened
        | Event::AuctionAgain { .. }
        | Event::KittyShown { .. }
        | Event::KittyTaken { .. }
        | Event::Buried
        | Event::BuriedCards { .. }
        | Event::ContractFixed { .. }
        | Event::KittyMarked { .. }
        | Event::FriendTold { .. }
        | Event::FriendRevealed { friend: None } => News::Told(Told::InHand(*event)).to_string(),
    }
}

/// What happened, as JSON: `event` names it as the wire does, cards are in notation, scores in points.
pub(crate) fn as_json(told: &Told) -> Value {
    match told {
        Told::HandStarted(dealing) => json!({
            "event": "hand_started",
            "hand": dealing.hand,
            "redeal": dealing.redeal,
            "dealer": dealing.setup.dealer.number(),
            "first_bidder": dealing.setup.first_bidder.number(),
            "pot": dealing.setup.pot,
        }),
        Told::InHand(event) => in_hand_json(event),
        Told::HandEnded(end) => json!({
            "event": "hand_ended",
            "hand": end.hand,
            "redeal": end.redeal,
            "next": match end.next {
                Next::Redeal => "redeal",
                Next::Hand { given_up: false } => "hand",
                Next::Hand { given_up: true } => "hand_after_giving_up",
                Next::Over { .. } => "over",
            },
            "totals": end.totals.0,
            "pot": end.pot,
        }),
        Told::DefaultMade { seat, cause } => json!({
            "event": "default_made",
            "seat": seat.number(),
            "cause": match cause {
                DefaultCause::Time => "time",
                DefaultCause::Refusals => "refusals",
            },
        }),
        Told::SeatGivenUp { seat, stand_in } => {
            json!({ "event": "seat_given_up", "seat": seat.number(), "stand_in": stand_in })
        }
        Told::SeatPresence { seat, present } => {
            json!({ "event": "seat_presence", "seat": seat.number(), "present": present })
        }
        Told::MatchEnded(end) => json!({
            "event": "match_ended",
            "totals": end.totals.0,
            "places": end.places.0,
            "seed": end.seed.iter().map(|byte| format!("{byte:02x}")).collect::<String>(),
            "record": end.record_id,
        }),
    }
}

fn in_hand_json(event: &Event) -> Value {
    let friend_json = |event: &str, friend: &Option<Seat>| json!({ "event": event, "friend": friend.map(|seat| seat.number()) });
    match event {
        Event::Dealt { seat, cards } => {
            json!({ "event": "dealt", "seat": seat.number(), "cards": cards.to_string() })
        }
        Event::AskedToKeep { seat } => json!({ "event": "asked_to_keep", "seat": seat.number() }),
        Event::Kept { seat } => json!({ "event": "kept", "seat": seat.number() }),
        Event::AuctionOpened => json!({ "event": "auction_opened" }),
        Event::Passed { seat } => json!({ "event": "passed", "seat": seat.number() }),
        Event::BidMade { seat, bid } => {
            json!({ "event": "bid_made", "seat": seat.number(), "bid": bid.to_string() })
        }
        Event::AuctionAgain { round } => json!({
            "event": "auction_again",
            "round": match round {
                Round::First => "first",
                Round::Second => "second",
                Round::Lowered => "lowered",
            },
        }),
        Event::AuctionWon { declarer, with } => match with {
            WinningBid::Bid(bid) => json!({
                "event": "auction_won",
                "declarer": declarer.number(),
                "bid": bid.to_string(),
            }),
            WinningBid::DealerDeclares { points } => json!({
                "event": "auction_won",
                "declarer": declarer.number(),
                "dealer_declares_points": points,
            }),
        },
        Event::KittyShown { cards } => {
            json!({ "event": "kitty_shown", "cards": cards.to_string() })
        }
        Event::KittyTaken { cards } => {
            json!({ "event": "kitty_taken", "cards": cards.to_string() })
        }
        Event::Buried => json!({ "event": "buried" }),
        Event::BuriedCards { cards } => {
            json!({ "event": "buried_cards", "cards": cards.to_string() })
        }
        Event::ContractFixed { contract } => json!({
            "event": "contract_fixed",
            "contract": contract.bid.to_string(),
            "mighty": contract.mighty,
            "calling_card": contract.calling_card,
        }),
        Event::FriendCalled { call } => {
            json!({ "event": "friend_called", "call": call.to_string() })
        }
        Event::KittyMarked { card } => json!({ "event": "kitty_marked", "card": card }),
        Event::FriendTold { friend } => friend_json("friend_told", friend),
        Event::FriendRevealed { friend } => friend_json("friend_revealed", friend),
        Event::CardPlayed { seat, card, calls_joker } => json!({
            "event": "card_played",
            "seat": seat.number(),
            "play": card.to_string(),
            "calls_joker": calls_joker,
        }),
        Event::TrickTaken { winner, points } => {
            json!({ "event": "trick_taken", "winner": winner.number(), "points": points })
        }
        Event::BuriedShown { cards, marked } => {
            json!({ "event": "buried_shown", "cards": cards.to_string(), "marked": marked })
        }
        Event::HandScored { result } => {
            let outcome = RowOutcome::from(&Outcome::Scored(*result));
            json!({ "event": "hand_scored", "result": outcome.result, "pot": result.pot })
        }
        Event::HandVoid { void } => {
            let outcome = RowOutcome::from(&Outcome::Void(*void));
            let shown = match void.why {
                VoidReason::DealMiss { cards, .. } => Some(cards.to_string()),
                VoidReason::AllPassed => None,
            };
            json!({ "event": "hand_void", "void": outcome.void, "cards": shown })
        }
    }
}

/// A match that begins or is joined, as JSON.
pub(crate) fn start_json(info: &MatchInfo) -> Value {
    let seats = info.seats.0.each_ref();
    json!({
        "event": "match_start",
        "match": info.match_id,
        "table": info.table_id,
        "profile": info.rules.profile().name(),
        "overrides": info.rules.overrides(),
        "rules_hash": info.rules.hash(),
        "players": seats.map(|seat| &seat.name),
        "house": seats.map(|seat| seat.house),
        "commitment": info.commitment,
        "cut": info.cut.0,
        "duplicate": info.duplicate,
        "ladder": info.ladder,
    })
}

/// How a hand stands that is joined in the middle, as JSON.
pub(crate) fn joined_json(joined: &Joined) -> Value {
    let public = &joined.view.public;
    let calls = public.auction.calls.iter().map(|(seat, call)| {
        let call = match call {
            Call::Pass => "-".to_owned(),
            Call::Bid(bid) => bid.to_string(),
        };
        json!({ "seat": seat.number(), "call": call })
    });
    let tricks = public.tricks().map(|tricks| {
        let taken = tricks.taken.iter().map(|(trick, winner)| (trick, Some(*winner)));
        let is_open = tricks.taken.len() < tricks.trick.number as usize;
        let all = taken.chain(is_open.then_some((&tricks.trick, None)));
        all.map(|(trick, winner)| {
            json!({
                "leader": trick.leader.number(),
                "cards": trick.played(),
                "winner": winner.map(Seat::number),
            })
        })
        .collect::<Vec<_>>()
    });
    let friend = match joined.view.friend() {
        Friend::Hidden => json!("hidden"),
        Friend::Seat(seat) => json!(seat.number()),
        Friend::Nobody => Value::Null,
    };
    json!({
        "event": "snapshot",
        "missed": joined.missed,
        "hand": joined.dealing.hand,
        "redeal": joined.dealing.redeal,
        "dealer": public.setup.dealer.number(),
        "first_bidder": public.setup.first_bidder.number(),
        "pot": public.setup.pot,
        "totals": joined.totals.0,
        "to_act": public.to_act().map(Seat::number),
        "calls": calls.collect::<Vec<_>>(),
        "declarer": public.won().map(|won| won.declarer.number()),
        "contract": public.contract().map(|contract| contract.bid.to_string()),
        "mighty": public.contract().map(|contract| contract.mighty),
        "calling_card": public.contract().map(|contract| contract.calling_card),
        "friend_call": public.tricks().map(|tricks| tricks.call.to_string()),
        "friend": friend,
        "tricks": tricks,
        "captured": public.tricks().map(|tricks| tricks.captured.map(|cards| cards.points()).0),
    })
}
