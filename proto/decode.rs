//! From the wire to the rules. What comes in may be anything: each value is checked here, once, and what is no
//! possible value is refused with a [`BadMessage`]. Whether a move is legal is not asked here.

use std::sync::Arc;

use mighty_rules::{
    Bid, Burial, BySeat, CallChoices, Card, CardSet, Choices, Contract, ContractChoices,
    ContractMove, Dealing, Event, FriendCall, FriendChoices, HandResult, HeardCall, JokerChoice,
    Move, Next, Overrides, Play, PlayChoices, PlayedCard, Profile, Round, RuleSheet, Rules, Score,
    Seat, Setup, Suit, Trump, View, Viewer, Void, VoidReason, WinningBid, Won,
};

use crate::{encode, v1};

/// A message with a value that cannot be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct BadMessage {
    /// Which field of which message, such as `Play.named_suit`.
    pub field: &'static str,
    /// What is wrong with it, and what would be right.
    pub problem: String,
}

fn bad(field: &'static str, problem: impl Into<String>) -> BadMessage {
    BadMessage { field, problem: problem.into() }
}

/// What an event of the wire tells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Told {
    /// A hand is dealt: the view begins anew.
    HandStarted(Dealing),
    /// Something happened in the hand: the view takes it in.
    InHand(Event),
    /// Where the match stands after the hand.
    HandEnded(HandEnd),
    /// The table makes the default move for a seat; the event of the move follows.
    DefaultMade {
        /// For whom.
        seat: Seat,
        /// Why.
        cause: DefaultCause,
    },
    /// A seat was given up, and a house bot plays on.
    SeatGivenUp {
        /// Which.
        seat: Seat,
        /// The house bot.
        stand_in: String,
    },
    /// The match is over.
    MatchEnded(MatchEnd),
    /// A bot's connection to its seat was lost, or is back.
    SeatPresence {
        /// Which seat.
        seat: Seat,
        /// Whether its bot is there.
        present: bool,
    },
}

/// Where a match stands after a hand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HandEnd {
    /// Which hand, from 1.
    pub hand: u32,
    /// How often it had been dealt before.
    pub redeal: u32,
    /// What follows. Of a match that is over it is not told here whether the last hand was given up.
    pub next: Next,
    /// The totals, fines included.
    pub totals: BySeat<Score>,
    /// What lies in the pot, in points.
    pub pot: u64,
}

/// Why the table moved for a seat.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DefaultCause {
    /// No answer came before the clock ran out.
    Time,
    /// Too many answers were refused.
    Refusals,
}

/// How a match ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatchEnd {
    /// The totals.
    pub totals: BySeat<Score>,
    /// The place of each seat, 1 for the highest total.
    pub places: BySeat<u8>,
    /// The secret seed, 32 bytes.
    pub seed: Vec<u8>,
    /// The id of the record.
    pub record_id: String,
}

/// What an observation holds: the view, and what the match says of the hand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observed {
    /// All that the viewer may know of the hand.
    pub view: View,
    /// Which hand, from 1.
    pub hand: u32,
    /// How often it had been dealt before.
    pub redeal: u32,
    /// The totals before the hand, fines included.
    pub totals: BySeat<Score>,
}

/// A move.
///
/// # Errors
/// No kind, or impossible values.
pub fn made(message: &v1::Move) -> Result<Move, BadMessage> {
    use v1::r#move::Kind;
    let kind = message.kind.as_ref();
    Ok(match kind.ok_or_else(|| bad("Move.kind", "unset; set exactly one kind of move"))? {
        Kind::ThrowIn(v1::ThrowIn {}) => Move::ThrowIn,
        Kind::Keep(v1::Keep {}) => Move::Keep,
        Kind::Passing(v1::Pass {}) => Move::Pass,
        Kind::Bid(bid) => Move::Bid(offered_bid(bid)?),
        Kind::Bury(bury) => {
            let three = exactly(3, &bury.cards, "Bury.cards")?;
            Move::Bury(Burial::new(three).ok_or_else(|| bad("Bury.cards", "bury three cards"))?)
        }
        Kind::FixContract(fix) => Move::FixContract(ContractMove {
            bid: offered_bid(required(&fix.bid, "FixContract.bid")?)?,
            calling_card: card_or_none(fix.calling_card, "FixContract.calling_card")?,
        }),
        Kind::CallFriend(call) => Move::CallFriend(friend_call(call)?),
        Kind::Play(said) => Move::Play(play(said)?),
    })
}

