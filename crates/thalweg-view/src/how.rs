//! How a query is answered, for the page.

use serde_json::{Value, json};
use thalweg_core::Order;

use crate::Series;
use crate::columns::Refusal;

/// The looks of a query, as JSON.
pub fn explain(series: &Series<'_>, order: Order, left: usize, right: usize) -> Result<Value, Refusal> {
    if left > right || right >= series.len() {
        return Err(Refusal::Bad(format!("{left} to {right} is no range of {} elements", series.len())));
    }
    let missing = || series.trouble().map_or(Refusal::NotYet, Refusal::Changed);
    let index = series.index(order).ok_or_else(missing)?;
    let told = index.explain(left, right);
    let told = told.ok_or_else(|| Refusal::Bad(format!("engine {} cannot tell", index.name())))?;
    let looks: Vec<Value> = told
        .looks
        .iter()
        .map(|look| {
            let pair = |range: &std::ops::Range<usize>| json!([range.start, range.end]);
            json!({
                "level": look.level.name(),
                "purpose": look.purpose.name(),
                "fetched": pair(&look.fetched),
                "counted": pair(&look.counted),
                "elements": pair(&look.elements),
            })
        })
        .collect();
    Ok(json!({
        "engine": index.name(),
        "order": if order == Order::Min { "min" } else { "max" },
        "range": told.range,
        "position": told.position,
        "value": series.shown(told.position),
        "looks": looks,
    }))
}
