//! A record as people read it: deal, auction, contract, tricks and settlement of each hand.

use mighty_rules::{
    BySeat, CardSet, Dealing, Deck, MatchLine, Phase, Replay, Row, Rules, Score, Seat, Trick,
    Unreadable, replay,
};

use crate::drawing::{Style, signed};
use crate::paint::Paint;
use crate::seats::{Grid, Names, labelled};
use crate::text::printable;

/// The lines of a record: all its hands, or the one of this number with its redeals.
///
/// # Errors
/// The record cannot be read.
pub(crate) fn transcript(
    line: &MatchLine,
    hand: Option<u32>,
    paint: Paint,
    columns: usize,
) -> Result<Vec<String>, Unreadable> {
    let players = line.players.iter().flatten().map(String::as_str);
    let names = Names::new(players);
    let style = Style { names: &names, grid: Grid::within(columns, &names), paint };
    let rules = line.rules()?;
    let seed = line.seed()?;
    let mut flow = line.begin()?;
    let mut lines = head(line, &rules);
    for (at, row) in line.rows.iter().enumerate() {
        let too_many = || Unreadable(format!("rows[{at}]: the match is over before it"));
        let dealing = flow.dealing().ok_or_else(too_many)?;
        let deck = row
            .deck(seed.as_ref(), &dealing)
            .map_err(|Unreadable(why)| Unreadable(format!("rows[{at}].{why}")))?;
        let replay = replay(rules.clone(), &deck, dealing.setup, &row.moves);
        if hand.is_none_or(|hand| hand == dealing.hand) {
            lines.push(String::new());
            lines.extend(style.hand(&dealing, &deck, row, &replay));
        }
        // Without an end of this hand nothing is known of the next.
        let Some(outcome) = replay.hand.outcome() else { break };
        flow.finish(&outcome);
    }
    if hand.is_none() {
        lines.push(String::new());
        lines.push(style.grid.head(&names));
        lines.push(style.totals(&flow.totals()));
        if flow.pot() > 0 {
            lines.push(labelled("pot", &format!("{} left over", flow.pot())));
        }
    }
    Ok(lines)
}

