//! What the page asks for, and what it gets.

use serde_json::{Value, json};
use thalweg_core::Order;

use crate::Series;
use crate::columns::{self, Refusal};
use crate::find::{self, Side};
use crate::how;
use crate::http::{Response, parameter};
use crate::page;

/// The most of the smallest elements that are told.
const MOST_FOUND: usize = 1000;

/// The answer to a request for `name`, what follows the token.
pub fn answer(series: &[Series<'_>], name: &str, query: &str) -> Response {
    let file = |content_type, text: &str| Response { status: 200, content_type, body: text.as_bytes().to_vec() };
    match name {
        "" => file("text/html; charset=utf-8", page::HTML),
        "view.js" => file("text/javascript; charset=utf-8", page::SCRIPT),
        "style.css" => file("text/css; charset=utf-8", page::STYLE),
        "state" => as_json(&state(series)),
        "columns" | "points" | "best" | "next" | "smallest" | "at" | "how" => match of_series(series, name, query) {
            Ok(response) => response,
            Err(refusal) => {
                let status = match refusal {
                    Refusal::Bad(_) => 400,
                    Refusal::NotYet => 503,
                    Refusal::Changed(_) => 409,
                };
                Response::text(status, refusal.to_string())
            }
        },
        _ => Response::text(404, "there is no such thing here"),
    }
}

fn as_json(value: &Value) -> Response {
    Response { status: 200, content_type: "application/json", body: value.to_string().into_bytes() }
}

/// What there is, and how far it is.
fn state(series: &[Series<'_>]) -> Value {
    let each = |series: &Series<'_>| {
        json!({
            "name": series.name(),
            "dtype": series.kind().name(),
            "length": series.len(),
            "done": series.progress(),
            "ready": series.is_ready(),
            "trouble": series.trouble(),
        })
    };
    json!({"series": series.iter().map(each).collect::<Vec<_>>()})
}

fn of_series(all: &[Series<'_>], name: &str, query: &str) -> Result<Response, Refusal> {
    let number = |name: &str| {
        let value = parameter(query, name).ok_or_else(|| Refusal::Bad(format!("{name} is missing")))?;
        value.parse::<usize>().map_err(|_| Refusal::Bad(format!("{name} is no number")))
    };
    let which = number("series")?;
    let series = all.get(which).ok_or_else(|| Refusal::Bad(format!("there is no series {which}")))?;
    // Before and after: what is read from a file that changes meanwhile is no answer.
    unchanged(series)?;
    let response = ask(series, name, query, &number)?;
    unchanged(series)?;
    Ok(response)
}

fn unchanged(series: &Series<'_>) -> Result<(), Refusal> {
    series.trouble().map_or(Ok(()), |trouble| Err(Refusal::Changed(trouble)))
}

fn ask(
    series: &Series<'_>,
    name: &str,
    query: &str,
    number: &dyn Fn(&str) -> Result<usize, Refusal>,
) -> Result<Response, Refusal> {
    let word = |name: &str| parameter(query, name).unwrap_or_default();
    let binary = |body| Response { status: 200, content_type: "application/octet-stream", body };
    let order = if word("order") == "max" { Order::Max } else { Order::Min };
    let found = |position: usize| json!({"position": position, "value": series.shown(position)});
    Ok(match name {
        "columns" => binary(columns::columns(series, number("from")?, number("to")?, number("width")?)?),
        "points" => binary(columns::points(series, number("from")?, number("to")?)?),
        "best" => as_json(&found(find::best(series, order, number("from")?, number("to")?)?)),
        "next" => {
            let side = if word("side") == "left" { Side::Left } else { Side::Right };
            let next = find::next_better(series, order, number("at")?, side)?;
            as_json(&next.map_or(Value::Null, found))
        }
        "smallest" => {
            let k = number("k")?;
            if !(1..=MOST_FOUND).contains(&k) {
                return Err(Refusal::Bad(format!("k = {k}: from 1 to {MOST_FOUND} can be told")));
            }
            let positions = find::in_order(series, order, number("from")?, number("to")?, k)?;
            as_json(&positions.into_iter().map(found).collect())
        }
        // The element under the cursor, and the extremes of the column that it is drawn in.
        "at" => {
            let at = number("at")?;
            let mut answer = json!({"position": at, "value": series.shown(at)});
            if let (Ok(from), Ok(to)) = (number("from"), number("to"))
                && from < to.min(series.len())
            {
                answer["low"] = found(find::best(series, Order::Min, from, to)?);
                answer["high"] = found(find::best(series, Order::Max, from, to)?);
            }
            as_json(&answer)
        }
        _ => as_json(&how::explain(series, order, number("left")?, number("right")?)?),
    })
}
