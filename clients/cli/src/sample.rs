//! A hand for tests: vector 4 of the rules, from which ada is secretly bob's friend until the second trick.

use std::sync::Arc;
use std::time::Duration;

use mighty_client::{HandEnd, MatchInfo, SeatInfo, Told};
use mighty_rules::{
    BySeat, Dealing, HandLine, Next, Profile, Rules, Score, Seat, Seed, Setup, Viewer, replay,
};

const VECTORS: &str = include_str!("../../../rules/tests/data/vectors.jsonl");

fn hand() -> HandLine {
    let line = VECTORS.lines().nth(3).expect("there are four vectors");
    serde_json::from_str(line).expect("vectors are hand lines")
}

/// A match at a table of the ladder.
pub(crate) fn info() -> MatchInfo {
    let rules = Profile::named(&hand().profile).map(Rules::of).expect("vectors name a profile");
    let seed = Seed::new([1; 32]);
    let seat = |name: &str, house| SeatInfo {
        name: name.to_owned(),
        house,
        present: true,
        given_up: false,
    };
    MatchInfo {
        match_id: "m-1".to_owned(),
        table_id: "t-17".to_owned(),
        rules: Arc::new(rules),
        seat: None,
        seats: BySeat([
            seat("ada", false),
            seat("bob", true),
            seat("cy", false),
            seat("dan", true),
            seat("eve", true),
        ]),
        bank: Duration::from_secs(60),
        increment: Duration::from_millis(2500),
        commitment: seed.commitment(),
        cut: seed.cut().cards,
        duplicate: false,
        refusals_allowed: 3,
        ladder: true,
    }
}

/// What a spectator is told of its first hand.
pub(crate) fn events() -> Vec<Told> {
    let line = hand();
    let dealer = Seat::new(line.dealer).expect("vectors have a dealer");
    let setup = Setup { dealer, first_bidder: dealer.next(), pot: 0 };
    let deck = line.deck.parse().expect("vectors have a deck");
    let replay = replay(info().rules, &deck, setup, &line.moves);
    let public =
        replay.hand.log().iter().filter(|notice| notice.audience.includes(Viewer::Spectator));
    let mut told = vec![Told::HandStarted(Dealing { hand: 1, redeal: 0, setup })];
    told.extend(public.map(|notice| Told::InHand(notice.event)));
    let totals = BySeat([-20, -40, 20, 20, 20].map(Score::points));
    told.push(Told::HandEnded(HandEnd {
        hand: 1,
        redeal: 0,
        next: Next::Hand { given_up: false },
        totals,
        pot: 0,
    }));
    told
}
