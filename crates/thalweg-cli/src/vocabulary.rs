//! One vocabulary in all commands: what an option is called, and of which kind it is. Held to clap's own list of commands,
//! so that a new command is in it by being registered.

use std::collections::HashMap;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command, CommandFactory};

use crate::Cli;

/// All commands that do something, by their whole name.
fn commands() -> Vec<(String, Command)> {
    fn walk(command: &Command, name: &str, found: &mut Vec<(String, Command)>) {
        for command in
            command.get_subcommands().filter(|command| command.get_name() != "help" && !command.is_hide_set())
        {
            let name = format!("{name} {}", command.get_name());
            match command.has_subcommands() {
                true => walk(command, &name, found),
                false => found.push((name.trim().to_owned(), command.clone())),
            }
        }
    }
    let mut cli = Cli::command();
    cli.build();
    let mut found = Vec::new();
    walk(&cli, "", &mut found);
    assert!(found.len() > 30, "{}", found.len());
    found
}

fn option<'c>(command: &'c Command, long: &str) -> Option<&'c Arg> {
    command.get_arguments().find(|arg| arg.get_long() == Some(long))
}

/// Whether the option tells where a result goes.
fn is_output(arg: &Arg) -> bool {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    arg.get_long().is_some() && ["Where ", "Draw "].iter().any(|word| help.starts_with(word)) && takes_a_file(arg)
}

fn takes_a_file(arg: &Arg) -> bool {
    arg.get_value_names().is_some_and(|names| names.iter().any(|name| name.starts_with("FILE")))
}

#[test]
fn the_main_output_is_out() {
    for (name, command) in commands() {
        let outputs: Vec<&str> =
            command.get_arguments().filter(|arg| is_output(arg)).filter_map(Arg::get_long).collect();
        if let Some(out) = option(&command, "out") {
            assert_eq!(out.get_short(), Some('o'), "{name}");
            assert!(takes_a_file(out) && is_output(out), "{name}");
        } else {
            assert!(outputs.is_empty(), "{name} writes {outputs:?}, but has no --out");
        }
        assert!(command.get_arguments().all(|arg| arg.get_short() != Some('o') || arg.get_long() == Some("out")));
        assert!(option(&command, "output").is_none(), "{name}");
    }
}

/// Outputs of text, which `--raw` does not bear upon, beside pictures.
const TEXTS: &[(&str, &str)] = &[("envelope", "exact")];

/// `--raw` is refused where no result is asked for that it bears upon, and taken with each one that is.
#[test]
fn raw_needs_a_result() {
    for (name, command) in commands().iter().filter(|(_, command)| option(command, "raw").is_some()) {
        let mut words: Vec<String> = ["thalweg"].into_iter().chain(name.split(' ')).map(str::to_owned).collect();
        for arg in command.get_arguments().filter(|arg| arg.is_required_set() && !is_output(arg)) {
            words.extend(arg.get_long().map(|long| format!("--{long}")));
            words.push("1".to_owned());
        }
        words.push("--raw".to_owned());
        let is_refused = |more: &[&str]| {
            let words = words.iter().map(String::as_str).chain(more.iter().copied());
            let parsed = Cli::command().try_get_matches_from(words);
            parsed.is_err_and(|error| error.kind() == ErrorKind::MissingRequiredArgument)
        };
        assert!(is_refused(&[]), "{name} --raw");
        for arg in command.get_arguments().filter(|arg| is_output(arg)) {
            let long = arg.get_long().expect("outputs have names");
            let is_text = TEXTS.contains(&(name, long))
                || arg.get_value_names().is_some_and(|names| names.iter().any(|name| name.ends_with(".svg")));
            assert_eq!(is_refused(&[&format!("--{long}"), "x"]), is_text, "{name} --raw --{long}");
        }
    }
}

/// What is another kind of option in one command, and why: grep's --count is a switch; a hull has one boundary.
const OTHERWISE: &[(&str, &str)] = &[("search", "count"), ("hull", "boundary")];