/// What an event tells.
///
/// # Errors
/// No kind, one that this program does not know, or impossible values.
pub fn told(message: &v1::Event) -> Result<Told, BadMessage> {
    use v1::event::Kind;
    let kind = message.kind.as_ref();
    let kind = kind.ok_or_else(|| bad("Event.kind", "unset, or newer than this program"))?;
    let event = match kind {
        Kind::HandStarted(started) => return Ok(Told::HandStarted(dealing(started)?)),
        Kind::HandEnded(ended) => return Ok(Told::HandEnded(hand_end(ended)?)),
        Kind::DefaultMade(made) => {
            return Ok(Told::DefaultMade {
                seat: seat(made.seat, "DefaultMade.seat")?,
                cause: default_cause(made.cause)?,
            });
        }
        Kind::SeatGivenUp(given_up) => {
            return Ok(Told::SeatGivenUp {
                seat: seat(given_up.seat, "SeatGivenUp.seat")?,
                stand_in: given_up.stand_in.clone(),
            });
        }
        Kind::MatchEnded(ended) => return Ok(Told::MatchEnded(match_end(ended)?)),
        Kind::SeatPresence(presence) => {
            return Ok(Told::SeatPresence {
                seat: seat(presence.seat, "SeatPresence.seat")?,
                present: presence.present,
            });
        }
        Kind::Dealt(dealt) => Event::Dealt {
            seat: seat(dealt.seat, "Dealt.seat")?,
            cards: exactly(10, &dealt.cards, "Dealt.cards")?,
        },
        Kind::AskedToKeep(asked) => {
            Event::AskedToKeep { seat: seat(asked.seat, "AskedToKeep.seat")? }
        }
        Kind::Kept(kept) => Event::Kept { seat: seat(kept.seat, "Kept.seat")? },
        Kind::AuctionOpened(v1::AuctionOpened {}) => Event::AuctionOpened,
        Kind::Passed(passed) => Event::Passed { seat: seat(passed.seat, "Passed.seat")? },
        Kind::BidMade(made) => Event::BidMade {
            seat: seat(made.seat, "BidMade.seat")?,
            bid: bid(required(&made.bid, "BidMade.bid")?)?,
        },
        Kind::AuctionAgain(again) => {
            Event::AuctionAgain { round: round(again.round, "AuctionAgain.round")? }
        }
        Kind::AuctionWon(won) => {
            let Won { declarer, with, .. } = auction_won(won)?;
            Event::AuctionWon { declarer, with }
        }
        Kind::KittyShown(kitty) => {
            Event::KittyShown { cards: exactly(3, &kitty.cards, "KittyShown.cards")? }
        }
        Kind::KittyTaken(kitty) => {
            Event::KittyTaken { cards: exactly(3, &kitty.cards, "KittyTaken.cards")? }
        }
        Kind::Buried(v1::Buried {}) => Event::Buried,
        Kind::BuriedCards(buried) => {
            Event::BuriedCards { cards: exactly(3, &buried.cards, "BuriedCards.cards")? }
        }
        Kind::ContractFixed(fixed) => Event::ContractFixed {
            contract: contract(required(&fixed.contract, "ContractFixed.contract")?)?,
        },
        Kind::FriendCalled(called) => {
            Event::FriendCalled { call: heard_call(required(&called.call, "FriendCalled.call")?)? }
        }
        Kind::KittyMarked(marked) => {
            Event::KittyMarked { card: card(marked.card, "KittyMarked.card")? }
        }
        Kind::FriendTold(told) => {
            Event::FriendTold { friend: seat_or_none(told.friend, "FriendTold.friend")? }
        }
        Kind::FriendRevealed(revealed) => Event::FriendRevealed {
            friend: seat_or_none(revealed.friend, "FriendRevealed.friend")?,
        },
        Kind::CardPlayed(played) => Event::CardPlayed {
            seat: seat(played.seat, "CardPlayed.seat")?,
            card: play(required(&played.play, "CardPlayed.play")?)?.card,
            calls_joker: played.calls_joker,
        },
        Kind::TrickTaken(taken) => Event::TrickTaken {
            winner: seat(taken.winner, "TrickTaken.winner")?,
            points: at_most(5, taken.points, "TrickTaken.points")?,
        },
        Kind::BuriedShown(shown) => Event::BuriedShown {
            cards: exactly(3, &shown.cards, "BuriedShown.cards")?,
            marked: card_or_none(shown.marked, "BuriedShown.marked")?,
        },
        Kind::HandScored(scored) => {
            Event::HandScored { result: result(required(&scored.result, "HandScored.result")?)? }
        }
        Kind::HandVoid(ended) => Event::HandVoid { void: void(ended)? },
    };
    Ok(Told::InHand(event))
}

