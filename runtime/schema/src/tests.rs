//! The rules of "Answers that are JSON", each with an example; and the whole judge against an independent one.

use crate::*;
use playbook_model::problem::Severity;
use serde_json::{Value, json};

/// The errors of a schema, as `pointer code`.
fn refused(schema: Value) -> Vec<String> {
    let found = flaws(&schema);
    errors(&found).map(|flaw| format!("{} {}", flaw.pointer, flaw.code)).collect()
}

fn warned(schema: Value) -> Vec<String> {
    let found = flaws(&schema);
    assert_eq!(errors(&found).count(), 0, "{found:?}");
    found.iter().map(|flaw| format!("{} {}", flaw.pointer, flaw.code)).collect()
}

fn compiled(schema: Value) -> Schema {
    Schema::compile(&schema).unwrap_or_else(|flaws| panic!("{flaws:?}"))
}

fn input(schema: Value, value: Value) -> Vec<String> {
    compiled(schema)
        .issues(&value, Manner::Input)
        .into_iter()
        .map(|issue| format!("{} | {}", issue.pointer, issue.detail))
        .collect()
}

fn answer(schema: Value, value: Value) -> Vec<String> {
    compiled(schema).issues(&value, Manner::Answer).iter().map(|issue| pointed(issue, "the answer")).collect()
}

#[test]
fn a_schema_is_an_object() {
    for root in [json!(true), json!([]), json!("string"), json!(null)] {
        assert_eq!(refused(root), [" schema.shape"]);
    }
    assert!(refused(json!({})).is_empty());
    assert_eq!(refused(json!({"properties": {"a": 1, "b": true}})), ["/properties/a schema.shape"]);
}

