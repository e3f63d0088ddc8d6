//! The yardstick of the rules: one hand of the hunter table as bare bit sets, with nothing checked, nothing offered and
//! nothing hidden. It makes the same draws as the bench of the rules, so both must come to the same points.

use crate::dice::Dice;

/// How a hand of the sketch ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The declarer's seat.
    pub declarer: usize,
    /// The friend's seat.
    pub friend: Option<usize>,
    /// The contract's points.
    pub contract: u8,
    /// The points of the declarer's side.
    pub taken: u8,
}

const JOKER: u64 = 1 << 52;
const FULL: u64 = (1 << 53) - 1;
const SUIT: u64 = 0x1fff;
const POINTS: u64 = (0x1f << 8) | (0x1f << 21) | (0x1f << 34) | (0x1f << 47);
const NO_TRUMP: usize = 4;

fn suit_of(card: u32) -> u64 {
    if card == 52 { 0 } else { SUIT << (card / 13 * 13) }
}

fn nth(mut cards: u64, place: usize) -> u32 {
    for _ in 0..place {
        cards &= cards - 1;
    }
    cards.trailing_zeros()
}

fn len(cards: u64) -> usize {
    cards.count_ones() as usize
}

fn points(cards: u64) -> u8 {
    (cards & POINTS).count_ones() as u8
}

/// Plays a hand at random: `deck` by card index in dealing order, the seat right of the dealer deals last.
pub fn play(deck: &[u8; 53], dealer: usize, dice: &mut Dice, log: &mut Vec<(u8, u8)>) -> Outcome {
    log.clear();
    let (mut hands, kitty) = deal(deck, dealer);

    // The auction: three in four pass, but somebody has to bid.
    let (mut in_it, mut seat, mut calls) = (0b11111_u8, dealer, 0);
    let (mut declarer, mut contract, mut trump) = (None, 12, NO_TRUMP);
    loop {
        let must = declarer.is_none() && calls == 4;
        let wanted = (must || dice.below(4) == 0).then(|| dice.below(5));
        let higher = u8::from(declarer.is_none() || wanted != Some(NO_TRUMP) || trump == NO_TRUMP);
        match wanted {
            Some(suit) if contract + higher <= 20 => {
                (declarer, contract, trump) = (Some(seat), contract + higher, suit);
                log.push((seat as u8, 64 + contract));
            }
            _ => {
                in_it &= !(1 << seat);
                log.push((seat as u8, 63));
            }
        }
        calls += 1;
        let over = in_it.count_ones() == 1 && declarer.is_some();
        if over || (contract == 20 && trump == NO_TRUMP && declarer.is_some()) {
            break;
        }
        seat = (seat + 1) % 5;
        while in_it >> seat & 1 == 0 {
            seat = (seat + 1) % 5;
        }
    }
    let declarer = declarer.unwrap_or(dealer);

    // Three of thirteen cards are buried, a friend is called.
    let mut cards = hands[declarer] | kitty;
    let mut buried = 0;
    for _ in 0..3 {
        let card = 1 << nth(cards, dice.below(len(cards)));
        cards &= !card;
        buried |= card;
        log.push((declarer as u8, 0));
    }
    hands[declarer] = cards;
    let requests = if contract == 20 && trump == NO_TRUMP { 5 } else { 1 };
    let call = dice.below(53 * requests + 2);
    let called = if call < 53 * requests { 1_u64 << (call / requests) } else { 0 };
    let holder = (0..5).find(|seat| hands[*seat] & called != 0);
    let mut friend = holder.filter(|holder| *holder != declarer);
    log.push((declarer as u8, call as u8));

    // Ten tricks.
    let trumps = if trump == NO_TRUMP { 0 } else { SUIT << (13 * trump) };
    let mighty = if trump == 0 { 1 << 38 } else { 1 << 12 };
    let caller = if trump == 1 { 1 << 1 } else { 1 << 14 };
    let (mut captured, mut fallen, mut leader) = ([0; 5], 0, declarer);
    for trick in 1..=10 {
        let ends = trick == 1 || trick == 10;
        let (mut led, mut called, mut on_table) = (0, false, 0);
        let mut joker_power = !ends;
        let (mut best, mut winner, mut seat) = (0, leader, leader);
        for place in 0..5 {
            let held = hands[seat];
            let mut legal = held;
            if place == 0 {
                if trick == 1 && held & !trumps != 0 {
                    legal &= !trumps;
                }
            } else if called && held & JOKER != 0 {
                legal &= JOKER | mighty;
            } else if held & led != 0 {
                legal &= led | JOKER | mighty;
            }
            let names = place == 0 && joker_power && legal & JOKER != 0;
            let may_call =
                place == 0 && trick != 1 && legal & caller != 0 && (held | fallen) & JOKER == 0;
            let plain = len(legal & !JOKER);
            let joker_ways = if legal & JOKER == 0 { 0 } else { if names { 4 } else { 1 } };
            let drawn = dice.below(plain + joker_ways + usize::from(may_call));
            let card = if drawn < plain {
                nth(legal & !JOKER, drawn)
            } else if drawn < plain + joker_ways {
                52
            } else {
                called = true;
                joker_power = false;
                caller.trailing_zeros()
            };
            if led == 0 {
                led = if card == 52 && names {
                    SUIT << (13 * (drawn - plain))
                } else {
                    suit_of(card)
                };
            }
            let bit = 1 << card;
            hands[seat] &= !bit;
            on_table |= bit;
            log.push((seat as u8, card as u8));
            let strength = if bit == mighty {
                300
            } else if bit == JOKER {
                if joker_power { 200 } else { 0 }
            } else if bit & trumps != 0 {
                100 + card % 13
            } else if bit & led != 0 {
                1 + card % 13
            } else {
                0
            };
            if strength > best {
                (best, winner) = (strength, seat);
            }
            seat = if seat == 4 { 0 } else { seat + 1 };
        }
        fallen |= on_table;
        captured[winner] |= on_table;
        leader = winner;
        if trick == 1 && call == 53 * requests && winner != declarer {
            friend = Some(winner);
        }
    }
    debug_assert_eq!(fallen | buried, FULL);
    let of_friend = friend.map_or(0, |friend| points(captured[friend]));
    let taken = points(captured[declarer]) + of_friend + points(buried);
    Outcome { declarer, friend, contract, taken }
}

/// Packets of one to four cards, beginning left of the dealer, and the kitty.
fn deal(deck: &[u8; 53], dealer: usize) -> ([u64; 5], u64) {
    let mut hands = [0; 5];
    let mut at = 0;
    for packet in 1..=4 {
        for place in 1..=5 {
            let seat = (dealer + place) % 5;
            for _ in 0..packet {
                hands[seat] |= 1 << deck[at];
                at += 1;
            }
        }
    }
    (hands, 1 << deck[50] | 1 << deck[51] | 1 << deck[52])
}
