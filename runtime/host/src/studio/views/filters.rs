//! What each filter of a view that folded nothing would have taken, and what came nearest to one that took nothing.

use super::notes::Note;
use super::{PATIENCE, READ};
use crate::replay::{Recall, seen_records};
use crate::studio::open::Open;
use playbook_definition::Filter;
use playbook_engine::event::Seen;
use playbook_history::{Content, PageQuery, Wanted};
use playbook_model::definition::DefinitionType;
use playbook_model::refusal::Refusal;
use playbook_model::{json, word};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Instant;

/// The most values of an attribute that are told apart.
const VALUES: usize = 1_000;
/// The most types among which one is looked for that was meant.
const TYPES: usize = 1_000;

/// What the events of a log say of a version's filters, up to a place.
pub(super) struct Misses {
    version: u32,
    read_to: u64,
    tallies: Vec<Tally>,
}

/// What the events of a filter's type say of it.
#[derive(Default, Clone)]
struct Tally {
    /// Of the filter's type.
    events: u64,
    /// Of the type, with every attribute the filter names.
    taken: u64,
    /// By attribute: its values in events that have every other attribute the filter names.
    near: Vec<Values>,
    /// By attribute: its values in all events of the type.
    all: Vec<Values>,
}

/// How often each value of an attribute was seen; `None` stands for events without it.
type Values = HashMap<Option<String>, u64>;

/// What came nearest to a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Nearest {
    count: u64,
    attribute: String,
    value: Option<String>,
    wanted: String,
}

/// The filters of a version as its screen shows them; counted where nothing was folded.
pub(super) async fn shown(
    open: &Open,
    note: &Note,
    version: u32,
    recall: &Recall,
    folded: u64,
) -> Result<Vec<Value>, Refusal> {
    let filters = &recall.details().filters;
    let plain = |filter: &Filter| json!({ "sentence": filter.sentence, "type": filter.kind, "taken": Value::Null });
    if folded > 0 {
        return Ok(filters.iter().map(plain).collect());
    }
    let mut misses = note.misses.lock().await;
    let mut now = match misses.take() {
        Some(misses) if misses.version == version => misses,
        _ => Misses { version, read_to: 0, tallies: vec![Tally::default(); filters.len()] },
    };
    let going = now.read_on(open, recall).await?;
    let mut shown = Vec::new();
    for (filter, tally) in filters.iter().zip(&now.tallies) {
        let mut view = plain(filter);
        view["taken"] = tally.taken.into();
        if going {
            view["counting"] = true.into();
        } else if tally.taken == 0
            && let Some(nearest) = nearest(open, filter, tally).await?
        {
            view["nearest"] = nearest.view(filter);
        }
        shown.push(view);
    }
    *misses = Some(now);
    Ok(shown)
}

impl Misses {
    /// Reads on for a while; says whether more is there.
    async fn read_on(&mut self, open: &Open, recall: &Recall) -> Result<bool, Refusal> {
        let begun = Instant::now();
        let own = format!("{}/{}", DefinitionType::Recall, recall.name());
        loop {
            let (key, wanted, after) = (open.key.clone(), recall.wanted(), self.read_to);
            let page = open.runtime.read(move |history| {
                let only = Some(wanted.as_slice());
                let page =
                    history.page(&PageQuery { playbook: &key, after, limit: READ, only, content: Content::Joined })?;
                Ok((seen_records(page.records), page.read_to, page.more))
            });
            let (seen, read_to, more) = page.await?;
            for (_, seen) in seen.iter().filter(|(_, seen)| seen.run_of.as_deref() != Some(own.as_str())) {
                for (filter, tally) in recall.details().filters.iter().zip(&mut self.tallies) {
                    tally.add(filter, seen);
                }
            }
            self.read_to = read_to;
            if !more || begun.elapsed() > PATIENCE {
                return Ok(more);
            }
        }
    }
}

