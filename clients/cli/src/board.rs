//! A table that is watched: what a spectator knows of it, folded from events and drawn as lines of text.

use std::collections::VecDeque;

use mighty_client::{MatchEnd, MatchInfo, Told};
use mighty_rules::{BySeat, Dealing, Friend, Phase, Public, Score, Seat, View, Viewer};

use crate::drawing::{Style, signed};
use crate::paint::Paint;
use crate::seats::{Names, labelled, row};
use crate::show::Joined;
use crate::telling;
use crate::text::printable;
use crate::transcript::totals;

/// How many tricks are drawn: the open one and some before it.
const TRICKS_DRAWN: usize = 5;
/// How much of what happened beside the game is kept to be drawn.
const NEWS_MAX: usize = 3;

/// A table as a spectator knows it.
#[derive(Clone, Debug)]
pub(crate) struct Board {
    info: MatchInfo,
    names: Names,
    hand: Option<HandInPlay>,
    totals: BySeat<Score>,
    troubles: BySeat<Trouble>,
    news: VecDeque<String>,
    end: Option<MatchEnd>,
}

/// How well a seat's player does its work.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Trouble {
    /// Whether its connection is lost.
    is_away: bool,
    /// Whether a house bot plays on for it.
    is_given_up: bool,
    /// How many moves the table made for it, as far as they were seen.
    defaults: u32,
}

#[derive(Clone, Debug)]
struct HandInPlay {
    dealing: Dealing,
    view: View,
}

impl Board {
    /// A match of which nothing was seen yet.
    pub(crate) fn new(info: MatchInfo) -> Board {
        Board {
            names: Names::new(info.seats.0.iter().map(|seat| seat.name.as_str())),
            troubles: BySeat::from_fn(|seat| Trouble {
                is_away: !info.seats[seat].present,
                is_given_up: info.seats[seat].given_up,
                defaults: 0,
            }),
            info,
            hand: None,
            totals: BySeat::default(),
            news: VecDeque::with_capacity(NEWS_MAX),
            end: None,
        }
    }

    /// Who sits where.
    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    /// Takes in what a spectator was told.
    pub(crate) fn see(&mut self, told: &Told) {
        match told {
            Told::HandStarted(dealing) => {
                let rules = self.info.rules.clone();
                let view = View::new(rules, dealing.setup, Viewer::Spectator);
                self.hand = Some(HandInPlay { dealing: *dealing, view });
            }
            Told::InHand(event) => {
                if let Some(hand) = &mut self.hand {
                    hand.view.see(event);
                }
            }
            Told::HandEnded(end) => self.totals = end.totals,
            Told::DefaultMade { seat, .. } => {
                self.troubles[*seat].defaults += 1;
                self.tell(telling::sentence(told, self.plain_style()));
            }
            Told::SeatGivenUp { seat, .. } => {
                self.troubles[*seat].is_given_up = true;
                self.tell(telling::sentence(told, self.plain_style()));
            }
            Told::SeatPresence { seat, present } => {
                self.troubles[*seat].is_away = !present;
                self.tell(telling::sentence(told, self.plain_style()));
            }
            Told::MatchEnded(end) => {
                self.totals = end.totals;
                self.end = Some(end.clone());
            }
        }
    }

    /// Goes on from how a hand stands that is joined in the middle.
    pub(crate) fn jump_to(&mut self, joined: &Joined) {
        self.hand = Some(HandInPlay { dealing: joined.dealing, view: joined.view.clone() });
        self.totals = joined.totals;
    }

    /// Keeps something to be drawn that happened beside the game.
    pub(crate) fn tell(&mut self, news: String) {
        if self.news.len() == NEWS_MAX {
            self.news.pop_front();
        }
        self.news.push_back(news);
    }

