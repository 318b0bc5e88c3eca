//! The stages of a network, as a model names them.

use super::attention::{HEAD, SHIFTS};
use super::{layers, FEATURES, HEADS};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// What the blocks of a stage do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StageKind {
    /// Two 3x3 convolutions.
    Conv,
    /// Attention in windows, then a token-wise product.
    Swin,
}

/// The blocks of a level on the way down (`enc`) or up (`dec`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// `enc0` to `enc5`, `dec4` to `dec0`.
    pub name: String,
    /// What its blocks do.
    pub kind: StageKind,
    /// Channels of a token.
    pub width: u32,
    /// Blocks one after the other.
    pub blocks: u32,
    /// Heads of a swin stage, 32 channels each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heads: Option<u32>,
    /// Tokens by which a swin stage's windows are shifted, 0 or 4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shift: Option<u32>,
}

/// The whole list: `enc0`, `enc1`, ..., then `dec` from the second coarsest level to `dec0`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Architecture {
    stages: Vec<Stage>,
}

const REMEDY: &str = "export the model anew with training/";
const LEVELS: std::ops::RangeInclusive<usize> = 3..=6;
const WIDTHS: std::ops::RangeInclusive<u32> = 32..=256;
const MOST_BLOCKS: u32 = 4;

impl Architecture {
    /// Checks a list of stages.
    ///
    /// # Errors
    /// The first stage that is out of place, and why.
    pub fn new(stages: Vec<Stage>) -> Result<Self> {
        let levels = stages.len().div_ceil(2);
        if stages.len() % 2 == 0 || !LEVELS.contains(&levels) {
            return Err(Error::model(
                "stages",
                "5, 7, 9 or 11 of them (3 to 6 levels)",
                stages.len().to_string(),
                REMEDY,
            ));
        }
        let down = (0..levels).map(|level| format!("enc{level}"));
        let up = (0..levels - 1).rev().map(|level| format!("dec{level}"));
        for (index, (stage, name)) in stages.iter().zip(down.chain(up)).enumerate() {
            if stage.name != name {
                return Err(Error::model(
                    format!("stages[{index}].name"),
                    name,
                    &stage.name,
                    REMEDY,
                ));
            }
            let level = index.min(2 * (levels - 1) - index);
            check_stage(stage, stages[level].width)?;
        }
        Ok(Architecture { stages })
    }

    /// Reads the list from JSON.
    ///
    /// # Errors
    /// What is no list of stages, or as [`Architecture::new`].
    pub fn from_json(text: &str) -> Result<Self> {
        let stages: Vec<Stage> = serde_json::from_str(text).map_err(|e| {
            let expected = "a JSON list of stages with name, kind, width and blocks";
            Error::model("stages", expected, e.to_string(), REMEDY)
        })?;
        Architecture::new(stages)
    }

    /// The list as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.stages).expect("plain data")
    }

    /// A conv network of these widths, and blocks of `enc0`, `enc1`, ..., `dec0` in order.
    ///
    /// # Errors
    /// As [`Architecture::new`].
    pub fn conv(widths: &[u32], blocks: &[u32]) -> Result<Self> {
        let levels = widths.len();
        let stage = |(index, &blocks): (usize, &u32)| {
            let is_down = index < levels;
            let level = if is_down {
                index
            } else {
                (2 * levels).saturating_sub(2 + index)
            };
            Stage {
                name: format!("{}{level}", if is_down { "enc" } else { "dec" }),
                kind: StageKind::Conv,
                width: widths.get(level).copied().unwrap_or(0),
                blocks,
                heads: None,
                shift: None,
            }
        };
        Architecture::new(blocks.iter().enumerate().map(stage).collect())
    }

    /// The same with swin stages where a name begins with one of `names`: windows are shifted on the way up, and not on
    /// the way down.
    ///
    /// # Errors
    /// As [`Architecture::new`].
    pub fn with_swin(mut self, names: &[&str]) -> Result<Self> {
        for stage in &mut self.stages {
            if names.iter().any(|name| stage.name.starts_with(name)) {
                stage.kind = StageKind::Swin;
                stage.heads = Some(stage.width / HEAD);
                stage.shift = Some(SHIFTS[usize::from(stage.name.starts_with("dec"))]);
            }
        }
        Architecture::new(self.stages)
    }

    /// Every stage in the order of execution; one of no blocks does nothing.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.stages.len().div_ceil(2)
    }

    /// Channels of a token of a level.
    pub fn width(&self, level: usize) -> u32 {
        self.stages[level].width
    }

    /// Thousands of multiplications of int8 a render pixel, borders left out.
    pub fn kmac_per_pixel(&self) -> f64 {
        let macs = layers(self).into_iter().map(|layer| {
            let tokens_per_pixel = 0.25 / 4f64.powi(layer.output_level as i32);
            f64::from(layer.macs_per_token()) * tokens_per_pixel
        });
        macs.sum::<f64>() / 1000.0
    }
}

