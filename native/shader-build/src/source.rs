//! A shader with its includes expanded, and where each of its lines came from.

use std::path::Path;

/// One text for the compiler. Line `n` of it (from 1) came from `origins[n - 1]`.
pub struct Source {
    /// What the compiler reads.
    pub text: String,
    origins: Vec<(String, usize)>,
}

/// Text that an `#include` may name although no file holds it.
pub struct Generated<'a> {
    /// As the include names it.
    pub name: &'a str,
    /// What stands in its place.
    pub text: String,
}

impl Source {
    /// `text` of `file` with each `#include "name"` replaced, by `generated` or by `root/inc/name`.
    /// Every include is expanded once: later ones of the same name are empty lines.
    ///
    /// # Errors
    /// `file:line: message` for an include that cannot be read.
    pub fn expand(
        root: &Path,
        file: &str,
        text: &str,
        generated: &[Generated],
    ) -> Result<Self, String> {
        let mut source = Source {
            text: String::new(),
            origins: Vec::new(),
        };
        source.append(root, file, text, generated, &mut Vec::new())?;
        Ok(source)
    }

    fn append(
        &mut self,
        root: &Path,
        file: &str,
        text: &str,
        generated: &[Generated],
        seen: &mut Vec<String>,
    ) -> Result<(), String> {
        for (i, line) in text.lines().enumerate() {
            let number = i + 1;
            let Some(name) = include_name(line) else {
                self.push(line, file, number);
                continue;
            };
            if seen.iter().any(|s| s == name) {
                self.push("", file, number);
                continue;
            }
            seen.push(name.to_string());
            if let Some(text) = generated.iter().find(|g| g.name == name) {
                self.append(root, name, &text.text, generated, seen)?;
                continue;
            }
            let path = format!("inc/{name}");
            let text = std::fs::read_to_string(root.join(&path)).map_err(|e| {
                let names: Vec<&str> = generated.iter().map(|g| g.name).collect();
                format!(
                    "{file}:{number}: include \"{name}\": expected a file in inc/ or one of {names:?}, got {e}"
                )
            })?;
            self.append(root, &path, &text, generated, seen)?;
        }
        Ok(())
    }

    fn push(&mut self, line: &str, file: &str, number: usize) {
        self.text.push_str(line);
        self.text.push('\n');
        self.origins.push((file.to_string(), number));
    }

    /// `file:line` of a line of [`Source::text`], counted from 1.
    pub fn locate(&self, line: usize) -> Option<String> {
        let (file, number) = self.origins.get(line.checked_sub(1)?)?;
        Some(format!("{file}:{number}"))
    }

    /// `file:line` of the definition of a function.
    pub fn locate_function(&self, name: &str) -> Option<String> {
        self.locate(self.function_line(name)?)
    }

    /// `file:line` of the lines of a function, without comments, that `is_wanted`.
    pub fn locate_in_function(&self, name: &str, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let Some(first) = self.function_line(name) else {
            return Vec::new();
        };
        let body = self.text.lines().zip(1..).skip(first - 1);
        // Our functions end with a brace in the first column, or where they began.
        let body = body.take_while(|(line, number)| *number == first || !line.starts_with('}'));
        body.filter(|(line, _)| is_wanted(line.split("//").next().unwrap_or("")))
            .filter_map(|(_, number)| self.locate(number))
            .collect()
    }

    /// Line of the definition of a function, from 1: in the first column, and no prototype.
    fn function_line(&self, name: &str) -> Option<usize> {
        let call = format!(" {name}(");
        let line = self.text.lines().position(|line| {
            line.contains(&call)
                && line.starts_with(|c: char| c.is_ascii_alphabetic())
                && !line.trim_end().ends_with(';')
        })?;
        Some(line + 1)
    }
}

fn include_name(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("#include")?.trim_start();
    rest.strip_prefix('"')?.split('"').next()
}
