//! The results of an arena, for people and programs.

use std::io::{self, Write};
use std::path::PathBuf;

use mighty_arena::contest::Contest;
use mighty_arena::estimate::Estimate;
use mighty_arena::report::Report;
use mighty_arena::results::Results;
use mighty_arena::schedule::Schedule;
use mighty_arena::sequential::{Answer, Question};
use mighty_arena::tally::Summary;
use serde_json::json;

use crate::failure::Failure;
use crate::text::{columns, counted, grid};

/// What a comparison has found, in a sentence; `None` where nothing was compared.
pub(crate) fn finding(contest: &Contest, question: &Question, results: &Results) -> Option<String> {
    let Schedule::Compare { a, b, .. } = contest.schedule else { return None };
    let (first, second) = (&contest.bots[a].name, &contest.bots[b].name);
    let blocks = results.tally().blocks();
    let Some(measured) = results.tally().difference(a, b) else {
        return Some(format!("No deal was finished, so nothing is known of {first} and {second}."));
    };
    let by = |estimate: Estimate| {
        let interval =
            estimate.interval.map_or_else(String::new, |of| format!(" ± {:.2}", of / 100.0));
        format!(
            "{:+.2}{interval} points a hand over {}",
            estimate.points / 100.0,
            counted(blocks, "deal", "deals")
        )
    };
    let turned = Estimate { points: -measured.points, ..measured };
    let effect = question.effect;
    Some(match results.answer() {
        Some(Answer::FirstBetter) => format!("{first} is better than {second}: {}.", by(measured)),
        Some(Answer::SecondBetter) => format!("{second} is better than {first}: {}.", by(turned)),
        Some(Answer::NoDifference) => format!(
            "{first} and {second} do not differ by {effect} points a hand: {first} has {} more.",
            by(measured)
        ),
        None => format!(
            "There is no answer yet whether {first} and {second} differ by {effect} points a hand: {first} has {} more; raise --deals to go on.",
            by(measured)
        ),
    })
}

/// What bots that had trouble said last, a line each.
pub(crate) fn complaints(results: &Results) -> Vec<String> {
    let mut lines = Vec::new();
    for complaint in &results.complaints {
        lines.push(format!("{} {}:", complaint.bot, complaint.what));
        lines.extend(complaint.lines.iter().map(|line| format!("  {line}")));
    }
    lines
}

/// Prints the results for people.
pub(crate) fn text(
    contest: &Contest,
    results: &Results,
    summary: &Summary,
    finding: Option<&str>,
    out: &mut impl Write,
) -> io::Result<()> {
    let rows: Vec<[String; 6]> = summary
        .bots
        .iter()
        .map(|bot| {
            let role = |at: usize| {
                let role = &bot.roles[at];
                match role.points {
                    Some(points) => format!("{points} ({})", role.hands),
                    None => "-".to_owned(),
                }
            };
            [bot.name.clone(), bot.hands.to_string(), shown(bot.points), role(0), role(1), role(2)]
        })
        .collect();
    let head = ["bot", "hands", "points/100", "as declarer (hands)", "as friend", "as defender"];
    print(columns(head, &rows), out)?;

    writeln!(
        out,
        "\nPoints per 100 hands by which the bot of the row is better than that of the column:"
    )?;
    let mut rows = vec![vec![String::new()]];
    rows[0].extend(summary.bots.iter().map(|bot| bot.name.clone()));
    for (bot, row) in summary.bots.iter().zip(&summary.cross) {
        let cells = row.iter().map(|cell| shown(*cell));
        rows.push(std::iter::once(bot.name.clone()).chain(cells).collect());
    }
    print(grid(&rows), out)?;

    writeln!(out, "\nContracts made of those declared, by the points that they promised:")?;
    for bot in &summary.bots {
        let levels =
            bot.contracts.iter().map(|of| format!("{}: {}/{}", of.level, of.made, of.declared));
        let levels = levels.collect::<Vec<_>>().join("  ");
        writeln!(out, "{}  {}", bot.name, if levels.is_empty() { "none" } else { &levels })?;
    }
    for bot in &summary.bots {
        let trouble = bot.trouble;
        let counts = [
            counted(trouble.crashes, "crash", "crashes"),
            counted(trouble.defaults, "default move", "default moves"),
            counted(trouble.refusals, "refused answer", "refused answers"),
            counted(
                trouble.given_up,
                "deal given up to a stand-in",
                "deals given up to a stand-in",
            ),
        ];
        if trouble != Default::default() {
            writeln!(out, "\nTrouble with {}: {}.", bot.name, counts.join(", "))?;
        }
    }
    writeln!(out, "\n{} 95 % intervals, the deal is the sample.", played(contest, summary))?;
    writeln!(out, "The page with plots: {}", page_path(results).display())?;
    let records = results.ledger().records();
    writeln!(out, "Check the records: mighty verify -q {}", records.display())?;
    finding.map_or(Ok(()), |finding| writeln!(out, "{finding}"))
}

/// Writes the page with plots beside the records.
pub(crate) fn page(
    contest: &Contest,
    results: &Results,
    summary: &Summary,
    finding: Option<&str>,
) -> Result<(), Failure> {
    let path = page_path(results);
    let report =
        Report { title: &played(contest, summary), finding, summary, runs: results.runs() };
    std::fs::write(&path, report.to_string()).map_err(|error| {
        Failure::Unusable(format!(
            "{} cannot be written: {error}; what was played is kept, make room and run the same command again",
            path.display()
        ))
    })
}

fn page_path(results: &Results) -> PathBuf {
    results.ledger().directory().join("report.html")
}

/// What was played.
fn played(contest: &Contest, summary: &Summary) -> String {
    format!(
        "{} at {}, {}, seed {}.",
        counted(summary.blocks, "deal", "deals"),
        counted(summary.tables, "table", "tables"),
        contest.rules.profile(),
        contest.seed
    )
}

/// Prints the results as one JSON object.
pub(crate) fn json(
    contest: &Contest,
    results: &Results,
    summary: &Summary,
    finding: Option<&str>,
    out: &mut impl Write,
) -> io::Result<()> {
    let printed = json!({
        "contest": contest.identity(),
        "summary": summary,
        "answer": results.answer(),
        "finding": finding,
        "records": results.ledger().records(),
        "page": page_path(results),
    });
    writeln!(out, "{printed}")
}

/// Prints a line for each bot and role, and one for each bot over all.
pub(crate) fn csv(summary: &Summary, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "bot,role,hands,points_per_100_hands,interval_95")?;
    for bot in &summary.bots {
        let all = [("all", bot.hands, bot.points)];
        let roles = bot.roles.iter().map(|of| (of.role.name(), of.hands, of.points));
        for (role, hands, points) in all.into_iter().chain(roles) {
            let mean = points.map_or_else(String::new, |of| of.points.to_string());
            let interval = points.and_then(|of| of.interval);
            let interval = interval.map_or_else(String::new, |of| of.to_string());
            writeln!(out, "{},{role},{hands},{mean},{interval}", bot.name)?;
        }
    }
    Ok(())
}

fn shown(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(|| "-".to_owned(), |estimate| estimate.to_string())
}

fn print(lines: Vec<String>, out: &mut impl Write) -> io::Result<()> {
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}
