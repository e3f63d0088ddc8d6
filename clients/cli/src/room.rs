//! How much room there is to write in.

use std::io;

use crate::paint::width;

/// The terminal that is written to, in letters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Room {
    /// How many letters a line holds.
    pub(crate) columns: usize,
    /// How many lines are seen at once.
    pub(crate) lines: usize,
}

impl Room {
    /// Where nothing is cut: a pipe, or a file.
    pub(crate) const ENDLESS: Room = Room { columns: usize::MAX, lines: usize::MAX };

    /// The terminal that the output goes to, at present.
    pub(crate) fn of_output() -> Room {
        terminal_size::terminal_size_of(io::stdout()).map_or(Room::ENDLESS, |(columns, lines)| {
            Room { columns: columns.0.into(), lines: lines.0.into() }
        })
    }
}

/// A text with its middle left out where it is too long, so that names that only end otherwise still differ.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= most {
        return text.to_owned();
    }
    let kept = most.saturating_sub(1);
    let tail = kept / 3;
    let head = letters[..kept - tail].iter();
    head.chain(&['…']).chain(&letters[letters.len() - tail..]).collect()
}

/// A line with its end left out where it is too long. It may be coloured.
pub(crate) fn clipped(line: &str, most: usize) -> String {
    if width(line) <= most {
        return line.to_owned();
    }
    let kept = most.saturating_sub(1);
    let fits = |end: &usize| width(&line[..*end]) <= kept;
    let ends = line.char_indices().map(|(end, _)| end);
    let end = ends.take_while(fits).last().unwrap_or_default();
    let reset = if line.contains('\u{1b}') { "\u{1b}[0m" } else { "" };
    format!("{}{reset}…", &line[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_end_otherwise_differ_when_shortened() {
        assert_eq!(shortened("rust-cautious-2", 15), "rust-cautious-2");
        assert_eq!(shortened("rust-cautious-2", 10), "rust-c…s-2");
        assert_eq!(shortened("rust-cautious", 10), "rust-c…ous");
        assert_eq!(shortened("마이티마이티", 4), "마이…티");
        assert_eq!(shortened("bob", 1), "…");
    }

    #[test]
    fn a_clipped_line_says_so_and_ends_its_colour() {
        assert_eq!(clipped("trick 1", 7), "trick 1");
        assert_eq!(clipped("trick 10", 7), "trick …");
        let coloured = "\u{1b}[31mT♥ 9♥\u{1b}[0m end";
        assert_eq!(clipped(coloured, 9), coloured);
        assert_eq!(clipped(coloured, 4), "\u{1b}[31mT♥ \u{1b}[0m…");
        assert_eq!(clipped(coloured, 8), "\u{1b}[31mT♥ 9♥\u{1b}[0m e\u{1b}[0m…");
    }
}
