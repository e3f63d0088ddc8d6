//! How cards are written: in the text notation, or with coloured suits for a terminal.

use mighty_rules::{Bid, Card, CardSet, Suit, Trump};

/// How cards look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Paint {
    /// The text notation: `AS`, `14D`.
    Plain,
    /// Suits as symbols, for a terminal without colours.
    Symbols,
    /// Suits as coloured symbols, for a terminal.
    Colours,
}

const RED: &str = "31";
const BLUE: &str = "34";
const MAGENTA: &str = "35";
const BOLD: &str = "1";

impl Paint {
    /// Symbols on a terminal, coloured unless its user wants no colours (`NO_COLOR`, see no-color.org).
    pub(crate) fn of_output(is_terminal: bool) -> Paint {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        match (is_terminal, unwanted) {
            (false, _) => Paint::Plain,
            (true, true) => Paint::Symbols,
            (true, false) => Paint::Colours,
        }
    }

    /// A card.
    pub(crate) fn card(self, card: Card) -> String {
        match (self, card.rank(), card.suit()) {
            (Paint::Symbols | Paint::Colours, Some(rank), Some(suit)) => {
                self.coloured(colour(suit), &format!("{}{}", rank.letter(), symbol(suit)))
            }
            (Paint::Symbols | Paint::Colours, _, _) => self.coloured(MAGENTA, "JK"),
            (Paint::Plain, _, _) => card.to_string(),
        }
    }

    /// Cards, each suit apart from the next, the highest first.
    pub(crate) fn cards(self, cards: CardSet) -> String {
        let joker = cards.and(CardSet::JOKER);
        let groups = Suit::ALL.into_iter().rev().map(|suit| cards.suit(suit)).chain([joker]);
        let groups = groups.filter(|group| !group.is_empty()).map(|group| {
            let mut group: Vec<String> = group.iter().map(|card| self.card(card)).collect();
            group.reverse();
            group.join(" ")
        });
        groups.collect::<Vec<_>>().join("  ")
    }

    /// A suit, as its letter or its symbol.
    pub(crate) fn suit(self, suit: Suit) -> String {
        match self {
            Paint::Plain => suit.to_string(),
            Paint::Symbols | Paint::Colours => {
                self.coloured(colour(suit), &symbol(suit).to_string())
            }
        }
    }

    /// A bid or a contract.
    pub(crate) fn bid(self, bid: Bid) -> String {
        match bid.trump {
            Trump::Suit(suit) => format!("{}{}", bid.points, self.suit(suit)),
            Trump::NoTrump => bid.to_string(),
        }
    }

    /// Something that stands out.
    pub(crate) fn strong(self, text: &str) -> String {
        self.coloured(BOLD, text)
    }

    fn coloured(self, code: &str, text: &str) -> String {
        match self {
            Paint::Plain | Paint::Symbols => text.to_owned(),
            Paint::Colours => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        }
    }
}

/// How many columns a text takes on a terminal: colours take none.
pub(crate) fn width(text: &str) -> usize {
    let mut in_escape = false;
    let takes_room = |letter: char| {
        let hidden = in_escape || letter == '\u{1b}';
        in_escape = hidden && letter != 'm';
        !hidden
    };
    text.chars().map(takes_room).filter(|takes_room| *takes_room).count()
}

fn symbol(suit: Suit) -> char {
    match suit {
        Suit::Spades => '♠',
        Suit::Clubs => '♣',
        Suit::Diamonds => '♦',
        Suit::Hearts => '♥',
    }
}

fn colour(suit: Suit) -> &'static str {
    match suit {
        Suit::Spades | Suit::Clubs => BLUE,
        Suit::Diamonds | Suit::Hearts => RED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_are_sorted_by_suit_from_the_top() {
        let cards: CardSet = "2C AS JK TH KS 9H".parse().unwrap();
        assert_eq!(Paint::Plain.cards(cards), "TH 9H  2C  AS KS  JK");
    }

    #[test]
    fn colours_take_no_room() {
        let painted = Paint::Colours.cards("2C AS JK TH".parse().unwrap());
        assert_eq!(
            painted,
            "\u{1b}[31mT♥\u{1b}[0m  \u{1b}[34m2♣\u{1b}[0m  \u{1b}[34mA♠\u{1b}[0m  \u{1b}[35mJK\u{1b}[0m"
        );
        assert_eq!(width(&painted), width("TH  2C  AS  JK"));
        assert_eq!(Paint::Colours.bid("14D".parse().unwrap()), "14\u{1b}[31m♦\u{1b}[0m");
        assert_eq!(Paint::Colours.bid("16N".parse().unwrap()), "16N");
    }

    #[test]
    fn symbols_stay_without_colours() {
        let cards = "2C AS JK TH".parse().unwrap();
        assert_eq!(Paint::Symbols.cards(cards), "T♥  2♣  A♠  JK");
        assert_eq!(Paint::Symbols.bid("14D".parse().unwrap()), "14♦");
        assert_eq!(Paint::Symbols.strong("Hand 1"), "Hand 1");
    }
}
