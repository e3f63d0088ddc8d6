//! From the rules to the wire. All of it is total, and it begins at what a viewer may know: a [`View`], an [`Event`],
//! a seat's [`Choices`]. There is no way here from the true state of a hand.

use std::collections::HashMap;

use mighty_rules::{
    BySeat, Call, Card, CardSet, Choices, Contract, ContractMove, Dealing, Event, Friend,
    FriendCall, HandResult, HeardCall, Illegal, JokerChoice, JokerWorth, Led, Move, Next, Phase,
    Play, PlayedCard, Round, Rules, Score, Seat, Stage, Standing, Suit, Trick, Tricks, Trump, View,
    Void, VoidReason, WinningBid, Won,
};

use crate::v1;

/// All that a viewer may know, with what the match says of the hand: which it is, how often it was dealt before,
/// and the totals before it.
pub fn observation(view: &View, hand: u32, redeal: u32, totals: &BySeat<Score>) -> v1::Observation {
    let View { public, private } = view;
    let tricks = public.tricks();
    let shown = tricks.and_then(|tricks| tricks.buried);
    let own_kitty = private.map_or(CardSet::EMPTY, |private| private.kitty);
    let own_buried = private.map_or(CardSet::EMPTY, |private| private.buried);
    let own_marked = private.and_then(|private| private.marked);
    let (buried, marked) = shown.unwrap_or((own_buried, own_marked));
    let (result, hand_void) = match &public.phase {
        Phase::Scored(_, result) => (Some((*result).into()), None),
        Phase::Void(void) => (None, Some((*void).into())),
        Phase::Auction
        | Phase::Exchange(_)
        | Phase::Contract(_)
        | Phase::FriendCall(..)
        | Phase::Play(_) => (None, None),
    };
    v1::Observation {
        seat: private.map(|private| seat(private.seat)),
        hand: Some(Dealing { hand, redeal, setup: public.setup }.into()),
        stage: stage(public.stage()).into(),
        to_act: public.to_act().map(seat),
        cards: cards(private.map_or(CardSet::EMPTY, |private| private.cards)),
        cards_held: public.cards_held().map(u32::from).0.into(),
        round: v1::AuctionRound::from(public.auction.round).into(),
        calls: public.auction.calls.iter().map(|(seat, call)| auction_call(*seat, *call)).collect(),
        standing: public.auction.standing.map(Into::into),
        won: public.won().map(|won| (*won).into()),
        kitty: cards(public.won().and_then(|won| won.kitty).unwrap_or(own_kitty)),
        buried: cards(buried),
        marked: card_or_none(marked),
        contract: public.contract().map(|contract| (*contract).into()),
        friend_call: tricks.map(|tricks| tricks.call.into()),
        friend: Some(friend_knowledge(view)),
        tricks: tricks.map_or(Vec::new(), all_tricks),
        captured_points: tricks.map_or(Vec::new(), |tricks| {
            tricks.captured.map(|cards| u32::from(cards.points())).0.into()
        }),
        result,
        hand_void,
        totals_half_points: half_points(totals),
        asked_to_keep: private.is_some_and(|private| private.asked_to_keep),
        auction_opened: private.is_some_and(|private| private.auction_opened),
    }
}

/// An event, with its number among those of its viewer.
pub fn event(sequence: u64, event: Event) -> v1::Event {
    v1::Event { sequence, kind: Some(event.into()) }
}

/// Scores in half points, five values.
pub fn half_points(scores: &BySeat<Score>) -> Vec<i64> {
    scores.map(Score::in_halves).0.into()
}

/// Cards in the order of their index, as a repeated field holds them.
pub fn cards(cards: CardSet) -> Vec<i32> {
    cards.iter().map(|card| v1::Card::from(card).into()).collect()
}

/// A seat as a field holds it, 0 to 4.
pub fn seat(seat: Seat) -> u32 {
    seat.number() as u32
}

