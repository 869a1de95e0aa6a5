//! The plan: mine, base and theirs of every definition, what differs, and what to do about it.
//!
//! Pure: texts in, a plan out. Texts are compared by their bytes and never by time.

use crate::base::Base;
use playbook_model::definition::{DefinitionKey, DefinitionType};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A definition as the folder holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mine {
    /// Which.
    pub key: DefinitionKey,
    /// Its document.
    pub text: String,
    /// The author's overview, where there is one.
    pub overview: Option<String>,
    /// The author's diagram, where there is one.
    pub diagram: Option<String>,
    /// The definitions of the playbook that it uses.
    pub uses: Vec<DefinitionKey>,
    /// How many errors its document has; with any it cannot be published.
    pub problems: usize,
}

/// A definition as the server holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theirs {
    /// Which.
    pub key: DefinitionKey,
    /// Its version.
    pub version: u32,
    /// Whether it is retired.
    pub retired: bool,
    /// Its document; empty for a retired one, whose document nothing needs.
    pub text: String,
    /// Its overview as the server shows it: the author's, or one made from the document, and who uses it.
    pub overview: Option<String>,
    /// The author's diagram.
    pub diagram: Option<String>,
    /// Who saved this version, where that is known.
    pub by: Option<String>,
    /// When this version was saved, ISO 8601.
    pub at: Option<String>,
}

/// How a definition stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Here and not there.
    New,
    /// Changed here since it was published or pulled.
    ChangedHere,
    /// Changed there, or new there.
    ChangedThere,
    /// Changed here and there, or nothing says which came first.
    ChangedBoth,
    /// The same bytes.
    Same,
    /// Published once, gone here, there still.
    GoneHere,
    /// It cannot be published as things stand.
    Blocked,
    /// The name belongs to a retired definition there.
    RetiredThere,
}

/// What the plan proposes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Send it.
    Publish,
    /// Take theirs.
    Pull,
    /// Decide first.
    Stop,
    /// Nothing to do.
    Nothing,
}

/// One definition of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Item {
    /// Which.
    #[serde(flatten)]
    pub key: DefinitionKey,
    /// How it stands.
    pub state: State,
    /// What is proposed.
    pub action: Action,
    /// The version there; none when it is not there.
    pub version_there: Option<u32>,
    /// Who saved that version, where that is known.
    pub by_there: Option<String>,
    /// When.
    pub at_there: Option<String>,
    /// The text here.
    pub mine: Option<String>,
    /// The text as last published or pulled.
    pub base: Option<String>,
    /// The text there.
    pub theirs: Option<String>,
    /// What publishing brings about, a sentence each.
    pub effects: Vec<String>,
    /// Why it cannot be published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<String>,
    /// The author's overview and diagram that go with it.
    #[serde(skip)]
    pub beside: Beside,
    /// What it uses.
    #[serde(skip)]
    pub uses: Vec<DefinitionKey>,
}

/// What an author wrote beside a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Beside {
    /// The overview.
    pub overview: Option<String>,
    /// The diagram.
    pub diagram: Option<String>,
}

/// The playbook on the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlaybookThere {
    /// Whether it is there; publishing makes it where it is not.
    pub exists: bool,
    /// Its name there, or the folder's where it is not.
    pub name: String,
    /// What it is for, as the folder says.
    #[serde(skip)]
    pub description: String,
}

/// Everything that would happen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Plan {
    /// The plan's id.
    pub id: String,
    /// The server's id.
    pub server: String,
    /// When the server was read, ISO 8601.
    pub read_at: String,
    /// The playbook there.
    pub playbook: PlaybookThere,
    /// The definitions, in the order they are sent.
    pub items: Vec<Item>,
}

/// Compares the folder with the server, definition by definition, in the order they are sent.
#[must_use]
pub fn compare(mine: &[Mine], bases: &BTreeMap<DefinitionKey, Base>, theirs: &[Theirs]) -> Vec<Item> {
    let mine: BTreeMap<&DefinitionKey, &Mine> = mine.iter().map(|one| (&one.key, one)).collect();
    let theirs: BTreeMap<&DefinitionKey, &Theirs> = theirs.iter().map(|one| (&one.key, one)).collect();
    let keys: BTreeSet<&DefinitionKey> = mine.keys().chain(theirs.keys()).copied().collect();
    let mut items: Vec<Item> = keys
        .into_iter()
        .filter_map(|key| {
            let (state, action) = standing(mine.get(key).copied(), bases.get(key), theirs.get(key).copied())?;
            Some(item(key, state, action, mine.get(key).copied(), bases.get(key), theirs.get(key).copied()))
        })
        .collect();
    block(&mut items, &mine);
    in_order(items)
}

