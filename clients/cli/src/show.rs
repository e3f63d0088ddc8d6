//! What is shown of a table that is watched, and how fast: bots play a hand in milliseconds, people look on for longer.
//!
//! Nothing here waits or reads a clock: a step says how long to pause after it.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::str::FromStr;
use std::time::Duration;

use mighty_client::{MatchInfo, Told};
use mighty_rules::{BySeat, Dealing, Event, Score, Trick, View};
use serde_json::json;

use crate::board::Board;
use crate::paint::Paint;
use crate::room::{Room, clipped};
use crate::telling;
use crate::text::printable_sentence;

/// How much may wait to be shown. Beyond it the show jumps to the present.
const FEED_MAX: usize = 4096;

/// How fast things are shown.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Speed {
    /// As they happen.
    Live,
    /// So many cards a second.
    Cards(f64),
}

impl FromStr for Speed {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Speed, &'static str> {
        match text.parse() {
            _ if text == "live" => Ok(Speed::Live),
            Ok(cards) if (0.01..=1000.0).contains(&cards) => Ok(Speed::Cards(cards)),
            Ok(_) | Err(_) => Err("write cards per second, from 0.01 to 1000, or `live`"),
        }
    }
}

/// How things are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// A table that is drawn anew in a terminal.
    Screen(Paint),
    /// A line for each event.
    Lines,
    /// A JSON object for each event.
    Json,
}

/// Something to show.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// A match begins, or is joined.
    Start(Box<MatchInfo>),
    /// How a hand stands that is joined in the middle.
    Joined(Box<Joined>),
    /// What happened.
    Told(Told),
    /// Something about the server or the watching itself.
    Remark(String),
}

/// How a hand stands that is joined in the middle.
#[derive(Clone, Debug)]
pub(crate) struct Joined {
    /// Which hand.
    pub(crate) dealing: Dealing,
    /// What all know of it.
    pub(crate) view: View,
    /// The totals before it.
    pub(crate) totals: BySeat<Score>,
    /// How many events were missed before.
    pub(crate) missed: u64,
}

/// A show of one table after the other.
pub(crate) struct Show<'a, Out> {
    out: &'a mut Out,
    mode: Mode,
    speed: Speed,
    feed: VecDeque<Item>,
    board: Option<Board>,
    remark: String,
    room: fn() -> Room,
}

impl<'a, Out: Write> Show<'a, Out> {
    /// A show of which nothing was shown yet. The room is asked for anew whenever a terminal is drawn, since its window
    /// may be resized.
    pub(crate) fn new(
        out: &'a mut Out,
        mode: Mode,
        speed: Speed,
        room: fn() -> Room,
    ) -> Show<'a, Out> {
        let feed = VecDeque::new();
        Show { out, mode, speed, feed, board: None, remark: String::new(), room }
    }

    /// Takes in something to be shown in its turn.
    pub(crate) fn receive(&mut self, item: Item) {
        if self.feed.len() == FEED_MAX {
            for passed_over in std::mem::take(&mut self.feed) {
                self.fold(&passed_over);
            }
            self.feed.push_back(Item::Remark(format!(
                "this show was {FEED_MAX} events behind and jumps to the present; a higher --speed keeps up"
            )));
        }
        self.feed.push_back(item);
    }

    /// Whether anything waits to be shown.
    pub(crate) fn has_more(&self) -> bool {
        !self.feed.is_empty()
    }

    /// Shows the next thing, with what goes with it, and says how long to let it stand.
    pub(crate) fn step(&mut self) -> io::Result<Duration> {
        let mut beats = 0;
        while let Some(item) = self.feed.pop_front() {
            self.fold(&item);
            self.print(&item)?;
            beats = beats_of(&item);
            if beats > 0 && self.speed != Speed::Live {
                break;
            }
        }
        self.draw()?;
        self.out.flush()?;
        Ok(match self.speed {
            Speed::Live => Duration::ZERO,
            Speed::Cards(per_second) => Duration::from_secs_f64(f64::from(beats) / per_second),
        })
    }

    fn fold(&mut self, item: &Item) {
        match (item, &mut self.board) {
            (Item::Start(start), board) => {
                *board = Some(Board::new((**start).clone()));
                self.remark.clear();
            }
            (Item::Joined(joined), Some(board)) => {
                board.jump_to(joined);
                if joined.missed > 0 {
                    board.tell(missed_sentence(joined.missed));
                }
            }
            (Item::Told(told), Some(board)) => board.see(told),
            (Item::Remark(remark), Some(board)) => board.tell(printable_sentence(remark)),
            (Item::Remark(remark), None) => self.remark = printable_sentence(remark),
            // Nothing can be known of a match that has not begun.
            (Item::Joined(_) | Item::Told(_), None) => {}
        }
    }

    fn print(&mut self, item: &Item) -> io::Result<()> {
        match self.mode {
            Mode::Screen(_) => Ok(()),
            Mode::Lines => self.print_lines(item),
            Mode::Json => {
                let printed = match item {
                    Item::Start(start) => telling::start_json(start),
                    Item::Joined(joined) => telling::joined_json(joined),
                    Item::Told(told) => telling::as_json(told),
                    Item::Remark(remark) => json!({ "event": "remark", "text": remark }),
                };
                writeln!(self.out, "{printed}")
            }
        }
    }

    fn print_lines(&mut self, item: &Item) -> io::Result<()> {
        match (item, &self.board) {
            (Item::Told(told), Some(board)) => {
                let style = board.plain_style();
                writeln!(self.out, "{}", telling::sentence(told, style))
            }
            (Item::Start(_), Some(board)) => {
                board.head(Room::ENDLESS).iter().try_for_each(|line| writeln!(self.out, "{line}"))
            }
            (Item::Joined(_), Some(board)) => {
                let style = board.plain_style();
                let state = board.state(style, Trick::IN_A_HAND.into());
                state.iter().try_for_each(|line| writeln!(self.out, "{line}"))
            }
            (Item::Remark(remark), _) => writeln!(self.out, "{}", printable_sentence(remark)),
            (Item::Start(_) | Item::Joined(_) | Item::Told(_), None) => Ok(()),
        }
    }

    /// What is drawn at present.
    fn drawn(&self, paint: Paint, room: Room) -> Vec<String> {
        match &self.board {
            Some(board) => board.draw(paint, room),
            None => vec![clipped(&self.remark, room.columns)],
        }
    }

    /// Draws the table over what stood there.
    fn draw(&mut self) -> io::Result<()> {
        let Mode::Screen(paint) = self.mode else { return Ok(()) };
        let lines = self.drawn(paint, (self.room)()).join("\u{1b}[K\r\n");
        write!(self.out, "\u{1b}[H{lines}\u{1b}[K\u{1b}[J")
    }

    /// Takes the terminal over, where the show is drawn.
    pub(crate) fn begin(&mut self) -> io::Result<()> {
        if let Mode::Screen(_) = self.mode {
            // Another screen, no cursor, no wrapping.
            write!(self.out, "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l")?;
        }
        self.out.flush()
    }

    /// Gives the terminal back as it was, and leaves what was drawn last to be read.
    pub(crate) fn end(&mut self) -> io::Result<()> {
        if let Mode::Screen(paint) = self.mode {
            write!(self.out, "\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l")?;
            let room = Room { lines: usize::MAX, ..(self.room)() };
            for line in self.drawn(paint, room) {
                writeln!(self.out, "{line}")?;
            }
        }
        self.out.flush()
    }
}

