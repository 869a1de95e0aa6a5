//! Reads the values, conditions and filters of outputs and tags.

use crate::BRACKET_LEVELS;
use crate::fault::Fault;
use crate::filter::{self, Filter};
use crate::lexer::{Word, words};
use crate::tree::{Chain, Expression, FilterCall, Operand, Operator, Path, Step, StepTo};
use playbook_model::position::Span;
use playbook_model::word::nearest;

/// Reads words one after the other.
pub(crate) struct Reader {
    words: Vec<(Word, Span)>,
    at: usize,
    /// Where the end is, for what is missing there.
    end: Span,
    levels: usize,
}

impl Reader {
    /// The words of a span. `around` is where a fault about a missing word lies.
    pub(crate) fn new(text: &str, span: Span, around: Span) -> Result<Self, Fault> {
        Ok(Self { words: words(text, span)?, at: 0, end: around, levels: 0 })
    }

    pub(crate) fn is_done(&self) -> bool {
        self.at == self.words.len()
    }

    /// Where the next word is.
    pub(crate) fn place(&self) -> Span {
        self.words.get(self.at).map_or(self.end, |(_, span)| *span)
    }

    fn before(&self) -> usize {
        self.at.checked_sub(1).and_then(|at| self.words.get(at)).map_or(self.end.start, |(_, span)| span.end)
    }

    pub(crate) fn peek(&self) -> Option<&Word> {
        self.words.get(self.at).map(|(word, _)| word)
    }