/// What a seat may do.
///
/// # Errors
/// No kind, one that this program does not know, or impossible values.
pub fn choices(message: &v1::Choices) -> Result<Choices, BadMessage> {
    use v1::choices::Kind;
    let kind = message.kind.as_ref();
    let kind = kind.ok_or_else(|| bad("Choices.kind", "unset, or newer than this program"))?;
    Ok(match kind {
        Kind::WeakHand(v1::WeakHandChoices {}) => Choices::WeakHand,
        Kind::Call(call) => {
            let mut points = [None; 5];
            for range in &call.bids {
                let (trump, from_to) = bid_range(range)?;
                points[trump.index()] = Some(from_to);
            }
            let v1::CallChoices { may_pass, may_throw_in, .. } = *call;
            Choices::Call(CallChoices { points, may_pass, may_throw_in })
        }
        Kind::Bury(bury) => Choices::Bury { from: exactly(13, &bury.cards, "BuryChoices.cards")? },
        Kind::Contract(contracts) => {
            let mut choices =
                ContractChoices { points: [None; 5], calling_cards: [CardSet::EMPTY; 5] };
            for one in &contracts.contracts {
                let (trump, from_to) = bid_range(required(&one.range, "ContractRange.range")?)?;
                let at = trump.index();
                choices.points[at] = Some(from_to);
                choices.calling_cards[at] =
                    cards(&one.calling_cards, "ContractRange.calling_cards")?;
            }
            Choices::Contract(choices)
        }
        Kind::Friend(friends) => Choices::FriendCall(FriendChoices {
            card: friends.card,
            lead_request: friends.lead_request,
            first_trick: friends.first_trick,
            nobody: friends.nobody,
            kitty: cards(&friends.kitty, "FriendChoices.kitty")?,
        }),
        Kind::Play(plays) => Choices::Play(PlayChoices {
            cards: cards(&plays.cards, "PlayChoices.cards")?,
            joker: joker_choice(plays)?,
            calling: card_or_none(plays.calling_card, "PlayChoices.calling_card")?,
            may_reveal: plays.may_reveal,
        }),
    })
}

/// The rules of a table, from their sheet in full.
///
/// # Errors
/// An unknown profile, a sheet that cannot be read or makes no sense, or a hash that is not its own.
pub fn rules(message: &v1::Rules) -> Result<Arc<Rules>, BadMessage> {
    let profile = Profile::named(&message.profile)
        .map_err(|error| bad("Rules.profile", error.to_string()))?;
    let read = |text: &String| {
        serde_json::from_str(text).map_err(|error| bad("Rules.overrides", error.to_string()))
    };
    let overrides = message.overrides.iter();
    let overrides: Overrides =
        overrides.map(|(path, text)| Ok((path.clone(), read(text)?))).collect::<Result<_, _>>()?;
    let sheet: RuleSheet = serde_json::from_str(&message.json)
        .map_err(|error| bad("Rules.json", format!("{error}; send a whole rule sheet")))?;
    let rules = Rules::from_sheet(profile, &overrides, sheet)
        .map_err(|error| bad("Rules.json", error.to_string()))?;
    if rules.hash() != message.hash {
        let problem = format!("the hash of these rules is {}", rules.hash());
        return Err(bad("Rules.hash", problem));
    }
    Ok(Arc::new(rules))
}

/// The view of an observation: it is told as events once more and folded, as if the viewer had been there.
///
/// # Errors
/// Impossible values, or fields that contradict each other.
pub fn observation(message: &v1::Observation, rules: Arc<Rules>) -> Result<Observed, BadMessage> {
    let Dealing { hand, redeal, setup } = dealing(required(&message.hand, "Observation.hand")?)?;
    let totals = scores(&message.totals_half_points, "Observation.totals_half_points")?;
    let viewer = match seat_or_none(message.seat, "Observation.seat")? {
        Some(seat) => Viewer::Seat(seat),
        None => Viewer::Spectator,
    };
    let events = retold(message, &rules, viewer)?;
    let mut view = View::new(rules, setup, viewer);
    for event in &events {
        view.see(event);
    }
    if encode::observation(&view, hand, redeal, &totals) != *message {
        return Err(bad(
            "Observation",
            "its fields contradict each other; send one that is the fold of events",
        ));
    }
    Ok(Observed { view, hand, redeal, totals })
}

