//! The report: a page of HTML with plots that needs nothing but itself.

use std::fmt::{self, Write as _};

use crate::block::Role;
use crate::estimate::Estimate;
use crate::tally::{BotSummary, Summary};

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// What was played, in a sentence.
    pub title: &'a str,
    /// What a comparison has found.
    pub finding: Option<&'a str>,
    /// The results.
    pub summary: &'a Summary,
    /// How each bot's figure ran, in the order of the bots: after how many blocks it was what.
    pub runs: &'a [Vec<(u64, Estimate)>],
}

const STYLE: &str = "\
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
table{border-collapse:collapse;margin:1rem 0}
td,th{padding:.2rem .8rem;border-bottom:1px solid #ddd;text-align:right;font-variant-numeric:tabular-nums}
td:first-child,th:first-child{text-align:left}
svg{display:block;margin:1rem 0;font:12px system-ui,sans-serif}
.finding{font-size:1.2rem;font-weight:600}";

/// One colour for each bot, told apart by the colour-blind too (Okabe and Ito); they begin again after eight.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#b8a900"];

/// One part in so many at the beginning of a run is left out: its band is as wide as the page.
const FIRST_SHARE: f64 = 20.0;

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 70.0;
const BOTTOM: f64 = 30.0;

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = escaped(self.title);
        writeln!(f, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
        writeln!(f, "<title>Arena</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>")?;
        writeln!(f, "<h1>Arena</h1>\n<p>{title}</p>")?;
        if let Some(finding) = self.finding {
            writeln!(f, "<p class=\"finding\">{}</p>", escaped(finding))?;
        }
        f.write_str(&self.standings()?)?;
        writeln!(f, "<h2>Points per 100 hands, as they ran</h2>")?;
        writeln!(
            f,
            "<p>The line is the mean of all deals so far, the band its 95 % interval; the first twentieth is left out.</p>"
        )?;
        f.write_str(&self.legend())?;
        f.write_str(&self.running()?)?;
        writeln!(f, "<h2>Points per 100 hands, by role</h2>")?;
        f.write_str(&self.legend())?;
        f.write_str(&self.roles()?)?;
        writeln!(f, "<h2>Contracts: declared, and made of those</h2>")?;
        f.write_str(&self.legend())?;
        f.write_str(&self.contracts()?)?;
        writeln!(f, "<h2>On the same deals</h2>")?;
        writeln!(
            f,
            "<p>Points per 100 hands by which the bot of the row is better than that of the column.</p>"
        )?;
        f.write_str(&self.cross()?)?;
        writeln!(f, "</body>\n</html>")
    }
}

