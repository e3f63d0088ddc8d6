//! Tricks in tables: what may be played, and who wins, under each rule of the play.

mod support;

use mighty_rules::*;
use support::{cards, rules};

/// One trick of a hand.
struct Case {
    profile: Profile,
    overrides: &'static str,
    /// Points and trump, with the calling card where it is declared.
    contract: &'static str,
    /// Which trick.
    number: u8,
    /// What was played to it so far, beginning with seat 0.
    played: &'static str,
}

impl Case {
    fn rules_and_trick(&self) -> (std::sync::Arc<Rules>, Contract, Trick) {
        let rules = rules(self.profile, self.overrides);
        let Ok(Move::FixContract(fix)) = Move::read(self.contract, Stage::Contract) else {
            panic!("{} is a contract", self.contract);
        };
        let contract = Contract::fixed_by(fix, &rules).expect("the calling card is told");
        let mut trick = Trick::new(self.number, Seat::ALL[0], contract.bid.trump, &rules);
        for text in self.played.split_whitespace() {
            let Ok(Move::Play(play)) = Move::read(text, Stage::Play) else {
                panic!("{text} is a play");
            };
            let calls = trick.calls_joker(play.card, false, &contract, &rules);
            trick.lay(play.card, calls);
        }
        (rules, contract, trick)
    }

    fn playable(&self, hand: &str) -> CardSet {
        let (rules, contract, trick) = self.rules_and_trick();
        trick.playable(cards(hand), &contract, &rules)
    }

    fn winner(&self) -> Option<usize> {
        let (_, contract, trick) = self.rules_and_trick();
        trick.winner(&contract).map(Seat::number)
    }
}

#[test]
fn who_wins() {
    use Profile::{Classic, Hunter, Korean, Ripper};
    let table = [
        // Class first, then rank: Mighty, joker with power, trumps, led suit, nothing else.
        (Korean, "", "=15H", 2, "KS 2H JK AS AH", 3, "the Mighty beats the joker"),
        (Korean, "", "=15H", 2, "KS 2H JK QS AH", 2, "the joker beats the trumps"),
        (Korean, "", "=15H", 2, "KS 2H QS 3S TH", 4, "the higher trump wins"),
        (Korean, "", "=15H", 2, "2C AD KS AC 3C", 3, "the higher card of the led suit wins"),
        (Korean, "", "=15H", 2, "2C AD KS QD TS", 0, "an ace of another suit wins nothing"),
        (Korean, "", "=15N", 2, "2C AH KH QD TS", 0, "no trump: only the led suit counts"),
        // Where spades are trumps the Mighty moves, unless the rules keep it.
        (Korean, "", "=15S", 2, "2S KS AD AS JK", 2, "the ace of diamonds is the Mighty"),
        (Korean, "play.mighty_when_spades_trump AS", "=15S", 2, "2S KS AD AS JK", 3, "it is kept"),
        (Korean, "play.mighty_when_spades_trump AH", "=15S", 2, "AH KS AD AS JK", 0, "it is AH"),
        // A joker without power never wins; led, the second card sets the suit.
        (Hunter, "", "=15H", 1, "2C JK 3C 4D 5D", 2, "powerless in the first trick"),
        (Hunter, "", "=15H", 10, "2C JK 3C 4D 5D", 2, "powerless in the last trick"),
        (Hunter, "", "=15H", 9, "2C JK 3C 4D 5D", 1, "powerful in the ninth"),
        (Hunter, "", "=15H", 1, "JK 2C AD 3C KD", 3, "led powerless: clubs were asked for"),
        (Hunter, "", "=15D", 10, "JK 2C AC 2D AH", 3, "led powerless: a trump wins"),
        (
            Hunter,
            "",
            "=15D",
            10,
            "JK AS AC 2S AH",
            1,
            "led powerless: the Mighty sets spades, and wins",
        ),
        (
            Korean,
            "play.joker.no_trump_ends powerless",
            "=15N",
            1,
            "2C JK 3C 4D 5D",
            2,
            "no trump, first",
        ),
        (
            Korean,
            "play.joker.no_trump_ends powerless",
            "=15N",
            10,
            "2C JK 3C 4D 5D",
            2,
            "no trump, last",
        ),
        (
            Korean,
            "play.joker.no_trump_ends powerless",
            "=15N",
            2,
            "2C JK 3C 4D 5D",
            1,
            "no trump, between",
        ),
        (
            Korean,
            "play.joker.no_trump_ends powerless",
            "=15H",
            1,
            "2C JK 3C 4D 5D",
            1,
            "with trumps",
        ),
        // A joker led with power wins whatever it names.
        (Korean, "", "=15H", 2, "JK/C AC 2H AH KS", 0, "the joker led names clubs"),
        (Korean, "", "=15H", 2, "JK/- AC 2H AH KS", 0, "the joker led names none"),
        (Korean, "", "=15H", 2, "JK/S AS 2H AH KS", 1, "the Mighty beats a joker led"),
        // A called joker has no power.
        (Korean, "", "=15H", 2, "3C JK 4C 5C 2C", 3, "leading the three of clubs always calls"),
        (Korean, "", "=15C", 2, "3S JK 4S 5S 2S", 3, "clubs are trumps: the three of spades calls"),
        (
            Korean,
            "",
            "=15C",
            2,
            "3C JK 4C 5C 2C",
            1,
            "clubs are trumps: the three of clubs does not",
        ),
        (Hunter, "", "=15H", 2, "3C JK 4C 5C 2C", 1, "called only if the leader says so"),
        (Hunter, "", "=15H", 2, "3C! JK 4C 5C 2C", 3, "and it does"),
        (Ripper, "", "=15H", 1, "3C 4C 5C 6C 2C", 3, "no call in the first trick"),
        (
            Korean,
            "",
            "=15H",
            2,
            "2C 3C JK 4C 5C",
            2,
            "the three of clubs calls nothing when it is not led",
        ),
        (
            Korean,
            "play.joker_call.first_trick false",
            "=15H",
            1,
            "3C JK 4C 5C 2C",
            1,
            "no call in trick 1",
        ),
        // The second seat calls a joker that was led with power: its card sets the suit.
        (
            Classic,
            "",
            "=15H?4D",
            2,
            "JK/C 4D AC 9D AD",
            4,
            "diamonds are led, what was named is void",
        ),
        (Classic, "", "=15H?4D", 2, "JK/C 4D AC 2H AD", 3, "a trump takes the called joker"),
        (Classic, "", "=15H?4D", 2, "JK/C 9D 4D 2C AD", 0, "the third hand calls nothing"),
        (
            Classic,
            "",
            "=15H?4D",
            10,
            "JK 4D AC 2C 3C",
            1,
            "a joker without power is not called, and loses",
        ),
        (
            Classic,
            "play.joker_call.first_trick false",
            "=15H?4D",
            1,
            "JK/C 4D 5D 2C AD",
            0,
            "not in trick 1",
        ),
        (
            Classic,
            "play.joker.lead names_suit_or_none",
            "=15H?4D",
            2,
            "JK/- 4D AC AD 3C",
            3,
            "named none",
        ),
    ];
    for (profile, overrides, contract, number, played, winner, why) in table {
        let case = Case { profile, overrides, contract, number, played };
        assert_eq!(case.winner(), Some(winner), "{why}: {profile} {overrides} {contract} {played}");
    }
}

