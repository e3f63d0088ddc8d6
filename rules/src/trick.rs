//! One trick: what was led, what must be followed, and who wins.

use crate::bid::Trump;
use crate::card::{Card, CardSet, Suit};
use crate::contract::Contract;
use crate::moves::PlayedCard;
use crate::rules::{
    JokerCallEffect, JokerCallStyle, JokerFirstTrick, JokerLead, JokerPower, LeadBan, Rules,
};
use crate::seat::Seat;

/// What the others must follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Led {
    /// Nothing yet: no card lies, or a joker without power was led and the next card sets the suit.
    Nothing,
    /// This suit.
    Suit(Suit),
    /// The joker led named none: everyone plays what they like.
    Anything,
}

/// What the joker is worth in a trick.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JokerWorth {
    /// It beats all but the Mighty.
    Power,
    /// It may be played, and loses.
    Powerless,
    /// It may not be played.
    Forbidden,
}

/// One trick, complete or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trick {
    /// 1 to 10.
    pub number: u8,
    /// Who leads.
    pub leader: Seat,
    /// What the others must follow.
    pub led: Led,
    /// What the joker is worth here; a call takes its power.
    pub joker: JokerWorth,
    /// Whether the joker was called in this trick.
    pub joker_called: bool,
    /// What a joker led here named.
    pub joker_named: Option<PlayedCard>,
    played: [Card; 5],
    count: u8,
}

impl Trick {
    /// How many tricks a hand has.
    pub const IN_A_HAND: u8 = 10;

    /// A trick to which nobody has played yet.
    pub fn new(number: u8, leader: Seat, trump: Trump, rules: &Rules) -> Trick {
        Trick {
            number,
            leader,
            led: Led::Nothing,
            joker: joker_worth(number, trump, rules),
            joker_called: false,
            joker_named: None,
            played: [Card::JOKER; 5],
            count: 0,
        }
    }

    /// Whether this is the first trick of the hand.
    pub fn is_first(&self) -> bool {
        self.number == 1
    }

    /// Whether all five have played.
    pub fn is_complete(&self) -> bool {
        self.count == 5
    }

    /// Whether nobody has played yet.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The seat that plays next; in a complete trick its leader.
    pub fn to_play(&self) -> Seat {
        self.leader.after(self.count as usize)
    }

    /// The cards in the order in which they were played.
    pub fn played(&self) -> &[Card] {
        &self.played[..self.count as usize]
    }

