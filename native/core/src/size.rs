//! Image sizes, quality modes and the recommendation that joins them.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Smallest and largest legal render size on an axis, in pixels.
pub const RENDER_RANGE: (u32, u32) = (21, 8192);
/// Smallest and largest legal output size on an axis, in pixels.
pub const OUTPUT_RANGE: (u32, u32) = (64, 8192);

/// Width and height in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Size {
    /// Pixels along x.
    pub width: u32,
    /// Pixels along y.
    pub height: u32,
}

impl Size {
    /// A size of `width` x `height` pixels.
    pub const fn new(width: u32, height: u32) -> Self {
        Size { width, height }
    }

    /// Number of pixels.
    pub const fn area(self) -> u64 {
        self.width as u64 * self.height as u64
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// How much smaller than the output the render size is.
///
/// A mode other than [`Mode::Dlaa`] only names a recommendation: every legal render size is accepted with it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Mode {
    /// Same size: antialiasing only. The render size must equal the output size.
    Dlaa,
    /// Ratio 1.5 per axis.
    Quality,
    /// Ratio 1/0.58 per axis.
    Balanced,
    /// Ratio 2 per axis.
    Performance,
    /// Ratio 3 per axis.
    UltraPerformance,
    /// Any ratio in 1..=3, the same on both axes.
    Scale(f64),
}

impl Mode {
    /// The named modes, in order of falling render size.
    pub const NAMED: [Mode; 5] = [
        Mode::Dlaa,
        Mode::Quality,
        Mode::Balanced,
        Mode::Performance,
        Mode::UltraPerformance,
    ];

    /// Name as people write it, for example `ULTRA_PERFORMANCE`.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Dlaa => "DLAA",
            Mode::Quality => "QUALITY",
            Mode::Balanced => "BALANCED",
            Mode::Performance => "PERFORMANCE",
            Mode::UltraPerformance => "ULTRA_PERFORMANCE",
            Mode::Scale(_) => "SCALE",
        }
    }

    /// Output pixels per render pixel along one axis.
    pub fn ratio(self) -> f64 {
        match self {
            Mode::Scale(scale) => scale,
            named => {
                let (numerator, denominator) = named.fraction();
                denominator as f64 / numerator as f64
            }
        }
    }

    /// Render size over output size, as an exact fraction.
    fn fraction(self) -> (u64, u64) {
        match self {
            Mode::Dlaa => (1, 1),
            Mode::Quality => (2, 3),
            Mode::Balanced => (58, 100),
            Mode::Performance => (1, 2),
            Mode::UltraPerformance => (1, 3),
            Mode::Scale(_) => unreachable!("a free scale has no fraction"),
        }
    }

    /// The recommended render size along one axis: nearest integer, halves up.
    fn render_axis(self, output: u32) -> u32 {
        match self {
            Mode::Scale(scale) => (f64::from(output) / scale + 0.5).floor() as u32,
            named => {
                let (numerator, denominator) = named.fraction();
                ((2 * u64::from(output) * numerator + denominator) / (2 * denominator)) as u32
            }
        }
    }
}

/// Smallest legal render size along an axis of `output` pixels: every rounded third is legal.
pub const fn smallest_render_axis(output: u32) -> u32 {
    (2 * output + 3) / 6
}

/// A checked pair of render size and output size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sizes {
    /// Size of colour, depth and motion.
    pub render: Size,
    /// Size of the reconstructed picture.
    pub output: Size,
}

impl Sizes {
    /// Checks a pair of sizes against the legal ranges and, for DLAA, equality.
    ///
    /// # Errors
    /// When a size or a free scale is out of range, or DLAA is asked to enlarge.
    pub fn new(render: Size, output: Size, mode: Mode) -> Result<Self> {
        check_output(output)?;
        check_mode(mode)?;
        if mode == Mode::Dlaa && render != output {
            return Err(Error::invalid(
                "inputSize",
                format!("{output} (DLAA reconstructs at the output size)"),
                render.to_string(),
                "use recommend(...).optimal, or another mode",
            ));
        }
        for (what, r, o) in [
            ("inputSize.width", render.width, output.width),
            ("inputSize.height", render.height, output.height),
        ] {
            let low = smallest_render_axis(o).max(RENDER_RANGE.0);
            let high = o.min(RENDER_RANGE.1);
            if r < low || r > high {
                return Err(Error::invalid(
                    what,
                    format!("{low}..{high} for an output of {o}"),
                    r.to_string(),
                    "the output is at most 3 times the input on each axis and never smaller; use recommend(...).optimal",
                ));
            }
        }
        Ok(Sizes { render, output })
    }

    /// Number of jitter phases of these sizes.
    pub fn jitter_phases(&self) -> u32 {
        crate::jitter::phases(self.render, self.output)
    }

    /// Mip level bias for textures of the source pass: log2(render / output) - 1.
    pub fn mip_bias(&self) -> f32 {
        let ratio = f64::from(self.render.width) / f64::from(self.output.width);
        (ratio.log2() - 1.0) as f32
    }
}