    fn sign_at(&self, at: usize) -> Option<&'static str> {
        match self.words.get(at) {
            Some((Word::Sign(sign), _)) => Some(sign),
            _ => None,
        }
    }

    /// Takes a sign if it is next.
    pub(crate) fn takes(&mut self, sign: &str) -> bool {
        let is = self.sign_at(self.at) == Some(sign);
        self.at += usize::from(is);
        is
    }

    /// Takes a keyword if it is next.
    pub(crate) fn takes_word(&mut self, keyword: &str) -> bool {
        let is = matches!(self.peek(), Some(Word::Name(name)) if name == keyword);
        self.at += usize::from(is);
        is
    }

    /// Takes a name, or says what was to stand there.
    pub(crate) fn name(&mut self, what: &str) -> Result<String, Fault> {
        if let Some(Word::Name(name)) = self.peek() {
            let name = name.clone();
            self.at += 1;
            return Ok(name);
        }
        Err(Fault::new("template.name", self.place(), format!("Expected {what}.")))
    }

    /// Takes a sign, or says that it was to stand there.
    pub(crate) fn expect(&mut self, sign: &str, then: &str) -> Result<(), Fault> {
        if self.takes(sign) {
            return Ok(());
        }
        Err(Fault::new("template.sign", self.place(), format!("Expected `{sign}` {then}.")))
    }

    /// Refuses words that are left over.
    pub(crate) fn finish(&self) -> Result<(), Fault> {
        if self.is_done() {
            return Ok(());
        }
        let fault = Fault::new("template.rest", self.place(), "This has no meaning here.");
        Err(match self.peek() {
            Some(Word::Sign("=")) => fault.hint("Compare with `==`.").instead("=="),
            Some(Word::Sign("<>")) => fault.hint("Compare with `!=`.").instead("!="),
            Some(Word::Name(name)) if filter::find(name).is_some() => {
                fault.hint("A filter stands after `|`.").instead(format!("| {name}"))
            }
            _ => fault,
        })
    }

    /// A value, or a condition, and its filters.
    pub(crate) fn chain(&mut self) -> Result<Chain, Fault> {
        let value = self.logic()?;
        let mut filters = Vec::new();
        while self.takes("|") {
            filters.push(self.filter()?);
        }
        Ok(Chain { value, filters })
    }

    /// Reads a filter that has no effect where it stands.
    pub(crate) fn skip_filter(&mut self) -> Result<(), Fault> {
        self.filter().map(|_| ())
    }

    /// The value of a setting such as `limit: 2`.
    pub(crate) fn setting(&mut self) -> Result<Operand, Fault> {
        self.expect(":", "before the value")?;
        self.operand()
    }

    fn filter(&mut self) -> Result<FilterCall, Fault> {
        let place = self.place();
        let name = self.name("the name of a filter after `|`")?;
        let filter = filter::find(&name).ok_or_else(|| unknown_filter(&name, place))?;
        let mut arguments = Vec::new();
        let mut named = Vec::new();
        if self.takes(":") {
            while !self.is_done() && self.sign_at(self.at) != Some("|") {
                if let Some(Word::Name(key)) = self.peek()
                    && self.sign_at(self.at + 1) == Some(":")
                {
                    let key = key.clone();
                    self.at += 2;
                    named.push((key, self.operand()?));
                } else {
                    arguments.push(self.operand()?);
                }
                if !self.takes(",") {
                    break;
                }
            }
        }
        let span = Span::new(place.start, self.before());
        check_arguments(filter, arguments.len(), span)?;
        Ok(FilterCall { span, filter, arguments, named })
    }

    /// `and` and `or`, from right to left; they bind least.
    fn logic(&mut self) -> Result<Expression, Fault> {
        let mut parts = vec![self.negation()?];
        let mut operators = Vec::new();
        loop {
            if self.takes_word("and") {
                operators.push(Operator::And);
            } else if self.takes_word("or") {
                operators.push(Operator::Or);
            } else {
                break;
            }
            self.few(&parts)?;
            parts.push(self.negation()?);
        }
        Ok(from_right(parts, &operators))
    }

    /// `not` binds less than a comparison.
    fn negation(&mut self) -> Result<Expression, Fault> {
        let mut negated = false;
        let mut any = false;
        while self.takes_word("not") {
            negated = !negated;
            any = true;
        }
        let found = self.comparison()?;
        Ok(match (any, negated) {
            (false, _) => found,
            (true, true) => Expression::Not(Box::new(found)),
            (true, false) => Expression::Not(Box::new(Expression::Not(Box::new(found)))),
        })
    }

    /// Comparisons, from right to left.
    fn comparison(&mut self) -> Result<Expression, Fault> {
        let mut parts = vec![Expression::Operand(self.operand()?)];
        let mut operators = Vec::new();
        while let Some(operator) = self.operator() {
            operators.push(operator);
            self.few(&parts)?;
            parts.push(Expression::Operand(self.operand()?));
        }
        Ok(from_right(parts, &operators))
    }

    /// Conditions hang on one another to the right, so their number is a depth.
    fn few(&self, parts: &[Expression]) -> Result<(), Fault> {
        if parts.len() < BRACKET_LEVELS {
            return Ok(());
        }
        let words = format!("One condition joins more than {BRACKET_LEVELS} parts.");
        Err(Fault::new("template.deep", self.place(), words))
    }

    fn operator(&mut self) -> Option<Operator> {
        let operator = match self.peek()? {
            Word::Sign("==") => Operator::Equal,
            Word::Sign("!=") => Operator::NotEqual,
            Word::Sign("<") => Operator::Less,
            Word::Sign("<=") => Operator::LessOrEqual,
            Word::Sign(">") => Operator::Greater,
            Word::Sign(">=") => Operator::GreaterOrEqual,
            Word::Name(name) if name == "contains" => Operator::Contains,
            _ => return None,
        };
        self.at += 1;
        Some(operator)
    }

    /// One value: a literal, a range or a path.
    pub(crate) fn operand(&mut self) -> Result<Operand, Fault> {
        let place = self.place();
        self.levels += 1;
        if self.levels > BRACKET_LEVELS {
            return Err(too_deep(place));
        }
        let operand = self.operand_within(place);
        self.levels -= 1;
        operand
    }

    fn operand_within(&mut self, place: Span) -> Result<Operand, Fault> {
        let Some((word, _)) = self.words.get(self.at) else {
            return Err(Fault::new("template.value", place, "A value is missing."));
        };
        let word = word.clone();
        self.at += 1;
        let operand = match word {
            Word::Number(number) => return Ok(Operand::Number(number)),
            Word::Text(text) => Operand::Text(text),
            Word::Sign("(") => self.range(place)?,
            Word::Name(name) => match name.as_str() {
                "true" => return Ok(Operand::Bool(true)),
                "false" => return Ok(Operand::Bool(false)),
                "nil" | "null" => return Ok(Operand::Null),
                "empty" => return Ok(Operand::Empty),
                "blank" => return Ok(Operand::Blank),
                _ => {
                    let steps = self.steps()?;
                    let span = Span::new(place.start, self.before());
                    return Ok(Operand::Path(Path { span, name_span: place, name, steps }));
                }
            },
            Word::Sign(_) => {
                return Err(Fault::new("template.value", place, "A value was to stand here."));
            }
        };
        let steps = self.steps()?;
        if steps.is_empty() {
            return Ok(operand);
        }
        Ok(Operand::Of { span: Span::new(place.start, self.before()), operand: Box::new(operand), steps })
    }

    fn range(&mut self, open: Span) -> Result<Operand, Fault> {
        let from = self.operand()?;
        if self.sign_at(self.at) == Some(")") {
            return Err(Fault::new("template.range", Span::new(open.start, self.place().end), "This is no range.")
                .hint("Parentheses hold a range, such as `(1..5)`; they do not group conditions."));
        }
        self.expect("..", "between the ends of a range")?;
        let to = self.operand()?;
        self.expect(")", "after a range")?;
        Ok(Operand::Range { span: Span::new(open.start, self.before()), from: Box::new(from), to: Box::new(to) })
    }

    fn steps(&mut self) -> Result<Vec<Step>, Fault> {
        let mut steps = Vec::new();
        loop {
            if self.sign_at(self.at) == Some(".") {
                self.at += 1;
                let span = self.place();
                match self.peek() {
                    Some(Word::Name(name)) => {
                        steps.push(Step { span, to: StepTo::Name(name.clone()) });
                        self.at += 1;
                    }
                    Some(Word::Number(number)) if number.fract() == 0.0 && *number >= 0.0 => {
                        steps.push(Step { span, to: StepTo::Index(Operand::Number(*number)) });
                        self.at += 1;
                    }
                    _ => return Err(Fault::new("template.name", span, "Expected a name after `.`.")),
                }
            } else if self.takes("[") {
                let start = self.place();
                let operand = self.operand()?;
                let span = Span::new(start.start, self.before());
                self.expect("]", "after an index")?;
                steps.push(Step {
                    span,
                    to: match operand {
                        Operand::Text(name) => StepTo::Name(name),
                        other => StepTo::Index(other),
                    },
                });
            } else {
                return Ok(steps);
            }
        }
    }
}