/// The same name is the same kind of option in all commands: a switch or one with a value, with the same short form.
#[test]
fn options_are_of_one_kind() {
    let mut kinds = HashMap::<String, (String, String)>::new();
    for (name, command) in commands() {
        for arg in command.get_arguments() {
            let Some(long) = arg.get_long().filter(|long| !OTHERWISE.contains(&(&name[..], long))) else { continue };
            let kind = format!("{} {:?}", arg.get_action().takes_values(), arg.get_short());
            let (first, expected) = kinds.entry(long.to_owned()).or_insert((name.clone(), kind.clone()));
            assert_eq!(kind, *expected, "--{long} in {name} and in {first}");
        }
    }
    for long in ["json", "verbose", "raw", "no-verify", "max"] {
        assert!(kinds[long].1.starts_with("false"), "--{long} is a switch");
    }
}

#[test]
fn reports_are_json_if_asked() {
    for (name, command) in commands() {
        // They print no report: data alone, another program's, or a script.
        if name.starts_with("gen ") || ["bench", "completions"].contains(&&name[..]) {
            continue;
        }
        let json = option(&command, "json").unwrap_or_else(|| panic!("{name} has no --json"));
        assert!(matches!(json.get_action(), ArgAction::SetTrue), "{name}");
        assert_eq!(json.get_help().map(ToString::to_string).as_deref(), Some("Print the report as JSON"), "{name}");
    }
}

#[test]
fn kinds_and_types_have_one_name() {
    for (name, command) in commands() {
        for arg in command.get_arguments() {
            let Some(long) = arg.get_long() else { continue };
            let is_kind = long.ends_with("kind");
            assert!(!is_kind || ["kind", "query-kind"].contains(&long), "{name} --{long}");
        }
        let has = |long: &str| option(&command, long).is_some();
        // Queries have a type of their own, as they have a file of their own.
        assert!(!has("queries") || has("query-dtype"), "{name} has --queries and no --query-dtype");
        assert!(!has("query-dtype") || has("queries") || has("nodes") || has("at"), "{name}");
        assert!(
            !has("seed")
                || name == "query"
                || name == "sudoku"
                || name == "gen routes"
                || name == "gen picture"
                || has("kind"),
            "{name}"
        );
    }
}

/// Names of engines are the library's, with `_`, and the same word is never spelled in two ways.
#[test]
fn engines_have_one_spelling() {
    let mut spellings = HashMap::<String, String>::new();
    for (name, command) in commands() {
        let Some(engine) = option(&command, "engine") else { continue };
        let values: Vec<String> =
            engine.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
        assert!(!values.is_empty(), "{name} does not tell its engines");
        for value in values {
            assert!(value.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'), "{name}: {value}");
            let plain = value.replace('_', "");
            assert_eq!(*spellings.entry(plain).or_insert_with(|| value.clone()), value, "{name}");
        }
    }
}

/// Nobody's script breaks: the old names still work, unseen.
#[test]
fn old_names_are_hidden_aliases() {
    for (command, new, old) in [
        ("build", "out", "output"),
        ("lz77", "out", "output"),
        ("unlz77", "out", "output"),
        ("cartesian", "out", "parents"),
        ("path", "out", "lengths"),
        ("rmq", "kind", "array-kind"),
        ("rank", "kind", "list-kind"),
        ("lca", "kind", "forest-kind"),
        ("hull", "kind", "point-kind"),
        ("envelope", "kind", "segment-kind"),
        ("path", "kind", "grid-kind"),
        ("matching", "kind", "graph-kind"),
        ("fft", "kind", "array-kind"),
    ] {
        let (_, found) = commands().into_iter().find(|(name, _)| name == command).expect(command);
        let arg = option(&found, new).unwrap_or_else(|| panic!("{command} --{new}"));
        assert!(arg.get_all_aliases().is_some_and(|aliases| aliases.contains(&old)), "{command} --{old}");
        assert!(arg.get_visible_aliases().is_none_or(|aliases| !aliases.contains(&old)), "{command} --{old}");
    }
}