#[test]
fn a_schema_is_bounded() {
    let wide = json!({"description": "é".repeat(40_000)});
    assert_eq!(refused(wide), [" schema.size"]);
    let exact = json!({"description": "x".repeat(65_536 - r#"{"description":""}"#.len())});
    assert!(refused(exact).is_empty());
    let nested = |levels: usize| (1..levels).fold(json!({}), |inner, _| json!({"items": inner}));
    assert!(refused(nested(64)).is_empty());
    assert_eq!(refused(nested(65)), [" schema.levels"]);
    assert!(refused(json!({"enum": (0..1000).collect::<Vec<_>>()})).is_empty());
    assert_eq!(refused(json!({"enum": (0..1001).collect::<Vec<_>>()})), ["/enum schema.enum.size"]);
}

#[test]
fn every_refused_keyword_has_its_sentence() {
    for (keyword, code) in [
        ("pattern", "pattern"),
        ("patternProperties", "pattern"),
        ("if", "if"),
        ("then", "if"),
        ("else", "if"),
        ("contains", "contains"),
        ("minContains", "contains"),
        ("maxContains", "contains"),
        ("dependentRequired", "dependent"),
        ("dependentSchemas", "dependent"),
        ("dependencies", "dependent"),
        ("unevaluatedItems", "unevaluated"),
        ("unevaluatedProperties", "unevaluated"),
        ("additionalItems", "additional-items"),
        ("$anchor", "anchor"),
        ("$dynamicRef", "anchor"),
        ("$dynamicAnchor", "anchor"),
        ("$recursiveRef", "anchor"),
        ("$recursiveAnchor", "anchor"),
    ] {
        let mut inner = serde_json::Map::new();
        inner.insert(keyword.into(), json!({}));
        let found = flaws(&json!({"properties": {"a/b": inner}}));
        assert_eq!(found.len(), 1, "{keyword}");
        assert_eq!(found[0].pointer, format!("/properties/a~1b/{keyword}"));
        assert_eq!(found[0].code, format!("schema.keyword.{code}"));
        assert!(found[0].message.starts_with(keyword), "{}", found[0].message);
        assert!(found[0].hint.is_some());
    }
    // A property may have such a name.
    assert!(refused(json!({"properties": {"pattern": {}, "if": {}}})).is_empty());
}

#[test]
fn an_unknown_keyword_warns_and_a_near_one_is_named() {
    assert_eq!(
        warned(json!({"maxLenght": 3, "x-note": 1, "nullable": true})),
        ["/maxLenght schema.keyword.unknown", "/x-note schema.keyword.unknown", "/nullable schema.keyword.unknown",]
    );
    let found = flaws(&json!({"maxLenght": 3}));
    assert_eq!(found[0].hint.as_deref(), Some("Did you mean maxLength?"));
    assert_eq!(found[0].severity, Severity::Warning);
}

#[test]
fn shapes_of_known_keywords() {
    for (schema, pointer) in [
        (json!({"properties": []}), "/properties"),
        (json!({"$defs": 1}), "/$defs"),
        (json!({"required": "a"}), "/required"),
        (json!({"required": [1]}), "/required"),
        (json!({"items": [{}]}), "/items"),
        (json!({"items": 3}), "/items"),
        (json!({"anyOf": {}}), "/anyOf"),
        (json!({"minimum": "1"}), "/minimum"),
        (json!({"exclusiveMinimum": true}), "/exclusiveMinimum"),
        (json!({"multipleOf": 0}), "/multipleOf"),
        (json!({"maxLength": -1}), "/maxLength"),
        (json!({"maxItems": 1.5}), "/maxItems"),
        (json!({"uniqueItems": "yes"}), "/uniqueItems"),
        (json!({"description": 1}), "/description"),
        (json!({"$schema": 7}), "/$schema"),
        (json!({"$id": []}), "/$id"),
        (json!({"deprecated": 1}), "/deprecated"),
        (json!({"examples": {}}), "/examples"),
        (json!({"enum": "a"}), "/enum"),
        (json!({"format": 1}), "/format"),
    ] {
        assert_eq!(refused(schema.clone()), [format!("{pointer} schema.shape")], "{schema}");
    }
    for (schema, expected) in [
        (json!({"type": "strin"}), "/type schema.type"),
        (json!({"type": ["string", "nul"]}), "/type/1 schema.type"),
        (json!({"type": ["string", null]}), "/type/1 schema.type"),
        (json!({"type": []}), "/type schema.empty"),
        (json!({"enum": []}), "/enum schema.empty"),
        (json!({"anyOf": []}), "/anyOf schema.empty"),
        (json!({"oneOf": []}), "/oneOf schema.empty"),
        (json!({"allOf": []}), "/allOf schema.empty"),
        (json!({"enum": ["a", {}]}), "/enum/1 schema.enum"),
        (json!({"const": []}), "/const schema.const"),
        (json!({"not": {"type": "string"}}), "/not schema.not"),
        (json!({"not": true}), "/not schema.not"),
        (json!({"format": "hostname"}), "/format schema.format"),
        (json!({"properties": {}, "additionalProperties": {}}), "/additionalProperties schema.additional-properties"),
    ] {
        assert_eq!(refused(schema.clone()), [expected], "{schema}");
    }
    assert!(
        refused(json!({"type": ["null", "null"], "not": {}, "enum": ["a", 1, true, null], "const": null})).is_empty()
    );
    assert!(refused(json!({"properties": {}, "additionalProperties": false})).is_empty());
    assert!(refused(json!({"maxLength": 3.0, "required": ["a", "a"]})).is_empty());
}

#[test]
fn references_are_local_and_lead_somewhere() {
    assert!(refused(json!({"$ref": "#/$defs/a", "$defs": {"a": {}}})).is_empty());
    assert!(refused(json!({"$ref": "#/definitions/a", "definitions": {"a": {}}})).is_empty());
    assert!(refused(json!({"$ref": "#/$defs/a~1b%20c", "$defs": {"a/b c": {}}})).is_empty());
    for reference in ["#", "#/properties/a", "https://example.com/x", "#/$defs/", "#/$defs/a/b", "#a", "#/$defs/%zz"] {
        assert_eq!(refused(json!({"$ref": reference, "$defs": {"a": {"b": {}}}})), ["/$ref schema.ref"], "{reference}");
    }
    assert_eq!(refused(json!({"$ref": "#/$defs/b", "$defs": {"a": {}}})), ["/$ref schema.ref.missing"]);
    assert_eq!(refused(json!({"$ref": 1})), ["/$ref schema.ref"]);
    let found = flaws(&json!({"$ref": "#/$defs/adress", "$defs": {"address": {}}}));
    assert_eq!(found[0].hint.as_deref(), Some("Did you mean #/$defs/address?"));
}

#[test]
fn a_definition_may_not_loop_in_place() {
    assert_eq!(refused(json!({"$defs": {"a": {"$ref": "#/$defs/a"}}})), ["/$defs/a schema.loop"]);
    assert_eq!(
        refused(json!({"$defs": {
            "a": {"anyOf": [{"type": "null"}, {"allOf": [{"$ref": "#/$defs/b"}]}]},
            "b": {"oneOf": [{"$ref": "#/$defs/a"}]},
            "c": {"$ref": "#/$defs/a"}
        }})),
        ["/$defs/a schema.loop", "/$defs/b schema.loop"]
    );
    let tree = json!({"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}}});
    assert!(refused(tree).is_empty());
}

#[test]
fn a_schema_of_too_many_ways_is_refused() {
    let doubling = |count: usize| {
        let mut defs = serde_json::Map::new();
        for at in 0..count {
            let next = format!("#/$defs/d{}", at + 1);
            defs.insert(format!("d{at}"), json!({"anyOf": [{"$ref": next}, {"$ref": next}]}));
        }
        defs.insert(format!("d{count}"), json!({"type": "null"}));
        json!({"$ref": "#/$defs/d0", "$defs": defs})
    };
    assert!(refused(doubling(8)).is_empty());
    let found = refused(doubling(28));
    assert_eq!(found.len(), 1);
    assert!(found[0].ends_with("schema.reach"));
    let mut chain = serde_json::Map::new();
    for at in 0..200 {
        chain.insert(format!("d{at}"), json!({"$ref": format!("#/$defs/d{}", at + 1)}));
    }
    chain.insert("d200".into(), json!({}));
    assert_eq!(refused(json!({"$defs": chain})).len(), 1);
}

#[test]
fn checking_takes_time_in_proportion_even_where_ways_double_with_depth() {
    let schema = compiled(json!({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [
        {"type": "array", "items": {"$ref": "#/$defs/a"}}, {"type": "array", "items": {"$ref": "#/$defs/a"}}, {"type": "null"}
    ]}}}));
    let deep = (0..511).fold(json!("leaf"), |inner, _| json!([inner]));
    assert!(!schema.is_valid(&deep));
    assert!(!schema.issues(&deep, Manner::Answer).is_empty());
    let deep = (0..512).fold(json!(null), |inner, _| json!([inner]));
    assert!(schema.is_valid(&deep));
    assert!(!schema.is_valid(&json!([deep])));
}

#[test]
fn hostile_schemas_and_values_are_judged_in_time() {
    let start = std::time::Instant::now();
    // Thousands of definitions in a row that lead into a loop.
    let mut defs = serde_json::Map::new();
    for at in 0..1_500 {
        defs.insert(format!("d{at}"), json!({"$ref": format!("#/$defs/d{}", at + 1)}));
    }
    defs.insert("d1500".into(), json!({"$ref": "#/$defs/d1500"}));
    assert_eq!(refused(json!({"$defs": defs})), ["/$defs/d1500 schema.loop"]);
    // A definition that holds itself a hundred times.
    let wide: serde_json::Map<String, Value> =
        (0..100).map(|at| (format!("p{at}"), json!({"$ref": "#/$defs/t"}))).collect();
    let tree = json!({"$ref": "#/$defs/t", "$defs": {"t": {"type": "object", "properties": wide}}});
    assert!(!describe(&tree).fields.is_empty());
    assert!(largest(&tree).bytes.is_none());
    // A thousand required members, missing from thousands of objects.
    let names: Vec<String> = (0..1_000).map(|at| format!("member{at}")).collect();
    let properties: serde_json::Map<String, Value> = names.iter().map(|name| (name.clone(), json!({}))).collect();
    let schema = compiled(json!({"items": {"properties": properties, "required": names}}));
    let issues = schema.issues(&json!(vec![json!({}); 20_000]), Manner::Answer);
    assert_eq!(issues.len(), 21);
    assert_eq!(issues[20].detail, "at least 9,980 more issues are not shown");
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn the_draft_is_chosen_as_the_seed_says() {
    assert_eq!(Draft::of(&json!({})), Draft::TwentyTwenty);
    assert_eq!(Draft::of(&json!({"definitions": {}})), Draft::Seven);
    assert_eq!(Draft::of(&json!({"definitions": {}, "$defs": {}})), Draft::TwentyTwenty);
    assert_eq!(Draft::of(&json!({"$schema": "http://json-schema.org/draft-07/schema#"})), Draft::Seven);
    assert_eq!(Draft::of(&json!({"$schema": "https://json-schema.org/draft-07/schema"})), Draft::Seven);
    assert_eq!(
        Draft::of(&json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "definitions": {}})),
        Draft::TwentyTwenty
    );
    assert_eq!(warned(json!({"$schema": "http://json-schema.org/draft-04/schema#"})), ["/$schema schema.draft"]);
    // Draft-07 checks nothing beside a $ref, and takes a list under items.
    let seven = json!({"$ref": "#/definitions/a", "type": "null", "definitions": {"a": {"type": "string"}}});
    assert_eq!(warned(seven.clone()), ["/$ref schema.ref.beside"]);
    assert!(compiled(seven).is_valid(&json!("a")));
    let list = json!({"items": [{"type": "null"}], "definitions": {}});
    assert!(!compiled(list.clone()).is_valid(&json!([1])));
    assert!(compiled(list).is_valid(&json!([null, 1])));
    assert_eq!(warned(json!({"prefixItems": [{}], "definitions": {}})), ["/prefixItems schema.keyword.unknown"]);
}

#[test]
fn a_format_is_told_to_a_person_and_to_an_author() {
    let schema = json!({"type": "object", "properties": {"day": {"type": "string", "format": "date"}}});
    assert_eq!(
        input(schema.clone(), json!({"day": "1 April"})),
        ["/input/day | day: expected a date such as 2026-04-01"]
    );
    assert_eq!(
        answer(schema, json!({"day": "1 April"})),
        ["/day: Expected a string in the format date, such as 2026-04-01"]
    );
}

#[test]
fn a_format_checks_texts_alone() {
    let schema = compiled(json!({"type": ["string", "integer"], "format": "uuid"}));
    assert!(schema.is_valid(&json!(4)));
    assert!(!schema.is_valid(&json!("4")));
    assert!(compiled(json!({"format": "date"})).is_valid(&json!({"a": 1})));
}

#[test]
fn an_input_issue_names_the_field_and_its_description() {
    let schema = json!({
        "type": "object", "required": ["campaign", "tags", "owner"], "additionalProperties": false,
        "properties": {
            "campaign": {"type": "string", "minLength": 3, "description": "The campaign's name,\n as planned."},
            "last": {"type": "integer", "minimum": 1, "maximum": 50},
            "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 2, "uniqueItems": true},
            "owner": {"$ref": "#/$defs/person"},
            "kind": {"const": "x"},
            "size": {"type": ["number", "null"], "multipleOf": 0.5, "exclusiveMinimum": 0}
        },
        "$defs": {"person": {"type": "object", "description": "Who answers for it", "required": ["mail"], "properties": {"mail": {"type": "string", "format": "email"}}}}
    });
    assert_eq!(
        input(
            schema.clone(),
            json!({"size": -0.25, "colour": 1, "kind": "y", "owner": "me", "tags": ["c", "c", "c"], "last": 0, "campaign": "ab"})
        ),
        [
            "/input/colour | colour: expected no field of this name",
            "/input/campaign | campaign, The campaign's name, as planned: expected at least 3 characters",
            "/input/last | last: expected a whole number of at least 1",
            "/input/tags | tags: expected at most 2 items",
            "/input/tags | tags: expected a list whose items all differ",
            "/input/tags/0 | tags, item 1: expected one of \"a\" or \"b\"",
            "/input/tags/1 | tags, item 2: expected one of \"a\" or \"b\"",
            "/input/tags/2 | tags, item 3: expected one of \"a\" or \"b\"",
            "/input/owner | owner, Who answers for it: expected an object, as the definition person says",
            "/input/kind | kind: expected \"x\"",
            "/input/size | size: expected a number greater than 0",
            "/input/size | size: expected a number that is a multiple of 0.5",
        ]
    );
    assert_eq!(
        input(schema.clone(), json!({"owner": {}, "tags": []})),
        [
            "/input/campaign | campaign, The campaign's name, as planned: expected a string, but it is missing",
            "/input/owner/mail | mail: expected an email address such as name@example.com, but it is missing",
        ]
    );
    assert_eq!(input(schema, json!([])), ["/input | the input: expected an object"]);
}

#[test]
fn no_issue_quotes_a_value() {
    let secret = "s3cret-value";
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"enum": ["x"]}, "c": {"format": "uri"}, "d": {"maxLength": 1}, "e": {"anyOf": [{"type": "null"}, {"type": "integer"}]}}});
    let value = json!({"a": secret, "b": secret, "c": secret, "d": secret, "e": secret});
    for line in input(schema.clone(), value.clone()).into_iter().chain(answer(schema, value)) {
        assert!(!line.contains(secret), "{line}");
    }
}