fn missed_sentence(missed: u64) -> String {
    format!("{missed} events were missed, since they were not read in time")
}

/// How long a thing stands, in cards. What has none is shown together with what follows.
fn beats_of(item: &Item) -> u32 {
    match item {
        Item::Start(_) | Item::Joined(_) => 1,
        Item::Remark(_) => 0,
        Item::Told(told) => match told {
            Told::HandStarted(_) => 1,
            Told::InHand(event) => beats_of_event(event),
            Told::HandEnded(_) => 4,
            Told::DefaultMade { .. } | Told::SeatGivenUp { .. } | Told::SeatPresence { .. } => 0,
            Told::MatchEnded(_) => 8,
        },
    }
}

fn beats_of_event(event: &Event) -> u32 {
    match event {
        Event::Passed { .. }
        | Event::BidMade { .. }
        | Event::CardPlayed { .. }
        | Event::TrickTaken { .. } => 1,
        Event::KittyShown { .. } | Event::ContractFixed { .. } | Event::FriendCalled { .. } => 2,
        Event::HandScored { .. } | Event::HandVoid { .. } => 4,
        Event::Dealt { .. }
        | Event::AskedToKeep { .. }
        | Event::Kept { .. }
        | Event::AuctionOpened
        | Event::AuctionAgain { .. }
        | Event::AuctionWon { .. }
        | Event::KittyTaken { .. }
        | Event::Buried
        | Event::BuriedCards { .. }
        | Event::KittyMarked { .. }
        | Event::FriendTold { .. }
        | Event::FriendRevealed { .. }
        | Event::BuriedShown { .. } => 0,
    }
}

#[cfg(test)]
mod tests {
    use mighty_client::DefaultCause;
    use mighty_rules::Seat;
    use serde_json::Value;

    use super::*;
    use crate::sample;

    fn start() -> Item {
        Item::Start(Box::new(sample::info()))
    }

