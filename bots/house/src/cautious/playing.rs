//! Which card to play: what the trick is worth, how surely it will be ours, and what the card costs.

use mighty_rules::{
    Card, CardSet, JokerPower, Led, PlayChoices, PlayedCard, Private, Seat, Trick, View,
};

use super::sight::Sight;

/// The play that promises most.
///
/// A friend never says that it is one: while it is hidden, defenders give it their points.
pub(super) fn play(view: &View, own: &Private, plays: &PlayChoices) -> Option<PlayedCard> {
    let sight = Sight::of(view, own)?;
    let promising = plays.plays().map(|play| (play, promise(&sight, play)));
    promising.max_by(|one, other| one.1.total_cmp(&other.1)).map(|(play, _)| play)
}

/// The points that a play can be expected to bring, less what its card could have brought later.
fn promise(sight: &Sight, play: PlayedCard) -> f64 {
    let before = &sight.tricks.trick;
    let calls = sight.calls_joker(play);
    let mut after = *before;
    after.lay(play, calls);
    let ours = chance_that_it_is_ours(sight, &after);
    let mut promise = ours * stake(sight, &after) - price(sight, play.card());
    if calls {
        promise += gain_of_calling_the_joker(sight);
    }
    if before.is_empty() {
        promise += gain_of_drawing_trumps(sight, &after, ours);
    }
    promise
}

/// How much more than the average the seats to come add where they trust the trick to us, and how much less where they do not.
const GENEROSITY: f64 = 0.4;

/// The points that lie in the trick, with those that the seats to come can be expected to add.
fn stake(sight: &Sight, trick: &Trick) -> f64 {
    let points_a_card = f64::from(sight.unseen.points()) / sight.unseen.len().max(1) as f64;
    let seats_to_come = trick.leader.round().skip(trick.played().len());
    let cards_to_come: f64 =
        seats_to_come.map(|seat| 1.0 + GENEROSITY * (2.0 * sight.trust[seat] - 1.0)).sum();
    f64::from(trick.cards().points()) + points_a_card * cards_to_come
}

/// How likely a trick in which nothing can win yet, a powerless joker led, ends on our side.
const OPEN_TRICK: f64 = 0.3;

/// How likely a seat on our side wins the trick as it lies now.
fn chance_that_it_is_ours(sight: &Sight, trick: &Trick) -> f64 {
    let winner = trick.winner(sight.contract());
    let mut ours = winner.map_or(OPEN_TRICK, |seat| sight.trust[seat]);
    let beating = beating(sight, trick);
    for seat in trick.leader.round().skip(trick.played().len()) {
        let overtakes = chance_of_overtaking(sight, seat, trick, beating);
        ours += overtakes * (sight.trust[seat] - ours);
    }
    ours
}

/// The unseen cards that would take the lead in the trick.
fn beating(sight: &Sight, trick: &Trick) -> CardSet {
    if trick.is_complete() {
        return CardSet::EMPTY;
    }
    let takes_the_lead = |card: &Card| {
        let mut after = *trick;
        after.lay(PlayedCard::Plain(*card), false);
        after.winner(sight.contract()) == Some(trick.to_play())
    };
    sight.unseen.iter().filter(takes_the_lead).collect()
}

/// How much a point in the trick tempts the others to spend Mighty or joker on it.
const TEMPTATION: f64 = 0.12;

/// How likely the seat holds a card that takes the lead, may play it, and wants to.
fn chance_of_overtaking(sight: &Sight, seat: Seat, trick: &Trick, beating: CardSet) -> f64 {
    let Led::Suit(led) = trick.led else { return sight.chance_of_any(seat, beating) };
    let masters = beating.and(sight.masters());
    let temptation = (TEMPTATION * stake(sight, trick)).min(1.0);
    let spending = temptation * sight.chance_of_any(seat, masters);
    let plain = beating.minus(masters);
    let following = sight.chance_of_any(seat, plain.suit(led));
    let ruffs = plain.minus(CardSet::of_suit(led));
    let ruffing = if ruffs.is_empty() {
        0.0
    } else {
        sight.chance_of_void(seat, led) * sight.chance_of_any(seat, ruffs)
    };
    1.0 - (1.0 - spending) * (1.0 - following) * (1.0 - ruffing)
}

/// What the Mighty brings in a later trick, in average tricks: it picks a rich one.
const MIGHTY: f64 = 1.4;
/// What the joker brings; it can be called.
const JOKER: f64 = 0.9;
/// How often the highest trump wins a later trick, and how much rarer with each higher one that is out.
const TRUMP: (f64, f64) = (0.8, 0.7);
/// How often any trump wins a later trick, by ruffing.
const RUFF: f64 = 0.2;
/// How often the highest card of a side suit wins a later trick, and how much rarer with each higher one that is out.
const SIDE_CARD: (f64, f64) = (0.25, 0.4);
/// How often a point card that is kept comes home.
const POINT_KEPT: f64 = 0.35;
/// What a rank is worth besides: of equal cards the lower is played.
const RANK: f64 = 0.03;

/// What the card could still bring in a later trick.
fn price(sight: &Sight, card: Card) -> f64 {
    if sight.tricks_to_come() == 0 {
        return 0.0;
    }
    let a_trick = sight.points_a_trick();
    let Some(rank) = card.rank() else {
        return if joker_is_spent(sight) { 0.0 } else { JOKER * a_trick };
    };
    if card == sight.contract().mighty {
        return MIGHTY * a_trick;
    }
    let wins = |(highest, rarer): (f64, f64)| highest * rarer.powi(sight.rivals(card) as i32);
    let winning =
        if sight.trumps().contains(card) { wins(TRUMP).max(RUFF) } else { wins(SIDE_CARD) };
    let point = if card.is_point() { POINT_KEPT } else { 0.0 };
    winning * a_trick + point + RANK * f64::from(rank as u8)
}

/// Whether the joker has no power any more after this trick.
fn joker_is_spent(sight: &Sight) -> bool {
    let joker = &sight.rules.play.joker;
    let weak_in_the_last = joker.last_trick == JokerPower::Powerless
        || (sight.is_no_trump() && joker.no_trump_ends == JokerPower::Powerless);
    sight.tricks_to_come() == 1 && weak_in_the_last
}

/// A called joker loses the trick that it would have won: good where rather an opponent holds it.
fn gain_of_calling_the_joker(sight: &Sight) -> f64 {
    let against =
        |seat: Seat| sight.chance_of_holding(seat, Card::JOKER) * (1.0 - 2.0 * sight.trust[seat]);
    let others = Seat::ALL.into_iter().filter(|seat| *seat != sight.own.seat);
    others.map(against).sum::<f64>() * JOKER * sight.points_a_trick()
}

/// What each trump that is still out is worth to a declarer who draws it.
const DRAWN_TRUMP: f64 = 0.4;

/// The declarer leads trumps as long as the others may have some; its friend and the defenders have no such plan.
fn gain_of_drawing_trumps(sight: &Sight, trick: &Trick, ours: f64) -> f64 {
    let led_trumps = match trick.led {
        Led::Suit(led) => sight.is_trump_suit(led),
        Led::Nothing | Led::Anything => false,
    };
    let out = sight.unseen.and(sight.trumps()).len();
    if led_trumps && sight.is_declarer() { DRAWN_TRUMP * out as f64 * ours } else { 0.0 }
}