#[test]
fn missing_members_and_extra_ones_stand_at_their_own_place() {
    let schema = json!({"type": "object", "required": ["z", "a~/b"], "properties": {"a~/b": {}, "c": {"type": "null"}}, "additionalProperties": false});
    assert_eq!(
        answer(schema, json!({"c": 1, "q": 1})),
        [
            "/q: Expected no member of this name",
            "/a~0~1b: Expected any value, but it is missing",
            "/c: Expected null",
            "/z: Expected no value, but it is missing",
        ]
    );
    assert_eq!(answer(json!({"required": ["a"]}), json!({})), ["/a: Expected a value, but it is missing"]);
}

#[test]
fn alternatives_show_the_one_that_was_meant() {
    let shapes = json!({"oneOf": [
        {"type": "object", "required": ["kind", "radius"], "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}}},
        {"type": "object", "required": ["kind", "side"], "properties": {"kind": {"const": "square"}, "side": {"type": "number"}}},
        {"type": "null"}
    ]});
    assert_eq!(answer(shapes.clone(), json!({"kind": "square", "side": "long"})), ["/side: Expected a number"]);
    assert_eq!(answer(shapes.clone(), json!(7)), ["the answer: Expected an object or null"]);
    assert_eq!(answer(shapes, json!({"kind": "line"})), ["the answer: Expected an object or null"]);
    assert_eq!(
        answer(json!({"oneOf": [{"minimum": 1}, {"maximum": 3}]}), json!(2)),
        ["the answer: Expected a value of exactly one of 2 forms, but more than one fits"]
    );
    assert_eq!(
        answer(json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), json!(2)),
        ["the answer: Expected a string or null"]
    );
}