/// How one definition stands; none when there is nothing to say about it.
fn standing(mine: Option<&Mine>, base: Option<&Base>, theirs: Option<&Theirs>) -> Option<(State, Action)> {
    Some(match (mine, theirs) {
        (None, None) => return None,
        (Some(_), None) => (State::New, Action::Publish),
        (Some(_), Some(theirs)) if theirs.retired => (State::RetiredThere, Action::Stop),
        (None, Some(theirs)) if theirs.retired => return None,
        (None, Some(_)) if base.is_some() => (State::GoneHere, Action::Nothing),
        (None, Some(_)) => (State::ChangedThere, Action::Pull),
        (Some(mine), Some(theirs)) if mine.text == theirs.text => {
            if beside_is_there(mine, theirs) {
                (State::Same, Action::Nothing)
            } else {
                (State::ChangedHere, Action::Publish)
            }
        }
        (Some(mine), Some(theirs)) => match base {
            Some(base) if base.text == theirs.text => (State::ChangedHere, Action::Publish),
            Some(base) if base.text == mine.text => (State::ChangedThere, Action::Pull),
            _ => (State::ChangedBoth, Action::Stop),
        },
    })
}

/// Whether what the author wrote beside the document is there already. What is left out here stays as it is there.
fn beside_is_there(mine: &Mine, theirs: &Theirs) -> bool {
    // The server appends who uses a definition to its overview.
    let overview = mine
        .overview
        .as_deref()
        .is_none_or(|own| theirs.overview.as_deref().is_some_and(|shown| shown.starts_with(own.trim_end())));
    overview && mine.diagram.as_deref().is_none_or(|own| theirs.diagram.as_deref() == Some(own))
}

fn item(
    key: &DefinitionKey,
    state: State,
    action: Action,
    mine: Option<&Mine>,
    base: Option<&Base>,
    theirs: Option<&Theirs>,
) -> Item {
    let blocked = (state == State::RetiredThere).then(|| {
        "The name is taken by a retired definition, and a name is never given back: choose another.".to_owned()
    });
    Item {
        key: key.clone(),
        state,
        action,
        version_there: theirs.map(|theirs| theirs.version),
        by_there: theirs.and_then(|theirs| theirs.by.clone()),
        at_there: theirs.and_then(|theirs| theirs.at.clone()),
        mine: mine.map(|mine| mine.text.clone()),
        base: base.map(|base| base.text.clone()),
        theirs: theirs.filter(|theirs| !theirs.retired).map(|theirs| theirs.text.clone()),
        effects: effects(key.kind, state, theirs),
        blocked,
        beside: mine.map_or_else(Beside::default, |mine| Beside {
            overview: mine.overview.clone(),
            diagram: mine.diagram.clone(),
        }),
        uses: mine.map(|mine| mine.uses.clone()).unwrap_or_default(),
    }
}

fn effects(kind: DefinitionType, state: State, theirs: Option<&Theirs>) -> Vec<String> {
    let version = theirs.map_or(0, |theirs| theirs.version);
    match state {
        State::New => match kind {
            DefinitionType::Recall => vec!["Its view is built from the playbook's first event.".into()],
            DefinitionType::Workflow => vec!["Its triggers count from now.".into()],
            _ => vec![],
        },
        State::ChangedHere | State::ChangedBoth => {
            let mut effects = vec![format!("It becomes version {}; running runs keep version {version}.", version + 1)];
            match kind {
                DefinitionType::Recall => {
                    effects.push("Its view is rebuilt from the first event, and runs are refused meanwhile.".into());
                }
                DefinitionType::Workflow => effects.push("Its triggers count from now.".into()),
                _ => {}
            }
            effects
        }
        State::ChangedThere => vec![format!("The file here becomes version {version} of the server.")],
        State::GoneHere => vec!["It goes on working there; retiring it is an act of its own.".into()],
        State::Same | State::Blocked | State::RetiredThere => vec![],
    }
}

