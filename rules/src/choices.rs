//! What a seat may do: offered once, from what the seat may know, to servers and to bots alike.

use crate::bid::{Bid, Trump};
use crate::card::{Card, CardSet, Suit};
use crate::contract::{Contract, ContractChoices};
use crate::moves::{Burial, FriendCall, Move, Play, PlayedCard, Stage};
use crate::rules::{FriendKind, JokerCallStyle, MissTiming, Rules};
use crate::view::{Friend, Phase, Private, Public, Tricks};

/// All that a seat may do now. A move is accepted exactly when it is among them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choices {
    /// Keep the weak hand, or throw it in.
    WeakHand,
    /// Speak in the auction.
    Call(CallChoices),
    /// Bury any three of these cards.
    Bury {
        /// The thirteen cards.
        from: CardSet,
    },
    /// Fix the contract.
    Contract(ContractChoices),
    /// Call the friend.
    FriendCall(FriendChoices),
    /// Play a card.
    Play(PlayChoices),
}

/// What may be said in the auction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallChoices {
    /// For each trump, in the order of [`Trump::ALL`], the points from and to which it may be bid.
    pub points: [Option<(u8, u8)>; 5],
    /// Whether the seat may pass.
    pub may_pass: bool,
    /// Whether it may throw in its weak hand instead.
    pub may_throw_in: bool,
}

/// What may be called as friend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FriendChoices {
    /// Whether a card may be called: any of the 53.
    pub card: bool,
    /// Whether the call of a card may ask for a lead.
    pub lead_request: bool,
    /// Whether the winner of the first trick may be called.
    pub first_trick: bool,
    /// Whether nobody may be called.
    pub nobody: bool,
    /// The buried cards that may be marked; none where that is not allowed.
    pub kitty: CardSet,
}

/// What may be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayChoices {
    /// The cards that may be played. A joker among them may have to name something.
    pub cards: CardSet,
    /// What the joker says when it is played.
    pub joker: JokerChoice,
    /// The card that may also be led as a call of the joker (`3C!`), where calling is optional.
    pub calling: Option<Card>,
    /// Whether the seat may reveal itself as the friend with its play.
    pub may_reveal: bool,
}

/// What a joker says when it is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JokerChoice {
    /// Nothing: `JK`.
    NamesNothing,
    /// A suit: `JK/H`.
    NamesSuit,
    /// A suit, or none: `JK/H`, `JK/-`.
    NamesSuitOrNone,
}

impl JokerChoice {
    /// How a joker may be played under this choice.
    pub fn plays(self) -> &'static [PlayedCard] {
        const PLAIN: [PlayedCard; 1] = [PlayedCard::Plain(Card::JOKER)];
        const NAMING: [PlayedCard; 5] = [
            PlayedCard::JokerNaming(Suit::Spades),
            PlayedCard::JokerNaming(Suit::Clubs),
            PlayedCard::JokerNaming(Suit::Diamonds),
            PlayedCard::JokerNaming(Suit::Hearts),
            PlayedCard::JokerNamingNone,
        ];
        match self {
            JokerChoice::NamesNothing => &PLAIN,
            JokerChoice::NamesSuit => &NAMING[..4],
            JokerChoice::NamesSuitOrNone => &NAMING,
        }
    }
}

impl Choices {
    /// What this seat may do, from what all know and what it alone knows; `None` while it is not its turn.
    // Always inlined, as is its case of a play: built where they are used, the choices need not be copied.
    #[inline(always)]
    pub fn of(public: &Public, private: &Private) -> Option<Choices> {
        if private.asked_to_keep {
            return Some(Choices::WeakHand);
        }
        if public.to_act() != Some(private.seat) {
            return None;
        }
        Some(match &public.phase {
            Phase::Auction => Choices::Call(CallChoices::of(public, private)?),
            Phase::Exchange(_) => Choices::Bury { from: private.cards },
            Phase::Contract(won) => Choices::Contract(ContractChoices::of(won.with, &public.rules)),
            Phase::FriendCall(_, contract) => {
                Choices::FriendCall(FriendChoices::of(contract, private, &public.rules))
            }
            Phase::Play(tricks) => Choices::Play(PlayChoices::of(tricks, private, &public.rules)),
            Phase::Scored(..) | Phase::Void(_) => return None,
        })
    }

    /// The stage whose moves these are.
    pub fn stage(&self) -> Stage {
        match self {
            Choices::WeakHand => Stage::WeakHand,
            Choices::Call(_) => Stage::Auction,
            Choices::Bury { .. } => Stage::Exchange,
            Choices::Contract(_) => Stage::Contract,
            Choices::FriendCall(_) => Stage::FriendCall,
            Choices::Play(_) => Stage::Play,
        }
    }

