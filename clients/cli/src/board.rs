//! A table that is watched: what a spectator knows of it, folded from events and drawn as lines of text.

use std::collections::VecDeque;

use mighty_client::{MatchEnd, MatchInfo, Told};
use mighty_rules::{BySeat, Dealing, Friend, Phase, Public, Score, Seat, Trick, View, Viewer};

use crate::drawing::{Style, signed};
use crate::paint::{Paint, width};
use crate::room::{Room, clipped};
use crate::seats::{Grid, Names, labelled};
use crate::show::Joined;
use crate::telling;
use crate::text::printable;

/// A table's id is known by its end where there is no room for all of it.
const ID_END: usize = 8;
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

    /// How the table is written in a pipe.
    pub(crate) fn plain_style(&self) -> Style<'_> {
        self.style(Paint::Plain, Room::ENDLESS)
    }

    fn style(&self, paint: Paint, room: Room) -> Style<'_> {
        Style { names: &self.names, grid: Grid::within(room.columns, &self.names), paint }
    }

    /// The table as lines of text. Where the room is too low, the oldest tricks are left out, then what stands last.
    pub(crate) fn draw(&self, paint: Paint, room: Room) -> Vec<String> {
        let mut lines = self.head(room);
        let style = self.style(paint, room);
        let mut tricks = usize::from(Trick::IN_A_HAND);
        let mut state = self.state(style, tricks);
        while lines.len() + state.len() > room.lines && tricks > 1 {
            tricks -= 1;
            state = self.state(style, tricks);
        }
        lines.extend(state);
        if lines.len() > room.lines {
            lines.truncate(room.lines.saturating_sub(1));
            lines.push("…".to_owned());
        }
        lines.iter().map(|line| clipped(line, room.columns)).collect()
    }

    /// How the table stands, with the last so many tricks.
    pub(crate) fn state(&self, style: Style<'_>, tricks: usize) -> Vec<String> {
        let mut lines = Vec::new();
        match &self.hand {
            Some(hand) => {
                lines.push(style.paint.strong(&style.dealing(&hand.dealing)));
                lines.push(String::new());
                lines.extend(self.seats(Some(&hand.view.public), style));
                lines.extend(hand_lines(&hand.view, style, tricks));
            }
            None => lines.extend(self.seats(None, style)),
        }
        if let Some(end) = &self.end {
            lines.push(style.grid.row("place", &end.places.map(|place| place.to_string())));
            lines.push(labelled("over", &format!("record {}", printable(&end.record_id))));
        }
        lines.extend(self.news.iter().map(|news| labelled("news", news)));
        lines
    }

    /// Which table this is: in one line where there is room, else with the clock in a second.
    pub(crate) fn head(&self, room: Room) -> Vec<String> {
        let MatchInfo { table_id, rules, bank, increment, ladder, commitment, .. } = &self.info;
        let ladder = if *ladder { "   ladder" } else { "" };
        let (bank, increment) = (bank.as_secs_f64(), increment.as_secs_f64());
        let id = printable(table_id);
        let table =
            |id: &str| format!("Table {id}   {}   {} hands", rules.profile(), rules.r#match.hands);
        let clock = format!("clock {bank} s + {increment} s a move{ladder}");
        let decks = format!("Decks committed to {}", printable(commitment));
        let in_one = format!("{}   {clock}", table(&id));
        if width(&in_one) <= room.columns {
            return vec![in_one, decks];
        }
        let whole = table(&id);
        let end: String = id.chars().skip(id.chars().count().saturating_sub(ID_END)).collect();
        let fits = width(&whole) <= room.columns;
        vec![if fits { whole } else { table(&format!("…{end}")) }, format!("      {clock}"), decks]
    }

    /// Who sits where, as what, and how it stands.
    fn seats(&self, public: Option<&Public>, style: Style<'_>) -> Vec<String> {
        let mut lines = vec![style.grid.head(style.names)];
        let roles = BySeat::from_fn(|seat| public.map_or("", |public| role(public, seat)));
        lines.extend(row_unless_empty("role", roles.map(str::to_owned), style));
        lines.extend(row_unless_empty("player", BySeat::from_fn(|seat| self.player(seat)), style));
        if let Some(public) = public {
            let held = public.cards_held();
            let cards = BySeat::from_fn(|seat| {
                let has_turn = public.to_act() == Some(seat) && held[seat] > 0;
                format!("{}{}", held[seat], if has_turn { " <" } else { "" })
            });
            lines.push(style.grid.row("cards", &cards));
        }
        lines.push(style.totals(&self.totals));
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

fn row_unless_empty(label: &str, cells: BySeat<String>, style: Style<'_>) -> Option<String> {
    let is_empty = cells.0.iter().all(String::is_empty);
    (!is_empty).then(|| style.grid.row(label, &cells))
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

/// The hand in play, as far as it has come, with the last so many tricks.
fn hand_lines(view: &View, style: Style<'_>, most: usize) -> Vec<String> {
    let public = &view.public;
    let mut lines = Vec::new();
    match &public.phase {
        Phase::Auction | Phase::Exchange(_) | Phase::Contract(_) | Phase::FriendCall(..) => {
            lines.extend(style.auction(&public.auction));
            lines.extend(style.contract(public));
        }
        Phase::Play(tricks) => {
            lines.extend(style.contract(public));
            lines.extend(style.tricks(tricks, most));
            lines.push(style.captured(tricks));
            lines.push(labelled("points", &points(view)));
        }
        Phase::Scored(tricks, result) => {
            lines.extend(style.contract(public));
            lines.extend(style.tricks(tricks, most));
            lines.push(style.captured(tricks));
            lines.push(labelled("result", &style.result(result)));
            lines.push(style.grid.row("score", &result.scores.map(signed)));
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
    use crate::sample;

    /// The table after so many events of the sample hand.
    fn board_after(events: usize) -> Board {
        let mut board = Board::new(sample::info());
        sample::events().iter().take(events).for_each(|told| board.see(told));
        board
    }

    fn drawn(board: &Board) -> String {
        format!("\n{}", board.draw(Paint::Plain, Room::ENDLESS).join("\n"))
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
trick 1    4C           >KC          6C           8C           AC *
trick 2    KS *         JS           6S           TS           >8S
trick 3    >9C          5C           TC           JC *         TD
trick 4    4D           2D           7D           >3D          JD *
trick 5    5D           3C *         9D           6D           >QD
trick 6    2H           >8H          JH           5H           JK *
trick 7    TH           6H           3H           8D           >AH *
trick 8    4S           5S           9H           QS           >AS *
trick 9    3S           4H           QH           QC *         >KD
trick 10   2S           7H           KH           >7S *        AD
captured   3            1            0            8            8
result     1 bob with 0 ada failed 18C, taking 4 points
score      -20          -40          +20          +20          +20"
        );
    }

    #[test]
    fn in_a_narrow_terminal_nothing_is_cut_without_saying_so() {
        let mut info = sample::info();
        info.table_id = "0193a2b4-55aa-7000-8000-0123456789ab".to_owned();
        info.seats[Seat::ALL[3]].name = "rust-cautious".to_owned();
        info.seats[Seat::ALL[4]].name = "rust-cautious-2".to_owned();
        let mut board = Board::new(info);
        sample::events().iter().take(60).for_each(|told| board.see(told));
        let drawn = |columns, lines| {
            let drawn = board.draw(Paint::Plain, Room { columns, lines });
            assert!(drawn.iter().all(|line| width(line) <= columns), "{drawn:#?}");
            assert!(drawn.len() <= lines, "{drawn:#?}");
            drawn
        };
        assert_eq!(
            drawn(80, 50)[..6],
            [
                "Table 0193a2b4-55aa-7000-8000-0123456789ab   classic   10 hands",
                "      clock 60 s + 2.5 s a move   ladder",
                "Decks committed to 72cd6e8422c407fb6d098690f1130b7ded7ec2f7f5e1d30bd9d521f01536…",
                "Hand 1: 3 rust-cautious deals, 4 rust-cautious-2 speaks first",
                "",
                "           0 ada        1 bob        2 cy         3 rust-c…ous 4 rust-c…s-2",
            ]
        );
        assert_eq!(drawn(60, 50)[0], "Table …456789ab   classic   10 hands");
        let tricks = |lines: usize| {
            let drawn = drawn(80, lines);
            let tricks = drawn.iter().filter_map(|line| line.strip_prefix("trick "));
            tricks.map(|line| line[..2].trim().to_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(tricks(50), "1 2 3 4 5 6 7 8");
        assert_eq!(tricks(20), "4 5 6 7 8");
        let low = drawn(80, 5);
        assert!(low[0].starts_with("Table") && low[4] == "…", "{low:#?}");
    }

    #[test]
    fn colours_change_nothing_but_the_look() {
        let board = board_after(33);
        let plain = board.draw(Paint::Plain, Room::ENDLESS);
        let coloured = board.draw(Paint::Colours, Room::ENDLESS);
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