/// Joins parts with operators, the last two first.
fn from_right(mut parts: Vec<Expression>, operators: &[Operator]) -> Expression {
    let mut right = parts.pop().expect("one part more than operators");
    for operator in operators.iter().rev() {
        let left = parts.pop().expect("one part more than operators");
        right = Expression::Binary { operator: *operator, left: Box::new(left), right: Box::new(right) };
    }
    right
}

fn too_deep(span: Span) -> Fault {
    Fault::new("template.deep", span, format!("Brackets nest deeper than {BRACKET_LEVELS} levels."))
}

fn unknown_filter(name: &str, span: Span) -> Fault {
    let fault = Fault::new("template.filter", span, format!("There is no filter `{name}`."));
    if let Some(why) = filter::left_out(name) {
        return fault.hint(why);
    }
    match nearest(name, filter::names()) {
        Some(near) => fault.hint(format!("Did you mean `{near}`?")).instead(near),
        None => fault,
    }
}

fn check_arguments(filter: &Filter, given: usize, span: Span) -> Result<(), Fault> {
    if given < filter.needs {
        let what = if filter.needs == 1 { "a value" } else { "values" };
        return Err(Fault::new(
            "template.arguments",
            span,
            format!("The filter `{}` needs {what} after a colon.", filter.name),
        ));
    }
    if filter.needs == 1 && filter.takes_exactly && given > 1 {
        return Err(Fault::new("template.arguments", span, format!("The filter `{}` takes one value.", filter.name)));
    }
    Ok(())
}