impl Tally {
    fn add(&mut self, filter: &Filter, seen: &Seen) {
        if seen.event.kind != filter.kind {
            return;
        }
        self.events += 1;
        let held: Vec<Option<Value>> = filter.attributes.iter().map(|(name, _)| seen.event.attribute(name)).collect();
        let missed: Vec<usize> = filter
            .attributes
            .iter()
            .zip(&held)
            .enumerate()
            .filter(|(_, ((_, wanted), held))| !held.as_ref().is_some_and(|held| json::same(wanted, held)))
            .map(|(at, _)| at)
            .collect();
        self.near.resize(held.len(), Values::new());
        self.all.resize(held.len(), Values::new());
        match missed.as_slice() {
            [] => self.taken += 1,
            [one] => count(&mut self.near[*one], held[*one].as_ref()),
            _ => {}
        }
        for at in missed {
            count(&mut self.all[at], held[at].as_ref());
        }
    }

    /// The attribute whose values come nearest to those a filter names, by the events that miss it alone if there are.
    fn nearest(&self, filter: &Filter) -> Option<Nearest> {
        for tallied in [&self.near, &self.all] {
            let found = filter
                .attributes
                .iter()
                .zip(tallied)
                .filter_map(|((name, wanted), values)| {
                    let wanted = text(wanted);
                    let known = values.keys().filter_map(|value| value.as_deref());
                    let meant = word::nearest(&wanted, known).map(|value| Some(value.to_owned()));
                    let is_meant = meant.is_some();
                    // Of values seen equally often the first by its letters, so that the same log says the same.
                    let (value, count) = match meant {
                        Some(value) => (value.clone(), values[&value]),
                        None => {
                            let often = |a: &(&Option<String>, &u64), b: &(&Option<String>, &u64)| {
                                a.1.cmp(b.1).then_with(|| b.0.cmp(a.0))
                            };
                            values.iter().max_by(often).map(|(value, count)| (value.clone(), *count))?
                        }
                    };
                    Some((is_meant, Nearest { count, attribute: name.clone(), value, wanted }))
                })
                .max_by_key(|(is_meant, nearest)| (*is_meant, nearest.count));
            if let Some((_, nearest)) = found {
                return Some(nearest);
            }
        }
        None
    }
}