fn check_stage(stage: &Stage, width: u32) -> Result<()> {
    let wrong = |key: &str, expected: String, got: String| {
        Err(Error::model(
            format!("stage {}: {key}", stage.name),
            expected,
            got,
            REMEDY,
        ))
    };
    if stage.width % 32 != 0 || !WIDTHS.contains(&stage.width) {
        let expected = "a multiple of 32 in 32..256".to_string();
        return wrong("width", expected, stage.width.to_string());
    }
    if stage.width != width {
        let expected = format!("{width} as on the way down");
        return wrong("width", expected, stage.width.to_string());
    }
    if stage.blocks > MOST_BLOCKS {
        let expected = format!("at most {MOST_BLOCKS}");
        return wrong("blocks", expected, stage.blocks.to_string());
    }
    let told = |value: Option<u32>| value.map_or("none".to_string(), |v| v.to_string());
    match stage.kind {
        StageKind::Conv => {
            if stage.heads.is_some() || stage.shift.is_some() {
                let got = format!("{} and {}", told(stage.heads), told(stage.shift));
                return wrong("heads and shift", "none in a conv stage".to_string(), got);
            }
        }
        StageKind::Swin => {
            if stage.heads != Some(stage.width / HEAD) {
                let expected = format!("{}, one for {HEAD} channels", stage.width / HEAD);
                return wrong("heads", expected, told(stage.heads));
            }
            if !stage.shift.is_some_and(|shift| SHIFTS.contains(&shift)) {
                return wrong("shift", "0 or 4".to_string(), told(stage.shift));
            }
        }
    }
    Ok(())
}

// The features and heads of every model are as wide as the passes around the network.
const _: () = assert!(FEATURES % 32 == 0 && HEADS % 32 == 0);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_trained_network_costs_what_its_training_counts() {
        let network = Architecture::conv(&[32, 32, 64, 128], &[0, 1, 1, 1, 1, 1, 1]).unwrap();
        assert_eq!(network.levels(), 4);
        // training/reconstruction_training/network.py, multiplications()
        let by_level = 18.0
            * (32.0 * 32.0 / 4.0
                + 2.0 * 32.0 * 32.0 / 16.0
                + 2.0 * 64.0 * 64.0 / 64.0
                + 128.0 * 128.0 / 256.0);
        let between = 2.0 * (32.0 * 32.0 / 4.0 + 32.0 * 64.0 / 16.0 + 64.0 * 128.0 / 64.0);
        let ends = (64.0 * 32.0 + 32.0 * 32.0) / 4.0;
        assert_eq!(
            network.kmac_per_pixel(),
            (by_level + between + ends) / 1000.0
        );
    }

    #[test]
    fn json_round_trips_and_names_are_those_of_the_design() {
        let network = Architecture::conv(&[32, 64, 96], &[1, 0, 2, 1, 1]).unwrap();
        let names: Vec<_> = network.stages().iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["enc0", "enc1", "enc2", "dec1", "dec0"]);
        assert_eq!(
            Architecture::from_json(&network.to_json()).unwrap(),
            network
        );
    }

    #[test]
    fn swin_stages_have_heads_and_a_shift_on_the_way_up() {
        let network = Architecture::conv(&[32, 64, 96], &[1, 1, 1, 1, 1])
            .and_then(|network| network.with_swin(&["enc2", "dec"]))
            .unwrap();
        let told: Vec<_> = (network.stages().iter())
            .map(|s| (s.kind == StageKind::Swin, s.heads, s.shift))
            .collect();
        let expected = [
            (false, None, None),
            (false, None, None),
            (true, Some(3), Some(0)),
            (true, Some(2), Some(4)),
            (true, Some(1), Some(4)),
        ];
        assert_eq!(told, expected);
        let again = Architecture::from_json(&network.to_json()).unwrap();
        assert_eq!(again, network);
    }

    #[test]
    fn what_is_no_network_is_refused_in_a_line() {
        let good = Architecture::conv(&[32, 64, 96], &[1, 1, 1, 1, 1]).unwrap();
        let edit = |change: fn(&mut Vec<Stage>)| {
            let mut stages = good.stages().to_vec();
            change(&mut stages);
            Architecture::new(stages).unwrap_err().to_string()
        };
        let cases = [
            (edit(|s| s.truncate(4)), "stages: expected 5, 7, 9 or 11"),
            (
                edit(|s| s.swap(0, 1)),
                "stages[0].name: expected enc0, got enc1",
            ),
            (
                edit(|s| s[2].width = 288),
                "stage enc2: width: expected a multiple of 32",
            ),
            (
                edit(|s| s[3].width = 32),
                "stage dec1: width: expected 64 as on the way down",
            ),
            (
                edit(|s| s[0].blocks = 5),
                "stage enc0: blocks: expected at most 4, got 5",
            ),
            (
                edit(|s| s[0].shift = Some(4)),
                "stage enc0: heads and shift: expected none",
            ),
            (
                edit(|s| s[1].kind = StageKind::Swin),
                "stage enc1: heads: expected 2",
            ),
            (
                edit(|s| (s[2].kind, s[2].heads, s[2].shift) = (StageKind::Swin, Some(3), Some(2))),
                "stage enc2: shift: expected 0 or 4, got 2",
            ),
        ];
        for (got, expected) in cases {
            assert!(got.contains(expected), "{got}");
            assert_eq!(got.lines().count(), 1);
        }
        let text = Architecture::from_json("[{\"name\":\"enc0\"}]").unwrap_err();
        assert!(
            text.to_string().contains("stages: expected a JSON list"),
            "{text}"
        );
    }
}
