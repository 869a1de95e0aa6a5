//! `playbook step`: a debugger for a workflow's run, over what is recorded, a command a line.

use crate::arguments::Step;
use crate::differences::{Between, lines};
use crate::ended::{Done, Ended, Failure};
use crate::opened::Opened;
use crate::output::{Output, complain, shown};
use playbook_host::Views;
use playbook_model::difference::differences;
use playbook_model::json;
use serde_json::Value;
use std::io::{BufRead as _, IsTerminal as _};
use std::path::Path;

/// Bytes of a value on a line.
const VALUE_BYTES: usize = 400;

const HELP: &str = "n, Enter   the next stop, over the inputs
p          the stop before
N, P       the next input, the input before
g INPUT    to an input, by its number
s [NAME]   every value, or one: data, input, output, context, error or a loop's name
d          what changed from input to output at this stop
x          the expressions that were evaluated on the way here, each with its value
e EXPR     the value of an expression on what this stop holds
w          where the run stands: the input and the steps it moved
q          the end";

/// Steps through a run.
pub(crate) async fn step(asked: &Step, folder: Option<&Path>, out: &mut Output) -> Done {
    // It only reads: what waits is not gone on with.
    let opened = Opened::open_with(folder, Views::Left).await?;
    let done = on(&opened, asked, out).await;
    opened.close().await;
    done
}

async fn on(opened: &Opened, asked: &Step, out: &mut Output) -> Done {
    let (runtime, playbook) = opened.parts();
    let run = runtime.look_at_run(playbook, asked.run).await?;
    let inputs = run["inputs"].as_u64().unwrap_or_default();
    if inputs == 0 {
        complain("The run took no input yet.");
        return Ok(Ended::Fine);
    }
    let mut session = Session { opened, asked, inputs, position: 0, stop: 0, input: Value::Null };
    session.go(asked.at, End::First).await?;
    let people = std::io::stdin().is_terminal();
    if people {
        complain("h helps, q ends.");
    }
    session.show(out)?;
    for line in std::io::stdin().lock().lines() {
        // A line that cannot be read ends the session as the end of the input does.
        let Ok(line) = line else { break };
        if !session.does(line.trim(), out).await? {
            break;
        }
    }
    Ok(Ended::Fine)
}

/// Where one is in a run.
struct Session<'a> {
    opened: &'a Opened,
    asked: &'a Step,
    /// How many inputs the run took.
    inputs: u64,
    /// The input looked at, from 1.
    position: u64,
    /// The stop in it, from 0.
    stop: usize,
    /// What that input did.
    input: Value,
}

/// Which stop of an input to stand at.
#[derive(Clone, Copy)]
enum End {
    First,
    Last,
}