/// The events that lead to an observation, less those that leave no trace in a view. The viewer may have been told
/// any first part of what happened, so each is there only when its own trace is.
fn retold(
    message: &v1::Observation,
    rules: &Rules,
    viewer: Viewer,
) -> Result<Vec<Event>, BadMessage> {
    let won = message.won.as_ref().map(auction_won).transpose()?;
    let tricks = message.tricks.iter().map(trick_events).collect::<Result<Vec<_>, _>>()?;
    let tricks = tricks.concat();
    let kitty = three_or_none(&message.kitty, "Observation.kitty")?;
    let buried = three_or_none(&message.buried, "Observation.buried")?;
    let own = match viewer {
        Viewer::Seat(seat) => Some(OwnCards::of(message, seat, &won, &tricks)?),
        Viewer::Spectator => None,
    };

    let mut events = Vec::new();
    if let Some(own) = &own {
        if !own.dealt.is_empty() {
            events.push(Event::Dealt { seat: own.seat, cards: own.dealt });
        }
        if message.asked_to_keep {
            events.push(Event::AskedToKeep { seat: own.seat });
        }
    }
    if message.auction_opened {
        events.push(Event::AuctionOpened);
    }
    events.extend(auction_events(message)?);
    if let Some(ended) = &message.hand_void {
        events.push(Event::HandVoid { void: void(ended)? });
    }
    let Some(won) = won else { return Ok(events) };

    events.push(Event::AuctionWon { declarer: won.declarer, with: won.with });
    if rules.exchange.kitty_face_up {
        events.extend(kitty.map(|cards| Event::KittyShown { cards }));
    }
    let declared = own.as_ref().and_then(|own| own.as_declarer);
    if let Some(Declared { took, buried }) = declared {
        events.extend(took.map(|cards| Event::KittyTaken { cards }));
        events.extend(buried.map(|cards| Event::BuriedCards { cards }));
    }
    if is_buried(message)? {
        events.push(Event::Buried);
    }
    if let Some(fixed) = &message.contract {
        events.push(Event::ContractFixed { contract: contract(fixed)? });
    }
    let Some(called) = &message.friend_call else { return Ok(events) };

    let call = heard_call(called)?;
    let marked = card_or_none(message.marked, "Observation.marked")?;
    events.push(Event::FriendCalled { call });
    if knows_the_friend(message)? {
        events.extend(own.and_then(|own| own.told_of_the_friend(call)));
    }
    if let (Some(card), Some(_)) = (marked, declared) {
        events.push(Event::KittyMarked { card });
    }
    events.extend(tricks);
    events.extend(friend_revealed(message, call)?);
    // A declarer knows what it buried: that it was shown to all leaves no trace before the result.
    if declared.is_none() || message.result.is_some() {
        events.extend(buried.map(|cards| Event::BuriedShown { cards, marked }));
    }
    if let Some(scored) = &message.result {
        events.push(Event::HandScored { result: result(scored)? });
    }
    Ok(events)
}

/// The cards that a seat has had in a hand.
#[derive(Clone, Copy)]
struct OwnCards {
    seat: Seat,
    /// Ten, or none before they are dealt.
    dealt: CardSet,
    as_declarer: Option<Declared>,
}

/// What a declarer took and buried, once it did.
#[derive(Clone, Copy)]
struct Declared {
    took: Option<CardSet>,
    buried: Option<CardSet>,
}

impl OwnCards {
    fn of(
        message: &v1::Observation,
        seat: Seat,
        won: &Option<Won>,
        tricks: &[Event],
    ) -> Result<OwnCards, BadMessage> {
        let mut had = cards(&message.cards, "Observation.cards")?;
        for event in tricks {
            if let Event::CardPlayed { seat: player, card, .. } = event
                && *player == seat
            {
                had = had.with(card.card());
            }
        }
        let as_declarer = match won {
            Some(won) if won.declarer == seat => {
                let buried = three_or_none(&message.buried, "Observation.buried")?;
                had = had.or(buried.unwrap_or_default());
                let kitty = three_or_none(&message.kitty, "Observation.kitty")?;
                // A kitty that all see is not taken yet while the declarer does not have its cards.
                let took = kitty.filter(|kitty| kitty.is_subset_of(had));
                Some(Declared { took, buried })
            }
            Some(_) | None => None,
        };
        let took = as_declarer.and_then(|declared| declared.took);
        let dealt = had.minus(took.unwrap_or_default());
        if !dealt.is_empty() && dealt.len() != 10 {
            let problem = format!("with those played and buried {dealt} were dealt, not ten cards");
            return Err(bad("Observation.cards", problem));
        }
        Ok(OwnCards { seat, dealt, as_declarer })
    }

