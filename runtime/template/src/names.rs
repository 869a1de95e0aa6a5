//! The check of names at save: a template reads what it is given and what it makes itself.

use crate::fault::Fault;
use crate::tree::{Body, Chain, Expression, Kind, Loop, Node, Offset, Operand, Path, StepTo, Tree};
use playbook_model::position::{LineIndex, Span};
use playbook_model::word::nearest;
use std::collections::HashSet;

/// A name that a template may read.
#[derive(Debug, Clone, Copy)]
pub struct Name<'a> {
    /// As it is written, such as `input`.
    pub name: &'a str,
    /// What may be read of it.
    pub members: Members<'a>,
}

/// What a template may read of a name.
#[derive(Debug, Clone, Copy)]
pub enum Members<'a> {
    /// Any member, as far as can be told.
    Any,
    /// These alone: the schema closes the object.
    Listed(&'a [String]),
    /// None: it is text.
    None,
}

pub(crate) fn check<'a>(text: &'a str, tree: &Tree, allowed: &'a [Name<'a>]) -> Vec<Fault> {
    let mut check = Check {
        text,
        index: LineIndex::new(text),
        tree,
        allowed,
        made: HashSet::new(),
        loops: Vec::new(),
        said: HashSet::new(),
        faults: Vec::new(),
    };
    walk(tree, tree.root(), &mut check);
    check.faults
}

pub(crate) fn fields(tree: &Tree, root: &str) -> Vec<String> {
    struct Fields<'a> {
        root: &'a str,
        found: Vec<String>,
    }
    impl<'t> Visit<'t> for Fields<'_> {
        fn path(&mut self, path: &'t Path) {
            if path.name == self.root
                && let Some(StepTo::Name(field)) = path.steps.first().map(|step| &step.to)
                && !self.found.contains(field)
            {
                self.found.push(field.clone());
            }
        }
    }
    let mut fields = Fields { root, found: Vec::new() };
    walk(tree, tree.root(), &mut fields);
    fields.found
}

/// What walks a tree in the order of its text.
trait Visit<'t> {
    fn path(&mut self, path: &'t Path);
    fn makes(&mut self, _name: &'t str) {}
    fn enters(&mut self, _made: &'t Loop, _of_loop: &'static str) {}
    fn leaves(&mut self) {}
}

/// Depth costs no stack: bodies that wait stand on a list.
fn walk<'t>(tree: &'t Tree, root: Body, visit: &mut impl Visit<'t>) {
    enum Next<'t> {
        Nodes(std::slice::Iter<'t, Node>),
        Condition(&'t Chain),
        Values(&'t [Operand]),
        Leave,
    }
    let mut waiting = vec![Next::Nodes(tree.nodes(root).iter())];
    while let Some(next) = waiting.pop() {
        let mut nodes = match next {
            Next::Nodes(nodes) => nodes,
            Next::Condition(condition) => {
                chain(condition, visit);
                continue;
            }
            Next::Values(values) => {
                values.iter().for_each(|value| operand(value, visit));
                continue;
            }
            Next::Leave => {
                visit.leaves();
                continue;
            }
        };
        let Some(node) = nodes.next() else { continue };
        waiting.push(Next::Nodes(nodes));
        let body = |body: Body| Next::Nodes(tree.nodes(body).iter());
        match &node.kind {
            Kind::Text | Kind::Break | Kind::Continue => {}
            Kind::Output(value) => chain(value, visit),
            Kind::Assign { name, chain: value } => {
                chain(value, visit);
                visit.makes(name);
            }
            Kind::If { branches, otherwise } => {
                waiting.extend(otherwise.map(body));
                for branch in branches.iter().rev() {
                    waiting.push(body(branch.body));
                    waiting.push(Next::Condition(&branch.condition));
                }
            }
            Kind::Case { subject, whens, otherwise } => {
                chain(subject, visit);
                waiting.extend(otherwise.map(body));
                for when in whens.iter().rev() {
                    waiting.push(body(when.body));
                    waiting.push(Next::Values(&when.values));
                }
            }
            Kind::For(made) | Kind::TableRow(made) => {
                operand(&made.over, visit);
                made.limit.iter().chain(&made.columns).for_each(|value| operand(value, visit));
                if let Some(Offset::At(value)) = &made.offset {
                    operand(value, visit);
                }
                waiting.extend(made.otherwise.map(body));
                waiting.push(Next::Leave);
                waiting.push(body(made.body));
                visit.enters(made, if matches!(node.kind, Kind::For(_)) { "forloop" } else { "tablerowloop" });
            }
            Kind::Cycle { group, values, .. } => group.iter().chain(values).for_each(|value| operand(value, visit)),
            Kind::Increment(name) | Kind::Decrement(name) => visit.makes(name),
            Kind::System(inner) => waiting.push(body(*inner)),
        }
    }
}

fn chain<'t>(chain: &'t Chain, visit: &mut impl Visit<'t>) {
    expression(&chain.value, visit);
    for call in &chain.filters {
        call.arguments.iter().chain(call.named.iter().map(|(_, value)| value)).for_each(|value| operand(value, visit));
    }
}

fn expression<'t>(of: &'t Expression, visit: &mut impl Visit<'t>) {
    match of {
        Expression::Operand(of) => operand(of, visit),
        Expression::Not(inner) => expression(inner, visit),
        Expression::Binary { left, right, .. } => {
            expression(left, visit);
            expression(right, visit);
        }
    }
}

