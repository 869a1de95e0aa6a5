//! Event operations: publishing, the history, one row of it.

use super::playbooks::TRIES;
use crate::call::{Asked, invalid, invalid_at};
use crate::index::Unappended;
use crate::runtime::{Runtime, incident, kept_changing};
use playbook_engine::event::{Published, publish, same};
use playbook_engine::row::{self, Detail};
use playbook_history::{Content, CursorError, FeedPage, FeedQuery, History, Order, ReadError, Record, Stream, cursor};
use playbook_model::ending::{Reason, Rejection};
use playbook_model::id::{LEDGER_NAMESPACE, PlaybookKey};
use playbook_model::limits::PAGE_EXAMINED;
use playbook_model::record::{Context, Fact, PublishedEvent};
use playbook_model::refusal::Refusal;
use playbook_model::time::Moment;
use serde_json::{Value, json};
use uuid::Uuid;

impl Runtime {
    pub(crate) async fn publish_event(&self, asked: Asked<'_>, playbook: &PlaybookKey) -> Result<Value, Refusal> {
        let Some(given) = asked.given.0.get("event").and_then(Value::as_object) else {
            return Err(invalid_at("/event", "Expected an object"));
        };
        let at = self.0.clock.now();
        let fill = Published { id: Uuid::now_v7().to_string(), at };
        let published = publish(given, &fill).map_err(invalid)?;
        let identity = json!([published.event.source, published.event.id]).to_string();
        let stream = Stream::event(playbook, Uuid::new_v5(&LEDGER_NAMESPACE, identity.as_bytes()));
        for _ in 0..TRIES {
            let fact = Fact::EventPublished(Box::new(published.clone()));
            let context = Context::new(at, asked.caller.id.clone());
            match self.append(&stream, 0, vec![(fact, context)]).await {
                Ok(records) => {
                    let recorded_at = records.first().map_or(at, |record| record.recorded_at);
                    return Ok(receipt(&published, recorded_at));
                }
                Err(Unappended::Refused(refusal)) => return Err(refusal),
                Err(Unappended::Moved) => {
                    let again = stream.clone();
                    let records = self.read(move |history| history.stream(&again, 0)).await?;
                    let Some(first) = records.into_iter().next() else { continue };
                    return match Fact::read(&first.kind, first.data) {
                        Ok(Fact::EventPublished(there)) if same(&there, &published) => {
                            Ok(receipt(&there, first.recorded_at))
                        }
                        Ok(_) => Err(Rejection::new(
                            Reason::Conflict,
                            "Another event was published under this source and id; give the event an id of its own",
                        )
                        .into()),
                        Err(why) => Err(incident(&why.to_string())),
                    };
                }
            }
        }
        Err(kept_changing().into())
    }

    pub(crate) async fn list_playbook_events(
        &self,
        asked: Asked<'_>,
        playbook: &PlaybookKey,
    ) -> Result<Value, Refusal> {
        let run = asked.given.run();
        let order = match (asked.given.text("order"), run) {
            (Some("asc"), _) | (None, Some(_)) => Order::OldestFirst,
            _ => Order::NewestFirst,
        };
        let only = asked.given.text("type").map(str::to_owned);
        let limit = asked.given.limit();
        let step = only.as_deref().is_some_and(|kind| row::STEP_KINDS.contains(&kind));
        // Steps are read off the records of inputs, of which many may hold none of the type.
        let kind = match &only {
            Some(_) if step => Some("workflow_input_applied".to_owned()),
            only => only.as_deref().map(|shown| Fact::stored_kind(shown).to_owned()),
        };
        let examined = if step { PAGE_EXAMINED } else { limit };
        let since = asked.given.text("since").and_then(Moment::parse);
        let cursor = asked.given.text("cursor").map(str::to_owned);
        let key = playbook.clone();
        let page = self
            .paged(move |history| {
                history.feed(&FeedQuery {
                    playbook: &key,
                    kind: kind.as_deref(),
                    since,
                    run,
                    order,
                    limit: examined,
                    cursor: cursor.as_deref(),
                    content: Content::Joined,
                })
            })
            .await?;
        let (rows, next) = listed(playbook, page, order, only.as_deref(), limit);
        Ok(json!({ "events": rows, "has_more": next.is_some(), "next_cursor": next }))
    }