    /// A seat learns from its own cards who the friend is: itself, or nobody when it is declarer.
    fn told_of_the_friend(&self, call: HeardCall) -> Option<Event> {
        let HeardCall::Card { card, .. } = call else { return None };
        let (had, friend) = match self.as_declarer {
            Some(Declared { took, .. }) => (self.dealt.or(took.unwrap_or_default()), None),
            None => (self.dealt, Some(self.seat)),
        };
        had.contains(card).then_some(Event::FriendTold { friend })
    }
}

fn knows_the_friend(message: &v1::Observation) -> Result<bool, BadMessage> {
    use v1::friend_knowledge::State;
    let knowledge = required(&message.friend, "Observation.friend")?;
    match known(knowledge.state, "FriendKnowledge.state")? {
        State::Hidden => Ok(false),
        State::Known | State::Nobody => Ok(true),
        State::Unspecified => Err(unset("FriendKnowledge.state")),
    }
}

fn auction_events(message: &v1::Observation) -> Result<Vec<Event>, BadMessage> {
    let call = |call: &v1::AuctionCall| {
        let seat = seat(call.seat, "AuctionCall.seat")?;
        Ok(match &call.bid {
            Some(made) => Event::BidMade { seat, bid: bid(made)? },
            None => Event::Passed { seat },
        })
    };
    let mut events = message.calls.iter().map(call).collect::<Result<Vec<_>, _>>()?;
    let round = round(message.round, "Observation.round")?;
    if round != Round::First {
        // Another round follows five passes and nothing else.
        let first_round = events.len().min(Seat::ALL.len());
        events.insert(first_round, Event::AuctionAgain { round });
    }
    Ok(events)
}

/// The plays of a trick, and who took it.
fn trick_events(message: &v1::Trick) -> Result<Vec<Event>, BadMessage> {
    let leader = seat(message.leader, "Trick.leader")?;
    let laid = message.cards.iter().map(|laid| card(*laid, "Trick.cards"));
    let laid = laid.collect::<Result<Vec<_>, _>>()?;
    // A joker that was led is called by the second card, any other by the lead.
    let caller = usize::from(laid.first() == Some(&Card::JOKER));
    let mut events = Vec::with_capacity(laid.len() + 1);
    for (place, card) in laid.iter().enumerate() {
        let card = match (place, *card) {
            (0, Card::JOKER) => {
                spoken(Card::JOKER, message.joker_says, message.joker_suit, "Trick.joker_says")?
            }
            (_, card) => PlayedCard::Plain(card),
        };
        let calls_joker = message.joker_called && place == caller;
        events.push(Event::CardPlayed { seat: leader.after(place), card, calls_joker });
    }
    if let Some(winner) = seat_or_none(message.winner, "Trick.winner")? {
        let points = laid.into_iter().collect::<CardSet>().points();
        events.push(Event::TrickTaken { winner, points });
    }
    Ok(events)
}

fn is_buried(message: &v1::Observation) -> Result<bool, BadMessage> {
    use v1::observation::Stage;
    match known(message.stage, "Observation.stage")? {
        Stage::Contract | Stage::FriendCall | Stage::Play | Stage::Over => Ok(true),
        Stage::Auction | Stage::Exchange => Ok(false),
        Stage::Unspecified => Err(unset("Observation.stage")),
    }
}

/// That the friend came out; with a call of nobody or of a buried card it never was hidden.
fn friend_revealed(
    message: &v1::Observation,
    call: HeardCall,
) -> Result<Option<Event>, BadMessage> {
    let knowledge = required(&message.friend, "Observation.friend")?;
    let friend = seat_or_none(knowledge.seat, "FriendKnowledge.seat")?;
    Ok(match call {
        HeardCall::Card { .. } | HeardCall::FirstTrick => {
            knowledge.is_public.then_some(Event::FriendRevealed { friend })
        }
        HeardCall::Nobody | HeardCall::Kitty => None,
    })
}

/// The scores of five values in half points.
///
/// # Errors
/// Not five values; `field` says of which field.
pub fn scores(half_points: &[i64], field: &'static str) -> Result<BySeat<Score>, BadMessage> {
    Ok(five(half_points, field)?.map(Score::halves))
}

/// Five values as one for each seat.
///
/// # Errors
/// Not five values; `field` says of which field.
pub fn five<T: Clone>(values: &[T], field: &'static str) -> Result<BySeat<T>, BadMessage> {
    let five = <[T; 5]>::try_from(values.to_vec());
    five.map(BySeat).map_err(|_| bad(field, format!("{} values; five are needed", values.len())))
}

