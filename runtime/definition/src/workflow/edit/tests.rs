use super::*;
use proptest::prelude::*;
use serde_json::json;

const PAGE: &str = "\
# A page
document: { dsl: '1.0.3', namespace: a, name: b, version: '1.0.0' }
do:
  # Where it starts
  - first: # of the first
      set: { a: 1 }

  # of the second
  - \"second\":
      call: run_definition   # asks
      with:
        type: computation
        name: \"score\"
      then: third
  - other: { set: { b: 2 }, then: first }
  - third:
      try:
        - inner:
            wait: PT1S
        - next-inner: { wait: PT2S }
      catch:
        do:
          - caught:
              set: x
";

#[track_caller]
fn operated(text: &str, operation: &Value) -> Made<Edited> {
    let operation: Operation = serde_json::from_value(operation.clone()).expect("an operation");
    let edited = edit(text, &[operation])?;
    // The edits alone make the text, too.
    let mut made = text.to_owned();
    for one in edited.edits.iter().rev() {
        made.replace_range(one.span.start..one.span.end, &one.text);
    }
    assert_eq!(made, edited.text);
    Ok(edited)
}

/// The lines that went and those that came, in order.
#[track_caller]
fn difference(text: &str, operation: &Value) -> String {
    let edited = operated(text, operation).unwrap_or_else(|no| panic!("{operation}: {no}"));
    let diff = TextDiff::from_lines(text, &edited.text);
    let line = |change: similar::Change<&str>| match change.tag() {
        ChangeTag::Equal => None,
        tag => Some(format!("{tag}{}\n", change.value().trim_end_matches('\n'))),
    };
    diff.iter_all_changes().filter_map(line).collect()
}

#[track_caller]
fn refused(text: &str, operation: &Value) -> String {
    operated(text, operation).map(|edited| edited.text).expect_err("it is refused").0
}

#[test]
fn a_task_is_added() {
    let task =
        json!({ "call": "run_definition", "with": { "type": "recall", "name": "score", "input": "${ $data }" } });
    let add = |list: &str, at: usize| json!({ "do": "add", "list": list, "at": at, "name": "new", "task": task });
    assert_eq!(
        difference(PAGE, &add("/do", 1)),
        "+  - new:\n+      call: run_definition\n+      with:\n+        type: recall\n+        name: score\n+        input: '${ $data }'\n"
    );
    assert_eq!(operated(PAGE, &add("/do", 9)).expect("added").task.as_deref(), Some("/do/4/new"));
    assert!(operated(PAGE, &add("/do", 9)).expect("added").text.ends_with("        input: '${ $data }'\n"));
    let wait = json!({ "do": "add", "list": "/do/3/third/try", "at": 0, "name": "new", "task": { "wait": "PT5S" } });
    assert_eq!(difference(PAGE, &wait), "+        - new:\n+            wait: PT5S\n");
    // A list that is not there is made, and a text whose last line has no end keeps it so.
    let within = json!({ "do": "add", "list": "/do/0/a/catch/do", "at": 0, "name": "new", "task": { "set": {} } });
    let text = "do:\n- a:\n    try:\n    - b: { wait: PT1S }\n    catch: {}";
    assert_eq!(
        operated(text, &within).expect("added").text,
        "do:\n- a:\n    try:\n    - b: { wait: PT1S }\n    catch: { do: [{ new: { set: {} } }] }"
    );
    assert!(
        refused(PAGE, &json!({ "do": "add", "list": "/do", "at": 0, "name": "other", "task": {} })).contains("other")
    );
    assert!(
        refused(PAGE, &json!({ "do": "add", "list": "/do", "at": 0, "name": "", "task": {} })).contains("needs a name")
    );
    assert!(
        refused(PAGE, &json!({ "do": "add", "list": "/document/dsl", "at": 0, "name": "a", "task": {} }))
            .contains("/document/dsl")
    );
}

