//! A program as a flowchart: what follows what, in which group. "The overview".

use super::chart::{Edge, EdgeKind, Flowchart, Group, GroupKind, Node, NodeKind};
use super::phrase::{Phrases, said, schedule};
use super::program::{Directive, Kind, ListId, TaskId, Trigger, WorkflowDetails};
use crate::overview;
use std::collections::{HashMap, HashSet};

const END: &str = "end";
/// The most edges a flowchart holds: steps within many `try` tasks have one for each.
const EDGES: usize = 20_000;

/// The flowchart of a program.
#[must_use]
pub fn flowchart(details: &WorkflowDetails) -> Flowchart {
    let phrases = Phrases { details, code: &str::to_owned };
    let mut charting = Charting {
        details,
        phrases,
        owners: HashMap::new(),
        stands: stands(details),
        chart: Flowchart::default(),
        drawn: HashSet::new(),
    };
    for trigger in &details.triggers {
        charting.trigger(trigger);
    }
    let label = "A call of run_definition".to_owned();
    charting.node(Node {
        id: "start".into(),
        kind: NodeKind::Trigger,
        label,
        number: None,
        reference: None,
        group: None,
    });
    let root = ListId(0);
    charting.list(root, None, "", 0, None);
    let starts: Vec<String> =
        charting.chart.nodes.iter().filter(|node| node.kind == NodeKind::Trigger).map(|node| node.id.clone()).collect();
    let first = charting.targets(Point { list: root, at: 0 });
    for start in starts {
        charting.draw(&start, &first, EdgeKind::Flow, None);
    }
    for at in 0..details.tasks.len() {
        charting.ways(at);
    }
    let Charting { mut chart, .. } = charting;
    if chart.edges.iter().any(|edge| edge.to == END) {
        let label = "End".to_owned();
        chart.nodes.push(Node {
            id: END.into(),
            kind: NodeKind::End,
            label,
            number: None,
            reference: None,
            group: None,
        });
    }
    chart
}

/// A place in a list: before the task there, or past the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Point {
    list: ListId,
    at: usize,
}

/// Where a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stands {
    /// In a list.
    List(Point),
    /// As a branch of this fork.
    Branch(usize),
}

/// Where the flow is on its way to the next nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Onward {
    /// At a place in a list.
    Reach(Point, EdgeKind),
    /// Into a task.
    Enter(usize, EdgeKind),
    /// Past a task, by a directive.
    After(usize, Directive, EdgeKind),
}

/// Which node a way leads to, and how.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Way {
    to: String,
    kind: EdgeKind,
}

struct Charting<'a> {
    details: &'a WorkflowDetails,
    phrases: Phrases<'a>,
    /// The task that a list belongs to.
    owners: HashMap<ListId, usize>,
    /// Where each task stands.
    stands: Vec<Stands>,
    chart: Flowchart,
    drawn: HashSet<(String, String, EdgeKind, Option<String>)>,
}