#[test]
fn at_most_twenty_issues_and_one_that_counts_the_rest() {
    let schema = json!({"type": "array", "items": {"type": "null"}});
    let many = input(schema.clone(), json!(vec![1; 25]));
    assert_eq!(many.len(), 21);
    assert_eq!(many[20], "/input | 5 more issues are not shown");
    assert_eq!(input(schema.clone(), json!(vec![1; 21]))[20], "/input | 1 more issue is not shown");
    assert_eq!(input(schema, json!(vec![1; 20])).len(), 20);
}

#[test]
fn depth_over_the_bound_is_the_only_issue() {
    let deep = (0..513).fold(json!({"a": 1}), |inner, _| json!([inner]));
    let schema = json!({"type": "string"});
    assert_eq!(
        input(schema.clone(), deep.clone()),
        ["/input | the input: expected at most 512 levels of lists and objects"]
    );
    assert_eq!(answer(schema, deep), ["the answer: Expected at most 512 levels of lists and objects"]);
}

#[test]
fn names_of_members_are_checked() {
    let schema = json!({"type": "object", "propertyNames": {"type": "string", "maxLength": 2}});
    assert_eq!(
        answer(schema.clone(), json!({"abc": 1})),
        ["/abc: Expected a member whose name is a string of at most 2 characters"]
    );
    assert!(compiled(schema).is_valid(&json!({"ab": 1})));
}