/// A seat, 0 to 4.
///
/// # Errors
/// Another number; `field` says of which field.
pub fn seat(number: u32, field: &'static str) -> Result<Seat, BadMessage> {
    Seat::new(number as usize).ok_or_else(|| bad(field, format!("{number} is no seat from 0 to 4")))
}

/// A seat that may be unset.
///
/// # Errors
/// A number that is no seat; `field` says of which field.
pub fn seat_or_none(number: Option<u32>, field: &'static str) -> Result<Option<Seat>, BadMessage> {
    number.map(|number| seat(number, field)).transpose()
}

/// Cards of a repeated field, each at most once.
///
/// # Errors
/// A number that is no card, or a card twice; `field` says of which field.
pub fn cards(numbers: &[i32], field: &'static str) -> Result<CardSet, BadMessage> {
    let mut set = CardSet::EMPTY;
    for number in numbers {
        let card = card(*number, field)?;
        if set.contains(card) {
            return Err(bad(field, format!("{card} is there twice; name each card once")));
        }
        set = set.with(card);
    }
    Ok(set)
}

/// A card.
///
/// # Errors
/// A number that is no card; `field` says of which field.
pub fn card(number: i32, field: &'static str) -> Result<Card, BadMessage> {
    card_or_none(number, field)?
        .ok_or_else(|| bad(field, "no card; name one of the 53, 1 (2S) to 53 (JK)"))
}

fn card_or_none(number: i32, field: &'static str) -> Result<Option<Card>, BadMessage> {
    if number == 0 {
        return Ok(None);
    }
    let index = number.checked_sub(1).and_then(|index| u8::try_from(index).ok());
    let card = index.and_then(Card::from_index);
    let problem = || format!("{number} is no card; cards are 1 (2S) to 53 (JK)");
    card.map(Some).ok_or_else(|| bad(field, problem()))
}

fn exactly(count: usize, numbers: &[i32], field: &'static str) -> Result<CardSet, BadMessage> {
    let set = cards(numbers, field)?;
    match set.len() == count {
        true => Ok(set),
        false => Err(bad(field, format!("{} cards; name {count}", set.len()))),
    }
}

fn three_or_none(numbers: &[i32], field: &'static str) -> Result<Option<CardSet>, BadMessage> {
    if numbers.is_empty() { Ok(None) } else { exactly(3, numbers, field).map(Some) }
}

fn suit_or_none(number: i32, field: &'static str) -> Result<Option<Suit>, BadMessage> {
    Ok(match known(number, field)? {
        v1::Suit::Unspecified => None,
        v1::Suit::Spades => Some(Suit::Spades),
        v1::Suit::Clubs => Some(Suit::Clubs),
        v1::Suit::Diamonds => Some(Suit::Diamonds),
        v1::Suit::Hearts => Some(Suit::Hearts),
    })
}

fn trump(number: i32, field: &'static str) -> Result<Trump, BadMessage> {
    Ok(match known(number, field)? {
        v1::Trump::Unspecified => return Err(unset(field)),
        v1::Trump::Spades => Trump::Suit(Suit::Spades),
        v1::Trump::Clubs => Trump::Suit(Suit::Clubs),
        v1::Trump::Diamonds => Trump::Suit(Suit::Diamonds),
        v1::Trump::Hearts => Trump::Suit(Suit::Hearts),
        v1::Trump::NoTrump => Trump::NoTrump,
    })
}

/// A bid that was made.
fn bid(message: &v1::Bid) -> Result<Bid, BadMessage> {
    let bid = offered_bid(message)?;
    at_most(Bid::MOST_POINTS, message.points, "Bid.points")?;
    Ok(bid)
}

/// A bid that somebody wants to make: that it is too high is for the rules to say.
fn offered_bid(message: &v1::Bid) -> Result<Bid, BadMessage> {
    let points = at_most(u8::MAX, message.points, "Bid.points")?;
    if points == 0 {
        return Err(bad("Bid.points", "0; bid from 1 to 20 points"));
    }
    Ok(Bid { points, trump: trump(message.trump, "Bid.trump")? })
}

fn bid_range(message: &v1::BidRange) -> Result<(Trump, (u8, u8)), BadMessage> {
    let from = at_most(Bid::MOST_POINTS, message.from_points, "BidRange.from_points")?;
    let to = at_most(Bid::MOST_POINTS, message.to_points, "BidRange.to_points")?;
    if from == 0 || from > to {
        return Err(bad("BidRange", format!("{from} to {to} is no range of points from 1 to 20")));
    }
    Ok((trump(message.trump, "BidRange.trump")?, (from, to)))
}