    fn plain_style(&self) -> Style<'_> {
        Style { names: &self.names, paint: Paint::Plain }
    }

    /// The table as lines of text.
    pub(crate) fn draw(&self, paint: Paint) -> Vec<String> {
        let mut lines = self.head();
        lines.extend(self.state(paint));
        lines
    }

    /// How the table stands.
    pub(crate) fn state(&self, paint: Paint) -> Vec<String> {
        let style = Style { names: &self.names, paint };
        let mut lines = Vec::new();
        match &self.hand {
            Some(hand) => {
                lines.push(paint.strong(&style.dealing(&hand.dealing)));
                lines.push(String::new());
                lines.extend(self.seats(Some(&hand.view.public), style));
                lines.extend(hand_lines(&hand.view, style));
            }
            None => lines.extend(self.seats(None, style)),
        }
        if let Some(end) = &self.end {
            lines.push(row("place", &end.places.map(|place| place.to_string())));
            lines.push(labelled("over", &format!("record {}", printable(&end.record_id))));
        }
        lines.extend(self.news.iter().map(|news| labelled("news", news)));
        lines
    }

    /// Which table this is.
    pub(crate) fn head(&self) -> Vec<String> {
        let MatchInfo { table_id, rules, bank, increment, ladder, commitment, .. } = &self.info;
        let ladder = if *ladder { "   ladder" } else { "" };
        let (bank, increment) = (bank.as_secs_f64(), increment.as_secs_f64());
        vec![
            format!(
                "Table {}   {}   {} hands   clock {bank} s + {increment} s a move{ladder}",
                printable(table_id),
                rules.profile(),
                rules.r#match.hands
            ),
            format!("Decks committed to {}", printable(commitment)),
        ]
    }

    /// Who sits where, as what, and how it stands.
    fn seats(&self, public: Option<&Public>, style: Style<'_>) -> Vec<String> {
        let mut lines = vec![style.names.head()];
        let roles = BySeat::from_fn(|seat| public.map_or("", |public| role(public, seat)));
        lines.extend(row_unless_empty("role", roles.map(str::to_owned)));
        lines.extend(row_unless_empty("player", BySeat::from_fn(|seat| self.player(seat))));
        if let Some(public) = public {
            let held = public.cards_held();
            let cards = BySeat::from_fn(|seat| {
                let has_turn = public.to_act() == Some(seat) && held[seat] > 0;
                format!("{}{}", held[seat], if has_turn { " <" } else { "" })
            });
            lines.push(row("cards", &cards));
        }
        lines.push(totals(&self.totals));
        lines
    }

    fn player(&self, seat: Seat) -> String {
        let Trouble { is_away, is_given_up, defaults } = self.troubles[seat];
        let state = match (is_given_up, is_away, self.info.seats[seat].house) {
            (true, _, _) => "given up",
            (false, true, _) => "away",
            (false, false, true) => "house",
            (false, false, false) => "",
        };
        match defaults {
            0 => state.to_owned(),
            _ => format!("{state} {defaults} def.").trim_start().to_owned(),
        }
    }
}

fn row_unless_empty(label: &str, cells: BySeat<String>) -> Option<String> {
    let is_empty = cells.0.iter().all(String::is_empty);
    (!is_empty).then(|| row(label, &cells))
}

/// What a seat is in this hand, as all know it.
fn role(public: &Public, seat: Seat) -> &'static str {
    let friend = public.tricks().map_or(Friend::Hidden, |tricks| tricks.friend);
    match public.won() {
        Some(won) if won.declarer == seat => "declarer",
        Some(_) if friend == Friend::Seat(seat) => "friend",
        Some(_) | None => "",
    }
}

/// The hand in play, as far as it has come.
fn hand_lines(view: &View, style: Style<'_>) -> Vec<String> {
    let public = &view.public;
    let mut lines = Vec::new();
    match &public.phase {
        Phase::Auction | Phase::Exchange(_) | Phase::Contract(_) | Phase::FriendCall(..) => {
            lines.extend(style.auction(&public.auction));
            lines.extend(style.contract(public));
        }
        Phase::Play(tricks) => {
            lines.extend(style.contract(public));
            lines.extend(style.tricks(tricks, TRICKS_DRAWN));
            lines.push(style.captured(tricks));
            lines.push(labelled("points", &points(view)));
        }
        Phase::Scored(tricks, result) => {
            lines.extend(style.contract(public));
            lines.extend(style.tricks(tricks, 1));
            lines.push(style.captured(tricks));
            lines.push(labelled("result", &style.result(result)));
            lines.push(row("score", &result.scores.map(signed)));
        }
        Phase::Void(void) => {
            lines.extend(style.auction(&public.auction));
            lines.push(labelled("void", &style.void(void)));
        }
    }
    lines
}

/// What both sides have captured, as far as it is known who belongs to which.
fn points(view: &View) -> String {
    let (declarers, others) = view.captured_points();
    let wanted = view.public.contract().map_or(0, |contract| contract.bid.points);
    match view.friend() {
        Friend::Hidden => format!(
            "declarer {declarers} of {wanted}, others {others}, the unknown friend's among them"
        ),
        Friend::Seat(_) | Friend::Nobody => {
            format!("declarer's side {declarers} of {wanted}, defenders {others}")
        }
    }
}

#[cfg(test)]
mod tests {
    use mighty_client::DefaultCause;

    use super::*;
    use crate::paint::width;
    use crate::sample;

    /// The table after so many events of the sample hand.
    fn board_after(events: usize) -> Board {
        let mut board = Board::new(sample::info());
        sample::events().iter().take(events).for_each(|told| board.see(told));
        board
    }

    fn drawn(board: &Board) -> String {
        format!("\n{}", board.draw(Paint::Plain).join("\n"))
    }

    #[test]
    fn before_the_first_deal_there_are_seats_and_a_commitment() {
        assert_eq!(
            drawn(&board_after(0)),
            r"
Table t-17   classic   10 hands   clock 60 s + 2.5 s a move   ladder
Decks committed to 72cd6e8422c407fb6d098690f1130b7ded7ec2f7f5e1d30bd9d521f015363793
           0 ada        1 bob        2 cy         3 dan        4 eve
player                  house                     house        house
total      0            0            0            0            0"
        );
    }

