//! The rules of "The template" and its limits, and that no text brings the engine down.

use playbook_template::{Members, Name, Stop, Structures, SystemBlock, Template};
use proptest::prelude::*;
use serde_json::{Value, json};

fn parsed(text: &str) -> Template {
    Template::parse(text, SystemBlock::Allowed).expect("the template is right")
}

fn rendered(text: &str, input: &Value) -> Result<String, Stop> {
    parsed(text).render(&[("input", input)], Structures::Written, &|| false).map(|rendered| rendered.message)
}

fn missing(text: &str) -> Vec<String> {
    match rendered(text, &json!({"there": {"a": 1}, "list": [{"a": 1}]})) {
        Err(Stop::Missing { path, .. }) => path,
        other => panic!("{text} did not miss anything: {other:?}"),
    }
}

fn names(text: &str) -> Vec<String> {
    let listed = ["brief".to_owned(), "owner".to_owned()];
    let allowed =
        [Name { name: "input", members: Members::Listed(&listed) }, Name { name: "today", members: Members::None }];
    parsed(text)
        .unknown_names(&allowed)
        .into_iter()
        .map(|fault| match fault.hint {
            Some(hint) => format!("{} {hint}", fault.message),
            None => fault.message,
        })
        .collect()
}

#[test]
fn a_missing_field_stops_all_but_conditions_and_default() {
    for text in [
        "{{ input.nope }}",
        "{% assign x = input.nope %}",
        "{% case input.nope %}{% endcase %}",
        "{% for x in input.nope %}{% endfor %}",
        "{{ 1 | plus: input.nope }}",
        "{{ input.nope | upcase | default: 1 }}",
        "{% if input.there | default: input.nope %}{% endif %}",
    ] {
        assert_eq!(missing(text), ["input", "nope"], "{text}");
    }
    assert_eq!(missing("{{ input.there.b.c }}"), ["input", "there", "b"]);
    assert_eq!(missing("{{ input.list[3] }}"), ["input", "list", "3"]);
    assert_eq!(missing("{{ input.list | where: 'b' }}"), ["item", "b"]);
    for text in [
        "{% if input.nope.deep %}{% elsif input.nope == 1 %}{% endif %}",
        "{% unless input.nope %}{% endunless %}",
        "{{ input.nope | default: '' }}",
        "{% assign x = input.nope | default: '' %}",
    ] {
        assert_eq!(rendered(text, &json!({})), Ok(String::new()), "{text}");
    }
}

#[test]
fn only_an_inputs_own_fields_are_there() {
    assert_eq!(missing("{{ input.constructor }}"), ["input", "constructor"]);
    assert_eq!(missing("{% assign k = '__proto__' %}{{ input[k] }}"), ["input", "__proto__"]);
}

#[test]
fn unknown_names_are_said_once_a_line() {
    assert_eq!(
        names("{{ inptu.brief }}{{ inptu.x }}\n{{ inptu }}"),
        ["There is no variable `inptu`: the template reads `input`, `today` and names it assigns. Did you mean `input`?";
            2]
    );
    assert_eq!(
        names("{{ brief }}"),
        [
            "There is no variable `brief`: the template reads `input`, `today` and names it assigns. Did you mean `input.brief`?"
        ]
    );
    assert_eq!(
        names("{{ input.breif }}{{ input[x] }}"),
        [
            "The schema of the input has no property `breif` and allows no others. Did you mean `brief`?",
            "There is no variable `x`: the template reads `input`, `today` and names it assigns. A name of its own is assigned first, with `{% assign name = … %}`."
        ]
    );
    assert_eq!(names("{{ today.year }}"), ["`today` is text, so nothing of it can be read. Write `{{ today }}`."]);
}

#[test]
fn a_template_reads_what_it_makes() {
    for text in [
        "{% assign x = 1 %}{{ x }}",
        "{% for x in input.brief %}{{ x }}{{ forloop.index }}{% endfor %}",
        "{% for x in input.brief %}{% if forloop.first %}{% else %}{{ last }}{% endif %}{% assign last = x %}{% endfor %}",
        "{% increment c %}{{ c }}",
        "{% tablerow x in input.brief %}{{ tablerowloop.col }}{% endtablerow %}",
        "{% if true %}{% assign x = 1 %}{% endif %}{{ x }}",
    ] {
        assert_eq!(names(text), Vec::<String>::new(), "{text}");
    }
    assert_eq!(names("{{ x }}{% assign x = 1 %}").len(), 1);
    assert_eq!(names("{% for x in input.brief %}{% else %}{{ x }}{% endfor %}{{ forloop }}").len(), 2);
}

#[test]
fn fields_read_are_listed_in_order() {
    let template = parsed("{{ input.b }}{% if input.a %}{{ input.b }}{% endif %}{% for x in input['c'] %}{% endfor %}");
    assert_eq!(template.fields_read("input"), ["b", "a", "c"]);
}

#[test]
fn the_system_block_is_set_apart() {
    let template = parsed("a {% system %}You {% assign x = 1 %}are.{% endsystem %} b{{ x }}");
    let rendered = template.render(&[], Structures::Written, &|| false).expect("it renders");
    assert_eq!(rendered.message, "a  b1");
    assert_eq!(rendered.instructions.as_deref(), Some("You are."));
    let input = json!({"text": "{% system %}x{% endsystem %}"});
    assert_eq!(both("{{ input.text }}", &input), (input["text"].as_str().map(str::to_owned), None));
}

fn both(text: &str, input: &Value) -> (Option<String>, Option<String>) {
    let rendered = parsed(text).render(&[("input", input)], Structures::Written, &|| false).expect("it renders");
    (Some(rendered.message), rendered.instructions)
}