impl Session<'_> {
    /// Does a command; false when it was the last.
    async fn does(&mut self, line: &str, out: &mut Output) -> Result<bool, Failure> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word {
            "" | "n" => {
                if self.stop + 1 < self.stops().len() {
                    self.stop += 1;
                    self.show(out)?;
                } else {
                    self.move_to(self.position + 1, End::First, out).await?;
                }
            }
            "p" => {
                if self.stop > 0 {
                    self.stop -= 1;
                    self.show(out)?;
                } else {
                    self.move_to(self.position.saturating_sub(1), End::Last, out).await?;
                }
            }
            "N" => self.move_to(self.position + 1, End::First, out).await?,
            "P" => self.move_to(self.position.saturating_sub(1), End::First, out).await?,
            "g" => match rest.parse() {
                Ok(position) => self.move_to(position, End::First, out).await?,
                Err(_) => complain("Which input? It is a whole number from 1."),
            },
            "s" => self.values(rest, out)?,
            "d" => self.difference(out)?,
            "x" => self.expressions(out)?,
            "e" if rest.is_empty() => complain("Which expression?"),
            "e" => self.evaluate(rest, out).await?,
            "w" => self.standing(out).await?,
            "h" | "help" | "?" => out.line(HELP)?,
            "q" | "quit" | "exit" => return Ok(false),
            other => complain(&format!("{} is no command; h lists them.", shown(other))),
        }
        Ok(true)
    }

    async fn move_to(&mut self, position: u64, end: End, out: &mut Output) -> Result<(), Failure> {
        if position == 0 {
            complain("This is the first input.");
            return Ok(());
        }
        if position > self.inputs {
            complain(&format!("The run took {} inputs; this is the last.", self.inputs));
            return Ok(());
        }
        self.go(position, end).await?;
        self.show(out)
    }

    async fn go(&mut self, position: u64, end: End) -> Result<(), Failure> {
        let (runtime, playbook) = self.opened.parts();
        self.input = runtime.run_input(playbook, self.asked.run, position).await?;
        self.position = position;
        self.stop = match end {
            End::First => 0,
            End::Last => self.stops().len().saturating_sub(1),
        };
        Ok(())
    }

    fn stops(&self) -> &[Value] {
        self.input["stops"].as_array().map(Vec::as_slice).unwrap_or_default()
    }

    /// Where one stands, in two lines.
    fn show(&self, out: &mut Output) -> Result<(), Failure> {
        let at = self.input["at"].as_str().unwrap_or_default();
        let kind = self.input["kind"].as_str().unwrap_or_default().replace('_', " ");
        out.line(&format!("Input {} of {}, {kind}, {at}", self.position, self.inputs))?;
        if self.input["same"] == false {
            out.line("  Applied again it does not do what is recorded.")?;
        }
        let Some(stop) = self.stops().get(self.stop) else {
            return out.line("  No task came to a stop.");
        };
        let text = |name: &str| shown(stop[name].as_str().unwrap_or_default());
        let nth = stop["run"].as_u64().filter(|run| *run > 1).map(|run| format!(", run {run}")).unwrap_or_default();
        let (number, all) = (self.stop + 1, self.stops().len());
        out.line(&format!(
            "  Stop {number} of {all}: {}{nth} {}, {}",
            text("name"),
            text("outcome"),
            text("reference")
        ))?;
        if let Some(output) = stop.get("output") {
            out.line(&format!("  $output  {}", short(output)))?;
        } else if let Some(error) = stop.get("error") {
            out.line(&format!("  $error  {}", short(error)))?;
        } else if let Some(input) = stop.get("input") {
            out.line(&format!("  $input  {}", short(input)))?;
        }
        Ok(())
    }

    /// The values a stop holds: all of them short, or one whole.
    fn values(&self, name: &str, out: &mut Output) -> Result<(), Failure> {
        let Some(stop) = self.stops().get(self.stop) else { return out.line("No stop, no values.") };
        let own = ["data", "input", "output", "context", "error"].into_iter();
        let own = own.filter_map(|name| stop.get(name).map(|value| (name, value)));
        let items = stop["item"].as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value));
        let values: Vec<(&str, &Value)> = own.chain(items).collect();
        let name = name.trim_start_matches('$');
        if !name.is_empty() {
            return match values.iter().find(|(known, _)| *known == name) {
                Some((_, value)) => out.value(value),
                None => out.line(&format!("There is no ${} here.", shown(name))),
            };
        }
        for (name, value) in values {
            out.line(&format!("  ${}  {}", shown(name), short(value)))?;
        }
        Ok(())
    }

    fn difference(&self, out: &mut Output) -> Result<(), Failure> {
        let Some(stop) = self.stops().get(self.stop) else { return out.line("No stop, no values.") };
        let (Some(before), Some(after)) = (stop.get("input"), stop.get("output")) else {
            return out.line("This stop has no output to hold against its input.");
        };
        let found = differences(before, after);
        if found.is_empty() {
            return out.line("  Nothing changed.");
        }
        lines(&found, Between::BeforeAndAfter).iter().try_for_each(|line| out.line(&format!("  {}", shown(line))))
    }

    fn expressions(&self, out: &mut Output) -> Result<(), Failure> {
        let stop = self.stops().get(self.stop);
        let mut any = false;
        for one in stop.and_then(|stop| stop["expressions"].as_array()).into_iter().flatten() {
            any = true;
            let text = |name: &str| shown(one[name].as_str().unwrap_or_default());
            let result = match one.get("value") {
                Some(value) => short(value),
                None => text("error"),
            };
            out.line(&format!("  {}  {} = {result}", text("pointer"), text("text")))?;
        }
        if any { Ok(()) } else { out.line("  None was evaluated.") }
    }

    async fn evaluate(&self, text: &str, out: &mut Output) -> Result<(), Failure> {
        let (runtime, playbook) = self.opened.parts();
        let (run, position) = (self.asked.run, self.position);
        match runtime.evaluate_at(playbook, run, position, self.stop, text).await {
            Ok(answer) => match answer.get("value") {
                Some(value) => out.value(value),
                None => out.line(&shown(answer["error"].as_str().unwrap_or_default())),
            },
            // There is no stop here: said, and the session goes on.
            Err(playbook_model::refusal::Refusal::Rejected(rejection)) => out.line(&shown(&rejection.detail)),
            Err(refusal) => Err(refusal.into()),
        }
    }

    async fn standing(&self, out: &mut Output) -> Result<(), Failure> {
        let (runtime, playbook) = self.opened.parts();
        let page = runtime.run_inputs(playbook, self.asked.run, self.position, 1).await?;
        page["rows"].as_array().into_iter().flatten().try_for_each(|row| super::follow::row_lines(row, out))
    }
}

/// A value on one line.
fn short(value: &Value) -> String {
    shown(&json::cut(&value.to_string(), VALUE_BYTES))
}