fn check_output(output: Size) -> Result<()> {
    for (what, value) in [
        ("outputSize.width", output.width),
        ("outputSize.height", output.height),
    ] {
        if value < OUTPUT_RANGE.0 || value > OUTPUT_RANGE.1 {
            return Err(Error::invalid(
                what,
                format!("{}..{} pixels", OUTPUT_RANGE.0, OUTPUT_RANGE.1),
                value.to_string(),
                "choose an output size inside this range (a minimised window has none: skip the frame)",
            ));
        }
    }
    Ok(())
}

fn check_mode(mode: Mode) -> Result<()> {
    if let Mode::Scale(scale) = mode {
        if !(1.0..=3.0).contains(&scale) {
            return Err(Error::invalid(
                "scale",
                "a ratio in 1..3",
                scale.to_string(),
                "use one of the named modes or a scale in this range",
            ));
        }
    }
    Ok(())
}

/// What to render at for an output size and a mode.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Recommendation {
    /// The render size of the mode.
    pub optimal: Size,
    /// Smallest legal render size.
    pub min: Size,
    /// Largest legal render size: the output size.
    pub max: Size,
    /// Length of the jitter sequence at the optimal size.
    pub jitter_phases: u32,
    /// Mip level bias at the optimal size.
    pub mip_bias: f32,
}

/// The recommended render size for `output` and `mode`.
///
/// # Errors
/// When the output size or a free scale is out of range.
pub fn recommend(output: Size, mode: Mode) -> Result<Recommendation> {
    check_output(output)?;
    check_mode(mode)?;
    let axis = |o: u32| {
        let low = smallest_render_axis(o).max(RENDER_RANGE.0);
        (mode.render_axis(o).clamp(low, o), low)
    };
    let (width, min_width) = axis(output.width);
    let (height, min_height) = axis(output.height);
    let sizes = Sizes {
        render: Size::new(width, height),
        output,
    };
    Ok(Recommendation {
        optimal: sizes.render,
        min: Size::new(min_width, min_height),
        max: output,
        jitter_phases: sizes.jitter_phases(),
        mip_bias: sizes.mip_bias(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn optimal(width: u32, height: u32, mode: Mode) -> Size {
        recommend(Size::new(width, height), mode).unwrap().optimal
    }

    #[test]
    fn recommended_sizes_of_1080p() {
        let sizes: Vec<Size> = Mode::NAMED
            .iter()
            .map(|&mode| optimal(1920, 1080, mode))
            .collect();
        assert_eq!(
            sizes,
            [
                Size::new(1920, 1080),
                Size::new(1280, 720),
                Size::new(1114, 626),
                Size::new(960, 540),
                Size::new(640, 360)
            ]
        );
    }

    #[test]
    fn quality_of_1440p_rounds_up() {
        assert_eq!(optimal(2560, 1440, Mode::Quality), Size::new(1707, 960));
    }

    #[test]
    fn mip_bias_of_the_ratios() {
        // log2(render / output) - 1: ratio 1 gives -1, ratio 2 gives -2.
        let bias = |mode| recommend(Size::new(1920, 1080), mode).unwrap().mip_bias;
        assert_eq!(bias(Mode::Dlaa), -1.0);
        assert_eq!(bias(Mode::Performance), -2.0);
        assert!((bias(Mode::Quality) + 1.584_962_5).abs() < 1e-6);
    }

    #[test]
    fn dlaa_demands_equality() {
        let output = Size::new(3840, 2160);
        let error = Sizes::new(Size::new(3802, 2138), output, Mode::Dlaa).unwrap_err();
        assert!(error.to_string().contains("3802x2138"), "{error}");
        assert!(Sizes::new(output, output, Mode::Dlaa).is_ok());
    }

    proptest! {
        #[test]
        fn every_recommendation_is_legal(w in 64u32..=8192, h in 64u32..=8192, scale in 1.0f64..=3.0) {
            let output = Size::new(w, h);
            for mode in Mode::NAMED.into_iter().chain([Mode::Scale(scale)]) {
                let r = recommend(output, mode).unwrap();
                for size in [r.optimal, r.min, r.max] {
                    let legal_mode = if mode == Mode::Dlaa && size != output { Mode::Quality } else { mode };
                    prop_assert!(Sizes::new(size, output, legal_mode).is_ok());
                }
                prop_assert!(r.jitter_phases >= 32);
            }
        }

        #[test]
        fn the_nearest_integer_is_taken(w in 64u32..=8192) {
            for mode in Mode::NAMED {
                let exact = f64::from(w) / mode.ratio();
                let got = f64::from(optimal(w, 64, mode).width);
                prop_assert!((got - exact).abs() <= 0.5 + 1e-9);
            }
        }

        #[test]
        fn one_pixel_outside_is_refused(w in 200u32..=8191) {
            let output = Size::new(w, w);
            let low = smallest_render_axis(w);
            prop_assert!(Sizes::new(Size::new(low - 1, w), output, Mode::Quality).is_err());
            prop_assert!(Sizes::new(Size::new(w, w + 1), output, Mode::Quality).is_err());
            prop_assert!(Sizes::new(Size::new(low, w), output, Mode::Quality).is_ok());
        }
    }
}