#[test]
fn types_follow_every_row() {
    let t = |schema: Value| {
        types("Input", Some(&schema)).trim_start_matches("type Input = ").trim_end_matches(";\n").to_owned()
    };
    assert_eq!(types("Input", None), "type Input = Json;\n");
    for (schema, expected) in [
        (json!({}), "Json"),
        (json!({"not": {}}), "never"),
        (json!({"type": "string"}), "string"),
        (json!({"type": "boolean"}), "boolean"),
        (json!({"type": "null"}), "null"),
        (json!({"type": "number"}), "number"),
        (json!({"type": "integer"}), "number"),
        (json!({"type": ["integer", "number", "null"]}), "number | null"),
        (json!({"additionalProperties": {"type": "string"}}), "{ [name: string]: string }"),
        (json!({"items": {"type": "null"}}), "null[]"),
        (json!({"prefixItems": [{"type": "null"}]}), "[null, ...Json[]]"),
        (json!({"type": "object"}), "{ [name: string]: Json }"),
        (json!({"type": "object", "additionalProperties": true}), "{ [name: string]: Json }"),
        (json!({"type": "object", "additionalProperties": false}), "Record<string, never>"),
        (json!({"type": "array", "minItems": 1, "maxItems": 3}), "Json[]"),
        (json!({"type": "array", "items": {"type": ["string", "null"]}}), "(string | null)[]"),
        (json!({"type": "array", "items": {"enum": ["a|b"]}}), "\"a|b\"[]"),
        (json!({"prefixItems": [{"type": "string"}, true], "items": false}), "[string, Json]"),
        (json!({"prefixItems": [{"type": "string"}], "items": {"type": "number"}}), "[string, ...number[]]"),
        (json!({"items": false}), "never[]"),
        (json!({"enum": ["a", 1, true, null, "a"]}), "\"a\" | 1 | true | null"),
        (json!({"type": "string", "const": "x\u{2028}"}), "\"x\\u2028\""),
        (json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), "string | null"),
        (json!({"oneOf": [{"type": "string"}]}), "string"),
        (json!({"type": "string", "minimum": 1, "format": "date", "maxLength": 3}), "string"),
        (json!({"allOf": [{"type": "string"}, {"const": "a"}]}), "string & \"a\""),
        (json!({"type": "object", "allOf": [{"properties": {}}]}), "{ [name: string]: Json } & {}"),
        (
            json!({"type": "array", "anyOf": [{"items": {"type": "string"}}, {"items": {"type": "null"}}]}),
            "Json[] & (string[] | null[])",
        ),
        (json!({"description": "anything", "minLength": 3}), "Json"),
        (json!({"const": 1e21}), "1e+21"),
    ] {
        assert_eq!(t(schema.clone()), expected, "{schema}");
    }
    assert_eq!(
        t(
            json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b-c": false, "$d": {"properties": {"e": {}}}}, "additionalProperties": true})
        ),
        "{\n  a: string;\n  \"b-c\"?: never;\n  $d?: {\n    e?: Json;\n  };\n  [name: string]: Json;\n}"
    );
}