    #[test]
    fn the_auction_grows_and_news_are_told() {
        let mut board = board_after(9);
        let seat = Seat::ALL[2];
        board.see(&Told::DefaultMade { seat, cause: DefaultCause::Time });
        board.see(&Told::SeatPresence { seat, present: false });
        assert_eq!(
            drawn(&board),
            r"
Table t-17   classic   10 hands   clock 60 s + 2.5 s a move   ladder
Decks committed to 72cd6e8422c407fb6d098690f1130b7ded7ec2f7f5e1d30bd9d521f015363793
Hand 1: 3 dan deals, 4 eve speaks first

           0 ada        1 bob        2 cy         3 dan        4 eve
player                  house        away 1 def.  house        house
cards      10           10           10 <         10           10
total      0            0            0            0            0
auction    13C          14H          16S          17S          - (first)
           -            18D                                    17N
news       2 cy: no answer came in time, the default move is made
news       2 cy has lost its connection"
        );
    }

    #[test]
    fn a_friend_is_not_drawn_before_it_has_come_out() {
        assert_eq!(
            drawn(&board_after(24)),
            r"
Table t-17   classic   10 hands   clock 60 s + 2.5 s a move   ladder
Decks committed to 72cd6e8422c407fb6d098690f1130b7ded7ec2f7f5e1d30bd9d521f015363793
Hand 1: 3 dan deals, 4 eve speaks first

           0 ada        1 bob        2 cy         3 dan        4 eve
role                    declarer
player                  house                     house        house
cards      9 <          9            9            9            8
total      0            0            0            0            0
declarer   1 bob with 18D
contract   18C   Mighty AS   joker called by 4C
friend     holder of KS: not known yet
trick 1    4C           >KC          6C           8C           AC *
trick 2                                                        >8S *
captured   0            0            0            0            2
points     declarer 0 of 18, others 2, the unknown friend's among them"
        );
        assert_eq!(
            drawn(&board_after(33)),
            r"
Table t-17   classic   10 hands   clock 60 s + 2.5 s a move   ladder
Decks committed to 72cd6e8422c407fb6d098690f1130b7ded7ec2f7f5e1d30bd9d521f015363793
Hand 1: 3 dan deals, 4 eve speaks first

           0 ada        1 bob        2 cy         3 dan        4 eve
role       friend       declarer
player                  house                     house        house
cards      7            7            7            8 <          8
total      0            0            0            0            0
declarer   1 bob with 18D
contract   18C   Mighty AS   joker called by 4C
friend     holder of KS: 0 ada
trick 1    4C           >KC          6C           8C           AC *
trick 2    KS *         JS           6S           TS           >8S
trick 3    >9C          5C           TC *
captured   3            0            0            0            2
points     declarer's side 3 of 18, defenders 2"
        );
    }

    #[test]
    fn a_settled_hand_shows_what_was_buried_and_who_gets_what() {
        assert_eq!(
            drawn(&board_after(usize::MAX)),
            r"
Table t-17   classic   10 hands   clock 60 s + 2.5 s a move   ladder
Decks committed to 72cd6e8422c407fb6d098690f1130b7ded7ec2f7f5e1d30bd9d521f015363793
Hand 1: 3 dan deals, 4 eve speaks first

           0 ada        1 bob        2 cy         3 dan        4 eve
role       friend       declarer
player                  house                     house        house
cards      0            0            0            0            0
total      -20          -40          +20          +20          +20
declarer   1 bob with 18D
contract   18C   Mighty AS   joker called by 4C
friend     holder of KS: 0 ada
buried     7C 2C  9S
trick 10   2S           7H           KH           >7S *        AD
captured   3            1            0            8            8
result     1 bob with 0 ada failed 18C, taking 4 points
score      -20          -40          +20          +20          +20"
        );
    }

    #[test]
    fn colours_change_nothing_but_the_look() {
        let board = board_after(33);
        let plain = board.draw(Paint::Plain);
        let coloured = board.draw(Paint::Colours);
        for (plain, coloured) in plain.iter().zip(&coloured) {
            assert_eq!(width(plain), width(coloured));
        }
        let open_trick = &coloured[coloured.len() - 3];
        assert_eq!(
            open_trick,
            "trick 3    >\u{1b}[34m9♣\u{1b}[0m          \u{1b}[34m5♣\u{1b}[0m           \u{1b}[34mT♣\u{1b}[0m *"
        );
    }

    #[test]
    fn a_snapshot_draws_the_same_table_as_the_events_before_it() {
        for events in [1, 9, 30, 60] {
            let board = board_after(events);
            let hand = board.hand.clone().unwrap();
            let mut joined = Board::new(sample::info());
            let HandInPlay { dealing, view } = hand;
            let totals = board.totals;
            joined.jump_to(&Joined { dealing, view, totals, missed: 0 });
            assert_eq!(drawn(&joined), drawn(&board));
        }
    }

    #[test]
    fn only_the_last_news_are_kept() {
        let mut board = board_after(0);
        (0..100).for_each(|number| board.tell(format!("news {number}")));
        let drawn = drawn(&board);
        assert!(!drawn.contains("news 96") && drawn.ends_with("news 99"), "{drawn}");
    }
}
