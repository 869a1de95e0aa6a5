//! The names of a render: what loops made, what `assign` made, what the caller gave, and counters, in that order.

use crate::value::Value;
use std::collections::HashMap;

pub(crate) struct Scope<'a> {
    given: Vec<(&'a str, Value<'a>)>,
    assigned: HashMap<&'a str, Value<'a>>,
    loops: Vec<(&'a str, Value<'a>)>,
    counters: HashMap<&'a str, i64>,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(given: Vec<(&'a str, Value<'a>)>) -> Self {
        Self { given, assigned: HashMap::new(), loops: Vec::new(), counters: HashMap::new() }
    }

    pub(crate) fn get(&self, name: &str) -> Option<Value<'a>> {
        let of_loops = self.loops.iter().rev().find(|(of, _)| *of == name).map(|(_, value)| value);
        let of_caller = || self.given.iter().find(|(of, _)| *of == name).map(|(_, value)| value);
        of_loops
            .or_else(|| self.assigned.get(name))
            .or_else(of_caller)
            .cloned()
            .or_else(|| self.counters.get(name).map(|count| Value::Number(*count as f64)))
    }

    pub(crate) fn assign(&mut self, name: &'a str, value: Value<'a>) {
        self.assigned.insert(name, value);
    }

    /// Makes names for a loop's body; [`Scope::leave`] takes them away.
    pub(crate) fn enter(&mut self, variable: &'a str, of_loop: &'a str) {
        self.loops.push((of_loop, Value::Null));
        self.loops.push((variable, Value::Null));
    }

    /// Sets the names of the innermost loop for one pass.
    pub(crate) fn pass(&mut self, item: Value<'a>, state: Value<'a>) {
        let at = self.loops.len() - 2;
        self.loops[at].1 = state;
        self.loops[at + 1].1 = item;
    }

    pub(crate) fn leave(&mut self) {
        self.loops.truncate(self.loops.len() - 2);
    }

    /// A counter as it stands, then one more.
    pub(crate) fn increment(&mut self, name: &'a str) -> i64 {
        let count = self.counters.entry(name).or_insert(0);
        *count += 1;
        *count - 1
    }

    /// A counter with one less.
    pub(crate) fn decrement(&mut self, name: &'a str) -> i64 {
        let count = self.counters.entry(name).or_insert(0);
        *count -= 1;
        *count
    }
}
