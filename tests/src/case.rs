//! A page of literate cases: its prose kept as it is, its fenced blocks to be read and rewritten.

/// A fenced block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The last heading above it.
    pub heading: String,
    /// What stands behind the fence's marks.
    pub info: String,
    /// What it holds.
    pub body: String,
    /// The line of its fence, from 1.
    pub line: usize,
    fence: String,
}

impl Block {
    /// Its first word: what it is.
    #[must_use]
    pub fn word(&self) -> &str {
        self.info.split_whitespace().next().unwrap_or_default()
    }

    /// Its second word, unless that is a named one.
    #[must_use]
    pub fn argument(&self) -> Option<&str> {
        self.info.split_whitespace().nth(1).filter(|word| !word.contains('='))
    }

    /// A word written `name=value`.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&str> {
        self.info.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    }
}

/// A page: prose and blocks in turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The prose before each block, and that after the last.
    prose: Vec<String>,
    /// Its blocks.
    pub blocks: Vec<Block>,
}

impl Page {
    /// Reads a page.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut page = Self { prose: vec![String::new()], blocks: Vec::new() };
        let mut heading = String::new();
        let mut open: Option<Block> = None;
        for (at, line) in text.lines().enumerate() {
            match &mut open {
                Some(block) if line == block.fence => {
                    page.blocks.extend(open.take());
                    page.prose.push(String::new());
                }
                Some(block) => {
                    block.body.push_str(line);
                    block.body.push('\n');
                }
                None => {
                    let marks: String = line.chars().take_while(|c| *c == '`').collect();
                    if marks.len() >= 3 {
                        let info = line[marks.len()..].trim().to_owned();
                        let (heading, body) = (heading.clone(), String::new());
                        open = Some(Block { heading, info, body, line: at + 1, fence: marks });
                    } else {
                        if let Some(words) = line.strip_prefix("## ") {
                            words.clone_into(&mut heading);
                        }
                        let prose = page.prose.last_mut().expect("a page begins with prose");
                        prose.push_str(line);
                        prose.push('\n');
                    }
                }
            }
        }
        page
    }

    /// The page as text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (at, prose) in self.prose.iter().enumerate() {
            text.push_str(prose);
            if let Some(block) = self.blocks.get(at) {
                let body = block.body.trim_end_matches('\n');
                let line = if body.is_empty() { "" } else { "\n" };
                text.push_str(&format!("{0}{1}\n{body}{line}{0}\n", block.fence, block.info));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_written_as_it_was_read() {
        let text = "# A\n\n## One\n\nWords.\n\n```run computation/a at=1 id=2\n{}\n```\n\n```ending\n```\n\n## Two\n";
        let page = Page::parse(text);
        assert_eq!(page.text(), text);
        assert_eq!(page.blocks.len(), 2);
        let block = &page.blocks[0];
        assert_eq!((block.heading.as_str(), block.word(), block.argument()), ("One", "run", Some("computation/a")));
        assert_eq!((block.named("at"), block.named("id"), block.named("x")), (Some("1"), Some("2"), None));
    }
}