fn card(card: Card) -> i32 {
    v1::Card::from(card).into()
}

fn card_or_none(card: Option<Card>) -> i32 {
    card.map_or(v1::Card::Unspecified, v1::Card::from).into()
}

fn suit(suit: Suit) -> i32 {
    v1::Suit::from(suit).into()
}

fn suit_or_none(suit: Option<Suit>) -> i32 {
    suit.map_or(v1::Suit::Unspecified, v1::Suit::from).into()
}

impl From<Card> for v1::Card {
    fn from(card: Card) -> v1::Card {
        v1::Card::try_from(i32::from(card.index()) + 1)
            .expect("the wire numbers the 53 cards as the rules do, from 1")
    }
}

impl From<Suit> for v1::Suit {
    fn from(suit: Suit) -> v1::Suit {
        match suit {
            Suit::Spades => v1::Suit::Spades,
            Suit::Clubs => v1::Suit::Clubs,
            Suit::Diamonds => v1::Suit::Diamonds,
            Suit::Hearts => v1::Suit::Hearts,
        }
    }
}

impl From<Trump> for v1::Trump {
    fn from(trump: Trump) -> v1::Trump {
        match trump {
            Trump::Suit(Suit::Spades) => v1::Trump::Spades,
            Trump::Suit(Suit::Clubs) => v1::Trump::Clubs,
            Trump::Suit(Suit::Diamonds) => v1::Trump::Diamonds,
            Trump::Suit(Suit::Hearts) => v1::Trump::Hearts,
            Trump::NoTrump => v1::Trump::NoTrump,
        }
    }
}

impl From<mighty_rules::Bid> for v1::Bid {
    fn from(bid: mighty_rules::Bid) -> v1::Bid {
        v1::Bid { points: bid.points.into(), trump: v1::Trump::from(bid.trump).into() }
    }
}

impl From<Move> for v1::Move {
    fn from(made: Move) -> v1::Move {
        use v1::r#move::Kind;
        let kind = match made {
            Move::ThrowIn => Kind::ThrowIn(v1::ThrowIn {}),
            Move::Keep => Kind::Keep(v1::Keep {}),
            Move::Pass => Kind::Passing(v1::Pass {}),
            Move::Bid(bid) => Kind::Bid(bid.into()),
            Move::Bury(burial) => Kind::Bury(v1::Bury { cards: cards(burial.cards()) }),
            Move::FixContract(fix) => Kind::FixContract(fix.into()),
            Move::CallFriend(call) => Kind::CallFriend(call.into()),
            Move::Play(play) => Kind::Play(play.into()),
        };
        v1::Move { kind: Some(kind) }
    }
}

impl From<ContractMove> for v1::FixContract {
    fn from(fix: ContractMove) -> v1::FixContract {
        v1::FixContract { bid: Some(fix.bid.into()), calling_card: card_or_none(fix.calling_card) }
    }
}

impl From<FriendCall> for v1::CallFriend {
    fn from(call: FriendCall) -> v1::CallFriend {
        match call {
            FriendCall::Kitty(marked) => kitty_call(Some(marked)),
            FriendCall::Card { .. } | FriendCall::FirstTrick | FriendCall::Nobody => {
                call.heard().into()
            }
        }
    }
}

impl From<HeardCall> for v1::CallFriend {
    fn from(call: HeardCall) -> v1::CallFriend {
        use v1::call_friend::Kind;
        let kind = match call {
            HeardCall::Card { card: called, lead_request } => Kind::Card(v1::CallCard {
                card: card(called),
                lead_request: suit_or_none(lead_request),
            }),
            HeardCall::FirstTrick => Kind::FirstTrick(v1::CallFirstTrick {}),
            HeardCall::Nobody => Kind::Nobody(v1::CallNobody {}),
            HeardCall::Kitty => return kitty_call(None),
        };
        v1::CallFriend { kind: Some(kind) }
    }
}

