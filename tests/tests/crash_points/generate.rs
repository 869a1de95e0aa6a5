//! Random workflows over every kind of task, the same for the same seed.

use serde_json::{Map, Value, json};

/// Lists within lists.
const DEEP: usize = 3;

/// Numbers that look like chance and are the same for the same seed.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.next() % most as u64).expect("below a usize")
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }
}

/// A workflow being made up.
pub(crate) struct Making {
    chance: Chance,
    names: usize,
    /// The kinds of tasks it has.
    pub(crate) kinds: Vec<&'static str>,
}

impl Making {
    pub(crate) fn new(seed: u64) -> Self {
        Self { chance: Chance::new(seed), names: 0, kinds: Vec::new() }
    }

    /// A whole document, as JSON, which is YAML.
    pub(crate) fn document(&mut self) -> Value {
        let tasks = self.list(0, false);
        json!({
            "document": { "dsl": "1.0.3", "namespace": "made", "name": "made-up", "version": "1.0.0" },
            "do": tasks,
        })
    }

    fn name(&mut self, kind: &'static str) -> String {
        self.names += 1;
        self.kinds.push(kind);
        format!("{kind}-{}", self.names)
    }

    fn list(&mut self, deep: usize, beside: bool) -> Value {
        let count = 1 + self.chance.below(3);
        let tasks: Vec<Value> = (0..count).map(|_| self.task(deep, beside)).collect();
        Value::Array(tasks)
    }

    /// A task. `beside` others go at the same time: it then leaves the context alone.
    fn task(&mut self, deep: usize, beside: bool) -> Value {
        let kinds = if deep >= DEEP { 8 } else { 13 };
        let (name, mut task) = match self.chance.below(kinds) {
            0 => (self.name("set"), self.set()),
            1 => (self.name("call"), call("computation", "double", json!({ "n": NUMBER }))),
            2 => (self.name("inner"), call("workflow", "inner", json!({ "n": NUMBER }))),
            3 => (self.name("ask"), call("interaction", "ask", json!({ "text": "${ `n is ${$data.n ?? 0}` }" }))),
            4 => (self.name("wait"), json!({ "wait": { "seconds": 1 + self.chance.below(5) } })),
            5 => (self.name("own"), listen("com.example.own")),
            6 => (self.name("news"), listen("com.example.news")),
            7 => (self.name("emit"), emit()),
            8 => (
                self.name("switch"),
                json!({ "switch": [
                { "odd": { "when": "${ ($data.n ?? 0) % 2 === 1 }", "then": "continue" } },
                { "even": { "then": if self.chance.one_in(4) { "exit" } else { "continue" } } },
            ] }),
            ),
            9 => (self.name("do"), json!({ "do": self.list(deep + 1, beside) })),
            10 => (
                self.name("for"),
                json!({
                    "for": { "each": "item", "in": "${ [1, 2] }" },
                    "do": self.list(deep + 1, beside),
                }),
            ),
            11 => (self.name("fork"), self.fork(deep)),
            _ => (self.name("try"), self.attempt(deep, beside)),
        };
        let members = task.as_object_mut().expect("a task is a mapping");
        if self.chance.one_in(6) {
            members.insert("if".into(), json!("${ ($data.n ?? 0) % 3 !== 0 }"));
        }
        if !beside && self.chance.one_in(5) {
            members.insert("export".into(), json!({ "as": "${ ({ kept: ($context?.kept ?? 0) + 1 }) }" }));
        }
        let output = match name.split('-').next() {
            Some("ask") => Some("${ ({ n: $data.verdict === 'approve' ? 7 : 8 }) }"),
            Some("own" | "news") => Some("${ ({ n: Number($data[0]?.n ?? 0) }) }"),
            Some("fork") => Some("${ ({ n: Array.isArray($data) ? $data.length : $data.n ?? 1 }) }"),
            _ => None,
        };
        if let Some(output) = output {
            members.insert("output".into(), json!({ "as": output }));
        }
        json!({ name: task })
    }

    fn set(&mut self) -> Value {
        let more = self.chance.below(9);
        json!({ "set": { "n": format!("${{ (($data.n ?? 0) + {more}) % 1000 }}"), "last": "set" } })
    }

    fn fork(&mut self, deep: usize) -> Value {
        if self.chance.one_in(3) {
            // The first branch wins however the machine is: the other's time never comes before.
            let (first, other) = (self.name("wait"), self.name("wait"));
            return json!({ "fork": { "compete": true, "branches": [
                { first: { "wait": { "seconds": 1 } } },
                { other: { "wait": { "hours": 9 } } },
            ] } });
        }
        let branches: Vec<Value> = (0..2 + self.chance.below(2)).map(|_| self.task(deep + 1, true)).collect();
        json!({ "fork": { "branches": branches } })
    }

    fn attempt(&mut self, deep: usize, beside: bool) -> Value {
        let tried = match self.chance.below(4) {
            0 => vec![json!({ self.name("raise"): { "raise": { "error": {
                "type": "https://example.com/errors/made-up", "status": 418, "title": "Made up",
            } } } })],
            1 => vec![json!({ self.name("call"): call("computation", "refuse", json!({ "n": NUMBER })) })],
            2 => {
                let mut slow = json!({ "wait": { "seconds": 30 } });
                slow["timeout"] = json!({ "after": { "seconds": 2 } });
                vec![json!({ self.name("wait"): slow })]
            }
            _ => match self.list(deep + 1, beside) {
                Value::Array(tasks) => tasks,
                _ => Vec::new(),
            },
        };
        let mut caught = Map::new();
        caught.insert("do".into(), json!([{ self.name("set"): self.set() }]));
        if self.chance.one_in(2) {
            caught.insert(
                "retry".into(),
                json!({
                    "delay": { "seconds": 1 }, "backoff": { "exponential": {} },
                    "jitter": { "from": { "milliseconds": 1 }, "to": { "milliseconds": 400 } },
                    "limit": { "attempt": { "count": 2 } },
                }),
            );
        }
        json!({ "try": tried, "catch": caught })
    }
}

const NUMBER: &str = "${ Number($data.n ?? 0) % 1000 }";

fn call(kind: &str, name: &str, input: Value) -> Value {
    json!({ "call": "run_definition", "with": { "type": kind, "name": name, "input": input } })
}

fn listen(kind: &str) -> Value {
    json!({ "listen": { "to": { "one": { "with": { "type": kind } } } } })
}

fn emit() -> Value {
    json!({ "emit": { "event": { "with": {
        "type": "com.example.told", "source": "https://example.com/made-up", "data": { "n": "${ $data.n ?? 0 }" },
    } } } })
}
