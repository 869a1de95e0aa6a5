//! The filters, in one table. "Filters".

mod chars;
mod list;
mod math;
mod select;
mod text;
mod words;

use crate::value::{List, Text, Value};

/// One filter.
#[derive(Debug)]
pub(crate) struct Filter {
    pub(crate) name: &'static str,
    /// Values it needs after the colon.
    pub(crate) needs: usize,
    /// Whether more values are refused.
    pub(crate) takes_exactly: bool,
    pub(crate) apply: Apply,
}

/// Makes a value of a value.
pub(crate) type Apply = for<'a> fn(&mut Call<'a>) -> Result<Value<'a>, Halt>;

/// Why a filter gives no value.
pub(crate) enum Halt {
    /// In its own words, as a sentence.
    Refused(String),
    /// An item lacks what the filter reads.
    Missing(Vec<String>),
    /// It would charge past the bound.
    TooMuch,
}

/// A filter's value and arguments, and what it may still charge.
pub(crate) struct Call<'a> {
    pub(crate) value: Value<'a>,
    arguments: Vec<Value<'a>>,
    named: Vec<(&'a str, Value<'a>)>,
    left: usize,
    charged: usize,
}

impl<'a> Call<'a> {
    pub(crate) fn new(
        value: Value<'a>,
        arguments: Vec<Value<'a>>,
        named: Vec<(&'a str, Value<'a>)>,
        left: usize,
    ) -> Self {
        Self { value, arguments, named, left, charged: 0 }
    }

    pub(crate) fn charged(&self) -> usize {
        self.charged
    }

    /// Charges before the work is done.
    pub(crate) fn charge(&mut self, amount: usize) -> Result<(), Halt> {
        if amount > self.left - self.charged {
            return Err(Halt::TooMuch);
        }
        self.charged += amount;
        Ok(())
    }

    pub(crate) fn argument(&self, place: usize) -> Option<&Value<'a>> {
        self.arguments.get(place)
    }

    pub(crate) fn named(&self, name: &str) -> Option<&Value<'a>> {
        self.named.iter().find(|(of, _)| *of == name).map(|(_, value)| value)
    }

    /// The value as text, its length charged.
    pub(crate) fn text(&mut self) -> Result<Text<'a>, Halt> {
        let text = self.value.to_text();
        self.charge(text.units())?;
        Ok(text)
    }

    /// The value as a list, its length charged.
    pub(crate) fn list(&mut self) -> Result<List<'a>, Halt> {
        let list = self.value.to_list();
        self.charge(list.len())?;
        Ok(list)
    }

    /// An argument as text; nothing where it is not given.
    pub(crate) fn text_of(&self, place: usize) -> Option<Text<'a>> {
        self.argument(place).map(Value::to_text)
    }
}

const fn plain(name: &'static str, apply: Apply) -> Filter {
    Filter { name, needs: 0, takes_exactly: false, apply }
}

const fn needing(name: &'static str, needs: usize, apply: Apply) -> Filter {
    Filter { name, needs, takes_exactly: false, apply }
}

const fn exact(name: &'static str, apply: Apply) -> Filter {
    Filter { name, needs: 1, takes_exactly: true, apply }
}

/// Every filter, in the order of the alphabet.
static FILTERS: [Filter; 70] = [
    plain("abs", math::abs),
    exact("append", text::append),
    plain("array_to_sentence_string", list::sentence),
    needing("at_least", 1, math::at_least),
    needing("at_most", 1, math::at_most),
    plain("base64_decode", text::base64_decode),
    plain("base64_encode", text::base64_encode),
    plain("capitalize", text::capitalize),
    plain("ceil", math::ceil),
    plain("clip", words::clip),
    plain("compact", list::compact),
    needing("concat", 0, list::concat),
    plain("default", text::default),
    needing("divided_by", 1, math::divided_by),
    plain("downcase", text::downcase),
    plain("escape", text::escape),
    plain("escape_once", text::escape_once),
    needing("find", 1, select::find),
    needing("find_index", 1, select::find_index),
    plain("first", list::first),
    plain("floor", math::floor),
    needing("group_by", 1, select::group_by),
    needing("has", 1, select::has),
    plain("join", list::join),
    plain("json", text::json),
    plain("last", list::last),
    plain("lstrip", chars::lstrip),
    needing("map", 1, select::map),
    needing("minus", 1, math::minus),
    needing("modulo", 1, math::modulo),
    plain("money", words::money),
    plain("newline_to_br", text::newline_to_br),
    plain("normalize_whitespace", words::normalize_whitespace),
    plain("number_of_words", words::number_of_words),
    needing("plus", 1, math::plus),
    plain("pop", list::pop),
    exact("prepend", text::prepend),
    needing("push", 1, list::push),
    plain("raw", text::raw),
    needing("reject", 1, select::reject),
    needing("remove", 1, text::remove),
    needing("remove_first", 1, text::remove_first),
    needing("remove_last", 1, text::remove_last),
    needing("replace", 1, text::replace),
    needing("replace_first", 1, text::replace_first),
    needing("replace_last", 1, text::replace_last),
    plain("reverse", list::reverse),
    plain("round", math::round),
    plain("rstrip", chars::rstrip),
    plain("shift", list::shift),
    plain("size", list::size),
    needing("slice", 1, chars::slice),
    plain("slugify", words::slugify),
    plain("sort", list::sort),
    plain("sort_natural", list::sort_natural),
    plain("split", chars::split),
    plain("squish", words::squish),
    plain("strip", chars::strip),
    plain("strip_newlines", text::strip_newlines),
    plain("sum", math::sum),
    needing("times", 1, math::times),
    plain("to_integer", math::to_integer),
    plain("truncate", chars::truncate),
    plain("truncatewords", words::truncatewords),
    plain("uniq", list::uniq),
    needing("unshift", 1, list::unshift),
    plain("upcase", text::upcase),
    needing("where", 1, select::filtered),
    plain("words", words::words),
    plain("xml_escape", text::escape),
];

/// The filter of a name.
pub(crate) fn find(name: &str) -> Option<&'static Filter> {
    FILTERS.iter().find(|filter| filter.name == name)
}

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FILTERS.iter().map(|filter| filter.name)
}

/// Why a filter that Liquid has elsewhere is left out here.
pub(crate) fn left_out(name: &str) -> Option<&'static str> {
    Some(match name {
        "where_exp" | "reject_exp" | "group_by_exp" | "has_exp" | "find_exp" | "find_index_exp" => {
            "No filter evaluates text; use `where`, `reject`, `find`, `has` or a `for` with an `if`."
        }
        "date" | "date_to_xmlschema" | "date_to_rfc822" | "date_to_string" | "date_to_long_string" => {
            "No filter reads a clock, a time zone or a language; pass the date as text, or use `today` and `now`."
        }
        "sample" => "A render has no chance in it.",
        "inspect" | "jsonify" => "Use `json`.",
        "sha256" | "hmac_sha256" | "strip_html" | "url_encode" | "url_decode" | "cgi_escape" | "uri_escape" => {
            "This Liquid leaves it out; pass the value ready-made in the input."
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_whole() {
        let names: Vec<&str> = names().collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        assert_eq!(names, sorted);
        assert_eq!(names.len(), 67 + 3);
    }
}
