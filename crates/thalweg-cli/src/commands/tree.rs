//! `thalweg commands`: every command and its options as JSON, from the parser itself.
//!
//! For programs: the hostile tests (`tests/hostile`) learn from it what there is, so that a new command is among what they
//! try as soon as it can be typed.

use clap::builder::ValueHint;
use clap::{Arg, ArgAction, Command};
use serde_json::{Value, json};
use thalweg_cli::failure::Outcome;
use thalweg_cli::output;

/// Prints them, one command a line.
pub fn run(mut cli: Command) -> Outcome {
    cli.build();
    let mut text = String::new();
    leaves(&cli, &mut Vec::new(), &mut |path, command| {
        let arguments: Vec<Value> = command.get_arguments().filter(|arg| !is_help(arg)).map(argument).collect();
        text +=
            &json!({"command": path, "about": command.get_about().map(ToString::to_string), "arguments": arguments})
                .to_string();
        text.push('\n');
    });
    output::print(&text, false)
}

/// Calls `each` for the commands that have none below them.
fn leaves(command: &Command, path: &mut Vec<String>, each: &mut dyn FnMut(&[String], &Command)) {
    if !command.has_subcommands() {
        return each(path, command);
    }
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        path.push(below.get_name().to_owned());
        leaves(below, path, each);
        path.pop();
    }
}

fn is_help(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version)
}

fn argument(arg: &Arg) -> Value {
    let values: Vec<_> = arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
    let value_name = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
    let takes_value = arg.get_action().takes_values();
    let is_file = matches!(arg.get_value_hint(), ValueHint::AnyPath | ValueHint::FilePath)
        || value_name.as_ref().is_some_and(|name| name.starts_with("FILE"));
    json!({
        "name": arg.get_id().as_str(),
        "long": arg.get_long(),
        "short": arg.get_short(),
        "is_required": arg.is_required_set(),
        "takes_value": takes_value,
        "value_name": value_name.filter(|_| takes_value),
        "is_file": takes_value && is_file,
        // What belongs to another program.
        "takes_the_rest": arg.is_trailing_var_arg_set(),
        "values": if takes_value { values } else { Vec::new() },
        "default": defaults.first(),
        "help": arg.get_help().map(ToString::to_string),
    })
}