impl Report<'_> {
    fn standings(&self) -> Result<String, fmt::Error> {
        let mut html = String::from("<table>\n<tr><th>bot<th>hands<th>points per 100 hands");
        html.push_str("<th>crashes<th>default moves<th>refused answers<th>given up\n");
        for bot in &self.summary.bots {
            let BotSummary { name, hands, points, trouble, .. } = bot;
            writeln!(
                html,
                "<tr><td>{}<td>{hands}<td>{}<td>{}<td>{}<td>{}<td>{}",
                escaped(name),
                shown(*points),
                trouble.crashes,
                trouble.defaults,
                trouble.refusals,
                trouble.given_up
            )?;
        }
        html.push_str("</table>\n");
        Ok(html)
    }

    fn running(&self) -> Result<String, fmt::Error> {
        let blocks = self.summary.blocks.max(1) as f64;
        let is_shown = |(block, _): &&(u64, Estimate)| *block as f64 * FIRST_SHARE > blocks;
        let ends = self.runs.iter().flatten().filter(is_shown).flat_map(|(_, at)| ends(*at));
        let scale = Scale::of(ends);
        let x = |block: u64| LEFT + (WIDTH - LEFT) * block as f64 / blocks;
        let mut svg = scale.begin()?;
        for (bot, run) in self.runs.iter().enumerate() {
            let colour = colour(bot);
            let sided = |side: f64| {
                move |(block, at): &(u64, Estimate)| {
                    let y = at.points + side * at.interval.unwrap_or(0.0);
                    format!("{:.1},{:.1}", x(*block), scale.y(y))
                }
            };
            let run = || run.iter().filter(is_shown);
            let upper = run().map(sided(1.0));
            let lower = run().rev().map(sided(-1.0));
            let band: Vec<String> = upper.chain(lower).collect();
            let line: Vec<String> = run().map(sided(0.0)).collect();
            writeln!(
                svg,
                "<polygon points=\"{}\" fill=\"{colour}\" opacity=\".15\"/>",
                band.join(" ")
            )?;
            writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
                line.join(" ")
            )?;
        }
        writeln!(
            svg,
            "<text x=\"{WIDTH}\" y=\"{}\" text-anchor=\"end\">{blocks} deals</text>",
            HEIGHT - 8.0
        )?;
        svg.push_str("</svg>\n");
        Ok(svg)
    }

    fn roles(&self) -> Result<String, fmt::Error> {
        let of = |bot: &BotSummary, role: usize| bot.roles.get(role).and_then(|of| of.points);
        let all =
            || self.summary.bots.iter().flat_map(|bot| (0..3).filter_map(move |at| of(bot, at)));
        let scale = Scale::of(all().flat_map(ends));
        let mut svg = scale.begin()?;
        let room = (WIDTH - LEFT) / Role::ALL.len() as f64;
        let step = room / (self.summary.bots.len() + 1) as f64;
        for (at, role) in Role::ALL.into_iter().enumerate() {
            let from = LEFT + room * at as f64;
            for (number, bot) in self.summary.bots.iter().enumerate() {
                let Some(points) = of(bot, at) else { continue };
                let (x, colour) = (from + step * (number + 1) as f64, colour(number));
                let [low, high] = ends(points).map(|end| scale.y(end));
                let y = scale.y(points.points);
                writeln!(
                    svg,
                    "<path d=\"M{x:.1} {low:.1}V{high:.1}\" stroke=\"{colour}\" stroke-width=\"2\"/><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"><title>{}, {}: {points}</title></circle>",
                    escaped(&bot.name),
                    role.name()
                )?;
            }
            let middle = from + room / 2.0;
            writeln!(
                svg,
                "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                HEIGHT - 8.0,
                role.name()
            )?;
        }
        svg.push_str("</svg>\n");
        Ok(svg)
    }

    fn contracts(&self) -> Result<String, fmt::Error> {
        let all = || self.summary.bots.iter().flat_map(|bot| &bot.contracts);
        let Some(lowest) = all().map(|of| of.level).min() else {
            return Ok("<p>There was none.</p>\n".to_owned());
        };
        let highest = all().map(|of| of.level).max().unwrap_or(lowest);
        let most = all().map(|of| of.declared).max().unwrap_or(1) as f64;
        let scale = Scale::of([0.0, most]);
        let mut svg = scale.begin()?;
        let room = (WIDTH - LEFT) / f64::from(highest - lowest + 1);
        let step = room / (self.summary.bots.len() + 1) as f64;
        for (number, bot) in self.summary.bots.iter().enumerate() {
            let colour = colour(number);
            for of in &bot.contracts {
                let x = LEFT + room * f64::from(of.level - lowest) + step * (number as f64 + 0.5);
                let (declared, made) = (scale.y(of.declared as f64), scale.y(of.made as f64));
                let (base, name) = (scale.y(0.0), escaped(&bot.name));
                writeln!(
                    svg,
                    "<path d=\"M{x:.1} {base:.1}V{declared:.1}h{step:.1}V{base:.1}z\" fill=\"{colour}\" opacity=\".3\"/><path d=\"M{x:.1} {base:.1}V{made:.1}h{step:.1}V{base:.1}z\" fill=\"{colour}\"><title>{name}, {}: {} of {} made</title></path>",
                    of.level, of.made, of.declared
                )?;
            }
        }
        for level in lowest..=highest {
            let x = LEFT + room * (f64::from(level - lowest) + 0.5);
            writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{level}</text>",
                HEIGHT - 8.0
            )?;
        }
        svg.push_str("</svg>\n");
        Ok(svg)
    }

    fn cross(&self) -> Result<String, fmt::Error> {
        let mut html = String::from("<table>\n<tr><th>");
        for bot in &self.summary.bots {
            write!(html, "<th>{}", escaped(&bot.name))?;
        }
        for (bot, row) in self.summary.bots.iter().zip(&self.summary.cross) {
            write!(html, "\n<tr><td>{}", escaped(&bot.name))?;
            for cell in row {
                write!(html, "<td>{}", shown(*cell))?;
            }
        }
        html.push_str("\n</table>\n");
        Ok(html)
    }

    /// Which colour is which bot's.
    fn legend(&self) -> String {
        let names = self.summary.bots.iter().enumerate().map(|(bot, of)| {
            format!("<span style=\"color:{}\">■ {}</span>", colour(bot), escaped(&of.name))
        });
        format!("<p>{}</p>\n", names.collect::<Vec<_>>().join(" "))
    }
}

