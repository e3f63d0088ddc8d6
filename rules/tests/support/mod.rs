//! Random tables for the laws: rules of every kind, decks, and moves that reach every corner of a hand.
#![allow(dead_code, reason = "each test file uses its part")]

use std::sync::Arc;

use mighty_rules::*;
use serde_json::{Value, json};

/// Random numbers of a seed (splitmix64), so that a failing seed can be played again.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    pub(crate) fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    pub(crate) fn seat(&mut self) -> Seat {
        self.pick(&Seat::ALL)
    }

    pub(crate) fn card_of(&mut self, cards: CardSet) -> Card {
        cards.nth(self.below(cards.len())).expect("there is a card to pick")
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    pub(crate) fn deck(&mut self) -> Deck {
        let mut cards: Vec<Card> = CardSet::FULL.iter().collect();
        self.shuffle(&mut cards);
        Deck::new(&cards).expect("all cards are there")
    }

    /// A deck in which one seat has no point card and no joker, so that it is weak under most rules.
    fn deck_with_a_weak_hand(&mut self, rules: &Rules, dealer: Seat) -> Deck {
        let mut cards = *self.deck().cards();
        let weak = places_of(self.seat(), rules, dealer);
        for &place in &weak {
            let is_plain = |card: Card| !card.is_point() && !card.is_joker();
            let others = (0..Card::COUNT).filter(|at| !weak.contains(at) && is_plain(cards[*at]));
            let others: Vec<usize> = others.collect();
            if !is_plain(cards[place]) {
                cards.swap(place, self.pick(&others));
            }
        }
        Deck::new(&cards).expect("all cards are there")
    }
}

/// The places of the deck that are dealt to a seat.
pub(crate) fn places_of(seat: Seat, rules: &Rules, dealer: Seat) -> Vec<usize> {
    let in_order: Vec<Card> = CardSet::FULL.iter().collect();
    let deck = Deck::new(&in_order).expect("all cards are there");
    let dealt = deck.deal(rules.deal.pattern, dealer)[seat];
    (0..Card::COUNT).filter(|place| dealt.contains(in_order[*place])).collect()
}