#[test]
fn a_task_is_moved_with_its_remarks() {
    let to = |task: &str, list: &str, at: usize| json!({ "do": "move", "task": task, "list": list, "at": at });
    assert_eq!(
        difference(PAGE, &to("/do/0/first", "/do", 3)),
        "-  # Where it starts\n-  - first: # of the first\n-      set: { a: 1 }\n-\n+  # Where it starts\n+  - first: # of the first\n+      set: { a: 1 }\n"
    );
    assert_eq!(difference(PAGE, &to("/do/0/first", "/do", 0)), "");
    assert_eq!(difference(PAGE, &to("/do/0/first", "/do", 1)), "");
    assert_eq!(
        difference(PAGE, &to("/do/3/third/try/0/inner", "/do", 0)),
        "+  - inner:\n+      wait: PT1S\n-        - inner:\n-            wait: PT1S\n"
    );
    let moved = operated(PAGE, &to("/do/2/other", "/do/3/third/catch/do", 0)).expect("moved");
    assert_eq!(moved.task.as_deref(), Some("/do/2/third/catch/do/0/other"));
    assert!(
        moved.text.contains("        do:\n          - other: { set: { b: 2 }, then: first }\n          - caught:\n"),
        "{}",
        moved.text
    );
    for (operation, words) in [
        (to("/do/3/third", "/do/3/third/try", 0), "into itself"),
        (to("/do/3/third/catch/do/0/caught", "/do", 0), "only one of its list"),
        (to("/do/7/none", "/do", 0), "/do/7/none"),
        (to("/do/0/first", "/nowhere", 0), "/nowhere"),
    ] {
        let said = refused(PAGE, &operation);
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn a_task_is_renamed_where_it_is_named() {
    let rename = |task: &str, name: &str| json!({ "do": "rename", "task": task, "name": name });
    assert_eq!(
        difference(PAGE, &rename("/do/3/third", "Last: of all")),
        "-      then: third\n+      then: 'Last: of all'\n-  - third:\n+  - 'Last: of all':\n"
    );
    assert_eq!(difference(PAGE, &rename("/do/1/second", "ask")), "-  - \"second\":\n+  - \"ask\":\n");
    assert_eq!(
        difference(PAGE, &rename("/do/0/first", "start")),
        "-  - first: # of the first\n+  - start: # of the first\n-  - other: { set: { b: 2 }, then: first }\n+  - other: { set: { b: 2 }, then: start }\n"
    );
    // A name of a list within is another name.
    let inner = "do:\n- a:\n    do:\n    - b: { set: 1, then: c }\n    - c: { set: 2 }\n- c: { set: 3 }\n";
    assert_eq!(difference(inner, &rename("/do/1/c", "d")), "-- c: { set: 3 }\n+- d: { set: 3 }\n");
    let cases = "do:\n- a:\n    switch:\n    - one: { when: '$data.a', then: b }\n    - default:\n        then: 'b'\n- b: { set: 3 }\n";
    assert_eq!(
        operated(cases, &rename("/do/1/b", "c/d~")).expect("renamed").text,
        cases.replace("then: b", "then: c/d~").replace("'b'", "'c/d~'").replace("- b:", "- c/d~:")
    );
    assert!(refused(PAGE, &rename("/do/0/first", "third")).contains("third"));
}

#[test]
fn a_task_is_duplicated() {
    let duplicate = |task: &str| json!({ "do": "duplicate", "task": task });
    assert_eq!(difference(PAGE, &duplicate("/do/0/first")), "+  - first-2: # of the first\n+      set: { a: 1 }\n");
    assert_eq!(difference(PAGE, &duplicate("/do/2/other")), "+  - other-2: { set: { b: 2 }, then: first }\n");
    let last = "do:\r\n- a: { wait: PT1S }\r\n- a-2: { wait: PT1S }";
    let edited = operated(last, &duplicate("/do/1/a-2")).expect("duplicated");
    assert_eq!(edited.text, format!("{last}\r\n- a-3: {{ wait: PT1S }}"));
    assert_eq!(edited.task.as_deref(), Some("/do/2/a-3"));
}

#[test]
fn a_task_is_wrapped_in_a_try() {
    let wrap = |task: &str| json!({ "do": "wrap", "task": task });
    let edited = operated(PAGE, &wrap("/do/1/second")).expect("wrapped");
    assert_eq!(edited.task.as_deref(), Some("/do/1/try-second"));
    assert!(
        edited.text.contains(
            "  # of the second
  - try-second:
      try:
        - \"second\":
            call: run_definition   # asks
            with:
              type: computation
              name: \"score\"
      catch:
        errors:
          with:
            status: 503
        retry:
          delay: PT5S
          backoff:
            exponential: {}
          limit:
            attempt:
              count: 3
        do:
          - give-up:
              raise:
                error:
                  type: https://example.com/errors/unavailable
                  status: 503
                  title: The step second could not be done
      then: third
  - other"
        ),
        "{}",
        edited.text
    );
    let flow = operated(PAGE, &wrap("/do/0/first")).expect("wrapped").text;
    assert!(
        flow.contains("then: try-first }")
            && flow.contains("        - first: # of the first\n            set: { a: 1 }\n"),
        "{flow}"
    );
    let flow = operated(PAGE, &wrap("/do/2/other")).expect("wrapped").text;
    assert!(flow.contains("        - other: { set: { b: 2 } }\n") && flow.contains("      then: first\n"), "{flow}");
}

#[test]
fn what_is_wrapped_passes_the_check() {
    let text = "document: { dsl: '1.0.3', namespace: a, name: test, version: '1.0.0' }\ndo:\n  - one:\n      set: { a: 1 }\n      then: end\n";
    let wrapped = operated(text, &json!({ "do": "wrap", "task": "/do/0/one" })).expect("wrapped").text;
    let compiler = playbook_typescript::Compiler::new();
    let checked = crate::check(playbook_model::definition::DefinitionType::Workflow, "test", &wrapped, &compiler);
    assert_eq!(checked.problems, [], "{wrapped}");
}

#[test]
fn a_task_is_deleted_with_its_remarks() {
    let delete = |task: &str| json!({ "do": "delete", "task": task });
    assert_eq!(
        difference(PAGE, &delete("/do/0/first")),
        "-  # Where it starts\n-  - first: # of the first\n-      set: { a: 1 }\n-\n"
    );
    assert_eq!(difference(PAGE, &delete("/do/3/third/try/1/next-inner")), "-        - next-inner: { wait: PT2S }\n");
    assert!(refused(PAGE, &delete("/do/3/third/catch/do/0/caught")).contains("only one"));
    assert!(refused("do: [{ a: { set: 1 } }, { b: { set: 2 } }]", &delete("/do/0/a")).contains("one line"));
}

#[test]
fn a_field_is_set() {
    let set = |at: &str, value: Value| json!({ "do": "set", "at": at, "value": value });
    for (at, value, lines) in [
        ("/do/3/third/try/0/inner/wait", json!("PT2S"), "-            wait: PT1S\n+            wait: PT2S\n"),
        (
            "/do/1/second/with/name",
            json!("say \"so\""),
            "-        name: \"score\"\n+        name: \"say \\\"so\\\"\"\n",
        ),
        ("/do/1/second/call", json!("run"), "-      call: run_definition   # asks\n+      call: run   # asks\n"),
        (
            "/do/1/second/with/input",
            json!({ "a": [1, "2"], "b": {} }),
            "+        input:\n+          a:\n+            - 1\n+            - '2'\n+          b: {}\n",
        ),
        ("/do/1/second/if", json!("$data.a > 1"), "+      if: $data.a > 1\n"),
        ("/do/1/second/timeout/after", json!("P1D"), "+      timeout:\n+        after: P1D\n"),
        ("/do/0/first/set/b", json!("a, b"), "-      set: { a: 1 }\n+      set: { a: 1, b: 'a, b' }\n"),
        ("/do/0/first/set/a", json!(null), "-      set: { a: 1 }\n+      set: { a: null }\n"),
        (
            "/do/2/other/if",
            json!("${ true }"),
            "-  - other: { set: { b: 2 }, then: first }\n+  - other: { set: { b: 2 }, then: first, if: '${ true }' }\n",
        ),
        (
            "/document/title",
            json!("One\nTwo"),
            "-document: { dsl: '1.0.3', namespace: a, name: b, version: '1.0.0' }\n+document: { dsl: '1.0.3', namespace: a, name: b, version: '1.0.0', title: \"One\\nTwo\" }\n",
        ),
        ("/timeout/after", json!("PT1H"), "+timeout:\n+  after: PT1H\n"),
        (
            "/do/3/third/catch/do/0/caught/set",
            json!("one\ntwo\n"),
            "-              set: x\n+              set: |\n+                one\n+                two\n",
        ),
        ("/do/1/second/then", json!("yes"), "-      then: third\n+      then: 'yes'\n"),
    ] {
        assert_eq!(difference(PAGE, &set(at, value)), lines, "{at}");
    }
    assert!(refused(PAGE, &set("", json!(1))).contains("whole document"));
    assert!(refused(PAGE, &set("/do/1/second/then/a", json!(1))).contains("single value"));
    assert!(refused(PAGE, &set("/do/9/a", json!(1))).contains("/do/9"));
}

#[test]
fn a_field_is_written_as_yaml() {
    let write = |at: &str, yaml: &str| json!({ "do": "write", "at": at, "yaml": yaml });
    assert_eq!(
        difference(
            PAGE,
            &write("/do/1/second/with", "    type: recall # kept\n    name: 'a'\n\n    input:\n      b: 1\n")
        ),
        "-        type: computation\n-        name: \"score\"\n+        type: recall # kept\n+        name: 'a'\n+\n+        input:\n+          b: 1\n"
    );
    assert_eq!(
        difference(PAGE, &write("/do/1/second/output/as", "${ $output.a }")),
        "+      output:\n+        as: ${ $output.a }\n"
    );
    assert_eq!(
        difference(PAGE, &write("/do/3/third/try/0/inner/wait", "{ seconds: 5 }")),
        "-            wait: PT1S\n+            wait: { seconds: 5 }\n"
    );
    assert!(refused(PAGE, &write("/do/1/second/with", "a: [")).contains("no YAML value"));
}

#[test]
fn a_field_is_taken_out() {
    let unset = |at: &str| json!({ "do": "unset", "at": at });
    for (at, lines) in [
        ("/do/1/second/then", "-      then: third\n"),
        ("/do/1/second/with", "-      with:\n-        type: computation\n-        name: \"score\"\n"),
        ("/do/2/other/then", "-  - other: { set: { b: 2 }, then: first }\n+  - other: { set: { b: 2 } }\n"),
        ("/do/2/other/set", "-  - other: { set: { b: 2 }, then: first }\n+  - other: { then: first }\n"),
        ("/do/1/second/none", ""),
        ("/do/3/third/catch/do", "-      catch:\n-        do:\n-          - caught:\n-              set: x\n"),
    ] {
        assert_eq!(difference(PAGE, &unset(at)), lines, "{at}");
    }
    assert!(refused(PAGE, &unset("")).contains("whole document"));
}

#[test]
fn operations_in_a_row_are_one_edit() {
    let operations: Vec<Operation> = serde_json::from_value(json!([
        { "do": "set", "at": "/do/1/second/with/type", "value": "recall" },
        { "do": "rename", "task": "/do/1/second", "name": "asked" },
        { "do": "set", "at": "/do/1/asked/with/name", "value": "seen" },
    ]))
    .expect("operations");
    let edited = edit(PAGE, &operations).expect("edited");
    assert_eq!(edited.task.as_deref(), Some("/do/1/asked"));
    assert_eq!(edited.edits.len(), 2);
    assert_eq!(
        edited.text,
        PAGE.replace("type: computation", "type: recall")
            .replace("\"second\":", "\"asked\":")
            .replace("\"score\"", "\"seen\"")
    );
    let mut failing = operations;
    failing.push(Operation::Unset { at: String::new() });
    assert!(edit(PAGE, &failing).is_err());
    assert_eq!(edit("a: [", &[]).expect("nothing is done").edits, []);
}

#[test]
fn line_ends_stay_as_they_are() {
    let text = PAGE.replace('\n', "\r\n");
    let task = json!({ "call": "run_definition", "with": { "a": "b\nc\n" } });
    for operation in [
        json!({ "do": "add", "list": "/do", "at": 1, "name": "new", "task": task }),
        json!({ "do": "move", "task": "/do/0/first", "list": "/do", "at": 3 }),
        json!({ "do": "rename", "task": "/do/0/first", "name": "start" }),
        json!({ "do": "duplicate", "task": "/do/3/third" }),
        json!({ "do": "wrap", "task": "/do/1/second" }),
        json!({ "do": "delete", "task": "/do/1/second" }),
        json!({ "do": "set", "at": "/do/1/second/with/input", "value": { "a": 1 } }),
        json!({ "do": "set", "at": "/do/1/second/with/name", "value": "x" }),
        json!({ "do": "write", "at": "/do/1/second/with", "yaml": "a: 1\nb: 2" }),
        json!({ "do": "unset", "at": "/do/1/second/with" }),
    ] {
        let crossed = operated(&text, &operation).unwrap_or_else(|no| panic!("{operation}: {no}")).text;
        let plain = operated(PAGE, &operation).expect("edited").text;
        assert_eq!(crossed, plain.replace('\n', "\r\n"), "{operation}");
    }
}

#[test]
fn an_unusual_spelling_is_refused_or_kept() {
    let rename = json!({ "do": "rename", "task": "/do/0/a", "name": "b" });
    assert!(refused("do: [", &rename).contains("no YAML"));
    assert!(refused("", &rename).contains("/do/0/a"));
    assert_eq!(operated("do: [{ a: { set: 1 } }]", &rename).expect("renamed").text, "do: [{ b: { set: 1 } }]");
    let folded = "do:\n  - a:\n      set:\n        text: >-\n          one\n          two\n      if: 'x'\n";
    let set = json!({ "do": "set", "at": "/do/0/a/set/text", "value": "three" });
    assert_eq!(
        operated(folded, &set).expect("set").text,
        "do:\n  - a:\n      set:\n        text: three\n      if: 'x'\n"
    );
    let delete = json!({ "do": "unset", "at": "/do/0/a/set" });
    assert_eq!(operated(folded, &delete).expect("unset").text, "do:\n  - a:\n      if: 'x'\n");
}

fn operations() -> impl Strategy<Value = Value> {
    let task = prop_oneof![
        Just("/do/0/first"),
        Just("/do/1/second"),
        Just("/do/2/other"),
        Just("/do/3/third"),
        Just("/do/3/third/try/0/inner"),
        Just("/do/3/third/try/1/next-inner"),
        Just("/do/3/third/catch/do/0/caught"),
        Just("/do/8/none"),
    ];
    let list = prop_oneof![Just("/do"), Just("/do/3/third/try"), Just("/do/3/third/catch/do"), Just("/do/0/first/do")];
    let field = prop_oneof![
        Just("if"),
        Just("then"),
        Just("set"),
        Just("with/name"),
        Just("with/input/a"),
        Just("wait"),
        Just("timeout/after"),
        Just("a~1b")
    ];
    let name = prop_oneof![
        "[a-z]{1,3}",
        "\\PC{0,6}",
        Just("first".to_owned()),
        Just("yes".to_owned()),
        Just("- a: b #".to_owned())
    ];
    let value = || {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "\\PC{0,12}".prop_map(Value::from),
            "[ab:#\\n '\"{}-]{0,12}".prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map("\\PC{0,4}", inner, 0..3).prop_map(|members| json!(members))
            ]
        })
    };
    prop_oneof![
        (list.clone(), 0..5_usize, name.clone(), value()).prop_map(
            |(list, at, name, task)| json!({ "do": "add", "list": list, "at": at, "name": name, "task": task })
        ),
        (task.clone(), list, 0..5_usize)
            .prop_map(|(task, list, at)| json!({ "do": "move", "task": task, "list": list, "at": at })),
        (task.clone(), name).prop_map(|(task, name)| json!({ "do": "rename", "task": task, "name": name })),
        task.clone().prop_map(|task| json!({ "do": "duplicate", "task": task })),
        task.clone().prop_map(|task| json!({ "do": "wrap", "task": task })),
        task.clone().prop_map(|task| json!({ "do": "delete", "task": task })),
        (task.clone(), field.clone(), value())
            .prop_map(|(task, field, value)| json!({ "do": "set", "at": format!("{task}/{field}"), "value": value })),
        (task.clone(), field.clone(), "[ab:#\\n '\"{}-]{0,16}")
            .prop_map(|(task, field, yaml)| json!({ "do": "write", "at": format!("{task}/{field}"), "yaml": yaml })),
        (task, field).prop_map(|(task, field)| json!({ "do": "unset", "at": format!("{task}/{field}") })),
    ]
}