    /// What is printed when the whole sample hand is shown.
    fn shown(mode: Mode, speed: Speed) -> String {
        let mut out = Vec::new();
        let mut show = Show::new(&mut out, mode, speed, || Room::ENDLESS);
        show.begin().unwrap();
        show.receive(start());
        sample::events().into_iter().for_each(|told| show.receive(Item::Told(told)));
        while show.has_more() {
            show.step().unwrap();
        }
        show.end().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn in_a_pipe_each_event_is_a_line_without_escape_codes() {
        let shown = shown(Mode::Lines, Speed::Live);
        assert!(!shown.contains('\u{1b}'));
        assert_eq!(shown.matches("0 ada is the friend").count(), 1, "{shown}");
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines.len(), 2 + sample::events().len());
        assert_eq!(
            lines[2..8],
            [
                "Hand 1: 3 dan deals, 4 eve speaks first",
                "4 eve passes",
                "0 ada bids 13C",
                "1 bob bids 14H",
                "2 cy bids 16S",
                "3 dan bids 17S",
            ]
        );
        assert_eq!(
            lines[15..24],
            [
                "declarer is 1 bob with 18D",
                "three cards are buried",
                "the contract is 18C, the Mighty AS, 4C calls the joker",
                "friend: holder of KS",
                "1 bob plays KC",
                "2 cy plays 6C",
                "3 dan plays 8C",
                "4 eve plays AC",
                "0 ada plays 4C",
            ]
        );
        assert_eq!(
            lines[lines.len() - 3..],
            [
                "buried were 9S 2C 7C",
                "1 bob with 0 ada failed 18C, taking 4 points; scores -20 -40 +20 +20 +20",
                "hand 1 is over, the next is dealt; totals -20 -40 +20 +20 +20",
            ]
        );
    }

    #[test]
    fn the_speed_changes_nothing_that_is_printed() {
        for mode in [Mode::Lines, Mode::Json] {
            assert_eq!(shown(mode, Speed::Live), shown(mode, Speed::Cards(3.0)));
        }
    }

    #[test]
    fn as_json_each_event_is_an_object() {
        let shown = shown(Mode::Json, Speed::Live);
        let objects: Vec<Value> =
            shown.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(objects.len(), 1 + sample::events().len());
        assert_eq!(objects[0]["players"], json!(["ada", "bob", "cy", "dan", "eve"]));
        let card = json!({"event": "card_played", "seat": 1, "play": "KC", "calls_joker": false});
        assert_eq!(objects.iter().find(|object| object["event"] == "card_played"), Some(&card));
        let scored = objects.iter().find(|object| object["event"] == "hand_scored").unwrap();
        assert_eq!(scored["result"]["scores"], json!([-20, -40, 20, 20, 20]));
    }

    #[test]
    fn a_card_stands_as_long_as_the_speed_says_and_a_default_comes_with_its_move() {
        let mut out = Vec::new();
        let mut show = Show::new(&mut out, Mode::Lines, Speed::Cards(4.0), || Room::ENDLESS);
        let seat = Seat::ALL[0];
        let default = Told::DefaultMade { seat, cause: DefaultCause::Time };
        let pass = Told::InHand(Event::Passed { seat });
        show.receive(start());
        for told in [pass.clone(), default, pass] {
            show.receive(Item::Told(told));
        }
        let quarter = Duration::from_millis(250);
        assert_eq!(show.step().unwrap(), quarter, "the start");
        assert_eq!(show.step().unwrap(), quarter, "the first pass");
        assert_eq!(show.step().unwrap(), quarter, "the default with its pass");
        assert!(!show.has_more());
    }

    #[test]
    fn a_show_that_is_too_far_behind_says_so_and_jumps_to_the_present() {
        let mut out = Vec::new();
        let mut show = Show::new(&mut out, Mode::Lines, Speed::Cards(0.1), || Room::ENDLESS);
        show.receive(start());
        let hand = sample::events();
        let many = hand.iter().cycle().take(FEED_MAX / hand.len() * hand.len() + hand.len());
        many.for_each(|told| show.receive(Item::Told(told.clone())));
        assert!(show.feed.len() < 2 * hand.len(), "{} are kept", show.feed.len());
        while show.has_more() {
            show.step().unwrap();
        }
        let drawn = show.drawn(Paint::Plain, Room::ENDLESS).join("\n");
        assert!(drawn.contains("result     1 bob with 0 ada failed 18C"), "{drawn}");
        let printed = String::from_utf8(out).unwrap();
        assert!(printed.starts_with("this show was 4096 events behind and jumps"), "{printed}");
    }

    #[test]
    fn a_terminal_is_given_back_with_the_table_left_on_it() {
        let shown = shown(Mode::Screen(Paint::Plain), Speed::Cards(1.0));
        assert!(shown.starts_with("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[HTable t-17"));
        let (_, left) = shown.split_once("\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l").unwrap();
        assert!(left.starts_with("Table t-17") && !left.contains('\u{1b}'), "{left}");
    }

    #[test]
    fn speeds_are_cards_per_second_or_live() {
        assert_eq!("live".parse(), Ok(Speed::Live));
        assert_eq!("0.5".parse(), Ok(Speed::Cards(0.5)));
        for wrong in ["", "fast", "0", "-1", "nan", "inf", "1e9", "4 cards"] {
            assert!(wrong.parse::<Speed>().is_err(), "{wrong}");
        }
    }
}
