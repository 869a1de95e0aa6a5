//! The settings of a `for` and a `tablerow`.

use super::Parse;
use crate::fault::Fault;
use crate::tree::{Body, Loop, Offset};
use playbook_model::position::Span;
use playbook_model::word::nearest;

impl Parse<'_> {
    pub(super) fn looped(&self, rest: Span, span: Span) -> Result<Loop, Fault> {
        let before = rest.start;
        self.read(rest, span, |reader| {
            let variable = reader.name("a name for each item")?;
            if !reader.takes_word("in") {
                return Err(Fault::new("template.in", reader.place(), "Expected `in` after the name of the item."));
            }
            let start = reader.place().start;
            let over = reader.operand()?;
            let end = reader.place().start.clamp(before, rest.end);
            let collection = self.text.get(start..end.max(start)).unwrap_or_default().trim_end();
            let mut made = Loop {
                key: format!("{variable}-{collection}"),
                variable,
                over,
                limit: None,
                offset: None,
                columns: None,
                reversed: false,
                body: Body::default(),
                otherwise: None,
            };
            // Filters after the collection are read and have no effect.
            while reader.takes("|") {
                reader.skip_filter()?;
            }
            while !reader.is_done() {
                if reader.takes(",") {
                    continue;
                }
                let place = reader.place();
                match reader.name("`limit`, `offset` or `reversed`")?.as_str() {
                    "reversed" => made.reversed = true,
                    "limit" => made.limit = Some(reader.setting()?),
                    "cols" => made.columns = Some(reader.setting()?),
                    "offset" => {
                        reader.expect(":", "after `offset`")?;
                        made.offset = Some(if reader.takes_word("continue") {
                            Offset::Continue
                        } else {
                            Offset::At(reader.operand()?)
                        });
                    }
                    other => {
                        let fault = Fault::new("template.loop", place, format!("A loop has no setting `{other}`."));
                        let near = nearest(other, ["limit", "offset", "reversed", "cols"]);
                        return Err(match near {
                            Some(near) => fault.hint(format!("Did you mean `{near}`?")).instead(near),
                            None => fault.hint("It may have `limit`, `offset` and `reversed`."),
                        });
                    }
                }
            }
            Ok(made)
        })
    }
}
