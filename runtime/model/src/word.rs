//! Words for sentences: the nearest of several, lists, counts.

/// The candidate nearest to a word, when one is near enough to be meant.
///
/// Near enough is one edit for a word of up to 4 letters, two for up to 8, and three for a longer one;
/// an edit adds, drops, changes or swaps letters. A difference in case alone is always near.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = word.chars().count();
    if letters > 64 {
        return None;
    }
    let most = match letters {
        0..=1 => 0,
        2..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .filter(|candidate| *candidate != word)
        .map(|candidate| {
            let same = candidate.to_lowercase() == word.to_lowercase();
            (if same { 0 } else { distance(word, candidate) }, candidate)
        })
        .filter(|(far, candidate)| *far == 0 || (*far <= most && *far < candidate.chars().count()))
        .min_by_key(|(far, _)| *far)
        .map(|(_, candidate)| candidate)
}

/// Edits between two words; a swap of neighbours counts as one.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

/// `a`, `a and b`, `a, b and c`.
#[must_use]
pub fn and<T: AsRef<str>>(parts: &[T]) -> String {
    list(parts, "and")
}

/// `a`, `a or b`, `a, b or c`.
#[must_use]
pub fn or<T: AsRef<str>>(parts: &[T]) -> String {
    list(parts, "or")
}

fn list<T: AsRef<str>>(parts: &[T], last: &str) -> String {
    match parts {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [before @ .., end] => {
            let before: Vec<&str> = before.iter().map(AsRef::as_ref).collect();
            format!("{} {last} {}", before.join(", "), end.as_ref())
        }
    }
}

/// `1 item`, `2 items`, `1,000 items`.
#[must_use]
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

/// A whole number with a comma before every three digits: `65,536`.
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_word_is_found_and_a_far_one_is_not() {
        let keys = ["description", "language", "source", "view", "input", "output"];
        assert_eq!(nearest("langauge", keys), Some("language"));
        assert_eq!(nearest("Description", keys), Some("description"));
        assert_eq!(nearest("inputs", keys), Some("input"));
        assert_eq!(nearest("model", keys), None);
        assert_eq!(nearest("", keys), None);
        assert_eq!(nearest("input", keys), None);
    }

    #[test]
    fn lists_and_counts() {
        assert_eq!(and::<&str>(&[]), "");
        assert_eq!(and(&["a"]), "a");
        assert_eq!(or(&["a", "b"]), "a or b");
        assert_eq!(and(&["a", "b", "c"]), "a, b and c");
        assert_eq!(count(1, "item", "items"), "1 item");
        assert_eq!(thousands(524_288), "524,288");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_000_000), "1,000,000");
    }
}