#[test]
fn a_structure_may_be_refused() {
    let template = parsed("{{ input | json }}{{ input }}");
    let stop = template.render(&[("input", &json!({}))], Structures::Refused, &|| false);
    assert!(matches!(stop, Err(Stop::Structure { .. })), "{stop:?}");
}

#[test]
fn limits_stop_a_render() {
    let long = json!({"text": "a".repeat(200_000)});
    assert!(rendered("{{ input.text }}", &long).is_ok());
    assert!(matches!(rendered("{{ input.text }}b", &long), Err(Stop::TooLong { instructions: false, .. })));
    assert!(matches!(
        rendered("{% system %}{{ input.text }}b{% endsystem %}", &long),
        Err(Stop::TooLong { instructions: true, .. })
    ));
    assert!(rendered("{% for i in (1..5000000) %}{% break %}{% endfor %}", &json!({})).is_ok());
    assert!(matches!(rendered("{% for i in (1..5000001) %}{% endfor %}", &json!({})), Err(Stop::TooMuch { .. })));
    assert!(matches!(rendered("{{ (1..9999999999999999) | size }}", &json!({})), Err(Stop::TooMuch { .. })));
    let doubling = "{% assign a = 'aaaaaaaaaa' %}{% for i in (1..40) %}{% assign a = a | append: a %}{% endfor %}";
    assert!(matches!(rendered(doubling, &json!({})), Err(Stop::TooMuch { .. })));
    let asked = std::cell::Cell::new(0);
    let stop = parsed("{% for i in (1..1000000) %}{% endfor %}").render(&[], Structures::Written, &|| {
        asked.set(asked.get() + 1);
        asked.get() > 1_000
    });
    assert!(matches!(stop, Err(Stop::TimeUp { .. })), "{stop:?}");
}

#[test]
fn money_clip_and_words() {
    for (template, text) in [
        ("{{ 1234567 | money }}", "$1,234,567"),
        ("{{ 1234.5 | money }}", "$1,234.50"),
        ("{{ '-12.00' | money }}", "-$12"),
        ("{{ ' 0.5 ' | money }}", "$0.50"),
        ("{{ 1.005 | money }}", "$1.01"),
        ("{{ 999.999 | money }}", "$1,000"),
        ("{{ 'abc👍d' | clip: 4 }}", "abc👍…"),
        ("{{ 'abcd' | clip: 4 }}", "abcd"),
        ("{{ 'abcd' | clip: 0 }}", "…"),
        ("{{ ' a  b ' | words }}", "2"),
        ("{{ nil | words }}", "0"),
    ] {
        assert_eq!(rendered(template, &json!({})), Ok(text.to_owned()), "{template}");
    }
    for template in ["{{ 'abc' | money }}", "{{ '1e3' | money }}", "{{ nil | money }}", "{{ 'a' | clip: -1 }}"] {
        assert!(matches!(rendered(template, &json!({})), Err(Stop::Refused { .. })), "{template}");
    }
}

#[test]
fn deep_templates_and_values_render() {
    let levels = 499;
    let text = format!("{}x{}", "{%if 1%}".repeat(levels), "{%endif%}".repeat(levels));
    assert_eq!(rendered(&text, &json!({})), Ok("x".to_owned()));
    let mut value = json!([1]);
    for _ in 0..510 {
        value = json!([value]);
    }
    assert_eq!(rendered("{{ input.deep }}", &json!({"deep": value})), Ok("1".to_owned()));
}

/// Pieces of templates, so that random ones are not only text.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{{"),
        Just("}}"),
        Just("{%"),
        Just("%}"),
        Just("{%-"),
        Just("-%}"),
        Just(" input.a "),
        Just("if "),
        Just("endif"),
        Just("else"),
        Just("elsif "),
        Just("unless "),
        Just("for x in "),
        Just("endfor"),
        Just("case "),
        Just("when "),
        Just("endcase"),
        Just("(1..3)"),
        Just("["),
        Just("]"),
        Just("."),
        Just("|"),
        Just(" upcase"),
        Just(" slice: -1, 2"),
        Just(" split: ''"),
        Just("\""),
        Just("'"),
        Just("assign a = "),
        Just("liquid\n"),
        Just("raw"),
        Just("endraw"),
        Just("comment"),
        Just("endcomment"),
        Just("#"),
        Just("=="),
        Just(" and "),
        Just("not "),
        Just("👍é\u{a0}"),
        Just("1.5"),
        Just("cycle 1, 2"),
        Just("tablerow x in input.l cols:2"),
        Just("endtablerow"),
        Just(" limit: 2 offset: -3"),
        Just("system"),
        Just("endsystem"),
        Just("\\u12"),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn survives(text: &str) {
    if let Ok(template) = Template::parse(text, SystemBlock::Allowed) {
        let _ = template.unknown_names(&[]);
        let input = json!({"a": "é👍 x", "l": [1, null, "b", {"a": 2}], "n": -1.5});
        let steps = std::cell::Cell::new(0);
        let up = || {
            steps.set(steps.get() + 1);
            steps.get() > 10_000
        };
        let _ = template.render(&[("input", &input)], Structures::Written, &up);
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,200}") {
        survives(&text);
    }

    #[test]
    fn no_order_of_pieces_panics(text in pieces()) {
        survives(&text);
    }

    #[test]
    fn no_tag_of_any_text_panics(inside in "[ -~éß👍]{0,60}") {
        survives(&format!("{{{{{inside}}}}}"));
        survives(&format!("{{%{inside}%}}"));
        survives(&format!("{{{{ input.l | {inside} }}}}"));
    }

    #[test]
    fn text_without_braces_renders_to_itself(text in "[^{]{0,100}") {
        prop_assert_eq!(rendered(&text, &json!({})), Ok(text));
    }
}