    /// Each seat that has played with its card, in order.
    pub fn plays(&self) -> impl Iterator<Item = (Seat, Card)> + '_ {
        self.leader.round().zip(self.played().iter().copied())
    }

    /// The cards as a set.
    pub fn cards(&self) -> CardSet {
        self.played().iter().copied().collect()
    }

    fn only_the_joker_lies_with_power(&self) -> bool {
        self.count == 1 && self.played[0].is_joker() && self.joker == JokerWorth::Power
    }

    /// Whether the second hand may call the joker that was led, by playing this hand's calling card.
    fn second_seat_may_call(&self, rules: &Rules) -> bool {
        let call = &rules.play.joker_call;
        call.style == JokerCallStyle::SecondSeat
            && self.only_the_joker_lies_with_power()
            && (call.first_trick || !self.is_first())
    }

    /// Whether leading the calling card can call the joker, as far as all can tell. A joker that is buried, or in the
    /// leader's own hand, is called in vain: where leading always calls, the others do not learn which.
    pub fn lead_may_call(&self, joker_fell: bool, rules: &Rules) -> bool {
        let call = &rules.play.joker_call;
        let by_lead = match call.style {
            JokerCallStyle::AlwaysOnLead | JokerCallStyle::OptionalOnLead => true,
            JokerCallStyle::SecondSeat => false,
        };
        by_lead
            && self.is_empty()
            && (call.first_trick || !self.is_first())
            && self.joker != JokerWorth::Forbidden
            && !joker_fell
    }

    /// The cards that this hand may play to this trick.
    #[inline]
    pub fn playable(&self, hand: CardSet, contract: &Contract, rules: &Rules) -> CardSet {
        let allowed = match self.joker {
            JokerWorth::Power | JokerWorth::Powerless => hand,
            JokerWorth::Forbidden => hand.minus(CardSet::JOKER),
        };
        if self.is_empty() {
            return self.leadable(allowed, contract, rules);
        }
        let call = &rules.play.joker_call;
        let mut joker_frees = true;
        if self.joker_called && call.style != JokerCallStyle::SecondSeat {
            match call.effect {
                JokerCallEffect::ForcedOut if hand.contains(Card::JOKER) => {
                    let saved = call.mighty_saves && hand.contains(contract.mighty);
                    let mighty = CardSet::only(contract.mighty);
                    return if saved { CardSet::JOKER.or(mighty) } else { CardSet::JOKER };
                }
                JokerCallEffect::ForcedOut => {}
                JokerCallEffect::Weakened => joker_frees = false,
            }
        }
        let following = match self.led {
            Led::Suit(suit) => allowed.suit(suit),
            Led::Nothing | Led::Anything => CardSet::EMPTY,
        };
        if following.is_empty() {
            return allowed;
        }
        let mut free = CardSet::EMPTY;
        if joker_frees {
            free = free.with(Card::JOKER);
        }
        if rules.play.mighty_ignores_suit {
            free = free.with(contract.mighty);
        }
        if self.second_seat_may_call(rules) {
            free = free.with(contract.calling_card);
        }
        following.or(allowed.and(free))
    }

    /// What may be led: to the first trick not what the rules forbid, unless nothing else is held.
    fn leadable(&self, allowed: CardSet, contract: &Contract, rules: &Rules) -> CardSet {
        if !self.is_first() {
            return allowed;
        }
        let mut rest = allowed;
        for ban in &rules.play.first_lead_forbids {
            rest = rest.minus(match ban {
                LeadBan::Trump => contract.bid.trump.cards(),
                LeadBan::Joker => CardSet::JOKER,
                LeadBan::JokerCall => CardSet::only(contract.calling_card),
            });
        }
        if rest.is_empty() { allowed } else { rest }
    }

    /// Whether a joker led to this trick names something.
    pub fn led_joker_names(&self) -> bool {
        self.is_empty() && self.joker == JokerWorth::Power
    }

    /// Whether a joker led to this trick may name no suit.
    pub fn led_joker_may_name_none(&self, rules: &Rules) -> bool {
        self.led_joker_names() && rules.play.joker.lead == JokerLead::NamesSuitOrNone
    }

    /// Lays the next card. `calls_joker` is what became of the card: whether it called the joker.
    #[inline]
    pub fn lay(&mut self, card: PlayedCard, calls_joker: bool) {
        let first_suit = |card: Card| card.suit().map_or(Led::Nothing, Led::Suit);
        if calls_joker {
            self.joker_called = true;
            self.joker = JokerWorth::Powerless;
            self.led = first_suit(card.card());
        } else {
            match card {
                PlayedCard::JokerNaming(suit) => self.led = Led::Suit(suit),
                PlayedCard::JokerNamingNone => self.led = Led::Anything,
                PlayedCard::Plain(card) | PlayedCard::Calling(card) => {
                    if self.led == Led::Nothing {
                        self.led = first_suit(card);
                    }
                }
            }
        }
        if self.is_empty() && card.card().is_joker() {
            self.joker_named = Some(card);
        }
        self.played[self.count as usize] = card.card();
        self.count += 1;
    }

    /// Whether this card, played now, calls the joker.
    pub fn calls_joker(
        &self,
        card: PlayedCard,
        joker_fell: bool,
        contract: &Contract,
        rules: &Rules,
    ) -> bool {
        if card.card() != contract.calling_card {
            return false;
        }
        match rules.play.joker_call.style {
            JokerCallStyle::AlwaysOnLead => self.lead_may_call(joker_fell, rules),
            JokerCallStyle::OptionalOnLead => match card {
                PlayedCard::Calling(_) => true,
                PlayedCard::Plain(_) | PlayedCard::JokerNaming(_) | PlayedCard::JokerNamingNone => {
                    false
                }
            },
            JokerCallStyle::SecondSeat => self.second_seat_may_call(rules),
        }
    }

    /// The strongest card: the Mighty; the joker while it has power; trumps by rank; the led suit by rank. `None` while
    /// none of the cards that lie can win.
    #[inline]
    fn strongest(&self, contract: &Contract) -> Option<Card> {
        let cards = self.cards();
        if cards.contains(contract.mighty) {
            return Some(contract.mighty);
        }
        if self.joker == JokerWorth::Power && cards.contains(Card::JOKER) {
            return Some(Card::JOKER);
        }
        let of_led_suit = match self.led {
            Led::Suit(suit) => cards.suit(suit),
            Led::Nothing | Led::Anything => CardSet::EMPTY,
        };
        cards.and(contract.bid.trump.cards()).highest().or_else(|| of_led_suit.highest())
    }

    /// The seat that is winning, with the strongest card. `None` while none of the cards that lie can win.
    #[inline]
    pub fn winner(&self, contract: &Contract) -> Option<Seat> {
        let strongest = self.strongest(contract)?;
        self.plays().find(|(_, card)| *card == strongest).map(|(seat, _)| seat)
    }
}

/// What the joker is worth in this trick of a hand, before any call.
fn joker_worth(number: u8, trump: Trump, rules: &Rules) -> JokerWorth {
    let joker = &rules.play.joker;
    let (first, last) = (number == 1, number == Trick::IN_A_HAND);
    if !first && !last {
        return JokerWorth::Power;
    }
    let weak_in_no_trump = trump == Trump::NoTrump && joker.no_trump_ends == JokerPower::Powerless;
    let here = if first {
        match joker.first_trick {
            JokerFirstTrick::Power => JokerWorth::Power,
            JokerFirstTrick::Powerless => JokerWorth::Powerless,
            JokerFirstTrick::Forbidden => JokerWorth::Forbidden,
        }
    } else {
        match joker.last_trick {
            JokerPower::Power => JokerWorth::Power,
            JokerPower::Powerless => JokerWorth::Powerless,
        }
    };
    match here {
        JokerWorth::Power if weak_in_no_trump => JokerWorth::Powerless,
        JokerWorth::Power | JokerWorth::Powerless | JokerWorth::Forbidden => here,
    }
}
