//! Progress of long commands: a bar on a terminal, nothing elsewhere.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over `count` steps on standard error; hidden where that is no terminal.
pub fn bar(count: usize, what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(count as u64).with_message(what);
    if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len} {eta}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}