fn count(values: &mut Values, value: Option<&Value>) {
    let value = value.map(text);
    if values.len() < VALUES || values.contains_key(&value) {
        *values.entry(value).or_default() += 1;
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What came nearest to a filter that took nothing.
async fn nearest(open: &Open, filter: &Filter, tally: &Tally) -> Result<Option<Nearest>, Refusal> {
    if tally.events > 0 {
        return Ok(tally.nearest(filter));
    }
    let (key, wanted) = (open.key.clone(), filter.kind.clone());
    open.runtime
        .read(move |history| {
            let types: Vec<String> = history
                .types(&key, TYPES)?
                .into_iter()
                .map(|(Wanted::Kind(of) | Wanted::Published(of))| of)
                .filter(|of| crate::moving::is_seen(of) && of != "event_published")
                .collect();
            let Some(meant) = word::nearest(&wanted, types.iter().map(String::as_str)) else { return Ok(None) };
            let count = history.count(&key, &crate::moving::wanted([meant]), (0, u64::MAX), u64::MAX >> 1)?;
            Ok(Some(Nearest { count, attribute: "type".into(), value: Some(meant.to_owned()), wanted }))
        })
        .await
}

impl Nearest {
    fn view(&self, filter: &Filter) -> Value {
        json!({
            "count": self.count,
            "type": if self.attribute == "type" { self.value.as_deref().unwrap_or_default() } else { &filter.kind },
            "attribute": self.attribute,
            "value": self.value,
            "wanted": self.wanted,
            "sentence": self.sentence(&filter.kind),
        })
    }

    /// Such as "142 run_succeeded events of reasoning/review-breif were recorded, none of reasoning/review-brief."
    fn sentence(&self, kind: &str) -> String {
        let were = if self.count == 1 { "was" } else { "were" };
        let of = |kind: &str| word::count(self.count, &format!("{kind} event"), &format!("{kind} events"));
        let with = |value: &str| match self.attribute.as_str() {
            "subject" => format!("of {value}"),
            "source" => format!("from {value}"),
            name => format!("with {name} {value}"),
        };
        let wanted = &self.wanted;
        match (&self.value, self.attribute.as_str()) {
            (Some(value), "type") => format!("{} {were} recorded, none of type {wanted}.", of(value)),
            (Some(value), _) => format!("{} {} {were} recorded, none {}.", of(kind), with(value), with(wanted)),
            (None, name) => format!("{} without a {name} {were} recorded, none {}.", of(kind), with(wanted)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use playbook_definition::Data;
    use playbook_model::event::CloudEvent;
    use playbook_model::time::Moment;
    use serde_json::Map;

    fn seen(kind: &str, subject: Option<&str>, region: Option<&str>) -> Seen {
        let mut extensions = Map::new();
        if let Some(region) = region {
            extensions.insert("region".into(), region.into());
        }
        let event = CloudEvent {
            specversion: "1.0".into(),
            id: "1".into(),
            kind: kind.into(),
            source: "/s".into(),
            subject: subject.map(str::to_owned),
            time: None,
            datacontenttype: None,
            dataschema: None,
            extensions,
            data: None,
        };
        Seen { event, time: Moment(0), run_of: None }
    }

    fn filter(attributes: &[(&str, &str)]) -> Filter {
        let attributes = attributes.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        Filter { kind: "spent".into(), attributes, data: Data::None, sentence: String::new() }
    }

    fn sentence(filter: &Filter, events: &[Seen]) -> Option<String> {
        let mut tally = Tally::default();
        events.iter().for_each(|seen| tally.add(filter, seen));
        assert_eq!(tally.taken, 0);
        tally.nearest(filter).map(|nearest| nearest.sentence("spent"))
    }

    #[test]
    fn the_value_seen_most_often_is_told() {
        let events = [
            seen("spent", Some("a/other"), None),
            seen("spent", Some("a/other"), None),
            seen("spent", Some("b/more"), None),
            seen("else", Some("a/wanted-thing"), None),
        ];
        let told = sentence(&filter(&[("subject", "a/wanted-thing")]), &events);
        assert_eq!(told.as_deref(), Some("2 spent events of a/other were recorded, none of a/wanted-thing."));
    }

    #[test]
    fn a_value_spelt_nearly_so_comes_first() {
        let mut events = vec![seen("spent", Some("reasoning/review-breif"), None)];
        events.extend((0..9).map(|_| seen("spent", Some("reasoning/quite-another"), None)));
        let told = sentence(&filter(&[("subject", "reasoning/review-brief")]), &events);
        assert_eq!(
            told.as_deref(),
            Some("1 spent event of reasoning/review-breif was recorded, none of reasoning/review-brief.")
        );
    }

    #[test]
    fn an_event_that_misses_one_attribute_is_nearer_than_one_that_misses_two() {
        let both = filter(&[("subject", "a"), ("region", "eu")]);
        let mut events: Vec<Seen> = (0..9).map(|_| seen("spent", Some("zzz"), Some("us"))).collect();
        events.push(seen("spent", Some("a"), None));
        let told = sentence(&both, &events);
        assert_eq!(told.as_deref(), Some("1 spent event without a region was recorded, none with region eu."));
        assert_eq!(
            sentence(&both, &events[..9]).as_deref(),
            Some("9 spent events with region us were recorded, none with region eu.")
        );
    }

    #[test]
    fn without_an_event_there_is_nothing_near() {
        assert_eq!(sentence(&filter(&[("subject", "a")]), &[]), None);
        assert_eq!(sentence(&filter(&[]), &[seen("other", None, None)]), None);
    }
}