/// From values to heights.
#[derive(Clone, Copy)]
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// A scale with room for all of these, and for 0.
    fn of(values: impl IntoIterator<Item = f64>) -> Scale {
        let (low, high) = values
            .into_iter()
            .fold((0.0_f64, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        if low == high { Scale { low: -1.0, high: 1.0 } } else { Scale { low, high } }
    }

    fn y(self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        10.0 + (HEIGHT - BOTTOM - 10.0) * (1.0 - share)
    }

    /// The beginning of a plot: its frame, and lines at the ends of the scale and at 0.
    fn begin(self) -> Result<String, fmt::Error> {
        let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\n");
        for value in [self.low, 0.0, self.high] {
            let (y, from) = (self.y(value), LEFT - 6.0);
            writeln!(
                svg,
                "<path d=\"M{LEFT} {y:.1}H{WIDTH}\" stroke=\"#ccc\"/><text x=\"{from}\" y=\"{:.1}\" text-anchor=\"end\">{value:.0}</text>",
                y + 4.0
            )?;
        }
        Ok(svg)
    }
}

fn colour(bot: usize) -> &'static str {
    COLOURS[bot % COLOURS.len()]
}

/// The ends of an interval.
fn ends(estimate: Estimate) -> [f64; 2] {
    let interval = estimate.interval.unwrap_or(0.0);
    [estimate.points - interval, estimate.points + interval]
}

fn shown(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(|| "–".to_owned(), |estimate| estimate.to_string())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::Tally;
    use crate::tally::tests::{block, table};

    #[test]
    fn a_page_shows_every_bot_and_asks_nothing_of_a_network() {
        let mut tally = Tally::new(["new", "<old>"].map(str::to_owned).into());
        let mut runs = vec![Vec::new(); 2];
        for number in 0..3 {
            let won = table([(0, 8), (1, 4), (1, -4), (1, -4), (1, -4)]);
            tally.add(&block(number, 2, vec![won]));
            for (bot, run) in runs.iter_mut().enumerate() {
                run.extend(tally.points(bot).map(|points| (number + 1, points)));
            }
        }
        let summary = tally.summary();
        let report =
            Report { title: "3 deals", finding: Some("new > old"), summary: &summary, runs: &runs };
        let page = report.to_string();
        assert_eq!(page.matches("<svg").count(), 3);
        assert_eq!(page.matches("<polyline").count(), 2);
        assert!(page.contains("new &gt; old") && page.contains("&lt;old&gt;"));
        assert!(page.contains("14: 3 of 3 made"), "{page}");
        for forbidden in ["<old>", "http", "src=", "<script", "NaN", "inf"] {
            assert!(!page.contains(forbidden), "{forbidden}: {page}");
        }
    }

    #[test]
    fn an_arena_without_a_block_has_a_page_too() {
        let summary = Tally::new(vec!["new".to_owned()]).summary();
        let runs = [Vec::new()];
        let page = Report { title: "", finding: None, summary: &summary, runs: &runs }.to_string();
        assert!(page.contains("There was none.") && !page.contains("NaN"), "{page}");
    }
}