/// Every option with values that make sense, as a JSON list. Those of `deal.miss` need one that is not null.
pub(crate) const SENSIBLE: &[(&str, &str)] = &[
    ("deal.pattern", r#"["one_by_one", "packets_1_2_3_4"]"#),
    ("deal.next_dealer", r#"["clockwise", "friend", "declarer"]"#),
    (
        "deal.miss",
        r#"[null, {"timing": "before_auction", "honour": 2, "ten": 1, "spade_ace": 0, "diamond_ace": 2,
            "joker": -2, "at_most": 8, "next_dealer": "claimant", "fine": 3, "fines_all_pass": true}]"#,
    ),
    ("deal.miss.timing", r#"["before_auction", "first_turn"]"#),
    ("deal.miss.honour", "[0, 1, 2]"),
    ("deal.miss.ten", "[0, 1, 2]"),
    ("deal.miss.spade_ace", "[-1, 0, 2]"),
    ("deal.miss.diamond_ace", "[0, 2, 3]"),
    ("deal.miss.joker", "[-2, 0, 3]"),
    ("deal.miss.at_most", "[0, 1, 6, 9, 100]"),
    ("deal.miss.next_dealer", r#"["same", "claimant"]"#),
    ("deal.miss.fine", "[0, 1, 5]"),
    ("deal.miss.fines_all_pass", "[true, false]"),
    ("auction.first_bidder", r#"["left_of_dealer", "dealer", "previous_declarer"]"#),
    ("auction.minimum", "[2, 7, 11, 12, 13, 14, 15, 19, 20]"),
    ("auction.no_trump_discount", "[0, 1, 1, 3]"),
    ("auction.ranking", r#"["points", "no_trump", "suits"]"#),
    ("auction.pass_is_final", "[true, false]"),
    (
        "auction.all_pass",
        r#"["redeal_next_dealer", "redeal_same_dealer", "second_round", "second_round_lowered",
            "dealer_opens", "dealer_declares"]"#,
    ),
    ("exchange.kitty_face_up", "[true, false]"),
    ("exchange.trump_change", r#"["none", "free", "raise"]"#),
    ("exchange.suit_change_raise", "[0, 1, 2, 3]"),
    ("exchange.no_trump_change_raise", "[0, 1, 2, 3]"),
    ("exchange.raise_capped", "[true, false]"),
    ("exchange.may_raise", "[true, false]"),
    (
        "friend.calls",
        r#"[["card"], ["first_trick"], ["none"], ["card", "none"], ["kitty", "none"], ["kitty", "card"],
            ["card", "first_trick", "none"], ["none", "kitty", "first_trick", "card"]]"#,
    ),
    ("friend.may_reveal", "[true, false]"),
    ("friend.lead_request", "[true, false]"),
    (
        "play.first_lead_forbids",
        r#"[[], ["trump"], ["joker"], ["joker_call"], ["joker", "trump"], ["trump", "joker", "joker_call"]]"#,
    ),
    ("play.mighty_when_spades_trump", r#"["AS", "AC", "AD", "AH"]"#),
    ("play.mighty_ignores_suit", "[true, false]"),
    ("play.joker.first_trick", r#"["power", "powerless", "forbidden"]"#),
    ("play.joker.last_trick", r#"["power", "powerless"]"#),
    ("play.joker.no_trump_ends", r#"["power", "powerless"]"#),
    ("play.joker.lead", r#"["names_suit", "names_suit_or_none"]"#),
    ("play.joker_call.card", r#"["declared", "3C", "2D", "KH"]"#),
    ("play.joker_call.card_when_clubs_trump", r#"["declared", "3S", "3H", "AD"]"#),
    ("play.joker_call.style", r#"["always_on_lead", "optional_on_lead", "second_seat"]"#),
    ("play.joker_call.first_trick", "[true, false]"),
    ("play.joker_call.effect", r#"["forced_out", "weakened"]"#),
    ("play.joker_call.mighty_saves", "[true, false]"),
    (
        "scoring.success",
        r#"["flat", "contract", "twice_contract_plus_over", "points_over_base", "risk", "over", "over_plus_one"]"#,
    ),
    ("scoring.base", "[0, 10, 12, 13, 20]"),
    ("scoring.failure", r#"["flat", "deficit", "contract_plus_deficit"]"#),
    ("scoring.overtrick_bonus", "[0, 0, 1, 2]"),
    (
        "scoring.doubles",
        r#"[[], ["no_trump"], ["no_friend"], ["run", "grand_slam", "back_run"],
            ["no_trump", "no_friend", "run", "grand_slam", "back_run"]]"#,
    ),
    ("scoring.back_run", r#"[0, 10, 11, "contract"]"#),
    ("scoring.shares", r#"["zero_sum", "halved", "uneven"]"#),
    ("match.hands", "[1, 10, 100]"),
];

/// Values that no table may have, whatever the other options are.
pub(crate) const NONSENSE: &[(&str, &str)] = &[
    ("deal.pattern", r#"["two_by_two", null, 1]"#),
    ("deal.miss", r#"[0, {}, {"timing": "first_turn"}]"#),
    ("deal.misses", "[null]"),
    ("auction.minimum", r#"[0, 1, 21, -3, 13.5, "13"]"#),
    ("auction.no_trump_discount", "[20, 255, -1]"),
    ("auction.pass_is_final", r#"["yes", 1, null]"#),
    ("exchange.suit_change_raise", "[-1, 256]"),
    ("exchange.no_trump_change_raise", "[-2, 1000]"),
    ("friend.calls", r#"[[], ["kitty"], ["card", "card"], ["friend"], "card"]"#),
    ("play.first_lead_forbids", r#"[["trump", "trump"], ["mighty"]]"#),
    ("play.mighty_when_spades_trump", r#"["KD", "JK", "spades", null]"#),
    ("play.joker_call.card", r#"["JK", "AS", "1C", null]"#),
    ("play.joker_call.card_when_clubs_trump", r#"["JK", "AS", ""]"#),
    ("scoring.doubles", r#"[["run", "run"], ["all"]]"#),
    ("scoring.back_run", r#"["points", -1, 256]"#),
    ("match.hands", "[0, -1, 70000]"),
    ("match", "[{}]"),
    ("minimum", "[13]"),
];

fn values(list: &str) -> Vec<Value> {
    serde_json::from_str(list).expect("the tables above are JSON")
}

fn set(overrides: &mut Overrides, path: &str, value: Value) {
    overrides.insert(path.to_owned(), value);
}

/// A profile, and overrides that make sense (but for a discount that leaves nothing to bid).
pub(crate) fn sensible_options(dice: &mut Dice) -> (Profile, Overrides) {
    let profile = dice.pick(&Profile::ALL);
    let mut overrides = Overrides::new();
    // Few changes keep the profile's character, many reach strange tables.
    let rarity = dice.pick(&[1, 2, 4, 12]);
    for (path, list) in SENSIBLE {
        let is_calling_card = path.starts_with("play.joker_call.card");
        if path.starts_with("deal.miss.") && miss(profile, &overrides).is_null() {
            continue;
        }
        if !is_calling_card && dice.one_in(rarity) {
            let value = dice.pick(&values(list));
            set(&mut overrides, path, value);
        }
    }
    if dice.one_in(rarity) {
        let pairs = [("declared", "declared"), ("3C", "3S"), ("2D", "AD"), ("KH", "3H")];
        let (card, with_clubs) = dice.pick(&pairs);
        set(&mut overrides, "play.joker_call.card", json!(card));
        set(&mut overrides, "play.joker_call.card_when_clubs_trump", json!(with_clubs));
    }
    (profile, overrides)
}

fn miss(profile: Profile, overrides: &Overrides) -> Value {
    let of_profile = || value_in(profile, "deal.miss").expect("each profile says it");
    overrides.get("deal.miss").cloned().unwrap_or_else(of_profile)
}

/// Rules of every kind that a table may have.
pub(crate) fn any_rules(dice: &mut Dice) -> Arc<Rules> {
    loop {
        let (profile, overrides) = sensible_options(dice);
        if let Ok(rules) = Rules::with(profile, &overrides) {
            return Arc::new(rules);
        }
    }
}

/// One value that makes no sense, and its path.
pub(crate) fn nonsense(dice: &mut Dice) -> (&'static str, Value) {
    let (path, list) = dice.pick(NONSENSE);
    (path, dice.pick(&values(list)))
}

/// A hand about to be played at random.
#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) rules: Arc<Rules>,
    pub(crate) deck: Deck,
    pub(crate) setup: Setup,
}

impl Table {
    pub(crate) fn of(rules: Arc<Rules>, dice: &mut Dice) -> Table {
        let dealer = dice.seat();
        let setup = Setup { dealer, first_bidder: dice.seat(), pot: dice.below(12) as u64 };
        let wants_weak_hand = rules.deal.miss.is_some() && dice.one_in(2);
        let deck =
            if wants_weak_hand { dice.deck_with_a_weak_hand(&rules, dealer) } else { dice.deck() };
        Table { rules, deck, setup }
    }

    pub(crate) fn deal(&self) -> Hand {
        Hand::deal(self.rules.clone(), &self.deck, self.setup)
    }
}

/// Random players of one hand: how shy they are differs from hand to hand, so that all pass in some and all bid in others.
pub(crate) struct Players {
    shyness: usize,
}

impl Players {
    pub(crate) fn new(dice: &mut Dice) -> Players {
        Players { shyness: dice.pick(&[1, 3, 5, 20]) }
    }

    /// A legal move, rare ones more often than their number would have it.
    pub(crate) fn choose(&self, hand: &Hand, dice: &mut Dice) -> Move {
        let seat = hand.turn().expect("the hand goes on");
        let choices = hand.choices(seat).expect("the seat on turn has choices");
        let (held, _, buried) = hand.whereabouts();
        match choices {
            Choices::WeakHand => {
                if dice.one_in(4) {
                    Move::ThrowIn
                } else {
                    Move::Keep
                }
            }
            Choices::Call(call) if call.may_throw_in && dice.one_in(4) => Move::ThrowIn,
            Choices::Call(call) if call.may_pass && !dice.one_in(self.shyness + 1) => Move::Pass,
            Choices::Call(call) => {
                let mut bids: Vec<Bid> = call.bids().collect();
                if !dice.one_in(4) {
                    let lowest = bids.iter().map(|bid| bid.points).min();
                    bids.retain(|bid| Some(bid.points) == lowest);
                }
                if bids.is_empty() { Move::Pass } else { Move::Bid(dice.pick(&bids)) }
            }
            Choices::Bury { .. } => any_of(&choices, dice),
            Choices::Contract(contracts) => {
                let bid = dice.pick(&contracts.bids().collect::<Vec<_>>());
                let cards = contracts.calling_cards(bid.trump);
                let calling_card = (!cards.is_empty()).then(|| dice.card_of(cards));
                Move::FixContract(ContractMove { bid, calling_card })
            }
            Choices::FriendCall(friends) => {
                let calls: Vec<FriendCall> = friends.calls().collect();
                let wanted = dice.below(5);
                let is_wanted = |call: &FriendCall| match *call {
                    FriendCall::Card { card, lead_request } => {
                        let is_own = held[seat].contains(card) || buried.contains(card);
                        match wanted {
                            0 => is_own,
                            1 => lead_request.is_some(),
                            _ => !is_own,
                        }
                    }
                    FriendCall::FirstTrick | FriendCall::Nobody | FriendCall::Kitty(_) => {
                        wanted < 3
                    }
                };
                let wanted: Vec<FriendCall> = calls.iter().copied().filter(is_wanted).collect();
                let call = if wanted.is_empty() { calls } else { wanted };
                Move::CallFriend(dice.pick(&call))
            }
            Choices::Play(plays) => {
                let tricks = hand.public().tricks().expect("plays are made in tricks");
                let (trick, calling) = (&tricks.trick, tricks.contract.calling_card);
                let may_matter = trick.is_empty() || trick.played() == [Card::JOKER];
                let is_rare = |play: &PlayedCard| match *play {
                    PlayedCard::Plain(card) => may_matter && card == calling,
                    PlayedCard::Calling(_)
                    | PlayedCard::JokerNaming(_)
                    | PlayedCard::JokerNamingNone => true,
                };
                let (mut rare, mut plain): (Vec<_>, Vec<_>) = plays.plays().partition(is_rare);
                // A joker or a calling card kept is one that may matter later.
                let is_kept = |card: Card| card.is_joker() || card == calling;
                if plain.iter().any(|play| !is_kept(play.card())) && !dice.one_in(8) {
                    plain.retain(|play| !is_kept(play.card()));
                }
                if rare.len() > 1 && dice.one_in(2) {
                    rare.reverse();
                    rare.truncate(1);
                }
                let wants_rare = plain.is_empty() || !rare.is_empty() && !dice.one_in(3);
                let from = if wants_rare { rare } else { plain };
                let reveals = plays.may_reveal && dice.one_in(4);
                Move::Play(Play { card: dice.pick(&from), reveals })
            }
        }
    }
}

/// Any move that is offered, each alike.
pub(crate) fn any_of(choices: &Choices, dice: &mut Dice) -> Move {
    choices.nth(dice.below(choices.count())).expect("the place is below the count")
}

/// Moves of all kinds that somebody might send: most of them wrong at any moment.
pub(crate) fn all_sorts_of_moves(dice: &mut Dice) -> Vec<Move> {
    let mut moves = vec![Move::ThrowIn, Move::Keep, Move::Pass];
    let bids: Vec<Bid> = Trump::ALL
        .into_iter()
        .flat_map(|trump| (0..=22).chain([255]).map(move |points| Bid { points, trump }))
        .collect();
    let any_card = |dice: &mut Dice| dice.card_of(CardSet::FULL);
    for &bid in &bids {
        moves.push(Move::Bid(bid));
        moves.push(Move::FixContract(ContractMove { bid, calling_card: None }));
        let special = dice.pick(&[Card::JOKER, Card::ACE_OF_SPADES]);
        for card in [any_card(dice), any_card(dice), special] {
            moves.push(Move::FixContract(ContractMove { bid, calling_card: Some(card) }));
        }
    }
    for _ in 0..40 {
        let cards = (0..3).map(|_| any_card(dice)).collect();
        moves.extend(Burial::new(cards).map(Move::Bury));
    }
    moves.extend([FriendCall::FirstTrick, FriendCall::Nobody].map(Move::CallFriend));
    let mut plays = vec![PlayedCard::JokerNamingNone];
    plays.extend(Suit::ALL.map(PlayedCard::JokerNaming));
    for card in CardSet::FULL {
        let request = Some(dice.pick(&Suit::ALL));
        for lead_request in [None, request] {
            moves.push(Move::CallFriend(FriendCall::Card { card, lead_request }));
        }
        moves.push(Move::CallFriend(FriendCall::Kitty(card)));
        plays.extend([PlayedCard::Plain(card), PlayedCard::Calling(card)]);
    }
    for card in plays {
        moves.extend([false, true].map(|reveals| Move::Play(Play { card, reveals })));
    }
    moves
}

/// All who look on: the five seats and a spectator.
pub(crate) fn viewers() -> impl Iterator<Item = Viewer> {
    Seat::ALL.into_iter().map(Viewer::Seat).chain([Viewer::Spectator])
}

/// A profile with some options set otherwise, such as `"auction.minimum 15, auction.ranking suits"`.
pub(crate) fn try_rules(profile: Profile, overrides: &str) -> Result<Rules, RulesError> {
    let options = overrides.split(", ").filter(|option| !option.is_empty());
    let options = options.map(|option| option.split_once(' ').expect("an option and its value"));
    Rules::with_texts(profile, options)
}

/// The same where it makes sense.
pub(crate) fn rules(profile: Profile, overrides: &str) -> Arc<Rules> {
    Arc::new(try_rules(profile, overrides).unwrap_or_else(|why| panic!("{why}")))
}

/// Cards, such as `"AS TD JK"`.
pub(crate) fn cards(text: &str) -> CardSet {
    text.parse().expect("cards are written as in the notation")
}

/// Deals these hands, seat by seat from 0, and what is left to the kitty; seat 0 deals, seat 1 speaks first.
pub(crate) fn deal(rules: Arc<Rules>, hands: [&str; 5]) -> Hand {
    let setup = Setup { dealer: Seat::ALL[0], first_bidder: Seat::ALL[1], pot: 0 };
    let mut deck: Vec<Option<Card>> = vec![None; Card::COUNT];
    let mut left = CardSet::FULL;
    for (seat, hand) in Seat::ALL.into_iter().zip(hands) {
        let hand = read_cards(hand).expect("cards are written as in the notation");
        assert_eq!(hand.len(), 10, "seat {seat} has ten cards");
        for (place, card) in places_of(seat, &rules, setup.dealer).into_iter().zip(hand) {
            deck[place] = Some(card);
            left = left.without(card);
        }
    }
    let mut kitty = left.iter();
    let deck: Vec<Card> =
        deck.into_iter().filter_map(|card| card.or_else(|| kitty.next())).collect();
    Hand::deal(rules, &Deck::new(&deck).expect("each card is dealt once"), setup)
}

/// Makes the moves of a text, each by the seat on turn.
pub(crate) fn make(hand: &mut Hand, moves: &str) {
    for text in moves.split_whitespace() {
        let seat = hand.turn().unwrap_or_else(|| panic!("the hand is over before {text}"));
        hand.apply_text(seat, text).unwrap_or_else(|why| panic!("seat {seat}, {text}: {why}"));
    }
}

/// Lets the table make all moves that are left.
pub(crate) fn finish_by_default(hand: &mut Hand) {
    while let Some(seat) = hand.turn() {
        let default = hand.default_move(seat).expect("the seat on turn has a default");
        hand.apply(seat, default).expect("the default is offered");
    }
}

/// Why the seat on turn may not make this move.
pub(crate) fn refusal(hand: &Hand, text: &str) -> String {
    let seat = hand.turn().expect("the hand goes on");
    match hand.clone().apply_text(seat, text) {
        Ok(_) => panic!("{text} is accepted"),
        Err(why) => why.to_string(),
    }
}
