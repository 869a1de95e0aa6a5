//! Event operations: publishing, the history, one row of it.

use super::playbooks::TRIES;
use crate::call::{Asked, invalid, invalid_at};
use crate::index::Unappended;
use crate::runtime::{Runtime, incident, kept_changing};
use playbook_engine::event::{Published, publish, same};
use playbook_engine::row::{self, Detail};
use playbook_history::{Content, CursorError, FeedQuery, History, Order, ReadError, Record, Stream};
use playbook_model::ending::{Reason, Rejection};
use playbook_model::id::{LEDGER_NAMESPACE, PlaybookKey};
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
        let playbook = playbook.clone();
        let kind = asked.given.text("type").map(|shown| Fact::stored_kind(shown).to_owned());
        let since = asked.given.text("since").and_then(Moment::parse);
        let limit = asked.given.limit();
        let cursor = asked.given.text("cursor").map(str::to_owned);
        let page = self
            .paged(move |history| {
                history.feed(&FeedQuery {
                    playbook: &playbook,
                    kind: kind.as_deref(),
                    since,
                    run,
                    order,
                    limit,
                    cursor: cursor.as_deref(),
                    content: Content::Joined,
                })
            })
            .await?;
        let rows: Vec<Value> = page.records.into_iter().map(|record| row_view(record, Detail::Listed)).collect();
        Ok(json!({ "events": rows, "has_more": page.next.is_some(), "next_cursor": page.next }))
    }

    pub(crate) async fn get_event(&self, asked: Asked<'_>, playbook: &PlaybookKey) -> Result<Value, Refusal> {
        let missing =
            || Refusal::from(Rejection::new(Reason::NotFound, "There is no such row in this playbook's history"));
        let id = asked.given.text("event_id").and_then(|id| Uuid::try_parse(id).ok()).ok_or_else(missing)?;
        let playbook = playbook.clone();
        let record = self.read(move |history| history.record(&playbook, id)).await?;
        record.map(|record| row_view(record, Detail::Whole)).ok_or_else(missing)
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
