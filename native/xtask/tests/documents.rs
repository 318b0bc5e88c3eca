//! What the pages for people say about the code is so: links lead somewhere, snippets stand in sources that are compiled
//! and run, named tests and functions exist.

use std::path::{Path, PathBuf};

const SOURCES: [&str; 6] = [".rs", ".kt", ".comp", ".glsl", ".glslv", ".glslf"];

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// README.md and every page under docs, with its folder.
fn pages() -> Vec<(PathBuf, String)> {
    let mut paths = vec![home().join("README.md")];
    for entry in std::fs::read_dir(home().join("docs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "md") {
            paths.push(path);
        }
    }
    assert!(paths.len() > 4, "{paths:?}");
    paths
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            (path, text)
        })
        .collect()
}

/// Targets of links inside the repository, with the text before each.
fn links(text: &str) -> Vec<(&str, &str)> {
    text.match_indices("](")
        .filter_map(|(at, _)| {
            let target = text[at + 2..].split_once(')')?.0;
            let name = text[..at].rfind('[')?;
            let is_inside = !target.contains("://") && !target.starts_with('#');
            is_inside.then(|| (&text[..name], target.split('#').next().unwrap()))
        })
        .collect()
}

fn is_source(target: &str) -> bool {
    SOURCES.iter().any(|end| target.ends_with(end))
}

#[test]
fn links_lead_to_files() {
    for (page, text) in pages() {
        for (_, target) in links(&text) {
            let path = page.parent().unwrap().join(target);
            assert!(path.exists(), "{}: {target}", page.display());
        }
    }
}

/// The names in backticks that stand right before " in [file]": "`a`, `b` and `c` in [file](path)".
fn names_before(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let Some(mut rest) = text.trim_end().strip_suffix("in") else {
        return names;
    };
    while let Some(open) = rest.trim_end().strip_suffix('`') {
        let at = open.rfind('`').expect("an opening backtick");
        names.push(&open[at + 1..]);
        rest = open[..at].trim_end();
        rest = rest.strip_suffix("and").unwrap_or(rest).trim_end();
        rest = rest.strip_suffix(',').unwrap_or(rest);
    }
    names
}

#[test]
fn named_tests_and_functions_exist() {
    let mut count = 0;
    for (page, text) in pages() {
        for (before, target) in links(&text).into_iter().filter(|(_, t)| is_source(t)) {
            let source =
                std::fs::read_to_string(page.parent().unwrap().join(target)).unwrap_or_default();
            for name in names_before(before) {
                count += 1;
                assert!(
                    source.contains(name),
                    "{}: {name} in {target}",
                    page.display()
                );
            }
        }
    }
    assert!(count > 30, "{count} names");
}

/// Lines that say something, without indentation.
fn said(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty()).collect()
}

#[test]
fn snippets_stand_in_their_sources() {
    let mut count = 0;
    for (page, text) in pages() {
        for language in ["kotlin", "glsl", "rust"] {
            for (at, fence) in text.match_indices(&format!("```{language}\n")) {
                let block = text[at + fence.len()..].split_once("\n```").unwrap().0;
                let sources = links(&text[..at]);
                let (_, target) = sources.iter().rev().find(|(_, t)| is_source(t)).unwrap();
                let source = std::fs::read_to_string(page.parent().unwrap().join(target)).unwrap();
                let lines = said(&source);
                let mut from = 0;
                for piece in block.split("// ...") {
                    let piece = said(piece);
                    let found = lines[from..]
                        .windows(piece.len().max(1))
                        .position(|window| window == piece)
                        .unwrap_or_else(|| {
                            panic!(
                                "{}: not in {target}, in this order: {piece:#?}",
                                page.display()
                            )
                        });
                    from += found + piece.len();
                }
                count += 1;
            }
        }
    }
    assert!(count >= 3, "{count} snippets");
}

#[test]
fn the_page_of_errors_shows_the_lines_of_the_field_adapter() {
    let page = std::fs::read_to_string(home().join("docs/errors.md")).unwrap();
    let adapter =
        home().join("jvm/field-adapter/src/main/kotlin/reconstruction/field/DlssReconstruction.kt");
    // Texts that are split over lines, in one piece.
    let source: String = std::fs::read_to_string(adapter)
        .unwrap()
        .split("\" +")
        .map(|part| part.trim_start().strip_prefix('"').unwrap_or(part))
        .collect();
    let block = page
        .split_once("<!-- lines of the Field adapter -->\n\n```text\n")
        .and_then(|(_, rest)| rest.split_once("\n```"))
        .expect("the section")
        .0;
    for line in block.lines() {
        assert!(source.contains(line), "not in the adapter: {line}");
    }
    assert!(block.lines().count() >= 3);
}