#[test]
fn definitions_are_types_named_after_their_schema() {
    let schema = json!({
        "type": "object", "properties": {"home": {"$ref": "#/$defs/address"}, "tree": {"$ref": "#/definitions/my-tree"}},
        "$defs": {"address": {"type": "string"}},
        "definitions": {"my-tree": {"type": "array", "items": {"$ref": "#/definitions/my-tree"}}}
    });
    assert_eq!(
        types("Input", Some(&schema)),
        "type Input_my$45$tree = Input_my$45$tree[];\ntype Input_address = string;\ntype Input = {\n  home?: Input_address;\n  tree?: Input_my$45$tree;\n};\n"
    );
    assert_eq!(identifier("a_b.é"), "a_b$46$$233$");
}

#[test]
fn the_largest_value_of_the_example_is_worked_out() {
    let schema = json!({
        "type": "object", "maxProperties": 50, "propertyNames": {"maxLength": 100},
        "additionalProperties": {
            "type": "array", "maxItems": 20,
            "items": {"type": "object", "required": ["at", "verdict", "run"], "additionalProperties": false, "properties": {
                "at": {"type": "string", "maxLength": 24, "format": "date-time"}, "verdict": {"type": "string", "maxLength": 60}, "run": {"type": "string", "maxLength": 42, "format": "uri"}
            }}
        }
    });
    // The page's own sum takes the time at 24 and the run at 42 with their quotes counted among the 29 bytes beside.
    let found = largest(&schema);
    assert_eq!(found.bytes, Some(488_251));
    assert_eq!(found.unbounded, None);
    assert_eq!(found.dominates, "/additionalProperties/items/properties/verdict");
}