fn head(line: &MatchLine, rules: &Rules) -> Vec<String> {
    let id = line.record.as_deref().map(printable);
    let id = id.map(|id| format!("Record {id}   ")).unwrap_or_default();
    let kind = if line.duplicate { "   duplicate" } else { "" };
    let mut lines = vec![format!("{id}{}   {} hands{kind}", rules.profile(), rules.r#match.hands)];
    for (path, value) in rules.overrides() {
        lines.push(labelled("set", &printable(&format!("{path} = {value}"))));
    }
    lines.push(labelled("rules", rules.hash()));
    if let Some(commitment) = &line.commitment {
        lines.push(labelled("commitment", &printable(commitment)));
    }
    lines
}

impl Style<'_> {
    /// One hand, from the deal to the settlement.
    fn hand(self, dealing: &Dealing, deck: &Deck, row: &Row, replay: &Replay) -> Vec<String> {
        let mut lines = vec![self.paint.strong(&self.dealing(dealing))];
        lines.extend(self.deal(deck, replay));
        lines.push(self.grid.head(self.names));
        let public = replay.hand.public();
        lines.extend(self.auction(&public.auction));
        lines.extend(self.contract(public));
        if let Some(tricks) = public.tricks() {
            lines.extend(self.tricks(tricks, Trick::IN_A_HAND.into()));
            lines.push(self.captured(tricks));
        }
        match &public.phase {
            Phase::Scored(tricks, result) => {
                lines.extend(self.settlement(tricks, result, replay.hand.rules()));
            }
            Phase::Void(void) => lines.push(labelled("void", &self.void(void))),
            Phase::Auction
            | Phase::Exchange(_)
            | Phase::Contract(_)
            | Phase::FriendCall(..)
            | Phase::Play(_) => lines.push(labelled("broken off", &broken_off(row, replay))),
        }
        lines.extend(self.what_went_wrong(row));
        lines
    }

    /// What each seat has.
    pub(crate) fn totals(self, totals: &BySeat<Score>) -> String {
        self.grid.row("total", &totals.map(signed))
    }

    /// Which hand, who deals and who speaks first.
    pub(crate) fn dealing(self, dealing: &Dealing) -> String {
        let Dealing { hand, redeal, setup } = dealing;
        let redeal = if *redeal > 0 { format!(", redeal {redeal}") } else { String::new() };
        let pot = match setup.pot {
            0 => String::new(),
            pot => format!(", {pot} points in the pot"),
        };
        let (dealer, first) = (self.names.of(setup.dealer), self.names.of(setup.first_bidder));
        format!("Hand {hand}{redeal}: {dealer} deals, {first} speaks first{pot}")
    }

    /// The ten cards of each seat, and the kitty.
    fn deal(self, deck: &Deck, replay: &Replay) -> Vec<String> {
        let dealt = deck.deal(replay.hand.rules().deal.pattern, replay.hand.public().setup.dealer);
        let mut lines: Vec<String> =
            dealt.iter().map(|(seat, cards)| self.cards_of(&self.names.of(seat), *cards)).collect();
        lines.push(self.cards_of("kitty", deck.kitty()));
        lines
    }

    fn cards_of(self, who: &str, cards: CardSet) -> String {
        format!("  {who:<20} {}", self.paint.cards(cards))
    }

    /// Default moves, refused answers, and seats that were given up.
    fn what_went_wrong(self, row: &Row) -> Vec<String> {
        let moves: Vec<&str> = row.moves.split_whitespace().collect();
        let defaults = row.defaults.iter().map(|at| {
            let made = printable(moves.get(*at).copied().unwrap_or("no such move"));
            labelled("default", &format!("move {}, {made}, was made by the table", at + 1))
        });
        let name_of = |seat: usize| {
            Seat::new(seat).map_or_else(|| "nobody's seat".to_owned(), |seat| self.names.of(seat))
        };
        let refusals = row.refusals.iter().map(|refusal| {
            let who = name_of(refusal.seat);
            let (sent, why) = (printable(&refusal.sent), printable(&refusal.why));
            let before = refusal.at.saturating_add(1);
            labelled("refused", &format!("{who} sent {sent} as move {before}: {why}"))
        });
        let given_up = row.given_up.iter().map(|given_up| {
            let (who, stand_in) = (name_of(given_up.seat), printable(&given_up.stand_in));
            let before = given_up.at.saturating_add(1);
            labelled("given up", &format!("{stand_in} plays on for {who} from move {before}"))
        });
        defaults.chain(refusals).chain(given_up).collect()
    }
}

fn broken_off(row: &Row, replay: &Replay) -> String {
    match &replay.refused {
        Some((at, why)) => {
            let sent = printable(row.moves.split_whitespace().nth(*at).unwrap_or_default());
            format!("move {}, {sent}, is against the rules: {why}", at + 1)
        }
        None => "the record ends here".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use mighty_rules::{GivenUp, Refusal};

    use super::*;

    fn a_match(number: usize) -> MatchLine {
        let matches = include_str!("../../../rules/tests/data/matches.jsonl");
        serde_json::from_str(matches.lines().nth(number).unwrap()).unwrap()
    }

    fn shown(line: &MatchLine, hand: u32) -> String {
        let lines = transcript(line, Some(hand), Paint::Plain, 80).unwrap();
        let hand = lines.iter().skip_while(|line| !line.is_empty()).cloned();
        hand.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_hand_is_told_from_the_deal_to_the_settlement() {
        let mut line = a_match(0);
        line.players = Some(["ada", "bob", "cy", "dan", "eve"].map(str::to_owned));
        assert_eq!(
            shown(&line, 3),
            r"
Hand 3: 0 ada deals, 1 bob speaks first
  0 ada                AH KH JH 9H 6H  AD JD 5D 2D  KS
  1 bob                AC TC 5C 2C  QS 9S 7S 4S 3S  JK
  2 cy                 5H  QD TD 7D 4D  JC 8C 7C 3C  8S
  3 dan                TH 8H 7H 4H  KD 6D  QC 9C  AS TS
  4 eve                QH 2H  9D 8D 3D  KC 6C  JS 6S 5S
  kitty                3H  4C  2S
           0 ada        1 bob        2 cy         3 dan        4 eve
auction    14H          - (first)    13D          -            13N
           -            15C          -            -            -
declarer   1 bob with 15C
contract   15N   Mighty AS   joker called by 8S
friend     holder of TD: 2 cy
buried     AC 5C  7S
trick 1    KS *         >QS          8S           TS           JS
trick 2    >6H          JK *         5H           TH           QH
trick 3    JH           >3S          7C           AS *         5S
trick 4    AH *         3H           TD           >8H          2H
trick 5    >KH *        TC           QD           7H           6C
trick 6    >9H *        4C           JC           4H           8D
trick 7    >AD *        4S           4D           KD           3D
trick 8    >JD *        2C           7D           6D           9D
trick 9    >5D *        9S           3C           QC           6S
trick 10   >2D *        2S           8C           9C           KC
captured   15           2            0            2            0
result     1 bob with 2 cy failed 15N, taking 3 points
worth      (contract 15 - base 12) + (contract 15 - taken 3) = 15
shares     S to each defender, 2S from the declarer, S from the friend
score      +15          -30          -15          +15          +15"
        );
    }

    #[test]
    fn redeals_defaults_and_refusals_are_told() {
        let mut line = a_match(0);
        line.rows[2].defaults = vec![4, 1000];
        line.rows[2].refusals = vec![Refusal {
            at: 1,
            seat: 3,
            sent: "\u{1b}[2J7S".to_owned(),
            why: "follow suit".to_owned(),
        }];
        line.rows[2].given_up = vec![GivenUp { at: 6, seat: 2, stand_in: "cautious".to_owned() }];
        assert_eq!(
            shown(&line, 2),
            r"
Hand 2: seat 3 deals, seat 4 speaks first
  seat 0               KH 4H  KD JD TD 8D 6D  4C 3C  6S
  seat 1               JH 2H  AD QD 7D  AC 7C 2C  8S 4S
  seat 2               QH 9H 5H  5D  QC 8C  AS JS TS 9S
  seat 3               AH 6H  4D 3D 2D  JC 9C 6C  7S 5S
  seat 4               TH 8H 7H 3H  9D  KC TC  QS 2S  JK
  kitty                5C  KS 3S
           seat 0       seat 1       seat 2       seat 3       seat 4
auction    -            -            -            -            - (first)
void       all passed; seat 4 deals next

Hand 2, redeal 1: seat 4 deals, seat 0 speaks first
  seat 0               AH 3H  AD JD 3D  AC 3C  KS 5S 4S
  seat 1               JH 6H  KD 5D 2D  KC 6C 5C  QS 8S
  seat 2               9H 7H  TD 8D  QC 8C 7C  9S 7S  JK
  seat 3               KH QH TH 4H 2H  7D 6D  JC 9C  AS
  seat 4               8H 5H  QD 9D 4D  TC 2C  JS TS 6S
  kitty                4C  3S 2S
           seat 0       seat 1       seat 2       seat 3       seat 4
auction    13C (first)  -            -            14S          -
           -            -            -
declarer   seat 3 with 14S
contract   14D   Mighty AS   joker called by QH
friend     holder of TH: the declarer is alone
buried     KH  7D  2S
trick 1    AH *         JH           9H           >QH          5H
trick 2    >5S          QS           JK *         3S           6S
trick 3    AD           KD           >TD          AS *         4D
trick 4    3H           6H           7H           >2H          8H *
trick 5    AC *         5C           7C           9C           >2C
trick 6    >KS *        8S           9S           4H           TS
trick 7    >JD          2D           8D           6D           QD *
trick 8    3C           6C           QC *         JC           >TC
trick 9    4S           KC           >7S          4C           JS *
trick 10   3D           5D           8C           TH           >9D *
captured   6            0            4            4            5
result     seat 3 alone failed 14D, taking 5 points
worth      (contract 14 - base 12) + (contract 14 - taken 5) = 11
shares     S to each defender from the declarer alone
score      +11          +11          +11          -44          +11
default    move 5, -, was made by the table
default    move 1001, no such move, was made by the table
refused    seat 3 sent [2J7S as move 2: follow suit
given up   cautious plays on for seat 2 from move 7"
        );
    }

    #[test]
    fn a_whole_record_has_a_head_and_ends_with_its_totals() {
        for number in 0..24 {
            let line = a_match(number);
            let lines = transcript(&line, None, Paint::Plain, 80).unwrap();
            assert!(lines[0].starts_with(&line.profile), "{}", lines[0]);
            let said = BySeat(<[Score; 5]>::try_from(line.totals.clone().unwrap()).unwrap());
            let pot = line.pot.unwrap_or_default();
            let tail = &lines[lines.len() - if pot > 0 { 2 } else { 1 }..];
            let said = said.map(|total| format!("{:<13}", signed(total))).0.concat();
            assert_eq!(tail[0], format!("total      {said}").trim_end());
        }
    }

    #[test]
    fn a_hand_that_breaks_a_rule_is_told_as_far_as_it_goes() {
        let mut line = a_match(0);
        line.rows[0].moves = line.rows[0].moves.replacen("3C 8C", "3C 9X", 1);
        let shown = shown(&line, 1);
        assert!(shown.contains("broken off move 16, 9X, is against the rules"), "{shown}");
    }
}
