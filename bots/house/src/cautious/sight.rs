//! What a seat makes of the play so far: who is with it, who is out of which suit, where a card may lie.

use mighty_rules::{
    BySeat, Card, CardSet, Contract, Friend, HeardCall, Led, PlayedCard, Private, Rules, Seat,
    Suit, Trick, Tricks, Trump, View,
};

/// A friend that the declarer looks for.
const ONE_OF_FOUR: f64 = 0.25;
/// A friend that a defender looks for.
const ONE_OF_THREE: f64 = 0.33;
/// A card of the kitty that all saw: how likely the declarer kept it.
const NOT_BURIED: f64 = 0.7;
/// How much likelier than others the declarer, who bid on them, holds trumps, Mighty and joker.
const DECLARERS_SHARE: f64 = 1.6;

/// The play as one seat sees it.
pub(super) struct Sight<'a> {
    pub(super) rules: &'a Rules,
    pub(super) tricks: &'a Tricks,
    pub(super) own: &'a Private,
    /// Cards that neither fell nor lie before this seat: others hold them, or they are buried.
    pub(super) unseen: CardSet,
    /// How surely each seat is on the side of this one, 0 to 1.
    pub(super) trust: BySeat<f64>,
    /// How many cards each seat holds.
    held: BySeat<u8>,
    /// The cards that each seat cannot hold: it did not follow their suit.
    lacks: BySeat<CardSet>,
    /// The called card, while it is neither in this hand nor has fallen.
    hidden_call: Option<Card>,
}

impl<'a> Sight<'a> {
    pub(super) fn of(view: &'a View, own: &'a Private) -> Option<Sight<'a>> {
        let tricks = view.public.tricks()?;
        let unseen = CardSet::FULL.minus(own.cards).minus(own.buried).minus(tricks.fallen);
        let hidden_call = match tricks.call {
            HeardCall::Card { card, .. } => Some(card).filter(|card| unseen.contains(*card)),
            HeardCall::FirstTrick | HeardCall::Nobody | HeardCall::Kitty => None,
        };
        Some(Sight {
            rules: view.rules(),
            tricks,
            own,
            unseen,
            trust: trust(tricks, own.seat, view.friend()),
            held: view.public.cards_held(),
            lacks: lacks(tricks),
            hidden_call,
        })
    }

    pub(super) fn contract(&self) -> &Contract {
        &self.tricks.contract
    }

    pub(super) fn is_no_trump(&self) -> bool {
        self.contract().bid.trump == Trump::NoTrump
    }

    pub(super) fn is_trump_suit(&self, suit: Suit) -> bool {
        self.contract().bid.trump == Trump::Suit(suit)
    }

    /// The trumps, without a Mighty of their suit.
    pub(super) fn trumps(&self) -> CardSet {
        self.contract().bid.trump.cards().without(self.contract().mighty)
    }

    /// Mighty and joker.
    pub(super) fn masters(&self) -> CardSet {
        CardSet::JOKER.with(self.contract().mighty)
    }

    pub(super) fn is_declarer(&self) -> bool {
        self.own.seat == self.tricks.won.declarer
    }

    /// Whether this card is played as a call of the joker.
    pub(super) fn calls_joker(&self, play: PlayedCard) -> bool {
        let fell = self.tricks.joker_fell();
        self.tricks.trick.calls_joker(play, fell, self.contract(), self.rules)
    }

    /// Tricks that follow the open one.
    pub(super) fn tricks_to_come(&self) -> u8 {
        Trick::IN_A_HAND - self.tricks.trick.number
    }

    /// How many points a trick is worth on average from now on.
    pub(super) fn points_a_trick(&self) -> f64 {
        let points = self.unseen.or(self.own.cards).or(self.tricks.trick.cards()).points();
        f64::from(points) / f64::from(self.tricks_to_come() + 1)
    }

    /// How likely the seat holds this card, 0 to 1.
    pub(super) fn chance_of_holding(&self, seat: Seat, card: Card) -> f64 {
        if !self.unseen.contains(card) || self.lacks[seat].contains(card) {
            return 0.0;
        }
        let declarer = self.tricks.won.declarer;
        if self.hidden_call == Some(card) {
            return match self.tricks.friend {
                Friend::Seat(friend) => f64::from(u8::from(friend == seat)),
                Friend::Hidden | Friend::Nobody if seat == declarer => 0.0,
                Friend::Hidden | Friend::Nobody if self.is_declarer() => ONE_OF_FOUR,
                Friend::Hidden | Friend::Nobody => ONE_OF_THREE,
            };
        }
        if self.tricks.won.kitty.is_some_and(|kitty| kitty.contains(card)) {
            return if seat == declarer { NOT_BURIED } else { 0.0 };
        }
        let share = f64::from(self.held[seat]) / self.unseen.len() as f64;
        let is_strong = self.trumps().or(self.masters()).contains(card);
        if seat == declarer && is_strong { (share * DECLARERS_SHARE).min(0.9) } else { share }
    }

    /// How likely the seat holds any of these cards.
    pub(super) fn chance_of_any(&self, seat: Seat, cards: CardSet) -> f64 {
        1.0 - cards.iter().map(|card| 1.0 - self.chance_of_holding(seat, card)).product::<f64>()
    }

    /// How likely the seat cannot follow the suit.
    pub(super) fn chance_of_void(&self, seat: Seat, suit: Suit) -> f64 {
        1.0 - self.chance_of_any(seat, self.unseen.suit(suit))
    }

    /// How many unseen cards of the same suit are higher.
    pub(super) fn rivals(&self, card: Card) -> usize {
        let suit = card.suit().map_or(CardSet::EMPTY, CardSet::of_suit);
        let unseen = self.unseen.and(suit).without(self.contract().mighty);
        unseen.iter().filter(|unseen| unseen.rank() > card.rank()).count()
    }
}

/// The declarer and the friend know each other's side as far as they can; a defender suspects nobody but the declarer,
/// yet knows that one of three others may be the friend.
fn trust(tricks: &Tricks, me: Seat, friend: Friend) -> BySeat<f64> {
    let declarer = tricks.won.declarer;
    let with_declarer = |seat: Seat| match friend {
        _ if seat == declarer => 1.0,
        Friend::Seat(friend) => f64::from(u8::from(seat == friend)),
        Friend::Nobody => 0.0,
        Friend::Hidden if me == declarer => ONE_OF_FOUR,
        Friend::Hidden if seat == me => 0.0,
        Friend::Hidden => ONE_OF_THREE,
    };
    let mine = with_declarer(me);
    BySeat::from_fn(|seat| {
        let theirs = with_declarer(seat);
        mine * theirs + (1.0 - mine) * (1.0 - theirs)
    })
}

/// The cards that each seat cannot hold. Not following with joker, Mighty or calling card tells nothing.
fn lacks(tricks: &Tricks) -> BySeat<CardSet> {
    let mut lacks = BySeat::default();
    let open = Some(&tricks.trick).filter(|trick| !trick.is_complete());
    for trick in tricks.taken.iter().map(|(trick, _)| trick).chain(open) {
        let Led::Suit(led) = trick.led else { continue };
        for (seat, card) in trick.plays() {
            let excused = card.is_joker()
                || card == tricks.contract.mighty
                || card == tricks.contract.calling_card;
            if card.suit() != Some(led) && !excused {
                let all = CardSet::of_suit(led).without(tricks.contract.mighty);
                lacks[seat] = all.or(lacks[seat]);
            }
        }
    }
    lacks
}