    /// Whether this move is among them.
    #[inline]
    pub fn contains(&self, wanted: &Move) -> bool {
        match (self, wanted) {
            (Choices::WeakHand, Move::Keep | Move::ThrowIn) => true,
            (Choices::Call(call), Move::Pass) => call.may_pass,
            (Choices::Call(call), Move::ThrowIn) => call.may_throw_in,
            (Choices::Call(call), Move::Bid(bid)) => call.points[bid.trump.index()]
                .is_some_and(|(low, high)| (low..=high).contains(&bid.points)),
            (Choices::Bury { from }, Move::Bury(burial)) => burial.cards().is_subset_of(*from),
            (Choices::Contract(contracts), Move::FixContract(fix)) => contracts.contains(*fix),
            (Choices::FriendCall(friends), Move::CallFriend(call)) => friends.contains(*call),
            (Choices::Play(plays), Move::Play(play)) => plays.contains(*play),
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
            ) => false,
        }
    }

    /// How many moves there are: a play with and without `!`, and each suit that the joker may name, count apart;
    /// revealing oneself does not.
    #[inline]
    pub fn count(&self) -> usize {
        match self {
            Choices::WeakHand => 2,
            Choices::Call(call) => {
                call.bid_count() + usize::from(call.may_pass) + usize::from(call.may_throw_in)
            }
            Choices::Bury { from } => {
                let cards = from.len();
                cards * cards.saturating_sub(1) * cards.saturating_sub(2) / 6
            }
            Choices::Contract(contracts) => contracts.count(),
            Choices::FriendCall(friends) => friends.calls().count(),
            Choices::Play(plays) => plays.count(),
        }
    }

    /// The moves, each counted by [`Choices::count`] once, in a fixed order.
    pub fn moves(&self) -> Vec<Move> {
        match self {
            Choices::WeakHand => vec![Move::Keep, Move::ThrowIn],
            Choices::Call(call) => call.moves().collect(),
            Choices::Bury { from } => triples(*from).map(Move::Bury).collect(),
            Choices::Contract(contracts) => contracts.moves().map(Move::FixContract).collect(),
            Choices::FriendCall(friends) => friends.calls().map(Move::CallFriend).collect(),
            Choices::Play(plays) => plays.plays().map(|play| Move::Play(play.into())).collect(),
        }
    }

    /// The move at this place, counted from 0, in an order of its own: what a random player draws.
    #[inline]
    pub fn nth(&self, place: usize) -> Option<Move> {
        match self {
            Choices::WeakHand => [Move::Keep, Move::ThrowIn].get(place).copied(),
            Choices::Call(call) => call.moves().nth(place),
            Choices::Bury { from } => triples(*from).nth(place).map(Move::Bury),
            Choices::Contract(contracts) => contracts.moves().nth(place).map(Move::FixContract),
            Choices::FriendCall(friends) => friends.calls().nth(place).map(Move::CallFriend),
            Choices::Play(plays) => plays.nth(place).map(|play| Move::Play(play.into())),
        }
    }
}

impl CallChoices {
    fn of(public: &Public, private: &Private) -> Option<CallChoices> {
        let Public { rules, setup, auction, .. } = public;
        if private.seat == setup.first_bidder && !private.auction_opened {
            return None;
        }
        let timing = rules.deal.miss.as_ref().map(|miss| miss.timing);
        Some(CallChoices {
            points: Trump::ALL.map(|trump| auction.range(trump, rules)),
            may_pass: auction.may_pass(private.seat, setup.dealer, rules),
            may_throw_in: timing == Some(MissTiming::FirstTurn)
                && private.is_weak
                && auction.is_first_call_of(private.seat),
        })
    }

    fn bid_count(&self) -> usize {
        self.points.iter().flatten().map(|(low, high)| usize::from(high - low) + 1).sum()
    }

    /// Every bid that may be made.
    pub fn bids(&self) -> impl Iterator<Item = Bid> + '_ {
        Trump::ALL.into_iter().flat_map(|trump| {
            let (low, high) = self.points[trump.index()].unwrap_or((1, 0));
            (low..=high).map(move |points| Bid { points, trump })
        })
    }

    fn moves(&self) -> impl Iterator<Item = Move> + '_ {
        let pass = self.may_pass.then_some(Move::Pass);
        let throw_in = self.may_throw_in.then_some(Move::ThrowIn);
        pass.into_iter().chain(throw_in).chain(self.bids().map(Move::Bid))
    }
}

fn triples(from: CardSet) -> impl Iterator<Item = Burial> {
    let above = move |card: Card| from.iter().filter(move |other| *other > card);
    from.iter()
        .flat_map(move |first| above(first).map(move |second| (first, second)))
        .flat_map(move |(first, second)| {
            above(second).map(move |third| CardSet::only(first).with(second).with(third))
        })
        .filter_map(Burial::new)
}