/// Lines of a page as its author might have spelled them otherwise.
fn pages() -> impl Strategy<Value = String> {
    (
        prop::collection::vec(
            (0..40_usize, prop_oneof![Just("# mine"), Just(""), Just("  "), Just("      # far in")]),
            0..4,
        ),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(remarks, crossed, open)| {
            let mut lines: Vec<&str> = PAGE.lines().collect();
            for (at, remark) in remarks {
                lines.insert(at.min(lines.len()), remark);
            }
            let text = lines.join(if crossed { "\r\n" } else { "\n" });
            if open { text } else { format!("{text}\n") }
        })
}

proptest! {
    /// Two edits in a row are each refused, or made as they mean; none panics, and every remark stays unless a task goes.
    #[test]
    fn an_edit_means_what_it_says((text, one, other) in (pages(), operations(), operations())) {
        let after = operated(&text, &one).map_or(text.clone(), |edited| edited.text);
        if let Ok(again) = operated(&after, &other) {
            let remarks = |text: &str| text.lines().filter(|line| line.trim_start().starts_with("# mine")).count();
            if !matches!(other["do"].as_str(), Some("delete" | "unset" | "set" | "write")) {
                prop_assert!(remarks(&after) <= remarks(&again.text), "{}", again.text);
            }
            if !after.contains('\r') {
                prop_assert!(!again.text.contains('\r'), "{}", again.text);
            }
        }
    }

    /// What an edit does and its opposite undoes leaves the text as it was.
    #[test]
    fn a_name_given_back_leaves_no_trace(text in pages(), name in "[a-z]{4,8}") {
        prop_assume!(!PAGE.contains(&name));
        let there = operated(&text, &json!({ "do": "rename", "task": "/do/2/other", "name": name })).expect("renamed");
        let back = operated(&there.text, &json!({ "do": "rename", "task": format!("/do/2/{name}"), "name": "other" })).expect("renamed");
        prop_assert_eq!(back.text, text);
    }
}