/// Blocks what has problems, and what uses a definition that is neither there nor on its way.
fn block(items: &mut [Item], mine: &BTreeMap<&DefinitionKey, &Mine>) {
    for item in items.iter_mut().filter(|item| sends(item)) {
        let problems = mine.get(&item.key).map_or(0, |mine| mine.problems);
        if problems > 0 {
            let count = if problems == 1 { "a problem".to_owned() } else { format!("{problems} problems") };
            item.state = State::Blocked;
            item.action = Action::Stop;
            item.blocked = Some(format!("Its document has {count}: mend it first."));
        }
    }
    loop {
        let there: BTreeSet<DefinitionKey> =
            items.iter().filter(|item| item.theirs.is_some()).map(|item| item.key.clone()).collect();
        let coming: BTreeSet<DefinitionKey> =
            items.iter().filter(|item| item.action == Action::Publish).map(|item| item.key.clone()).collect();
        let here: BTreeSet<DefinitionKey> =
            items.iter().filter(|item| item.mine.is_some()).map(|item| item.key.clone()).collect();
        let mut moved = false;
        for item in items.iter_mut().filter(|item| sends(item)) {
            let missing = item.uses.iter().find(|used| !there.contains(used) && !coming.contains(used));
            if let Some(missing) = missing {
                let why = if here.contains(missing) {
                    "which cannot be published yet"
                } else {
                    "which is missing here and there"
                };
                item.state = State::Blocked;
                item.action = Action::Stop;
                item.blocked = Some(format!("It uses {missing}, {why}."));
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
}

fn sends(item: &Item) -> bool {
    item.mine.is_some() && matches!(item.state, State::New | State::ChangedHere | State::ChangedBoth)
}

/// Puts items in the order they are sent: what is used comes first, workflows come last.
///
/// Definitions that use each other in a ring stand in the order of their types and names.
#[must_use]
pub fn in_order(mut items: Vec<Item>) -> Vec<Item> {
    items.sort_by_key(|item| (rank(item.key.kind), item.key.name.clone()));
    let mut ordered: Vec<Item> = Vec::with_capacity(items.len());
    while !items.is_empty() {
        let waiting: BTreeSet<DefinitionKey> = items.iter().map(|item| item.key.clone()).collect();
        let free = |item: &Item| item.uses.iter().all(|used| *used == item.key || !waiting.contains(used));
        let next = items.iter().position(free).unwrap_or(0);
        ordered.push(items.remove(next));
    }
    ordered
}

fn rank(kind: DefinitionType) -> u8 {
    match kind {
        DefinitionType::Computation => 0,
        DefinitionType::Prediction => 1,
        DefinitionType::Reasoning => 2,
        DefinitionType::Interaction => 3,
        DefinitionType::Recall => 4,
        DefinitionType::Workflow => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use playbook_model::id::DefinitionName;

    fn key(kind: DefinitionType, name: &str) -> DefinitionKey {
        DefinitionKey { kind, name: DefinitionName::new(name).expect("a name") }
    }

    fn computation(name: &str) -> DefinitionKey {
        key(DefinitionType::Computation, name)
    }

    fn mine(key: &DefinitionKey, text: &str) -> Mine {
        Mine { key: key.clone(), text: text.into(), overview: None, diagram: None, uses: vec![], problems: 0 }
    }

    fn theirs(key: &DefinitionKey, text: &str) -> Theirs {
        Theirs {
            key: key.clone(),
            version: 4,
            retired: false,
            text: text.into(),
            overview: None,
            diagram: None,
            by: Some("ana".into()),
            at: None,
        }
    }

    fn states(mine: &[Mine], base: &[(&DefinitionKey, &str)], theirs: &[Theirs]) -> Vec<(State, Action)> {
        let bases = base.iter().map(|(key, text)| ((*key).clone(), Base::new(*text, 3))).collect();
        compare(mine, &bases, theirs).into_iter().map(|item| (item.state, item.action)).collect()
    }

    #[test]
    fn three_texts_say_what_changed() {
        type Case = (Option<&'static str>, Option<&'static str>, Option<&'static str>, State, Action);
        let k = computation("abc");
        let cases: [Case; 10] = [
            (Some("a"), None, None, State::New, Action::Publish),
            (Some("a"), Some("b"), None, State::New, Action::Publish),
            (Some("b"), Some("a"), Some("a"), State::ChangedHere, Action::Publish),
            (Some("a"), Some("a"), Some("b"), State::ChangedThere, Action::Pull),
            (Some("b"), Some("a"), Some("c"), State::ChangedBoth, Action::Stop),
            (Some("b"), None, Some("c"), State::ChangedBoth, Action::Stop),
            (Some("a"), None, Some("a"), State::Same, Action::Nothing),
            (Some("a"), Some("b"), Some("a"), State::Same, Action::Nothing),
            (None, Some("a"), Some("a"), State::GoneHere, Action::Nothing),
            (None, None, Some("a"), State::ChangedThere, Action::Pull),
        ];
        for (here, base, there, state, action) in cases {
            let here: Vec<Mine> = here.iter().map(|text| mine(&k, text)).collect();
            let base: Vec<(&DefinitionKey, &str)> = base.iter().map(|text| (&k, *text)).collect();
            let there: Vec<Theirs> = there.iter().map(|text| theirs(&k, text)).collect();
            assert_eq!(states(&here, &base, &there), [(state, action)], "{here:?} {base:?} {there:?}");
        }
    }

    #[test]
    fn bytes_are_compared() {
        let k = computation("abc");
        assert_eq!(states(&[mine(&k, "a\r\n")], &[], &[theirs(&k, "a\n")]), [(State::ChangedBoth, Action::Stop)]);
    }

    #[test]
    fn a_retired_name_is_never_given_back() {
        let k = computation("abc");
        let retired = Theirs { retired: true, ..theirs(&k, "") };
        let items = compare(&[mine(&k, "a")], &BTreeMap::new(), std::slice::from_ref(&retired));
        assert_eq!((items[0].state, items[0].action), (State::RetiredThere, Action::Stop));
        assert!(items[0].blocked.as_deref().is_some_and(|words| words.contains("never given back")));
        assert!(compare(&[], &BTreeMap::new(), &[retired]).is_empty());
    }

    #[test]
    fn a_new_overview_alone_is_a_change() {
        let k = computation("abc");
        let with = |overview: &str| Mine { overview: Some(overview.into()), ..mine(&k, "a") };
        let there = Theirs { overview: Some("Mine.\n\n## Used by".into()), ..theirs(&k, "a") };
        assert_eq!(states(&[with("Mine.\n")], &[], std::slice::from_ref(&there)), [(State::Same, Action::Nothing)]);
        assert_eq!(states(&[with("Other.\n")], &[], &[there]), [(State::ChangedHere, Action::Publish)]);
    }

    #[test]
    fn what_has_problems_is_blocked_and_so_is_what_uses_it() {
        let (low, mid, top) = (computation("low"), computation("mid"), computation("top"));
        let bad = Mine { problems: 2, ..mine(&low, "a") };
        let middle = Mine { uses: vec![low.clone()], ..mine(&mid, "b") };
        let high = Mine { uses: vec![mid], ..mine(&top, "c") };
        let items = compare(&[high.clone(), middle.clone(), bad], &BTreeMap::new(), &[]);
        assert!(items.iter().all(|item| (item.state, item.action) == (State::Blocked, Action::Stop)));
        assert_eq!(items[1].blocked.as_deref(), Some("It uses computation/low, which cannot be published yet."));
        let items = compare(&[high, middle], &BTreeMap::new(), &[theirs(&low, "a")]);
        let sent: Vec<&str> =
            items.iter().filter(|item| item.action == Action::Publish).map(|item| item.key.name.as_str()).collect();
        assert_eq!(sent, ["mid", "top"]);
    }

    #[test]
    fn what_uses_nothing_that_exists_is_blocked() {
        let k = computation("abc");
        let lone = Mine { uses: vec![computation("gone")], ..mine(&k, "a") };
        let items = compare(&[lone], &BTreeMap::new(), &[]);
        assert_eq!(items[0].blocked.as_deref(), Some("It uses computation/gone, which is missing here and there."));
    }

    #[test]
    fn what_is_used_comes_first_and_workflows_last() {
        let (a, b, flow, view) = (
            computation("aaa"),
            computation("bbb"),
            key(DefinitionType::Workflow, "aaa"),
            key(DefinitionType::Recall, "aaa"),
        );
        let folder = [
            Mine { uses: vec![a.clone(), view.clone()], ..mine(&flow, "x") },
            Mine { uses: vec![b.clone()], ..mine(&a, "x") },
            Mine { uses: vec![a.clone(), b.clone()], ..mine(&view, "x") },
            mine(&b, "x"),
        ];
        let order: Vec<DefinitionKey> =
            compare(&folder, &BTreeMap::new(), &[]).into_iter().map(|item| item.key).collect();
        assert_eq!(order, [b, a, view, flow]);
    }

    #[test]
    fn a_ring_has_an_order_too() {
        let (a, b) = (computation("aaa"), computation("bbb"));
        let folder = [
            Mine { uses: vec![a.clone(), b.clone()], ..mine(&b, "x") },
            Mine { uses: vec![b.clone()], ..mine(&a, "x") },
        ];
        let items = compare(&folder, &BTreeMap::new(), &[]);
        assert_eq!(items.len(), 2);
        assert!(items.iter().all(|item| item.action == Action::Publish));
    }

    #[test]
    fn the_plan_is_written_as_the_studio_reads_it() {
        let k = computation("abc");
        let items = compare(&[mine(&k, "b")], &[(k.clone(), Base::new("a", 4))].into(), &[theirs(&k, "a")]);
        let written = serde_json::to_value(&items[0]).expect("it writes");
        assert_eq!(
            written,
            serde_json::json!({
                "type": "computation", "name": "abc", "state": "changed_here", "action": "publish",
                "version_there": 4, "by_there": "ana", "at_there": null, "mine": "b", "base": "a", "theirs": "a",
                "effects": ["It becomes version 5; running runs keep version 4."],
            })
        );
    }
}
