//! Whom the declarer calls.

use mighty_rules::{Card, CardSet, FriendCall, FriendChoices, Private, Public, Rank, Suit, Trump};

/// Calls the Mighty, else the joker, else the highest trump that is out, else an ace.
/// Where no card may be called it takes the winner of the first trick, and only then plays alone.
pub(super) fn call_friend(
    public: &Public,
    own: &Private,
    friends: &FriendChoices,
) -> Option<FriendCall> {
    let contract = public.contract()?;
    let elsewhere = CardSet::FULL.minus(own.cards).minus(own.buried);
    let trump = contract.bid.trump;
    let called = [contract.mighty, Card::JOKER]
        .into_iter()
        .find(|card| elsewhere.contains(*card))
        .or_else(|| highest(trump.cards().and(elsewhere)).filter(|card| card.is_point()))
        .or_else(|| best_side_ace(own.cards, elsewhere, trump))
        .or_else(|| highest(elsewhere));
    match called {
        Some(card) if friends.card => Some(FriendCall::Card { card, lead_request: None }),
        _ if friends.first_trick => Some(FriendCall::FirstTrick),
        _ if friends.nobody => Some(FriendCall::Nobody),
        _ => friends.calls().next(),
    }
}

fn highest(cards: CardSet) -> Option<Card> {
    cards.iter().max_by_key(|card| card.rank())
}

/// The ace of the side suit in which the declarer holds most, so that the friend's ace helps the suit.
fn best_side_ace(cards: CardSet, elsewhere: CardSet, trump: Trump) -> Option<Card> {
    let side_suits = Suit::ALL.into_iter().filter(|suit| trump != Trump::Suit(*suit));
    let aces = side_suits.map(|suit| (Card::new(Rank::Ace, suit), cards.suit(suit).len()));
    aces.filter(|(ace, _)| elsewhere.contains(*ace))
        .max_by_key(|(_, length)| *length)
        .map(|(ace, _)| ace)
}