fn kitty_call(marked: Option<Card>) -> v1::CallFriend {
    let kitty = v1::CallKitty { card: card_or_none(marked) };
    v1::CallFriend { kind: Some(v1::call_friend::Kind::Kitty(kitty)) }
}

impl From<Play> for v1::Play {
    fn from(play: Play) -> v1::Play {
        use v1::play::Says;
        let (says, named_suit) = match play.card {
            PlayedCard::Plain(_) => (Says::Unspecified, None),
            PlayedCard::Calling(_) => (Says::CallsJoker, None),
            PlayedCard::JokerNaming(suit) => (Says::NamesSuit, Some(suit)),
            PlayedCard::JokerNamingNone => (Says::NamesNone, None),
        };
        v1::Play {
            card: card(play.card.card()),
            says: says.into(),
            named_suit: suit_or_none(named_suit),
            reveals: play.reveals,
        }
    }
}

impl From<Choices> for v1::Choices {
    fn from(choices: Choices) -> v1::Choices {
        use v1::choices::Kind;
        let count = u32::try_from(choices.count()).expect("there are some thousand moves at most");
        let kind = match choices {
            Choices::WeakHand => Kind::WeakHand(v1::WeakHandChoices {}),
            Choices::Call(call) => Kind::Call(v1::CallChoices {
                bids: bid_ranges(&call.points).collect(),
                may_pass: call.may_pass,
                may_throw_in: call.may_throw_in,
            }),
            Choices::Bury { from } => Kind::Bury(v1::BuryChoices { cards: cards(from) }),
            Choices::Contract(contracts) => Kind::Contract(v1::ContractChoices {
                contracts: Trump::ALL
                    .into_iter()
                    .filter_map(|trump| {
                        let range = bid_range(trump, contracts.range(trump)?);
                        let calling_cards = cards(contracts.calling_cards(trump));
                        Some(v1::ContractRange { range: Some(range), calling_cards })
                    })
                    .collect(),
            }),
            Choices::FriendCall(friends) => Kind::Friend(v1::FriendChoices {
                card: friends.card,
                lead_request: friends.lead_request,
                first_trick: friends.first_trick,
                nobody: friends.nobody,
                kitty: cards(friends.kitty),
            }),
            Choices::Play(plays) => {
                let (suits, may_name_none): (&[Suit], bool) = match plays.joker {
                    JokerChoice::NamesNothing => (&[], false),
                    JokerChoice::NamesSuit => (&Suit::ALL, false),
                    JokerChoice::NamesSuitOrNone => (&Suit::ALL, true),
                };
                Kind::Play(v1::PlayChoices {
                    cards: cards(plays.cards),
                    joker_suits: suits.iter().map(|named| suit(*named)).collect(),
                    joker_may_name_none: may_name_none,
                    calling_card: card_or_none(plays.calling),
                    may_reveal: plays.may_reveal,
                })
            }
        };
        v1::Choices { kind: Some(kind), count }
    }
}

fn bid_ranges(points: &[Option<(u8, u8)>; 5]) -> impl Iterator<Item = v1::BidRange> {
    Trump::ALL
        .into_iter()
        .zip(points)
        .filter_map(|(trump, points)| Some(bid_range(trump, (*points)?)))
}

fn bid_range(trump: Trump, (from, to): (u8, u8)) -> v1::BidRange {
    v1::BidRange {
        trump: v1::Trump::from(trump).into(),
        from_points: from.into(),
        to_points: to.into(),
    }
}

impl From<Dealing> for v1::HandStarted {
    fn from(dealing: Dealing) -> v1::HandStarted {
        let Dealing { hand, redeal, setup } = dealing;
        v1::HandStarted {
            hand,
            redeal,
            dealer: seat(setup.dealer),
            first_bidder: seat(setup.first_bidder),
            pot: setup.pot,
        }
    }
}

