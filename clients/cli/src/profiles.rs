//! `mighty profiles`: the rule sets, and every option of one.

use std::io::Write;

use mighty_rules::{OPTIONS, Profile, Rules, value_at, value_in};
use serde_json::{Value, json};

use crate::failure::Failure;

/// What to show.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The profile to describe; all are listed without it.
    name: Option<String>,
    /// Set an option otherwise, such as auction.minimum=14 (may be repeated).
    #[arg(long = "set", value_name = "PATH=VALUE", value_parser = read_override, requires = "name")]
    overrides: Vec<Override>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// An option set otherwise: its dotted path and its value as text.
#[derive(Clone, Debug)]
pub(crate) struct Override {
    /// Such as `auction.minimum`.
    pub(crate) path: String,
    /// JSON, or a word.
    pub(crate) value: String,
}

/// Reads `path=value`.
///
/// # Errors
/// A sentence that says how it is written.
pub(crate) fn read_override(text: &str) -> Result<Override, String> {
    match text.split_once('=') {
        Some((path, value)) if !path.is_empty() => {
            Ok(Override { path: path.to_owned(), value: value.to_owned() })
        }
        _ => Err("write a path and a value, such as auction.minimum=14".to_owned()),
    }
}

/// Lists the profiles, or describes one.
pub(crate) fn run(args: &Args, out: &mut impl Write) -> Result<(), Failure> {
    let Some(name) = &args.name else {
        return list(args.json, out);
    };
    let overrides = args.overrides.iter().map(|set| (set.path.as_str(), set.value.as_str()));
    let rules = Profile::named(name)
        .and_then(|profile| Rules::with_texts(profile, overrides))
        .map_err(|error| Failure::Unusable(error.to_string()))?;
    describe(&rules, args.json, out)
}

fn list(as_json: bool, out: &mut impl Write) -> Result<(), Failure> {
    let profiles = Profile::ALL.map(Rules::of);
    if as_json {
        let profiles = profiles.map(|rules| {
            let profile = rules.profile();
            json!({ "name": profile.name(), "mark": profile.mark(), "hash": rules.hash() })
        });
        writeln!(out, "{}", Value::from(profiles.to_vec()))?;
        return Ok(());
    }
    for rules in profiles {
        let profile = rules.profile();
        writeln!(out, "{profile}\n  {}\n  hash {}", profile.mark(), rules.hash())?;
    }
    writeln!(out, "\n`mighty profiles NAME` describes every option of one.")?;
    Ok(())
}

/// What marks these rules; a profile's mark may be untrue once an option is set otherwise.
fn mark(rules: &Rules) -> Option<&'static str> {
    rules.overrides().is_empty().then(|| rules.profile().mark())
}

fn describe(rules: &Rules, as_json: bool, out: &mut impl Write) -> Result<(), Failure> {
    let sheet: Value =
        serde_json::from_str(rules.json()).expect("the canonical form of rules is JSON");
    if as_json {
        let options: Vec<Value> = OPTIONS
            .iter()
            .map(|option| {
                json!({
                    "path": option.path,
                    "value": value_at(&sheet, option.path),
                    "allowed": option.allowed,
                    "meaning": option.meaning,
                })
            })
            .collect();
        let described = json!({
            "profile": rules.profile().name(),
            "mark": mark(rules),
            "overrides": rules.overrides(),
            "hash": rules.hash(),
            "rules": sheet,
            "options": options,
        });
        writeln!(out, "{described}")?;
        return Ok(());
    }
    match mark(rules) {
        Some(mark) => writeln!(out, "{}: {mark}", rules.profile())?,
        None => writeln!(out, "Started from {}, with options set otherwise.", rules.profile())?,
    }
    writeln!(out, "hash {}", rules.hash())?;
    for option in OPTIONS {
        // What lies below `deal.miss` exists only while that is not null.
        let Some(value) = value_at(&sheet, option.path) else { continue };
        let original = value_in(rules.profile(), option.path);
        let changed = match original {
            Some(original) if original == *value => String::new(),
            Some(original) => format!("  (set; the profile has {original})"),
            None => "  (set)".to_owned(),
        };
        writeln!(out, "\n{} = {value}{changed}", option.path)?;
        writeln!(out, "    {} May be {}.", option.meaning, option.allowed)?;
    }
    Ok(())
}