fn operand<'t>(of: &'t Operand, visit: &mut impl Visit<'t>) {
    let steps = match of {
        Operand::Range { from, to, .. } => {
            operand(from, visit);
            operand(to, visit);
            return;
        }
        Operand::Path(path) => {
            visit.path(path);
            &path.steps
        }
        Operand::Of { operand: inner, steps, .. } => {
            operand(inner, visit);
            steps
        }
        _ => return,
    };
    for step in steps {
        if let StepTo::Index(key) = &step.to {
            operand(key, visit);
        }
    }
}

struct Check<'t, 'a> {
    text: &'a str,
    index: LineIndex<'a>,
    tree: &'t Tree,
    allowed: &'a [Name<'a>],
    /// What was made before here, and anywhere in a loop that is open.
    made: HashSet<&'t str>,
    loops: Vec<[&'t str; 2]>,
    /// Names said already, with their lines.
    said: HashSet<(String, u32)>,
    faults: Vec<Fault>,
}

impl<'t> Visit<'t> for Check<'t, '_> {
    fn makes(&mut self, name: &'t str) {
        self.made.insert(name);
    }

    fn enters(&mut self, made: &'t Loop, of_loop: &'static str) {
        // A later pass reads what an earlier one made.
        struct Makes<'s, 't>(&'s mut HashSet<&'t str>);
        impl<'t> Visit<'t> for Makes<'_, 't> {
            fn path(&mut self, _: &'t Path) {}
            fn makes(&mut self, name: &'t str) {
                self.0.insert(name);
            }
        }
        // An inner loop adds nothing that its outer one did not add.
        if self.loops.is_empty() {
            walk(self.tree, made.body, &mut Makes(&mut self.made));
        }
        self.loops.push([&made.variable, of_loop]);
    }

    fn leaves(&mut self) {
        self.loops.pop();
    }

    fn path(&mut self, path: &'t Path) {
        let name = path.name.as_str();
        if self.made.contains(name) || self.loops.iter().flatten().any(|of| *of == name) {
            return;
        }
        let Some(allowed) = self.allowed.iter().find(|allowed| allowed.name == name) else {
            return self.unknown(path);
        };
        let Some(step) = path.steps.first() else { return };
        match (allowed.members, &step.to) {
            (Members::None, _) => self.say(
                path,
                Fault::new("template.member", path.span, format!("`{name}` is text, so nothing of it can be read."))
                    .hint(format!("Write `{{{{ {name} }}}}`.")),
            ),
            (Members::Listed(listed), StepTo::Name(field)) if !listed.contains(field) => {
                let words = format!("The schema of the {name} has no property `{field}` and allows no others.");
                let fault = Fault::new("template.member", step.span, words);
                let fault = match nearest(field, listed.iter().map(String::as_str)) {
                    Some(near) => {
                        let written = if self.is_quoted(step.span) { format!("\"{near}\"") } else { near.to_owned() };
                        fault.hint(format!("Did you mean `{near}`?")).instead(written)
                    }
                    None => fault.hint(format!("Name it under `properties` of the {name}'s schema first.")),
                };
                self.say(path, fault);
            }
            _ => {}
        }
    }
}

impl<'t> Check<'t, '_> {
    fn is_quoted(&self, span: Span) -> bool {
        self.text[span.start..].starts_with(['"', '\''])
    }

    fn unknown(&mut self, path: &'t Path) {
        let names: Vec<String> = self.allowed.iter().map(|allowed| format!("`{}`", allowed.name)).collect();
        let listed = match names.as_slice() {
            [] => "nothing but names it assigns".to_owned(),
            [one] => format!("{one} and names it assigns"),
            several => format!("{} and names it assigns", several.join(", ")),
        };
        let fault = Fault::new(
            "template.name",
            path.name_span,
            format!("There is no variable `{}`: the template reads {listed}.", path.name),
        );
        let known = self.allowed.iter().map(|allowed| allowed.name).chain(self.made.iter().copied());
        let field = self.allowed.iter().find_map(|allowed| match allowed.members {
            Members::Listed(listed) if listed.contains(&path.name) => Some(allowed.name),
            _ => None,
        });
        let fault = match (field, nearest(&path.name, known)) {
            (Some(of), _) => {
                let whole = format!("{of}.{}", path.name);
                fault.hint(format!("Did you mean `{whole}`?")).instead(whole)
            }
            (None, Some(near)) => fault.hint(format!("Did you mean `{near}`?")).instead(near),
            (None, None) => fault.hint("A name of its own is assigned first, with `{% assign name = … %}`."),
        };
        self.say(path, fault);
    }

    /// Each name once a line.
    fn say(&mut self, path: &Path, fault: Fault) {
        let line = self.index.place(path.span.start).line;
        if self.said.insert((fault.message.clone(), line)) {
            self.faults.push(fault);
        }
    }
}