    pub(crate) async fn get_event(&self, asked: Asked<'_>, playbook: &PlaybookKey) -> Result<Value, Refusal> {
        let missing =
            || Refusal::from(Rejection::new(Reason::NotFound, "There is no such row in this playbook's history"));
        let asked_for = asked.given.text("event_id").unwrap_or_default();
        let (id, step) = match asked_for.split_once('/') {
            Some((id, number)) => (id, Some(number.parse::<usize>().map_err(|_| missing())?)),
            None => (asked_for, None),
        };
        let id = Uuid::try_parse(id).map_err(|_| missing())?;
        let playbook = playbook.clone();
        let record = self.read(move |history| history.record(&playbook, id)).await?;
        let mut rows = row_views(record.ok_or_else(missing)?, Detail::Whole);
        let at = step.unwrap_or(0);
        // A step is numbered from 1; the record itself has no number.
        if step == Some(0) || at >= rows.len() { Err(missing()) } else { Ok(rows.swap_remove(at)) }
    }

    /// Reads a page; a cursor that is none, or another playbook's, is the caller's mistake.
    pub(crate) async fn paged<T: Send + 'static>(
        &self,
        read: impl FnOnce(&History) -> Result<T, ReadError> + Send + 'static,
    ) -> Result<T, Refusal> {
        let history = self.0.history.clone();
        match tokio::task::spawn_blocking(move || read(&history)).await {
            Ok(Ok(page)) => Ok(page),
            Ok(Err(ReadError::Cursor(CursorError::Malformed))) => {
                Err(invalid_at("/cursor", "Expected the next_cursor of a page before"))
            }
            Ok(Err(ReadError::Cursor(CursorError::AnotherPlaybook))) => {
                Err(invalid_at("/cursor", "The cursor belongs to another playbook"))
            }
            Ok(Err(why)) => Err(incident(&format!("the log cannot be read: {why}"))),
            Err(why) => Err(incident(&format!("a reader broke down: {why}"))),
        }
    }
}

fn receipt(published: &PublishedEvent, recorded_at: Moment) -> Value {
    json!({
        "id": published.event.id,
        "time": published.event.time,
        "recorded_at": recorded_at.iso(),
    })
}

/// A page's rows, and where the next page goes on: at most `limit`, only those of a type where one is asked for.
fn listed(
    playbook: &PlaybookKey,
    page: FeedPage,
    order: Order,
    only: Option<&str>,
    limit: usize,
) -> (Vec<Value>, Option<String>) {
    let mut rows = Vec::new();
    let mut skipped = page.given;
    let mut before = None;
    for record in page.records {
        let global = record.global;
        let mut own = row_views(record, Detail::Listed);
        if order == Order::NewestFirst {
            own.reverse();
        }
        for (at, row) in own.into_iter().enumerate().skip(std::mem::take(&mut skipped)) {
            if only.is_some_and(|only| row["type"] != only) {
                continue;
            }
            if rows.len() == limit {
                let next = match (at, before) {
                    (0, Some(before)) => cursor::write(playbook, before),
                    _ => cursor::write_within(playbook, global, at),
                };
                return (rows, Some(next));
            }
            rows.push(row);
        }
        before = Some(global);
    }
    (rows, page.next)
}

/// A record's rows: its own, and one for each step that an input moved, whose ids are numbered from 1.
pub(crate) fn row_views(record: Record, detail: Detail) -> Vec<Value> {
    let id = record.id.to_string();
    let steps = match record.kind.as_str() {
        "workflow_input_applied" => row::steps(&record.data, &record.context),
        _ => Vec::new(),
    };
    let first = row_view(record, detail);
    let mut metadata = first["metadata"].clone();
    let mut rows = vec![first];
    let mut cause = id.clone();
    for (at, step) in steps.into_iter().enumerate() {
        let own = format!("{id}/{}", at + 1);
        metadata["causation_id"] = std::mem::replace(&mut cause, own.clone()).into();
        rows.push(json!({
            "id": own, "type": step.kind, "summary": step.summary, "data": step.data, "metadata": metadata,
        }));
    }
    rows
}

/// A record as a row of the history. A row this program cannot read is shown as such, by its id.
pub(crate) fn row_view(record: Record, detail: Detail) -> Value {
    let id = record.id.to_string();
    let (kind, summary, data) = match Fact::read(&record.kind, record.data) {
        Ok(fact) => (fact.shown_kind().to_owned(), row::summary(&fact, &record.context), row::data(&fact, detail)),
        Err(_) => (record.kind, "This row cannot be read by this version of the program".to_owned(), json!({})),
    };
    let mut metadata = row::metadata(&record.context);
    metadata.insert("stream".into(), record.stream.into());
    metadata.insert("position".into(), record.position.into());
    metadata.insert("global_position".into(), record.global.into());
    json!({ "id": id, "type": kind, "summary": summary, "data": data, "metadata": metadata })
}
