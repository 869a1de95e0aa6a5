//! Renders a tree under its limits.

use crate::compare;
use crate::fault::Stop;
use crate::filter::{Call, Halt};
use crate::path;
use crate::scope::Scope;
use crate::tree::{Body, Chain, Expression, Kind, Loop, Node, Offset, Operand, Operator, Path, Step, StepTo, Tree};
use crate::value::{List, LoopState, Value};
use crate::{CHARGE, RENDERED_CHARACTERS, Rendered, Structures};
use playbook_model::position::Span;
use serde_json::Value as Json;
use std::collections::HashMap;

pub(crate) fn render<'a>(
    text: &'a str,
    tree: &'a Tree,
    values: &[(&'a str, &'a Json)],
    structures: Structures,
    time_is_up: &dyn Fn() -> bool,
) -> Result<Rendered, Stop> {
    let mut render = Render {
        text,
        tree,
        scope: Scope::new(values.iter().map(|(name, value)| (*name, Value::given(value))).collect()),
        structures,
        time_is_up,
        charged: 0,
        parts: [Part::default(), Part::default()],
        instructions: None,
        continues: HashMap::new(),
        cycles: HashMap::new(),
    };
    render.body(tree.root())?;
    let [message, instructions] = render.parts;
    Ok(Rendered { message: message.text, instructions: render.instructions.map(|_| instructions.text) })
}

/// A text being written, and its characters so far.
#[derive(Default)]
struct Part {
    text: String,
    characters: usize,
}

struct Render<'a, 'c> {
    text: &'a str,
    tree: &'a Tree,
    scope: Scope<'a>,
    structures: Structures,
    time_is_up: &'c dyn Fn() -> bool,
    charged: usize,
    /// The message and the instructions.
    parts: [Part; 2],
    /// Whether the block was met, and whether it is being written now.
    instructions: Option<bool>,
    /// Where the loops that `offset: continue` goes on from have stopped.
    continues: HashMap<&'a str, usize>,
    cycles: HashMap<String, usize>,
}

/// What a body ended with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    On,
    Break,
    Continue,
}

/// Whether a path that is missing stops the render.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Stops,
    IsNull,
}