#[test]
fn what_may_be_played() {
    use Profile::{Classic, Hunter, Korean, Ripper};
    const SUIT_BOUND: &str = "play.mighty_ignores_suit false";
    const WEAKENED: &str = "play.joker_call.effect weakened";
    const NOT_SAVED: &str = "play.joker_call.mighty_saves false";
    let table = [
        // Following.
        (Korean, "", "=15H", 2, "2C", "3C KC 9D 2H", "3C KC", "the led suit is followed"),
        (Korean, "", "=15H", 2, "2C", "9D 2H QS", "9D 2H QS", "nobody has to ruff"),
        (Korean, "", "=15H", 2, "2C", "3C 9D AS JK", "3C AS JK", "Mighty and joker are free"),
        (Korean, "", "=15H", 2, "2S", "3D 9D AS JK", "AS JK", "the Mighty is the only spade"),
        (Korean, "", "=15H", 2, "2S", "3D 9D AS", "AS", "so it must be played"),
        (Korean, "", "=15H", 2, "AS", "3S 9D", "3S", "a Mighty that is led asks for its suit"),
        (Korean, SUIT_BOUND, "=15H", 2, "2C", "3C 9D AS JK", "3C JK", "the Mighty follows suit"),
        (Korean, SUIT_BOUND, "=15H", 2, "2C", "9D AS JK", "9D AS JK", "or is thrown off"),
        (Korean, SUIT_BOUND, "=15H", 2, "2S", "9D AS JK", "AS JK", "or is the only spade"),
        (Korean, "", "=15S", 2, "2C", "3C AD AS", "3C AD", "spades are trumps: AD is the Mighty"),
        // A joker led.
        (
            Korean,
            "",
            "=15H",
            2,
            "JK/D",
            "3C KC 9D 2H",
            "9D",
            "the suit that the joker names is followed",
        ),
        (Korean, "", "=15H", 2, "JK/-", "3C KC 9D 2H", "3C KC 9D 2H", "it names none"),
        (
            Hunter,
            "",
            "=15H",
            1,
            "JK",
            "3C KC 9D 2H",
            "3C KC 9D 2H",
            "without power it asks for nothing",
        ),
        (Hunter, "", "=15H", 1, "JK 2C", "3C KC 9D 2H", "3C KC", "the second card sets the suit"),
        // The first lead.
        (Hunter, "", "=15H", 1, "", "3H 9D JK", "9D JK", "no trump to the first trick"),
        (Hunter, "", "=15H", 2, "", "3H 9D JK", "3H 9D JK", "later any card"),
        (Hunter, "", "=15N", 1, "", "3H 9D JK", "3H 9D JK", "no trump: nothing is forbidden"),
        (Hunter, "", "=15H", 1, "", "3H 9H AH", "3H 9H AH", "nothing but trumps is held"),
        (Hunter, "", "=15H", 1, "", "3H 9H JK", "JK", "nothing but trumps and the joker"),
        (
            Hunter,
            "play.mighty_when_spades_trump AS",
            "=15S",
            1,
            "",
            "AS 2S 9D",
            "9D",
            "a Mighty is a trump by suit",
        ),
        (Ripper, "", "=15H", 1, "", "3C 9D 2H JK", "9D", "nor joker, nor calling card"),
        (Ripper, "", "=15H", 1, "", "3C 2H", "3C 2H", "nothing else is held"),
        (Ripper, "", "=15H", 1, "", "2H 9H JK", "2H 9H", "but a forbidden joker may never be led"),
        (Ripper, "", "=15C", 1, "", "3S 3C 9D", "9D", "clubs are trumps: 3S is the calling card"),
        (Ripper, "", "=15H", 1, "2C", "3D JK", "3D", "nor played"),
        (Ripper, "", "=15H", 2, "2C", "3D JK", "3D JK", "but to the second trick"),
        // A called joker.
        (Korean, "", "=15H", 2, "3C", "4C 9D JK", "JK", "it is forced out, follow suit or not"),
        (Korean, "", "=15H", 2, "3C", "4C 9D AS JK", "AS JK", "the Mighty may be played for it"),
        (Korean, NOT_SAVED, "=15H", 2, "3C", "4C 9D AS JK", "JK", "unless it saves nobody"),
        (Korean, SUIT_BOUND, "=15H", 2, "3C", "4C 9D AS JK", "AS JK", "whatever the suit"),
        (Korean, "", "=15H", 2, "3C", "4C 9D AS", "4C AS", "the others are free to follow"),
        (Hunter, "", "=15H", 2, "3C", "4C 9D JK", "4C JK", "led without calling"),
        (Hunter, "", "=15H", 2, "3C!", "4C 9D JK", "JK", "led as a call"),
        (Hunter, "", "=15H", 10, "3C!", "JK", "JK", "a joker without power can be called"),
        (Korean, WEAKENED, "=15H", 2, "3C", "4C 9D JK", "4C", "weakened, it no longer breaks suit"),
        (
            Korean,
            WEAKENED,
            "=15H",
            2,
            "3C",
            "9D 8H JK",
            "9D 8H JK",
            "void, it may be played or kept",
        ),
        (Korean, WEAKENED, "=15H", 2, "3C", "4C AS JK", "4C AS", "the Mighty still breaks suit"),
        (
            Korean,
            "play.joker_call.effect weakened, play.joker_call.card 3S",
            "=15H",
            2,
            "3S",
            "AS 9D JK",
            "AS",
            "weakened beside a Mighty that is the only spade: the Mighty alone",
        ),
        // The second seat.
        (Classic, "", "=15H?4D", 2, "JK/C", "5C 4D 9D", "5C 4D", "it may call whatever the suit"),
        (Classic, "", "=15H?4D", 2, "JK/C 2C", "5C 4D 9D", "5C", "the third hand may not"),
        (
            Classic,
            "",
            "=15H?4D",
            2,
            "JK/C 4D",
            "5C 6D 9D",
            "6D 9D",
            "the calling card sets the suit",
        ),
        (
            Classic,
            "play.joker_call.first_trick false",
            "=15H?4D",
            1,
            "JK/C",
            "5C 4D",
            "5C",
            "not in trick 1",
        ),
        (Classic, "", "=15H?4D", 10, "JK", "4D", "4D", "any card on a joker without power"),
    ];
    for (profile, overrides, contract, number, played, hand, playable, why) in table {
        let case = Case { profile, overrides, contract, number, played };
        assert_eq!(case.playable(hand), cards(playable), "{why}: {profile} {overrides} {played}");
    }
}