impl FriendChoices {
    fn of(contract: &Contract, private: &Private, rules: &Rules) -> FriendChoices {
        let highest = Bid { points: Bid::MOST_POINTS, trump: Trump::NoTrump };
        let kitty = rules.allows_friend(FriendKind::Kitty);
        FriendChoices {
            card: rules.allows_friend(FriendKind::Card),
            lead_request: rules.friend.lead_request && contract.bid == highest,
            first_trick: rules.allows_friend(FriendKind::FirstTrick),
            nobody: rules.allows_friend(FriendKind::None),
            kitty: if kitty { private.buried } else { CardSet::EMPTY },
        }
    }

    fn contains(&self, call: FriendCall) -> bool {
        match call {
            FriendCall::Card { lead_request: None, .. } => self.card,
            FriendCall::Card { lead_request: Some(_), .. } => self.card && self.lead_request,
            FriendCall::FirstTrick => self.first_trick,
            FriendCall::Nobody => self.nobody,
            FriendCall::Kitty(card) => self.kitty.contains(card),
        }
    }

    /// Every call that may be made.
    pub fn calls(&self) -> impl Iterator<Item = FriendCall> + '_ {
        let cards = if self.card { CardSet::FULL } else { CardSet::EMPTY };
        let requests: &[Option<Suit>] = if self.lead_request {
            &[None, Some(Suit::Spades), Some(Suit::Clubs), Some(Suit::Diamonds), Some(Suit::Hearts)]
        } else {
            &[None]
        };
        let cards = cards.iter().flat_map(move |card| {
            requests.iter().map(move |&lead_request| FriendCall::Card { card, lead_request })
        });
        let first_trick = self.first_trick.then_some(FriendCall::FirstTrick);
        let nobody = self.nobody.then_some(FriendCall::Nobody);
        cards.chain(first_trick).chain(nobody).chain(self.kitty.iter().map(FriendCall::Kitty))
    }
}

impl PlayChoices {
    #[inline(always)]
    fn of(tricks: &Tricks, private: &Private, rules: &Rules) -> PlayChoices {
        let trick = &tricks.trick;
        let cards = trick.playable(private.cards, &tricks.contract, rules);
        let joker = if !trick.led_joker_names() {
            JokerChoice::NamesNothing
        } else if trick.led_joker_may_name_none(rules) {
            JokerChoice::NamesSuitOrNone
        } else {
            JokerChoice::NamesSuit
        };
        let calling_card = tricks.contract.calling_card;
        let may_call = rules.play.joker_call.style == JokerCallStyle::OptionalOnLead
            && cards.contains(calling_card)
            && !private.cards.contains(Card::JOKER)
            && trick.lead_may_call(tricks.joker_fell(), rules);
        let may_reveal = rules.friend.may_reveal
            && tricks.friend == Friend::Hidden
            && private.friend == Friend::Seat(private.seat);
        PlayChoices { cards, joker, calling: may_call.then_some(calling_card), may_reveal }
    }

    #[inline]
    fn contains(&self, play: Play) -> bool {
        let card_is_offered = match play.card {
            PlayedCard::Plain(Card::JOKER)
            | PlayedCard::JokerNaming(_)
            | PlayedCard::JokerNamingNone => {
                self.cards.contains(Card::JOKER) && self.joker.plays().contains(&play.card)
            }
            PlayedCard::Plain(card) => self.cards.contains(card),
            PlayedCard::Calling(card) => self.calling == Some(card),
        };
        card_is_offered && (self.may_reveal || !play.reveals)
    }

    fn joker_plays(&self) -> &'static [PlayedCard] {
        if self.cards.contains(Card::JOKER) { self.joker.plays() } else { &[] }
    }

    fn count(&self) -> usize {
        let plain = self.cards.without(Card::JOKER).len();
        plain + self.joker_plays().len() + usize::from(self.calling.is_some())
    }

    /// Every play that may be made, without revealing oneself.
    pub fn plays(&self) -> impl Iterator<Item = PlayedCard> + '_ {
        let plain = self.cards.without(Card::JOKER).iter().map(PlayedCard::Plain);
        let joker = self.joker_plays().iter().copied();
        plain.chain(joker).chain(self.calling.map(PlayedCard::Calling))
    }

    #[inline]
    fn nth(&self, place: usize) -> Option<PlayedCard> {
        let plain = self.cards.without(Card::JOKER);
        if place < plain.len() {
            return plain.nth(place).map(PlayedCard::Plain);
        }
        let joker = self.joker_plays();
        match joker.get(place - plain.len()) {
            Some(play) => Some(*play),
            None if place == plain.len() + joker.len() => self.calling.map(PlayedCard::Calling),
            None => None,
        }
    }
}