impl<'a> Render<'a, '_> {
    fn body(&mut self, body: Body) -> Result<Flow, Stop> {
        // Bodies nest up to a bound that no stack of a thread is sure to hold.
        stacker::maybe_grow(256 * 1024, 2 * 1024 * 1024, || {
            let tree = self.tree;
            for node in tree.nodes(body) {
                self.time(node.span)?;
                let flow = self.node(node)?;
                if flow != Flow::On {
                    return Ok(flow);
                }
            }
            Ok(Flow::On)
        })
    }

    fn time(&self, span: Span) -> Result<(), Stop> {
        if (self.time_is_up)() { Err(Stop::TimeUp { span }) } else { Ok(()) }
    }

    fn node(&mut self, node: &'a Node) -> Result<Flow, Stop> {
        match &node.kind {
            Kind::Text => {
                let text = self.text;
                self.write(&text[node.span.start..node.span.end], node.span)?;
            }
            Kind::Output(chain) => {
                let value = self.chain(chain, Missing::Stops)?;
                if self.structures == Structures::Refused && value.is_structure() {
                    return Err(Stop::Structure { span: node.span });
                }
                self.write(value.to_text().as_str(), node.span)?;
            }
            Kind::Assign { name, chain } => {
                let value = self.chain(chain, Missing::Stops)?;
                self.scope.assign(name, value);
            }
            Kind::If { branches, otherwise } => {
                for branch in branches {
                    if self.chain(&branch.condition, Missing::IsNull)?.is_true() == branch.takes {
                        return self.body(branch.body);
                    }
                }
                return otherwise.map_or(Ok(Flow::On), |body| self.body(body));
            }
            Kind::Case { subject, whens, otherwise } => {
                let subject = self.chain(subject, Missing::Stops)?;
                let mut taken = false;
                for when in whens {
                    for value in &when.values {
                        let value = self.operand(value, Missing::Stops)?;
                        if compare::equal(&subject, &value) {
                            taken = true;
                            let flow = self.body(when.body)?;
                            if flow != Flow::On {
                                return Ok(flow);
                            }
                            break;
                        }
                    }
                }
                if let (false, Some(body)) = (taken, otherwise) {
                    return self.body(*body);
                }
            }
            Kind::For(made) => return self.for_loop(made, node.span),
            Kind::TableRow(made) => return self.table_row(made, node.span),
            Kind::Break => return Ok(Flow::Break),
            Kind::Continue => return Ok(Flow::Continue),
            Kind::Cycle { group, key, values } => {
                let group = match group {
                    Some(group) => self.operand(group, Missing::Stops)?.to_text().as_str().to_owned(),
                    None => String::new(),
                };
                let place = self.cycles.entry(format!("{group}\n{key}")).or_insert(0);
                let value = &values[*place % values.len()];
                *place += 1;
                let value = self.operand(value, Missing::Stops)?;
                self.write(value.to_text().as_str(), node.span)?;
            }
            Kind::Increment(name) => {
                let count = self.scope.increment(name);
                self.write(&count.to_string(), node.span)?;
            }
            Kind::Decrement(name) => {
                let count = self.scope.decrement(name);
                self.write(&count.to_string(), node.span)?;
            }
            Kind::System(body) => {
                self.instructions = Some(true);
                let flow = self.body(*body);
                self.instructions = Some(false);
                return flow;
            }
        }
        Ok(Flow::On)
    }

    fn write(&mut self, text: &str, span: Span) -> Result<(), Stop> {
        let instructions = self.instructions == Some(true);
        let part = &mut self.parts[usize::from(instructions)];
        part.characters += text.chars().count();
        if part.characters > RENDERED_CHARACTERS {
            return Err(Stop::TooLong { span, instructions });
        }
        part.text.push_str(text);
        Ok(())
    }

    fn charge(&mut self, amount: usize, span: Span) -> Result<(), Stop> {
        self.charged = self.charged.saturating_add(amount);
        if self.charged > CHARGE { Err(Stop::TooMuch { span }) } else { Ok(()) }
    }

    /// A value through its filters. A missing path is null for `default` as the first filter.
    fn chain(&mut self, chain: &'a Chain, missing: Missing) -> Result<Value<'a>, Stop> {
        let missing = match chain.filters.first() {
            Some(first) if first.filter.name == "default" => Missing::IsNull,
            _ => missing,
        };
        let mut value = self.expression(&chain.value, missing)?;
        for call in &chain.filters {
            let mut arguments = Vec::with_capacity(call.arguments.len());
            for argument in &call.arguments {
                arguments.push(self.operand(argument, Missing::Stops)?);
            }
            let mut named = Vec::with_capacity(call.named.len());
            for (name, argument) in &call.named {
                named.push((name.as_str(), self.operand(argument, Missing::Stops)?));
            }
            let mut applied = Call::new(value, arguments, named, CHARGE - self.charged);
            let result = (call.filter.apply)(&mut applied);
            self.charged += applied.charged();
            value = result.map_err(|halt| match halt {
                Halt::Refused(words) => Stop::Refused { span: call.span, words },
                Halt::Missing(path) => Stop::Missing { span: call.span, path },
                Halt::TooMuch => Stop::TooMuch { span: call.span },
            })?;
        }
        Ok(value)
    }

    fn expression(&mut self, expression: &'a Expression, missing: Missing) -> Result<Value<'a>, Stop> {
        match expression {
            Expression::Operand(operand) => self.operand(operand, missing),
            Expression::Not(inner) => Ok(Value::Bool(!self.expression(inner, missing)?.is_true())),
            Expression::Binary { operator, left, right } => {
                let left = self.expression(left, missing)?;
                match (operator, left.is_true()) {
                    (Operator::And, false) => return Ok(Value::Bool(false)),
                    (Operator::Or, true) => return Ok(Value::Bool(true)),
                    _ => {}
                }
                let right = self.expression(right, missing)?;
                Ok(Value::Bool(compare::holds(*operator, &left, &right)))
            }
        }
    }

    fn operand(&mut self, operand: &'a Operand, missing: Missing) -> Result<Value<'a>, Stop> {
        Ok(match operand {
            Operand::Null => Value::Null,
            Operand::Empty => Value::Empty,
            Operand::Blank => Value::Blank,
            Operand::Bool(value) => Value::Bool(*value),
            Operand::Number(number) => Value::Number(*number),
            Operand::Text(text) => Value::Text(crate::value::Text::Given(text)),
            Operand::Range { span, .. } => {
                let range = self.range(operand)?.expect("the operand is a range");
                self.charge(range.length, *span)?;
                Value::list((0..range.length).map(|at| Value::Number(range.first + at as f64)).collect())
            }
            Operand::Path(path) => return self.path(path, missing),
            Operand::Of { span, operand, steps } => {
                let value = self.operand(operand, missing)?;
                return self.steps(value, vec!["value".to_owned()], steps, *span, missing);
            }
        })
    }

    /// The ends of a range, when the operand is one.
    fn range(&mut self, operand: &'a Operand) -> Result<Option<Range>, Stop> {
        let Operand::Range { from, to, .. } = operand else { return Ok(None) };
        let first = self.operand(from, Missing::Stops)?.to_number();
        let last = self.operand(to, Missing::Stops)?.to_number();
        let length = (last - first).ceil() + if (last - first).fract() == 0.0 { 1.0 } else { 0.0 };
        // A number past the bound of charges stops when it is charged.
        let length = if length > 0.0 { length.min(1e15) as usize } else { 0 };
        Ok(Some(Range { first, length }))
    }

    fn path(&mut self, path: &'a Path, missing: Missing) -> Result<Value<'a>, Stop> {
        let Some(value) = self.scope.get(&path.name) else {
            return match missing {
                Missing::IsNull => Ok(Value::Null),
                Missing::Stops => Err(Stop::Missing { span: path.span, path: vec![path.name.clone()] }),
            };
        };
        if path.steps.is_empty() {
            return Ok(value);
        }
        self.steps(value, vec![path.name.clone()], &path.steps, path.span, missing)
    }

    fn steps(
        &mut self,
        mut value: Value<'a>,
        mut read: Vec<String>,
        steps: &'a [Step],
        span: Span,
        missing: Missing,
    ) -> Result<Value<'a>, Stop> {
        for step in steps {
            let (next, name) = match &step.to {
                StepTo::Name(name) => (path::member(&value, name), name.clone()),
                StepTo::Index(key) => {
                    let key = self.operand(key, Missing::Stops)?;
                    path::index(&value, &key)
                }
            };
            read.push(name);
            value = match (next, missing) {
                (Some(next), _) => next,
                (None, Missing::IsNull) => return Ok(Value::Null),
                (None, Missing::Stops) => return Err(Stop::Missing { span, path: read }),
            };
        }
        Ok(value)
    }

    /// What a loop goes over, before its settings.
    fn collection(&mut self, made: &'a Loop) -> Result<Collection<'a>, Stop> {
        if let Some(range) = self.range(&made.over)? {
            let Operand::Range { span, .. } = &made.over else { unreachable!("it has ends, so it is a range") };
            self.charge(range.length, *span)?;
            return Ok(Collection::Range(range));
        }
        Ok(Collection::Items(match self.operand(&made.over, Missing::Stops)? {
            Value::List(items) => items,
            Value::Text(text) if !text.as_str().is_empty() => List::Made([Value::Text(text)].into()),
            Value::Object(members) => List::Made(
                members
                    .iter()
                    .map(|(key, value)| {
                        Value::list(vec![Value::Text(crate::value::Text::Given(key)), Value::given(value)])
                    })
                    .collect(),
            ),
            _ => List::Given(&[]),
        }))
    }

    /// The items of a loop in their order, as places in its collection.
    fn places(&mut self, made: &'a Loop, length: usize, continues: bool) -> Result<Vec<usize>, Stop> {
        let offset = match &made.offset {
            None => 0,
            Some(Offset::Continue) if continues => self.continues.get(made.key.as_str()).copied().unwrap_or(0),
            Some(Offset::Continue) => 0,
            Some(Offset::At(operand)) => bound(self.operand(operand, Missing::Stops)?.to_number(), length),
        }
        .min(length);
        let rest = length - offset;
        let limit = match &made.limit {
            None => rest,
            Some(operand) => bound(self.operand(operand, Missing::Stops)?.to_number(), rest),
        };
        self.continues.insert(&made.key, offset + limit);
        let places = offset..offset + limit;
        // What `limit` and `offset` take, from its end.
        Ok(if made.reversed { places.rev().collect() } else { places.collect() })
    }

    fn for_loop(&mut self, made: &'a Loop, span: Span) -> Result<Flow, Stop> {
        let collection = self.collection(made)?;
        let places = self.places(made, collection.len(), true)?;
        if places.is_empty() {
            return made.otherwise.map_or(Ok(Flow::On), |body| self.body(body));
        }
        self.scope.enter(&made.variable, "forloop");
        for (index, place) in places.iter().enumerate() {
            self.time(span)?;
            let state = LoopState { index, length: places.len(), columns: None };
            self.scope.pass(collection.get(*place), Value::Loop(state));
            if self.body(made.body)? == Flow::Break {
                break;
            }
        }
        self.scope.leave();
        Ok(Flow::On)
    }

    /// Cells in rows, as HTML. A `break` or `continue` ends its cell alone.
    fn table_row(&mut self, made: &'a Loop, span: Span) -> Result<Flow, Stop> {
        let collection = self.collection(made)?;
        let places = self.places(made, collection.len(), false)?;
        let columns = match &made.columns {
            Some(operand) => bound(self.operand(operand, Missing::Stops)?.to_number(), places.len()),
            None => places.len(),
        };
        let columns = if columns == 0 { places.len().max(1) } else { columns };
        self.scope.enter(&made.variable, "tablerowloop");
        for (index, place) in places.iter().enumerate() {
            self.time(span)?;
            let state = LoopState { index, length: places.len(), columns: Some(columns) };
            self.scope.pass(collection.get(*place), Value::Loop(state));
            if index % columns == 0 {
                let end = if index > 0 { "</tr>" } else { "" };
                self.write(&format!("{end}<tr class=\"row{}\">", index / columns + 1), span)?;
            }
            self.write(&format!("<td class=\"col{}\">", index % columns + 1), span)?;
            self.body(made.body)?;
            self.write("</td>", span)?;
        }
        if !places.is_empty() {
            self.write("</tr>", span)?;
        }
        self.scope.leave();
        Ok(Flow::On)
    }
}

/// The whole numbers, or numbers with one fraction, from a first one up.
struct Range {
    first: f64,
    length: usize,
}

enum Collection<'a> {
    /// Never built, since a long one is charged and large.
    Range(Range),
    Items(List<'a>),
}

impl<'a> Collection<'a> {
    fn len(&self) -> usize {
        match self {
            Self::Range(range) => range.length,
            Self::Items(items) => items.len(),
        }
    }

    fn get(&self, place: usize) -> Value<'a> {
        match self {
            Self::Range(range) => Value::Number(range.first + place as f64),
            Self::Items(items) => items.get(place).expect("places are below the length"),
        }
    }
}

/// A limit or an offset as a place; a negative one counts from the end.
fn bound(number: f64, length: usize) -> usize {
    if number.is_nan() {
        return 0;
    }
    let number = number.trunc();
    let place = if number < 0.0 { length as f64 + number } else { number };
    place.clamp(0.0, length as f64) as usize
}
