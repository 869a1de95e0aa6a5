use super::*;
use crate::clock::Clock;
use crate::runtime::{Place, Runtime, Settings};
use playbook_model::event::CloudEvent;
use playbook_model::id::DefinitionName;
use playbook_typescript::Compiler;
use serde_json::{Map, Value, json};
use std::sync::Arc;

const COUNT: &str = "---
language: typescript
source:
  events:
    - type: beat
    - type: tick
      data: '${ $data > 1 }'
    - type: run_succeeded
view:
  initial: { count: 0 }
---
export function fold(view: View, event: Event): View {
  if (event.subject === 'bad') throw new Error('no');
  const count = typeof view === 'object' && view !== null && !Array.isArray(view) ? view['count'] : 0;
  return { count: (typeof count === 'number' ? count : 0) + 1, last: event.id };
}
";

fn name() -> DefinitionName {
    DefinitionName::new("count").expect("a name")
}

fn event(id: usize, kind: &str, subject: Option<&str>, data: Option<Value>) -> CloudEvent {
    CloudEvent {
        specversion: "1.0".into(),
        id: id.to_string(),
        kind: kind.into(),
        source: "/s".into(),
        subject: subject.map(str::to_owned),
        time: Some("2026-01-01T00:00:00Z".into()),
        datacontenttype: None,
        dataschema: None,
        extensions: Map::new(),
        data,
    }
}

async fn recall(text: &str) -> Arc<Recall> {
    match Recall::check(Arc::new(Compiler::new()), &name(), text).await.expect("judged") {
        CheckedRecall::Ready(recall) => recall,
        CheckedRecall::Problems(problems) => panic!("{problems:?}"),
    }
}

#[tokio::test]
async fn given_events_are_folded_under_the_filters() {
    let scratch = Scratch::new().expect("a worker program");
    let recall = recall(COUNT).await;
    let events = vec![
        event(1, "beat", None, None),
        event(2, "other", None, None),
        event(3, "tick", None, Some(json!(1))),
        event(4, "tick", None, Some(json!(2))),
        event(5, "run_succeeded", Some("recall/count"), None),
        event(6, "run_succeeded", Some("computation/count"), None),
    ];
    let mut replay = Replay::new(&scratch, recall.clone(), Source::events(&recall, events));
    let page = replay.page().await.expect("a page");
    assert_eq!(page.events.iter().map(|folded| folded.position).collect::<Vec<_>>(), [1, 4, 6]);
    assert_eq!(page.events[0].bytes, r#"{"count":1,"last":"1"}"#.len());
    assert_eq!((page.halt, page.end), (None, true));
    assert_eq!((replay.view(), replay.folded()), (r#"{"count":3,"last":"6"}"#, 3));
    let again = replay.page().await.expect("a page");
    assert_eq!((again.events.len(), again.end, replay.folded()), (0, true, 3));
    scratch.stop().await;
    let source = Source::events(&recall, vec![event(1, "beat", None, None)]);
    assert!(Replay::new(&scratch, recall, source).page().await.is_err());
}

#[tokio::test]
async fn a_replay_stops_at_the_event_its_fold_cannot_take() {
    let scratch = Scratch::new().expect("a worker program");
    let recall = recall(COUNT).await;
    let mut events: Vec<CloudEvent> = (1..=700).map(|id| event(id, "beat", None, None)).collect();
    events[600].subject = Some("bad".into());
    let source = Source::events(&recall, events);
    let mut replay = Replay::from_view(&scratch, recall, source, r#"{"count":1000}"#.into());
    let mut folded = 0;
    let halt = loop {
        let page = replay.page().await.expect("a page");
        assert!(page.events.len() <= PAGE_EVENTS && !page.end);
        folded += page.events.len();
        if let Some(halt) = page.halt {
            break halt;
        }
    };
    assert_eq!((folded, replay.folded(), replay.read_to()), (600, 600, 600));
    assert_eq!(
        (halt.position, halt.event.id.as_str(), halt.kind, halt.line),
        (601, "601", StallKind::Raised, Some(13))
    );
    assert_eq!((halt.error.as_str(), halt.before.as_str()), ("Error: no", r#"{"count":1600,"last":"600"}"#));
    assert_eq!(replay.page().await.expect("a page").halt, Some(halt));
    scratch.stop().await;
}

#[tokio::test]
async fn a_text_with_problems_is_told_with_them() {
    let broken = COUNT.replace("return { count", "return { count: 1 }; return { kount");
    let checked = Recall::check(Arc::new(Compiler::new()), &name(), &broken.replace("fold(", "fault(")).await;
    assert!(matches!(checked.expect("judged"), CheckedRecall::Problems(problems) if !problems.is_empty()));
}

#[tokio::test]
async fn the_log_is_folded_as_it_grows() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = Place::Data(folder.path().to_owned());
    let compiler = Arc::new(Compiler::new());
    let runtime = Runtime::open_with(place, Settings::default(), compiler, Clock::system()).await.expect("a runtime");
    let playbook = playbook_model::id::PlaybookKey {
        org: playbook_model::id::OrgId::new("acme").expect("an id"),
        playbook: playbook_model::id::PlaybookId::new("main").expect("an id"),
    };
    let recall = recall(COUNT).await;
    let mut replay = Replay::new(runtime.scratch(), recall, Source::log(&runtime, &playbook));
    assert!(replay.page().await.expect("a page").end);
    let mut positions = Vec::new();
    for round in 1..=2_u32 {
        for nth in 0..3 {
            let given = json!({ "specversion": "1.0", "id": format!("{round}-{nth}"), "type": "beat", "source": "/s" });
            let given = given.as_object().expect("an object").clone();
            let fill = playbook_engine::event::Published { id: "made".into(), at: runtime.now() };
            let published = playbook_engine::event::publish(&given, &fill).expect("an event");
            let stream = playbook_history::Stream::event(&playbook, uuid::Uuid::new_v4());
            let fact = playbook_model::record::Fact::EventPublished(Box::new(published));
            let record = playbook_history::NewRecord {
                kind: fact.kind().into(),
                data: fact.data(),
                context: playbook_model::record::Context::new(runtime.now(), "local"),
            };
            let now = runtime.now();
            runtime.0.history.append_async(&stream, 0, vec![record], now).await.expect("recorded");
        }
        let page = replay.page().await.expect("a page");
        assert_eq!((page.events.len(), page.end), (3, true));
        positions.extend(page.events.iter().map(|folded| folded.position));
        assert_eq!(replay.folded(), u64::from(round) * 3);
    }
    assert!(positions.is_sorted());
    assert_eq!(replay.view(), r#"{"count":6,"last":"2-2"}"#);
    runtime.stop().await;
    assert!(replay.page().await.is_err());
}