impl From<Next> for v1::hand_ended::Next {
    fn from(next: Next) -> v1::hand_ended::Next {
        match next {
            Next::Redeal => v1::hand_ended::Next::Redeal,
            Next::Hand { given_up: false } => v1::hand_ended::Next::Hand,
            Next::Hand { given_up: true } => v1::hand_ended::Next::HandAfterGivingUp,
            Next::Over { .. } => v1::hand_ended::Next::Over,
        }
    }
}

impl From<Event> for v1::event::Kind {
    fn from(event: Event) -> v1::event::Kind {
        use v1::event::Kind;
        match event {
            Event::Dealt { seat: whose, cards: dealt } => {
                Kind::Dealt(v1::Dealt { seat: seat(whose), cards: cards(dealt) })
            }
            Event::AskedToKeep { seat: who } => {
                Kind::AskedToKeep(v1::AskedToKeep { seat: seat(who) })
            }
            Event::Kept { seat: who } => Kind::Kept(v1::Kept { seat: seat(who) }),
            Event::AuctionOpened => Kind::AuctionOpened(v1::AuctionOpened {}),
            Event::Passed { seat: who } => Kind::Passed(v1::Passed { seat: seat(who) }),
            Event::BidMade { seat: who, bid } => {
                Kind::BidMade(v1::BidMade { seat: seat(who), bid: Some(bid.into()) })
            }
            Event::AuctionAgain { round } => {
                Kind::AuctionAgain(v1::AuctionAgain { round: v1::AuctionRound::from(round).into() })
            }
            Event::AuctionWon { declarer, with } => Kind::AuctionWon(auction_won(declarer, with)),
            Event::KittyShown { cards: kitty } => {
                Kind::KittyShown(v1::KittyShown { cards: cards(kitty) })
            }
            Event::KittyTaken { cards: kitty } => {
                Kind::KittyTaken(v1::KittyTaken { cards: cards(kitty) })
            }
            Event::Buried => Kind::Buried(v1::Buried {}),
            Event::BuriedCards { cards: buried } => {
                Kind::BuriedCards(v1::BuriedCards { cards: cards(buried) })
            }
            Event::ContractFixed { contract } => {
                Kind::ContractFixed(v1::ContractFixed { contract: Some(contract.into()) })
            }
            Event::FriendCalled { call } => {
                Kind::FriendCalled(v1::FriendCalled { call: Some(call.into()) })
            }
            Event::KittyMarked { card: marked } => {
                Kind::KittyMarked(v1::KittyMarked { card: card(marked) })
            }
            Event::FriendTold { friend } => {
                Kind::FriendTold(v1::FriendTold { friend: friend.map(seat) })
            }
            Event::FriendRevealed { friend } => {
                Kind::FriendRevealed(v1::FriendRevealed { friend: friend.map(seat) })
            }
            Event::CardPlayed { seat: who, card, calls_joker } => {
                Kind::CardPlayed(v1::CardPlayed {
                    seat: seat(who),
                    play: Some(Play::from(card).into()),
                    calls_joker,
                })
            }
            Event::TrickTaken { winner, points } => {
                Kind::TrickTaken(v1::TrickTaken { winner: seat(winner), points: points.into() })
            }
            Event::BuriedShown { cards: buried, marked } => Kind::BuriedShown(v1::BuriedShown {
                cards: cards(buried),
                marked: card_or_none(marked),
            }),
            Event::HandScored { result } => {
                Kind::HandScored(v1::HandScored { result: Some(result.into()) })
            }
            Event::HandVoid { void } => Kind::HandVoid(void.into()),
        }
    }
}

impl From<Round> for v1::AuctionRound {
    fn from(round: Round) -> v1::AuctionRound {
        match round {
            Round::First => v1::AuctionRound::First,
            Round::Second => v1::AuctionRound::Second,
            Round::Lowered => v1::AuctionRound::Lowered,
        }
    }
}

