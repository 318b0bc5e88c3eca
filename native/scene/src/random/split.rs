//! Which seeds train, which validate and which test. The ranges never meet.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// A part of the seeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// For training.
    Train,
    /// For choosing among trained networks.
    Val,
    /// For the figures that are published.
    Test,
}

impl Split {
    /// All of them.
    pub const ALL: [Split; 3] = [Split::Train, Split::Val, Split::Test];

    /// Name as the command line says it.
    pub const fn name(self) -> &'static str {
        match self {
            Split::Train => "train",
            Split::Val => "val",
            Split::Test => "test",
        }
    }

    /// The seeds of this split.
    pub const fn seeds(self) -> Range<u64> {
        match self {
            Split::Train => 0..1_000_000_000,
            Split::Val => 1_000_000_000..1_100_000_000,
            Split::Test => 1_100_000_000..1_200_000_000,
        }
    }

    /// The split that a seed belongs to.
    pub fn of(seed: u64) -> Option<Split> {
        Split::ALL.into_iter().find(|s| s.seeds().contains(&seed))
    }

    /// The seeds of `count` worlds, the first of them at `first` places from the beginning of this split.
    ///
    /// # Errors
    /// When they reach beyond the split.
    pub fn part(self, first: u64, count: u64) -> Result<Range<u64>> {
        let all = self.seeds();
        let from = all.start.checked_add(first);
        let until = from.and_then(|from| from.checked_add(count));
        match (from, until) {
            (Some(from), Some(until)) if until <= all.end => Ok(from..until),
            _ => Err(Error::invalid(
                format!("{self} sequences"),
                format!("at most {} in all", all.end - all.start),
                format!("{count} from place {first} on"),
                "ask for fewer sequences; the seeds of another split are never taken",
            )),
        }
    }

    /// Refuses a seed of another split.
    ///
    /// # Errors
    /// When `seed` is not one of this split's.
    pub fn check(self, seed: u64) -> Result<()> {
        let own = self.seeds();
        if own.contains(&seed) {
            return Ok(());
        }
        let whose = match Split::of(seed) {
            Some(other) => format!("{seed} (split {other})"),
            None => format!("{seed} (of no split)"),
        };
        Err(Error::invalid(
            format!("seed of split {self}"),
            format!("{}..{}", own.start, own.end - 1),
            whose,
            "splits are never mixed: take a seed of this range, or the split that the seed belongs to",
        ))
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Split {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Split::ALL
            .into_iter()
            .find(|split| split.name() == text)
            .ok_or_else(|| {
                Error::invalid(
                    "split",
                    "train, val or test",
                    text.escape_default().to_string(),
                    "name one of the three",
                )
            })
    }
}