fn friend_call(message: &v1::CallFriend) -> Result<FriendCall, BadMessage> {
    use v1::call_friend::Kind;
    let kind = message.kind.as_ref();
    let kind = kind.ok_or_else(|| bad("CallFriend.kind", "unset; set exactly one kind of call"))?;
    Ok(match kind {
        Kind::Card(call) => FriendCall::Card {
            card: card(call.card, "CallCard.card")?,
            lead_request: suit_or_none(call.lead_request, "CallCard.lead_request")?,
        },
        Kind::FirstTrick(v1::CallFirstTrick {}) => FriendCall::FirstTrick,
        Kind::Nobody(v1::CallNobody {}) => FriendCall::Nobody,
        Kind::Kitty(kitty) => FriendCall::Kitty(card(kitty.card, "CallKitty.card")?),
    })
}

fn heard_call(message: &v1::CallFriend) -> Result<HeardCall, BadMessage> {
    use v1::call_friend::Kind;
    match &message.kind {
        Some(Kind::Kitty(v1::CallKitty { card: 0 })) => Ok(HeardCall::Kitty),
        Some(Kind::Kitty(_)) => {
            Err(bad("CallKitty.card", "set; others hear of the call without its card"))
        }
        Some(Kind::Card(_) | Kind::FirstTrick(_) | Kind::Nobody(_)) | None => {
            friend_call(message).map(FriendCall::heard)
        }
    }
}

fn play(message: &v1::Play) -> Result<Play, BadMessage> {
    let card = card(message.card, "Play.card")?;
    let card = spoken(card, message.says, message.named_suit, "Play.says")?;
    Ok(Play { card, reveals: message.reveals })
}

/// A card with what is said: only a joker names, and it names a suit exactly when it says so.
fn spoken(
    card: Card,
    says: i32,
    named_suit: i32,
    field: &'static str,
) -> Result<PlayedCard, BadMessage> {
    use v1::play::Says;
    let says = known(says, field)?;
    let named_suit = suit_or_none(named_suit, "Play.named_suit")?;
    match (says, named_suit, card) {
        (Says::Unspecified, None, card) => Ok(PlayedCard::Plain(card)),
        (Says::CallsJoker, None, card) => Ok(PlayedCard::Calling(card)),
        (Says::NamesSuit, Some(suit), Card::JOKER) => Ok(PlayedCard::JokerNaming(suit)),
        (Says::NamesNone, None, Card::JOKER) => Ok(PlayedCard::JokerNamingNone),
        (Says::NamesSuit, None, Card::JOKER) => {
            Err(bad(field, "SAYS_NAMES_SUIT without a suit; set the suit that the joker names"))
        }
        (Says::NamesSuit | Says::NamesNone, _, card) if card != Card::JOKER => {
            Err(bad(field, format!("{card} cannot name a suit; only the joker does")))
        }
        (Says::Unspecified | Says::CallsJoker | Says::NamesSuit | Says::NamesNone, ..) => {
            Err(bad(field, "a suit is named without SAYS_NAMES_SUIT; say it, or unset the suit"))
        }
    }
}

fn joker_choice(plays: &v1::PlayChoices) -> Result<JokerChoice, BadMessage> {
    let all = Suit::ALL.map(|suit| i32::from(v1::Suit::from(suit)));
    match (plays.joker_suits.len(), plays.joker_may_name_none) {
        (0, false) => Ok(JokerChoice::NamesNothing),
        (4, false) if plays.joker_suits == all => Ok(JokerChoice::NamesSuit),
        (4, true) if plays.joker_suits == all => Ok(JokerChoice::NamesSuitOrNone),
        (_, _) => Err(bad("PlayChoices.joker_suits", "a joker may name all four suits or nothing")),
    }
}

fn dealing(message: &v1::HandStarted) -> Result<Dealing, BadMessage> {
    let v1::HandStarted { hand, redeal, dealer, first_bidder, pot } = *message;
    let setup = Setup {
        dealer: seat(dealer, "HandStarted.dealer")?,
        first_bidder: seat(first_bidder, "HandStarted.first_bidder")?,
        pot,
    };
    Ok(Dealing { hand, redeal, setup })
}

fn round(number: i32, field: &'static str) -> Result<Round, BadMessage> {
    match known(number, field)? {
        v1::AuctionRound::Unspecified => Err(unset(field)),
        v1::AuctionRound::First => Ok(Round::First),
        v1::AuctionRound::Second => Ok(Round::Second),
        v1::AuctionRound::Lowered => Ok(Round::Lowered),
    }
}

