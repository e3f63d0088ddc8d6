//! Which card to play: what the trick is worth, how surely it will be ours, and what the card costs.

use mighty_rules::{
    Card, CardSet, JokerWorth, Led, PlayChoices, PlayedCard, Private, Seat, Trick, View,
};
use mighty_rules::JokerPower;

use super::sight::Sight;

/// The play that promises most.
pub(super) fn play(view: &View, own: &Private, plays: &PlayChoices) -> Option<PlayedCard> {
    let sight = Sight::of(view, own)?;
    let promising = plays.plays().map(|play| (play, sight.promise(play)));
    promising.max_by(|one, other| one.1.total_cmp(&other.1)).map(|(play, _)| play)
}

impl Sight<'_> {
    /// The points that a play can be expected to bring, less what its card could have brought later.
    fn promise(&self, play: PlayedCard) -> f64 {
        let before = &self.tricks.trick;
        let calls = self.calls_joker(play);
        let mut after = *before;
        after.lay(play, calls);
        let ours = self.chance_that_it_is_ours(&after);
        let mut promise = ours * self.stake(&after) - self.price(play.card());
        if calls {
            promise += self.gain_of_calling_the_joker();
        }
        if before.is_empty() {
            promise += self.gain_of_drawing_trumps(&after, play, ours);
        }
        promise
    }

    fn calls_joker(&self, play: PlayedCard) -> bool {
        let tricks = self.tricks;
        let fell = tricks.joker_fell();
        tricks.trick.calls_joker(play, self.own.cards, fell, self.contract(), self.rules)
    }

    /// The points that lie in the trick, with those that the seats to come will add on average.
    fn stake(&self, trick: &Trick) -> f64 {
        let to_come = 5 - trick.played().len();
        let density = f64::from(self.unseen.points()) / self.unseen.len().max(1) as f64;
        f64::from(trick.cards().points()) + density * to_come as f64
    }

    /// How likely a seat on our side wins the trick as it lies now.
    fn chance_that_it_is_ours(&self, trick: &Trick) -> f64 {
        let winner = trick.winner(self.contract());
        let mut ours = winner.map_or(0.3, |seat| self.trust[seat]);
        let beating = self.beating(trick);
        let to_come = trick.leader.round().skip(trick.played().len());
        for seat in to_come {
            let overtaken = self.chance_of_overtaking(seat, trick, beating);
            ours += overtaken * (self.trust[seat] - ours);
        }
        ours
    }

    /// The unseen cards that would take the lead in the trick.
    fn beating(&self, trick: &Trick) -> CardSet {
        let next = trick.to_play();
        let beats = |card: &Card| {
            let mut after = *trick;
            after.lay(PlayedCard::Plain(*card), false);
            after.winner(self.contract()) == Some(next)
        };
        if trick.is_complete() { CardSet::EMPTY } else { self.unseen.iter().filter(beats).collect() }
    }

    /// How likely the seat holds a card that takes the lead, may play it, and wants to.
    fn chance_of_overtaking(&self, seat: Seat, trick: &Trick, beating: CardSet) -> f64 {
        let masters = CardSet::JOKER.with(self.contract().mighty);
        let Led::Suit(led) = trick.led else { return self.chance_of_any(seat, beating) };
        let worth_a_master = (0.25 * self.stake(trick)).min(0.9);
        let with_master = worth_a_master * self.chance_of_any(seat, beating.and(masters));
        let plain = beating.minus(masters);
        let following = self.chance_of_any(seat, plain.suit(led));
        let ruffs = plain.minus(CardSet::of_suit(led));
        let ruffing = if ruffs.is_empty() {
            0.0
        } else {
            self.chance_of_void(seat, led) * self.chance_of_any(seat, ruffs)
        };
        1.0 - (1.0 - with_master) * (1.0 - following) * (1.0 - ruffing)
    }

    /// What the card could still bring in a later trick.
    fn price(&self, card: Card) -> f64 {
        if self.tricks_to_come() == 0 {
            return 0.0;
        }
        let a_trick = self.points_a_trick();
        let rank = card.rank().map_or(0.0, |rank| 0.01 * f64::from(rank as u8));
        if card == self.contract().mighty {
            return 1.4 * a_trick;
        }
        if card.is_joker() {
            return if self.joker_is_spent() { 0.0 } else { 1.3 * a_trick };
        }
        let point = if card.is_point() { 0.5 } else { 0.0 };
        let rivals = self.higher_unseen(card) as i32;
        let winning = if self.trumps().contains(card) {
            (0.8 * 0.7_f64.powi(rivals)).max(0.2)
        } else {
            0.5 * 0.4_f64.powi(rivals)
        };
        winning * a_trick + point + rank
    }

    /// Whether the joker will have no power any more after this trick.
    fn joker_is_spent(&self) -> bool {
        self.tricks_to_come() == 1 && self.rules.play.joker.last_trick == JokerPower::Powerless
    }

    /// Calling the joker takes a trick from whoever holds it: good where that is rather an opponent.
    fn gain_of_calling_the_joker(&self) -> f64 {
        let holders = Seat::ALL.into_iter().filter(|seat| *seat != self.own.seat);
        let theirs: f64 = holders
            .map(|seat| self.chance_of_holding(seat, Card::JOKER) * (1.0 - 2.0 * self.trust[seat]))
            .sum();
        theirs * 1.3 * self.points_a_trick()
    }

    /// The declarer's side leads trumps while the defenders may have some.
    fn gain_of_drawing_trumps(&self, trick: &Trick, play: PlayedCard, ours: f64) -> f64 {
        let draws = match trick.led {
            Led::Suit(led) => self.trumps().contains(Card::new(mighty_rules::Rank::Two, led)),
            Led::Nothing | Led::Anything => false,
        };
        let _ = play;
        if !draws || trick.joker == JokerWorth::Forbidden {
            return 0.0;
        }
        let out = self.trumps_out().len() as f64;
        if self.is_declarer() { 0.15 * out * ours } else if self.is_with_declarer() { 0.05 * out * ours } else { -0.05 * out }
    }
}