impl Charting<'_> {
    fn node(&mut self, node: Node) {
        self.chart.nodes.push(node);
    }

    fn trigger(&mut self, trigger: &Trigger) {
        let label = match trigger {
            Trigger::Event { filters } => {
                let words: Vec<String> = filters.iter().map(|filter| said(&overview::short_of(filter))).collect();
                match words.as_slice() {
                    [one] => capital(one),
                    many => format!(
                        "{} and {} more",
                        capital(many.first().map_or("", String::as_str)),
                        many.len().saturating_sub(1)
                    ),
                }
            }
            other => capital(&schedule(other).unwrap_or_default()),
        };
        let id = trigger.kind().to_owned();
        let reference = Some(trigger.reference().to_owned());
        self.node(Node { id, kind: NodeKind::Trigger, label, number: None, reference, group: None });
    }

    /// Adds the tasks of a list, numbered after `before` others of their task.
    fn list(&mut self, list: ListId, owner: Option<usize>, number: &str, before: usize, group: Option<&str>) -> usize {
        if let Some(owner) = owner {
            self.owners.insert(list, owner);
        }
        let tasks = self.details.lists.get(list.0 as usize).map(|list| list.tasks.clone()).unwrap_or_default();
        self.tasks(&tasks, number, before, group)
    }

    fn tasks(&mut self, tasks: &[TaskId], number: &str, before: usize, group: Option<&str>) -> usize {
        for (at, id) in tasks.iter().enumerate() {
            let own = before + at + 1;
            let number = if number.is_empty() { own.to_string() } else { format!("{number}.{own}") };
            self.task(id.0 as usize, number, group);
        }
        before + tasks.len()
    }

    fn task(&mut self, at: usize, number: String, group: Option<&str>) {
        let Some(task) = self.details.tasks.get(at) else { return };
        let leaf = match task.kind {
            Kind::Call(_) => Ok(NodeKind::Call),
            Kind::Set(_) => Ok(NodeKind::Set),
            Kind::Switch(_) => Ok(NodeKind::Switch),
            Kind::Raise(_) => Ok(NodeKind::Raise),
            Kind::Wait(_) => Ok(NodeKind::Wait),
            Kind::Listen(_) => Ok(NodeKind::Listen),
            Kind::Emit(_) => Ok(NodeKind::Emit),
            Kind::Do(_) => Err(GroupKind::Do),
            Kind::For { .. } => Err(GroupKind::For),
            Kind::Fork { .. } => Err(GroupKind::Fork),
            Kind::Try { .. } => Err(GroupKind::Try),
        };
        let group = group.map(str::to_owned);
        let reference = task.reference.clone();
        let kind = match leaf {
            Ok(kind) => {
                let label = self.phrases.task(&task.name, &task.kind);
                self.node(Node {
                    id: node_id(at),
                    kind,
                    label,
                    number: Some(number),
                    reference: Some(reference),
                    group,
                });
                return;
            }
            Err(kind) => kind,
        };
        let id = format!("g{at}");
        let label = self.phrases.group(&task.name, &task.kind);
        self.chart.groups.push(Group { id: id.clone(), kind, label, number: number.clone(), reference, group });
        match &task.kind {
            Kind::Do(list) | Kind::For { list, .. } => {
                self.list(*list, Some(at), &number, 0, Some(&id));
            }
            Kind::Fork { branches, .. } => {
                self.tasks(branches, &number, 0, Some(&id));
            }
            Kind::Try { list, catch } => {
                let before = self.list(*list, Some(at), &number, 0, Some(&id));
                if let Some(list) = catch.list {
                    self.list(list, Some(at), &number, before, Some(&id));
                }
            }
            _ => {}
        }
    }

    /// The nodes that the flow reaches next from a place.
    fn targets(&self, point: Point) -> Vec<Way> {
        self.reached(Onward::Reach(point, EdgeKind::Flow))
    }

    /// Follows the flow to the next nodes. Lists without tasks make long ways, so nothing here calls itself.
    fn reached(&self, start: Onward) -> Vec<Way> {
        let (mut ways, mut seen, mut open) = (Vec::new(), HashSet::new(), vec![start]);
        while let Some(next) = open.pop() {
            // What is pushed last is followed first.
            match next {
                Onward::Reach(point, kind) => {
                    if !seen.insert((point, kind)) {
                        continue;
                    }
                    let Some(id) = self.tasks_of(point.list).get(point.at) else {
                        self.finished(point.list, kind, &mut ways, &mut open);
                        continue;
                    };
                    let at = id.0 as usize;
                    if self.details.tasks.get(at).is_some_and(|task| task.fields.condition.is_some()) {
                        open.push(Onward::Reach(Point { at: point.at + 1, ..point }, EdgeKind::Skip));
                    }
                    open.push(Onward::Enter(at, kind));
                }
                Onward::Enter(at, kind) => self.enter(at, kind, &mut ways, &mut open),
                Onward::After(at, then, kind) => self.after(at, then, kind, &mut ways, &mut open),
            }
        }
        ways
    }

    fn tasks_of(&self, list: ListId) -> &[TaskId] {
        self.details.lists.get(list.0 as usize).map(|list| list.tasks.as_slice()).unwrap_or_default()
    }

    /// Past a task, by its own `then`.
    fn past(&self, at: usize, kind: EdgeKind) -> Onward {
        let then = self.details.tasks.get(at).map(|task| task.fields.then).unwrap_or_default();
        Onward::After(at, then, kind)
    }

    /// The first nodes within a task.
    fn enter(&self, at: usize, kind: EdgeKind, ways: &mut Vec<Way>, open: &mut Vec<Onward>) {
        match self.details.tasks.get(at).map(|task| &task.kind) {
            None => {}
            Some(Kind::Do(list) | Kind::For { list, .. } | Kind::Try { list, .. }) => {
                open.push(Onward::Reach(Point { list: *list, at: 0 }, kind));
            }
            Some(Kind::Fork { branches, .. }) if branches.is_empty() => open.push(self.past(at, kind)),
            Some(Kind::Fork { branches, .. }) => {
                for branch in branches.iter().rev().map(|id| id.0 as usize) {
                    if self.details.tasks.get(branch).is_some_and(|task| task.fields.condition.is_some()) {
                        open.push(self.past(at, EdgeKind::Skip));
                    }
                    open.push(Onward::Enter(branch, kind));
                }
            }
            Some(_) => push(ways, &node_id(at), kind),
        }
    }

    /// Past the last task of a list.
    fn finished(&self, list: ListId, kind: EdgeKind, ways: &mut Vec<Way>, open: &mut Vec<Onward>) {
        let Some(owner) = self.owners.get(&list) else {
            push(ways, END, kind);
            return;
        };
        open.push(self.past(*owner, kind));
        let loops = matches!(self.details.tasks.get(*owner).map(|task| &task.kind), Some(Kind::For { list: own, .. }) if *own == list);
        if loops {
            open.push(Onward::Reach(Point { list, at: 0 }, EdgeKind::NextItem));
        }
    }

    /// Past a task, by a directive.
    fn after(&self, at: usize, then: Directive, kind: EdgeKind, ways: &mut Vec<Way>, open: &mut Vec<Onward>) {
        // A way back for the next item is no longer one once it leaves the loop's list.
        let kind = if kind == EdgeKind::NextItem { EdgeKind::Flow } else { kind };
        match (then, self.stands.get(at)) {
            (Directive::End, _) => push(ways, END, kind),
            (Directive::Continue, Some(Stands::List(point))) => {
                open.push(Onward::Reach(Point { at: point.at + 1, ..*point }, kind));
            }
            (Directive::Jump(to), Some(Stands::List(point))) => {
                open.push(Onward::Reach(Point { at: to as usize, ..*point }, kind));
            }
            (Directive::Exit, Some(Stands::List(point))) => match self.owners.get(&point.list) {
                Some(owner) => open.push(self.past(*owner, kind)),
                None => push(ways, END, kind),
            },
            (_, Some(Stands::Branch(fork))) => open.push(self.past(*fork, kind)),
            (_, None) => {}
        }
    }

    /// Draws the ways that leave a task.
    fn ways(&mut self, at: usize) {
        let Some(task) = self.details.tasks.get(at) else { return };
        let id = node_id(at);
        let leave = |then: Directive| self.reached(Onward::After(at, then, EdgeKind::Flow));
        let mut drawn: Vec<(Vec<Way>, Option<String>)> = Vec::new();
        match &task.kind {
            Kind::Switch(cases) => {
                for case in cases {
                    drawn.push((leave(case.then), Some(said(&case.name))));
                }
                if cases.iter().all(|case| case.when.is_some()) {
                    drawn.push((leave(task.fields.then), Some("otherwise".into())));
                }
            }
            Kind::Try { list, catch } => {
                let ways = match catch.list {
                    Some(list) if !self.is_empty(list) => self.targets(Point { list, at: 0 }),
                    _ => leave(task.fields.then),
                };
                let label = Some(self.phrases.caught(&catch.errors)).filter(|label| !label.is_empty());
                for step in self.steps(*list) {
                    self.draw(&node_id(step), &ways, EdgeKind::Catch, label.clone());
                }
                return;
            }
            Kind::Raise(_) | Kind::Do(_) | Kind::For { .. } | Kind::Fork { .. } => return,
            _ => drawn.push((leave(task.fields.then), None)),
        }
        for (ways, label) in drawn {
            self.draw(&id, &ways, EdgeKind::Flow, label);
        }
    }

    fn is_empty(&self, list: ListId) -> bool {
        self.details.lists.get(list.0 as usize).is_none_or(|list| list.tasks.is_empty())
    }

    /// Every leaf within a list.
    fn steps(&self, list: ListId) -> Vec<usize> {
        let mut open: Vec<usize> = Vec::new();
        let tasks = |list: ListId| {
            let tasks = self.details.lists.get(list.0 as usize).map(|list| list.tasks.as_slice()).unwrap_or_default();
            tasks.iter().rev().map(|id| id.0 as usize).collect::<Vec<_>>()
        };
        open.extend(tasks(list));
        let mut found = Vec::new();
        while let Some(at) = open.pop() {
            match self.details.tasks.get(at).map(|task| &task.kind) {
                Some(Kind::Do(list) | Kind::For { list, .. }) => open.extend(tasks(*list)),
                Some(Kind::Fork { branches, .. }) => open.extend(branches.iter().rev().map(|id| id.0 as usize)),
                Some(Kind::Try { list, catch }) => {
                    open.extend(catch.list.map(tasks).unwrap_or_default());
                    open.extend(tasks(*list));
                }
                Some(_) => found.push(at),
                None => {}
            }
        }
        found
    }

    fn draw(&mut self, from: &str, ways: &[Way], kind: EdgeKind, label: Option<String>) {
        for way in ways {
            if self.chart.edges.len() >= EDGES {
                return;
            }
            let kind = if kind == EdgeKind::Flow { way.kind } else { kind };
            let label = match (&label, kind) {
                (None, EdgeKind::NextItem) => Some("next item".to_owned()),
                (None, EdgeKind::Skip) => Some("if not".to_owned()),
                (label, _) => label.clone(),
            };
            if self.drawn.insert((from.to_owned(), way.to.clone(), kind, label.clone())) {
                self.chart.edges.push(Edge { from: from.to_owned(), to: way.to.clone(), label, kind });
            }
        }
    }
}

/// Where each task stands, by the list or the fork that names it.
fn stands(details: &WorkflowDetails) -> Vec<Stands> {
    let mut found = vec![Stands::List(Point { list: ListId(0), at: 0 }); details.tasks.len()];
    for (list, number) in details.lists.iter().zip(0..) {
        for (at, id) in list.tasks.iter().enumerate() {
            if let Some(place) = found.get_mut(id.0 as usize) {
                *place = Stands::List(Point { list: ListId(number), at });
            }
        }
    }
    for (fork, task) in details.tasks.iter().enumerate() {
        let Kind::Fork { branches, .. } = &task.kind else { continue };
        for id in branches {
            if let Some(place) = found.get_mut(id.0 as usize) {
                *place = Stands::Branch(fork);
            }
        }
    }
    found
}

fn push(ways: &mut Vec<Way>, to: &str, kind: EdgeKind) {
    if !ways.iter().any(|way| way.to == to) {
        ways.push(Way { to: to.to_owned(), kind });
    }
}

fn node_id(at: usize) -> String {
    format!("n{at}")
}

/// The same with a capital letter.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
