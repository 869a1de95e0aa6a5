//! A template as it was read. Bodies lie side by side and name each other by number, so no depth costs stack.

use crate::filter::Filter;
use playbook_model::position::Span;

/// The number of a body in its tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Body(usize);

#[derive(Debug)]
pub(crate) struct Tree {
    bodies: Vec<Vec<Node>>,
    root: Body,
}

impl Tree {
    pub(crate) fn root(&self) -> Body {
        self.root
    }

    pub(crate) fn nodes(&self, body: Body) -> &[Node] {
        &self.bodies[body.0]
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.bodies.len() == 1 && self.bodies.iter().flatten().all(|node| matches!(node.kind, Kind::Text))
    }
}

/// Collects bodies while a template is read.
#[derive(Debug, Default)]
pub(crate) struct Bodies(Vec<Vec<Node>>);

impl Bodies {
    pub(crate) fn add(&mut self, nodes: Vec<Node>) -> Body {
        self.0.push(nodes);
        Body(self.0.len() - 1)
    }

    pub(crate) fn finish(mut self, root: Vec<Node>) -> Tree {
        let root = self.add(root);
        Tree { bodies: self.0, root }
    }
}

#[derive(Debug)]
pub(crate) struct Node {
    /// The text, or the whole tag or output with its braces.
    pub(crate) span: Span,
    pub(crate) kind: Kind,
}

#[derive(Debug)]
pub(crate) enum Kind {
    /// Written as it stands.
    Text,
    /// `{{ … }}` and `echo`.
    Output(Chain),
    Assign {
        name: String,
        chain: Chain,
    },
    /// `if` and `unless`.
    If {
        branches: Vec<Branch>,
        otherwise: Option<Body>,
    },
    Case {
        subject: Chain,
        whens: Vec<When>,
        otherwise: Option<Body>,
    },
    For(Box<Loop>),
    TableRow(Box<Loop>),
    Break,
    Continue,
    Cycle {
        group: Option<Operand>,
        /// What tells this cycle from others of its group.
        key: String,
        values: Vec<Operand>,
    },
    Increment(String),
    Decrement(String),
    System(Body),
}

/// One branch of an `if` or `unless`.
#[derive(Debug)]
pub(crate) struct Branch {
    pub(crate) condition: Chain,
    /// The value that takes the branch: false for `unless` itself.
    pub(crate) takes: bool,
    pub(crate) body: Body,
}

#[derive(Debug)]
pub(crate) struct When {
    pub(crate) values: Vec<Operand>,
    pub(crate) body: Body,
}

/// A `for` or a `tablerow`.
#[derive(Debug)]
pub(crate) struct Loop {
    pub(crate) variable: String,
    pub(crate) over: Operand,
    pub(crate) limit: Option<Operand>,
    pub(crate) offset: Option<Offset>,
    pub(crate) columns: Option<Operand>,
    pub(crate) reversed: bool,
    /// What `offset: continue` remembers it by.
    pub(crate) key: String,
    pub(crate) body: Body,
    pub(crate) otherwise: Option<Body>,
}

#[derive(Debug)]
pub(crate) enum Offset {
    At(Operand),
    Continue,
}

/// A value and the filters it goes through.
#[derive(Debug)]
pub(crate) struct Chain {
    pub(crate) value: Expression,
    pub(crate) filters: Vec<FilterCall>,
}

#[derive(Debug)]
pub(crate) struct FilterCall {
    pub(crate) span: Span,
    pub(crate) filter: &'static Filter,
    pub(crate) arguments: Vec<Operand>,
    pub(crate) named: Vec<(String, Operand)>,
}

#[derive(Debug)]
pub(crate) enum Expression {
    Operand(Operand),
    Not(Box<Expression>),
    Binary { operator: Operator, left: Box<Expression>, right: Box<Expression> },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    And,
    Or,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Contains,
}

#[derive(Debug)]
pub(crate) enum Operand {
    Null,
    Empty,
    Blank,
    Bool(bool),
    Number(f64),
    Text(String),
    Range {
        span: Span,
        from: Box<Operand>,
        to: Box<Operand>,
    },
    Path(Path),
    /// A range or a text with steps after it.
    Of {
        span: Span,
        operand: Box<Operand>,
        steps: Vec<Step>,
    },
}

/// A name and the steps into its value.
#[derive(Debug)]
pub(crate) struct Path {
    pub(crate) span: Span,
    /// The bytes of the name alone.
    pub(crate) name_span: Span,
    pub(crate) name: String,
    pub(crate) steps: Vec<Step>,
}

#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) span: Span,
    pub(crate) to: StepTo,
}

#[derive(Debug)]
pub(crate) enum StepTo {
    /// `.name` or `["name"]`.
    Name(String),
    /// `[path]` or `[1]`.
    Index(Operand),
}