fn auction_won(declarer: Seat, with: WinningBid) -> v1::AuctionWon {
    use v1::auction_won::WonWith;
    let won_with = match with {
        WinningBid::Bid(bid) => WonWith::Bid(bid.into()),
        WinningBid::DealerDeclares { points } => WonWith::DealerDeclaresPoints(points.into()),
    };
    v1::AuctionWon { declarer: seat(declarer), won_with: Some(won_with) }
}

impl From<Won> for v1::AuctionWon {
    fn from(won: Won) -> v1::AuctionWon {
        auction_won(won.declarer, won.with)
    }
}

impl From<Contract> for v1::Contract {
    fn from(contract: Contract) -> v1::Contract {
        v1::Contract {
            bid: Some(contract.bid.into()),
            mighty: card(contract.mighty),
            calling_card: card(contract.calling_card),
        }
    }
}

impl From<HandResult> for v1::HandResult {
    fn from(result: HandResult) -> v1::HandResult {
        v1::HandResult {
            declarer: seat(result.declarer),
            friend: result.friend.map(seat),
            contract: Some(result.contract.into()),
            taken: result.taken.into(),
            made: result.made,
            factor: u32::try_from(result.factor).expect("a few doubles make at most 32"),
            scores_half_points: half_points(&result.scores),
            pot: result.pot,
            next_dealer: seat(result.next_dealer),
        }
    }
}

impl From<Void> for v1::HandVoid {
    fn from(void: Void) -> v1::HandVoid {
        use v1::hand_void::Why;
        let why = match void.why {
            VoidReason::DealMiss { seat: who, cards: shown } => {
                Why::DealMiss(v1::DealMiss { seat: seat(who), cards: cards(shown) })
            }
            VoidReason::AllPassed => Why::AllPassed(v1::AllPassed {}),
        };
        v1::HandVoid { next_dealer: seat(void.next_dealer), why: Some(why) }
    }
}

fn stage(stage: Option<Stage>) -> v1::observation::Stage {
    match stage {
        Some(Stage::WeakHand | Stage::Auction) => v1::observation::Stage::Auction,
        Some(Stage::Exchange) => v1::observation::Stage::Exchange,
        Some(Stage::Contract) => v1::observation::Stage::Contract,
        Some(Stage::FriendCall) => v1::observation::Stage::FriendCall,
        Some(Stage::Play) => v1::observation::Stage::Play,
        None => v1::observation::Stage::Over,
    }
}

fn auction_call(who: Seat, call: Call) -> v1::AuctionCall {
    let bid = match call {
        Call::Pass => None,
        Call::Bid(bid) => Some(bid.into()),
    };
    v1::AuctionCall { seat: seat(who), bid }
}

impl From<Standing> for v1::StandingBid {
    fn from(standing: Standing) -> v1::StandingBid {
        v1::StandingBid { seat: seat(standing.seat), bid: Some(standing.bid.into()) }
    }
}

fn friend_knowledge(view: &View) -> v1::FriendKnowledge {
    use v1::friend_knowledge::State;
    let (state, who) = match view.friend() {
        Friend::Hidden => (State::Hidden, None),
        Friend::Seat(friend) => (State::Known, Some(seat(friend))),
        Friend::Nobody => (State::Nobody, None),
    };
    let is_public = view.public.tricks().is_some_and(|tricks| tricks.friend != Friend::Hidden);
    v1::FriendKnowledge { state: state.into(), seat: who, is_public }
}

/// The complete tricks, and the open one while there is one.
fn all_tricks(tricks: &Tricks) -> Vec<v1::Trick> {
    let open = tricks.taken.len() < usize::from(tricks.trick.number);
    let complete = tricks.taken.iter().map(|(trick, winner)| one_trick(trick, Some(*winner)));
    complete.chain(open.then(|| one_trick(&tricks.trick, None))).collect()
}