#[test]
fn what_has_no_bound_is_named() {
    let at = |schema: Value| {
        let found = largest(&schema);
        assert_eq!(found.bytes.is_none(), found.unbounded.is_some(), "{schema}");
        (found.unbounded, found.growing)
    };
    let s = |text: &str| Some(text.to_owned());
    assert_eq!(at(json!({})), (s(""), s("")));
    assert_eq!(at(json!({"type": "array", "items": {"type": "null"}})), (s(""), s("")));
    assert_eq!(at(json!({"type": "array", "maxItems": 50})), (s(""), None));
    assert_eq!(at(json!({"type": "string"})), (s(""), None));
    assert_eq!(
        at(json!({"properties": {"a": {"type": "null"}, "b": {"type": "array"}}})),
        (s("/properties/b"), s("/properties/b"))
    );
    assert_eq!(
        at(json!({"type": "object", "maxProperties": 3, "additionalProperties": {"type": "null"}})),
        (s("/propertyNames"), None)
    );
    let tree =
        json!({"$ref": "#/$defs/t", "$defs": {"t": {"type": "array", "maxItems": 2, "items": {"$ref": "#/$defs/t"}}}});
    assert_eq!(at(tree), (s("/$defs/t/items"), s("/$defs/t/items")));
    for (schema, bytes) in [
        (json!({"type": "null"}), 4),
        (json!({"type": ["null", "boolean"]}), 5),
        (json!({"enum": ["a", "bcd"]}), 5),
        (json!({"type": "integer", "minimum": 1, "maximum": 50}), 2),
        (json!({"type": "string", "maxLength": 2}), 14),
        (json!({"type": "string", "format": "date"}), 12),
        (json!({"type": "array", "maxItems": 3, "items": {"type": "null"}}), 16),
        (json!({"type": "array", "maxItems": 3, "items": false, "prefixItems": [{"type": "null"}]}), 6),
        (json!({"type": "object", "properties": {"a": {"type": "null"}}}), 10),
        (json!({"anyOf": [{"type": "null"}, {"type": "string", "maxLength": 1}]}), 8),
        (json!({"allOf": [{"type": "string"}, {"maxLength": 1, "type": "string"}]}), 8),
        (json!({"not": {}}), 0),
    ] {
        assert_eq!(largest(&schema).bytes, Some(bytes), "{schema}");
    }
}

#[test]
fn a_schema_is_described_field_by_field() {
    let shape = describe(&json!({
        "type": "object", "maxProperties": 50, "description": "By campaign.",
        "additionalProperties": {
            "type": "array", "maxItems": 20,
            "items": {"type": "object", "required": ["at"], "properties": {"at": {"type": "string", "description": "When"}, "score": {"type": "integer", "minimum": 1, "maximum": 5}}}
        }
    }));
    assert_eq!(shape.words, "an object of at most 50 members");
    assert_eq!(shape.description.as_deref(), Some("By campaign"));
    let each = &shape.fields[0];
    assert_eq!(
        (each.presence, each.words.as_str()),
        (Presence::EachOther, "a list of at most 20 items, each an object")
    );
    assert_eq!(
        (each.fields[0].name.as_str(), each.fields[0].presence, each.fields[0].description.as_deref()),
        ("at", Presence::Required, Some("When"))
    );
    assert_eq!(each.fields[1].words, "a whole number of at least 1 and of at most 5");
    assert_eq!(each.fields[1].presence, Presence::Optional);
    assert_eq!(describe(&json!({})).words, "any value");
    let tree = describe(
        &json!({"$ref": "#/$defs/t", "$defs": {"t": {"type": "object", "properties": {"c": {"type": "array", "items": {"$ref": "#/$defs/t"}}}}}}),
    );
    assert_eq!(tree.words, "an object");
}

pub(crate) mod against_another_judge {
    use super::*;
    use proptest::prelude::*;

