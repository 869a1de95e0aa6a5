use super::*;

#[test]
fn the_clock_is_the_one_given() {
    assert_eq!(value("Date.now()"), "1791045605000");
    assert_eq!(value("new Date().toISOString()"), "\"2026-10-03T16:40:05.000Z\"");
    assert_eq!(value("new Date().getTime() === Date.now()"), "true");
}

#[test]
fn what_works() {
    for (expression, iso) in [
        ("new Date(0)", "1970-01-01T00:00:00.000Z"),
        ("new Date(new Date(5))", "1970-01-01T00:00:00.005Z"),
        ("new Date('2026-01-01')", "2026-01-01T00:00:00.000Z"),
        ("new Date('2026')", "2026-01-01T00:00:00.000Z"),
        ("new Date('2026-03')", "2026-03-01T00:00:00.000Z"),
        ("new Date('+012026-03-04')", "+012026-03-04T00:00:00.000Z"),
        ("new Date('-000001-01-01')", "-000001-01-01T00:00:00.000Z"),
        ("new Date('0050-01-02')", "0050-01-02T00:00:00.000Z"),
        ("new Date('2024-02-29')", "2024-02-29T00:00:00.000Z"),
        ("new Date('2026-01-01T09:30Z')", "2026-01-01T09:30:00.000Z"),
        ("new Date('2026-01-01T09:30:15Z')", "2026-01-01T09:30:15.000Z"),
        ("new Date('2026-01-01T09:30:15.1Z')", "2026-01-01T09:30:15.100Z"),
        ("new Date('2026-01-01T09:30:15.123456789Z')", "2026-01-01T09:30:15.123Z"),
        ("new Date('2026-01-01T09:30:15+02:00')", "2026-01-01T07:30:15.000Z"),
        ("new Date('2026-01-01T00:30-05:30')", "2026-01-01T06:00:00.000Z"),
        ("new Date('2026-01-01T24:00Z')", "2026-01-02T00:00:00.000Z"),
        ("new Date(Date.UTC(2026, 1, 3))", "2026-02-03T00:00:00.000Z"),
        ("new Date(Date.parse('2026-01-01'))", "2026-01-01T00:00:00.000Z"),
        ("new (class Day extends Date {})('2026-01-01')", "2026-01-01T00:00:00.000Z"),
        ("new Date(null)", "1970-01-01T00:00:00.000Z"),
        ("new Date({ valueOf() { return '2026-01-01' } })", "2026-01-01T00:00:00.000Z"),
        ("new Date(new String('2026-01-01'))", "2026-01-01T00:00:00.000Z"),
    ] {
        assert_eq!(value(&format!("({expression}).toISOString()")), format!("\"{iso}\""), "{expression}");
    }
    for (expression, json) in [
        ("new Date('2026-01-02') - new Date('2026-01-01')", "86400000"),
        ("JSON.stringify({ at: new Date(0) })", "\"{\\\"at\\\":\\\"1970-01-01T00:00:00.000Z\\\"}\""),
        ("new Date(0).toUTCString()", "\"Thu, 01 Jan 1970 00:00:00 GMT\""),
        ("new Date(0).getUTCFullYear()", "1970"),
        ("(() => { const d = new Date(0); d.setUTCHours(3); return d.getTime() })()", "10800000"),
        ("(() => { const d = new Date(0); d.setTime(9); return +d })()", "9"),
        ("new Date(0) instanceof Date", "true"),
        ("new Date(0).constructor === Date", "true"),
        ("Date.name + Date.length", "\"Date7\""),
        ("Number.isNaN(new Date('2026-02-30').getTime())", "true"),
        ("Number.isNaN(new Date('2026-13-01').getTime())", "true"),
        ("Number.isNaN(new Date('2026-01-01T25:00Z').getTime())", "true"),
        ("Number.isNaN(new Date(undefined).getTime())", "true"),
        ("Number.isNaN(new Date(NaN).getTime())", "true"),
    ] {
        assert_eq!(value(expression), json, "{expression}");
    }
}

#[test]
fn what_raises() {
    for expression in [
        "new Date(2026, 0, 1)",
        "new Date(2026, 0)",
        "Date()",
        "Date(0)",
        "new Date('2026-01-01T09:00')",
        "new Date('2026-01-01T09:00:00')",
        "new Date('2026-01-01T09:00:00.000')",
        "new Date('2026-01-01 09:00:00Z')",
        "new Date('1 January 2026')",
        "new Date('01/02/2026')",
        "new Date('')",
        "new Date('tomorrow')",
        "new Date('2026-1-1')",
        "new Date('2026-01-01Z')",
        "new Date('-000000-01-01')",
        "new Date('2026-01-01T09:00:00.1234567890Z')",
        "new Date('2026-01-01T09:00:00+0200')",
        "Date.parse('2026-01-01T09:00')",
        "Date.parse('x')",
        "String(new Date(0))",
        "new Date(0).toString()",
        "`${new Date(0)}`",
        "new Date(0) + ''",
        "new Date(0).toLocaleString()",
    ] {
        assert!(raises(expression).starts_with("TypeError: "), "{expression}");
    }
    assert!(raises("String(new Date(0))").contains("toISOString"));
    assert!(raises("new Date(2026, 0, 1)").contains("Date.UTC"));
    assert!(raises("new Date('x')").contains("2026-01-01T09:00:00+02:00"));
}

#[test]
fn local_time_is_absent() {
    for method in [
        "getDate",
        "getDay",
        "getFullYear",
        "getHours",
        "getMilliseconds",
        "getMinutes",
        "getMonth",
        "getSeconds",
        "getTimezoneOffset",
        "getYear",
        "setDate",
        "setFullYear",
        "setHours",
        "setMilliseconds",
        "setMinutes",
        "setMonth",
        "setSeconds",
        "setYear",
        "toDateString",
        "toLocaleDateString",
        "toLocaleTimeString",
        "toTimeString",
    ] {
        assert_eq!(value(&format!("'{method}' in new Date(0)")), "false", "{method}");
    }
    assert!(raises("(() => { globalThis.Date = 1 })()").starts_with("TypeError: "));
}