fn one_trick(trick: &Trick, winner: Option<Seat>) -> v1::Trick {
    let said = trick.joker_named.map(|named| v1::Play::from(Play::from(named)));
    v1::Trick {
        number: trick.number.into(),
        leader: seat(trick.leader),
        cards: trick.played().iter().map(|played| card(*played)).collect(),
        joker_says: said.map_or(v1::play::Says::Unspecified.into(), |play| play.says),
        joker_suit: said.map_or(v1::Suit::Unspecified.into(), |play| play.named_suit),
        joker_called: trick.joker_called,
        led_suit: suit_or_none(match trick.led {
            Led::Suit(suit) => Some(suit),
            Led::Nothing | Led::Anything => None,
        }),
        winner: winner.map(seat),
        joker_has_power: trick.joker == JokerWorth::Power,
    }
}

impl From<&Rules> for v1::Rules {
    fn from(rules: &Rules) -> v1::Rules {
        let overrides: HashMap<String, String> = rules
            .overrides()
            .iter()
            .map(|(path, value)| (path.clone(), value.to_string()))
            .collect();
        v1::Rules {
            profile: rules.profile().name().to_owned(),
            overrides,
            json: rules.json().to_owned(),
            hash: rules.hash().to_owned(),
        }
    }
}

impl From<&Illegal> for v1::RefusalReason {
    fn from(why: &Illegal) -> v1::RefusalReason {
        use v1::RefusalReason as Reason;
        match why {
            Illegal::HandOver => Reason::HandOver,
            Illegal::NotYourTurn => Reason::NotYourTurn,
            Illegal::Unreadable(_) => Reason::Unreadable,
            Illegal::WrongStage { .. } => Reason::WrongStage,
            Illegal::BidTooHigh { .. } => Reason::BidTooHigh,
            Illegal::BidTooLow { .. } => Reason::BidTooLow,
            Illegal::TrumpCannotBeat => Reason::TrumpCannotBeat,
            Illegal::OnlyLoweredBid { .. } => Reason::OnlyLoweredBid,
            Illegal::DealerMustOpen { .. } => Reason::DealerMustOpen,
            Illegal::MayNotThrowIn => Reason::MayNotThrowIn,
            Illegal::BuriedNotHeld { .. } => Reason::BuriedNotHeld,
            Illegal::TrumpNotToBeHad { .. } => Reason::TrumpNotToBeHad,
            Illegal::ContractTooLow { .. } => Reason::ContractTooLow,
            Illegal::ContractTooHigh { .. } => Reason::ContractTooHigh,
            Illegal::CallingCardMissing => Reason::CallingCardMissing,
            Illegal::CallingCardNotDeclared => Reason::CallingCardNotDeclared,
            Illegal::CallingCardForbidden { .. } => Reason::CallingCardForbidden,
            Illegal::FriendKindNotAllowed { .. } => Reason::FriendKindNotAllowed,
            Illegal::LeadRequestNotAllowed => Reason::LeadRequestNotAllowed,
            Illegal::MarkedNotBuried { .. } => Reason::MarkedNotBuried,
            Illegal::CardNotHeld { .. } => Reason::CardNotHeld,
            Illegal::JokerForbidden => Reason::JokerForbidden,
            Illegal::JokerIsCalled { .. } => Reason::JokerIsCalled,
            Illegal::MustFollow { .. } => Reason::MustFollow,
            Illegal::FirstLeadForbidden { .. } => Reason::FirstLeadForbidden,
            Illegal::JokerMustName => Reason::JokerMustName,
            Illegal::JokerMustNameASuit => Reason::JokerMustNameASuit,
            Illegal::JokerNamesNothing => Reason::JokerNamesNothing,
            Illegal::NoJokerCall => Reason::NoJokerCall,
            Illegal::NothingToReveal => Reason::NothingToReveal,
        }
    }
}