    fn scalar() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(Value::from),
            (-3i64..4).prop_map(Value::from),
            prop_oneof![Just(0.5), Just(1.0), Just(-2.5), Just(1e3)].prop_map(|n: f64| json!(n)),
            "[ab]{0,3}".prop_map(Value::from),
            Just(json!("2026-04-01")),
        ]
    }

    pub(crate) fn value() -> impl Strategy<Value = Value> {
        scalar().prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-d]", inner, 0..4).prop_map(|m| json!(m)),
            ]
        })
    }

    fn keywords() -> impl Strategy<Value = Vec<(String, Value)>> {
        let one = prop_oneof![
            prop::sample::select(vec!["string", "number", "integer", "boolean", "null", "object", "array"])
                .prop_map(|t| ("type".into(), json!(t))),
            prop::sample::subsequence(vec!["string", "integer", "null", "object", "array"], 1..3)
                .prop_map(|t| ("type".into(), json!(t))),
            prop::collection::vec(scalar(), 1..4).prop_map(|v| ("enum".into(), json!(v))),
            scalar().prop_map(|v| ("const".into(), v)),
            (-2i64..3).prop_map(|n| ("minimum".into(), json!(n))),
            (-2i64..3).prop_map(|n| ("exclusiveMaximum".into(), json!(n))),
            prop_oneof![Just(json!(0.5)), Just(json!(2))].prop_map(|n| ("multipleOf".into(), n)),
            (0u64..3).prop_map(|n| ("minLength".into(), json!(n))),
            (0u64..3).prop_map(|n| ("maxItems".into(), json!(n))),
            (0u64..3).prop_map(|n| ("maxProperties".into(), json!(n))),
            Just(("uniqueItems".into(), json!(true))),
            Just(("format".into(), json!("date"))),
            Just(("not".into(), json!({}))),
            prop::sample::subsequence(vec!["a", "b", "c", "d"], 0..3).prop_map(|n| ("required".into(), json!(n))),
        ];
        prop::collection::vec(one, 0..3)
    }

    fn object(pairs: Vec<(String, Value)>) -> Value {
        Value::Object(pairs.into_iter().collect())
    }

    pub(crate) fn schema() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            keywords().prop_map(object),
            any::<bool>().prop_map(Value::from),
            Just(json!({"$ref": "#/$defs/x"}))
        ];
        let part = leaf.prop_recursive(3, 20, 3, |inner| {
            let nested = prop_oneof![
                prop::collection::btree_map("[a-d]", inner.clone(), 1..3)
                    .prop_map(|m| ("properties".to_owned(), json!(m))),
                any::<bool>().prop_map(|b| ("additionalProperties".to_owned(), json!(b))),
                inner.clone().prop_map(|s| ("items".to_owned(), s)),
                inner.clone().prop_map(|s| ("propertyNames".to_owned(), s)),
                prop::collection::vec(inner.clone(), 1..3).prop_map(|s| ("prefixItems".to_owned(), json!(s))),
                prop::collection::vec(inner.clone(), 1..3).prop_map(|s| ("anyOf".to_owned(), json!(s))),
                prop::collection::vec(inner.clone(), 1..3).prop_map(|s| ("oneOf".to_owned(), json!(s))),
                prop::collection::vec(inner, 1..3).prop_map(|s| ("allOf".to_owned(), json!(s))),
            ];
            (keywords(), prop::collection::vec(nested, 1..3)).prop_map(|(mut own, nested)| {
                own.extend(nested);
                object(own)
            })
        });
        (part.clone(), part).prop_map(|(root, x)| {
            let mut root = if root.is_object() { root } else { json!({"allOf": [root]}) };
            root["$defs"] = json!({"x": x});
            root
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

        /// The same values fit as the reference implementation says, and a value has issues exactly when it does not fit.
        #[test]
        fn the_same_values_fit(schema in schema(), values in prop::collection::vec(value(), 6)) {
            if let Ok(ours) = Schema::compile(&schema) {
                let theirs = jsonschema::options()
                    .with_draft(jsonschema::Draft::Draft202012)
                    .should_validate_formats(true)
                    .build(&schema)
                    .expect("a schema without flaws builds");
                for value in &values {
                    prop_assert_eq!(ours.is_valid(value), theirs.is_valid(value), "{} {}", &schema, value);
                    prop_assert_eq!(ours.issues(value, Manner::Answer).is_empty(), theirs.is_valid(value), "{} {}", &schema, value);
                }
                let _ = (types("Input", Some(&schema)), describe(&schema), largest(&schema));
            }
        }

        /// Nothing that parses as JSON brings the judge down.
        #[test]
        fn any_json_is_judged(schema in value(), other in value()) {
            let wrapped = json!({"properties": schema, "anyOf": other, "$ref": other, "type": schema, "items": other, "$defs": schema});
            let _ = (flaws(&schema), flaws(&wrapped));
        }
    }
}
