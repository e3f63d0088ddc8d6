//! The five seats side by side: their names, and a grid with a column for each.

use mighty_rules::{BySeat, Seat};

use crate::paint::width;
use crate::room::shortened;
use crate::text::printable;

const LABEL_WIDTH: usize = 11;
/// How wide a seat's column is when its name is short or unknown: room for all that stands below.
const SEAT_WIDTH: usize = 13;
/// The narrowest column, with room for a card and its marks.
const SEAT_WIDTH_MIN: usize = 8;
/// What parts a name from the next.
const GAP: usize = 1;

/// A grid with a column for each seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Grid {
    seat_width: usize,
}

impl Grid {
    /// As wide as the names need, where a line holds so many letters.
    pub(crate) fn within(columns: usize, names: &Names) -> Grid {
        let wanted = names.widest().saturating_add(GAP).max(SEAT_WIDTH);
        let there_is = columns.saturating_sub(LABEL_WIDTH) / Seat::ALL.len();
        Grid { seat_width: wanted.min(there_is.max(SEAT_WIDTH_MIN)) }
    }

    /// The names over the columns, each shortened to its own.
    pub(crate) fn head(self, names: &Names) -> String {
        self.row("", &BySeat::from_fn(|seat| names.shortened(seat, self.seat_width - GAP)))
    }

    /// A line of the grid.
    pub(crate) fn row(self, label: &str, cells: &BySeat<String>) -> String {
        let line = cells.0.iter().fold(padded(label, LABEL_WIDTH), |line, cell| {
            // A cell that is too long pushes the others on rather than run into them.
            let gap = if line.is_empty() || line.ends_with(' ') { "" } else { " " };
            line + gap + &padded(cell, self.seat_width)
        });
        line.trim_end().to_owned()
    }
}

/// The names at the five seats, made harmless for a terminal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Names(BySeat<String>);

impl Names {
    /// These names; a seat without one goes by its number.
    pub(crate) fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Names {
        let mut names = names.into_iter();
        Names(BySeat::from_fn(|_| names.next().map(printable).unwrap_or_default()))
    }

    /// A seat as a sentence names it: `2 cy`.
    pub(crate) fn of(&self, seat: Seat) -> String {
        self.shortened(seat, usize::MAX)
    }

    /// As [`Names::of`], with the middle of the name left out beyond so many letters.
    fn shortened(&self, seat: Seat, most: usize) -> String {
        match self.0[seat].as_str() {
            "" => format!("seat {seat}"),
            name => format!("{seat} {}", shortened(name, most.saturating_sub("0 ".len()))),
        }
    }

    fn widest(&self) -> usize {
        let widths = Seat::ALL.map(|seat| width(&self.of(seat)));
        widths.into_iter().max().unwrap_or_default()
    }
}

/// A line with a label before it, in line with a grid.
pub(crate) fn labelled(label: &str, text: &str) -> String {
    format!("{}{text}", padded(label, LABEL_WIDTH)).trim_end().to_owned()
}

fn padded(text: &str, to: usize) -> String {
    format!("{text}{}", " ".repeat(to.saturating_sub(width(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_keeps_its_columns() {
        let names = Names::new(["rust-cautious", "rust-cautious-2", "\u{1b}[31mcy", "", "eve"]);
        let total = BySeat(["1", "\u{1b}[31m-2.5\u{1b}[0m", "", "33", "4"].map(str::to_owned));
        let drawn = |columns| {
            let grid = Grid::within(columns, &names);
            [grid.head(&names), grid.row("total", &total)]
        };
        assert_eq!(
            drawn(80),
            [
                "           0 rust-c…ous 1 rust-c…s-2 2 [31mcy     seat 3       4 eve",
                "total      1            \u{1b}[31m-2.5\u{1b}[0m                      33           4",
            ]
        );
        assert_eq!(
            drawn(usize::MAX)[0],
            "           0 rust-cautious   1 rust-cautious-2 2 [31mcy          seat 3            4 eve"
        );
        assert_eq!(drawn(20)[0], "           0 rus…s 1 rus…2 2 [31…y seat 3  4 eve");
    }
}