fn auction_won(message: &v1::AuctionWon) -> Result<Won, BadMessage> {
    use v1::auction_won::WonWith;
    let declarer = seat(message.declarer, "AuctionWon.declarer")?;
    let with = match required(&message.won_with, "AuctionWon.won_with")? {
        WonWith::Bid(made) => WinningBid::Bid(bid(made)?),
        WonWith::DealerDeclaresPoints(points) => WinningBid::DealerDeclares {
            points: at_most(Bid::MOST_POINTS, *points, "AuctionWon.dealer_declares_points")?,
        },
    };
    Ok(Won { declarer, with, kitty: None })
}

fn contract(message: &v1::Contract) -> Result<Contract, BadMessage> {
    Ok(Contract {
        bid: bid(required(&message.bid, "Contract.bid")?)?,
        mighty: card(message.mighty, "Contract.mighty")?,
        calling_card: card(message.calling_card, "Contract.calling_card")?,
    })
}

fn result(message: &v1::HandResult) -> Result<HandResult, BadMessage> {
    Ok(HandResult {
        declarer: seat(message.declarer, "HandResult.declarer")?,
        friend: seat_or_none(message.friend, "HandResult.friend")?,
        contract: bid(required(&message.contract, "HandResult.contract")?)?,
        taken: at_most(Bid::MOST_POINTS, message.taken, "HandResult.taken")?,
        made: message.made,
        factor: message.factor.into(),
        scores: scores(&message.scores_half_points, "HandResult.scores_half_points")?,
        pot: message.pot,
        next_dealer: seat(message.next_dealer, "HandResult.next_dealer")?,
    })
}

fn void(message: &v1::HandVoid) -> Result<Void, BadMessage> {
    use v1::hand_void::Why;
    let why = match required(&message.why, "HandVoid.why")? {
        Why::DealMiss(miss) => VoidReason::DealMiss {
            seat: seat(miss.seat, "DealMiss.seat")?,
            cards: exactly(10, &miss.cards, "DealMiss.cards")?,
        },
        Why::AllPassed(v1::AllPassed {}) => VoidReason::AllPassed,
    };
    Ok(Void { why, next_dealer: seat(message.next_dealer, "HandVoid.next_dealer")? })
}

fn hand_end(message: &v1::HandEnded) -> Result<HandEnd, BadMessage> {
    use v1::hand_ended::Next as Follows;
    Ok(HandEnd {
        hand: message.hand,
        redeal: message.redeal,
        next: match known(message.next, "HandEnded.next")? {
            Follows::Unspecified => return Err(unset("HandEnded.next")),
            Follows::Redeal => Next::Redeal,
            Follows::Hand => Next::Hand { given_up: false },
            Follows::HandAfterGivingUp => Next::Hand { given_up: true },
            Follows::Over => Next::Over { given_up: false },
        },
        totals: scores(&message.totals_half_points, "HandEnded.totals_half_points")?,
        pot: message.pot,
    })
}

fn default_cause(number: i32) -> Result<DefaultCause, BadMessage> {
    use v1::default_made::Cause;
    match known(number, "DefaultMade.cause")? {
        Cause::Unspecified => Err(unset("DefaultMade.cause")),
        Cause::Time => Ok(DefaultCause::Time),
        Cause::Refusals => Ok(DefaultCause::Refusals),
    }
}

fn match_end(message: &v1::MatchEnded) -> Result<MatchEnd, BadMessage> {
    let place = |place: &u32| at_most(5, *place, "MatchEnded.places");
    let places = message.places.iter().map(place).collect::<Result<Vec<_>, _>>()?;
    Ok(MatchEnd {
        totals: scores(&message.totals_half_points, "MatchEnded.totals_half_points")?,
        places: five(&places, "MatchEnded.places")?,
        seed: message.seed.clone(),
        record_id: message.record_id.clone(),
    })
}

/// A value that must be there.
///
/// # Errors
/// It is unset; `field` says of which field.
pub fn required<'a, T>(value: &'a Option<T>, field: &'static str) -> Result<&'a T, BadMessage> {
    value.as_ref().ok_or_else(|| unset(field))
}

fn unset(field: &'static str) -> BadMessage {
    bad(field, "unset, but it is needed")
}

/// The value of an enum with this number.
fn known<E: TryFrom<i32>>(number: i32, field: &'static str) -> Result<E, BadMessage> {
    E::try_from(number).map_err(|_| bad(field, format!("there is no value {number}")))
}

fn at_most(most: u8, number: u32, field: &'static str) -> Result<u8, BadMessage> {
    let small = u8::try_from(number).ok().filter(|number| *number <= most);
    small.ok_or_else(|| bad(field, format!("{number}; it is at most {most}")))
}
