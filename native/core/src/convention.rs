//! The conventions of the inputs as types: each is an explicit code on every side of the boundary.

use crate::codes::codes;

codes! {
    /// What the depth image holds. Clip space z runs from 0 to 1.
    pub enum Depth {
        /// Projected depth, 0 at the near plane and 1 at the far plane.
        Hardware = 0,
        /// Projected depth, 1 at the near plane and 0 at the far plane.
        HardwareReversed = 1,
        /// Projected depth, 1 at the near plane and 0 at infinity.
        HardwareReversedInfinite = 2,
        /// Distance along the view axis, positive.
        ViewLinear = 3,
    }
}

impl Depth {
    /// Whether larger stored values are nearer to the camera.
    pub const fn is_reversed(self) -> bool {
        matches!(
            self,
            Depth::HardwareReversed | Depth::HardwareReversedInfinite
        )
    }
}

codes! {
    /// Unit of the motion vectors.
    pub enum MotionUnit {
        /// Pixels of the chosen grid, +x right, +y down.
        Pixels = 0,
        /// Share of the picture, top-left origin, +y down.
        UvDelta = 1,
        /// Clip space units, +y up.
        NdcYUp = 2,
        /// Clip space units, +y down.
        NdcYDown = 3,
    }
}

codes! {
    /// Which way the motion vectors point.
    pub enum MotionDirection {
        /// Previous position minus current position.
        CurrentToPrevious = 0,
        /// Current position minus previous position.
        PreviousToCurrent = 1,
    }
}

codes! {
    /// The grid whose pixels [`MotionUnit::Pixels`] counts.
    pub enum MotionGrid {
        /// Render pixels.
        Render = 0,
        /// Output pixels.
        Output = 1,
    }
}

codes! {
    /// How colour is encoded.
    pub enum ColorEncoding {
        /// Linear, scene-referred, unbounded.
        LinearHdr = 0,
        /// sRGB-encoded, 0 to 1.
        SrgbLdr = 1,
    }
}

codes! {
    /// Where the exposure of a frame comes from.
    pub enum ExposureKind {
        /// Measured from the picture.
        Auto = 0,
        /// A number: exposed colour = colour * exposure.
        Scalar = 1,
        /// Texel (0, 0) of a texture, the same meaning as the scalar.
        Texture = 2,
        /// Colour is already multiplied by this number; output stays multiplied.
        PreExposed = 3,
    }
}

codes! {
    /// What becomes of alpha.
    pub enum Alpha {
        /// Output alpha is 1.
        Ignore = 0,
        /// Alpha is reconstructed like a colour channel.
        Reconstruct = 1,
        /// Alpha of the nearest input pixel.
        CopyNearest = 2,
    }
}

codes! {
    /// What a frame shows.
    pub enum Bypass {
        /// The reconstruction.
        Off = 0,
        /// The input, enlarged: what the reconstruction receives.
        Enlarged = 1,
        /// The input itself; render and output size are equal.
        Source = 2,
    }
}

codes! {
    /// What a context reconstructs.
    pub enum Feature {
        /// Antialiasing and super resolution.
        SuperResolution = 0,
        /// Denoising and super resolution from material guides.
        RayReconstruction = 1,
    }
}

codes! {
    /// Which reconstruction model runs.
    pub enum Model {
        /// Temporal upscaling without a network.
        Analytic = 0,
        /// The shipped network.
        Network = 1,
    }
}

codes! {
    /// Which intermediate picture the debug view shows.
    pub enum DebugView {
        /// None: no debug picture is drawn.
        None = 0,
        /// The input colour as the engine read it.
        Inputs = 1,
        /// Motion after conversion: red right, green down, grey still.
        Motion = 2,
        /// The previous picture moved to where it should be now.
        HistoryReprojected = 3,
        /// Where history was usable.
        HistoryValidity = 4,
        /// Share of history in the result.
        Trust = 5,
        /// Weight of the current samples.
        SampleWeight = 6,
        /// Width of the reconstruction kernel.
        KernelWidth = 7,
        /// Where history was corrected by the clamp.
        Rejected = 8,
        /// Accumulated samples, as a share of the jitter sequence.
        PhaseCoverage = 9,
    }
}

codes! {
    /// Why history began anew.
    pub enum ResetReason {
        /// Nothing was reset.
        None = 0,
        /// The first frame.
        First = 1,
        /// The host asked for it.
        Requested = 2,
        /// The scene revision changed.
        Revision = 3,
        /// An input image was replaced.
        InputReplaced = 4,
        /// The frame index skipped ahead.
        IndexSkipped = 5,
        /// The frame index was repeated.
        IndexRepeated = 6,
        /// The frame index went back.
        IndexDecreased = 7,
        /// The host presented frames without evaluating.
        Resumed = 8,
        /// A bypass ended.
        BypassEnded = 9,
        /// The frame before was declined.
        AfterDecline = 10,
        /// A convention of the inputs changed.
        ConventionChanged = 11,
    }
}

codes! {
    /// What became of an evaluated frame.
    pub enum Outcome {
        /// The picture was reconstructed.
        Reconstructed = 0,
        /// The input was shown instead, as asked.
        Bypassed = 1,
        /// The frame could not be reconstructed; the output keeps its last picture.
        Declined = 2,
    }
}

codes! {
    /// The kinds of error that cross the boundary; each is an exception class in Kotlin.
    pub enum Fault {
        /// No fault.
        None = 0,
        /// The device lacks what the reconstruction needs.
        UnsupportedDevice = 1,
        /// An argument is wrong.
        InvalidInput = 2,
        /// The object is not in a state for this call.
        InvalidState = 3,
        /// Device memory is exhausted.
        OutOfDeviceMemory = 4,
        /// The device was lost.
        DeviceLost = 5,
        /// A fault of this library.
        InternalFault = 6,
    }
}

/// Factor per axis that turns stored motion into previous-minus-current render pixels, y down.
pub fn motion_scale(
    unit: MotionUnit,
    direction: MotionDirection,
    grid: MotionGrid,
    sizes: &crate::Sizes,
) -> [f32; 2] {
    let render = [sizes.render.width as f32, sizes.render.height as f32];
    let output = [sizes.output.width as f32, sizes.output.height as f32];
    let sign = match direction {
        MotionDirection::CurrentToPrevious => 1.0,
        MotionDirection::PreviousToCurrent => -1.0,
    };
    let factor = |axis: usize| match unit {
        MotionUnit::Pixels => match grid {
            MotionGrid::Render => 1.0,
            MotionGrid::Output => render[axis] / output[axis],
        },
        MotionUnit::UvDelta => render[axis],
        MotionUnit::NdcYUp if axis == 1 => render[axis] * -0.5,
        MotionUnit::NdcYUp | MotionUnit::NdcYDown => render[axis] * 0.5,
    };
    [sign * factor(0), sign * factor(1)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Size, Sizes};

    #[test]
    fn every_unit_describes_the_same_step() {
        // A point that moves 4 render pixels right and 2 down: (-4, -2) in previous minus current.
        let sizes = Sizes {
            render: Size::new(960, 540),
            output: Size::new(1920, 1080),
        };
        let cases = [
            (MotionUnit::Pixels, MotionGrid::Render, [-4.0, -2.0]),
            (MotionUnit::Pixels, MotionGrid::Output, [-8.0, -4.0]),
            (
                MotionUnit::UvDelta,
                MotionGrid::Render,
                [-4.0 / 960.0, -2.0 / 540.0],
            ),
            (
                MotionUnit::NdcYUp,
                MotionGrid::Render,
                [-8.0 / 960.0, 4.0 / 540.0],
            ),
            (
                MotionUnit::NdcYDown,
                MotionGrid::Render,
                [-8.0 / 960.0, -4.0 / 540.0],
            ),
        ];
        for (unit, grid, stored) in cases {
            let scale = motion_scale(unit, MotionDirection::CurrentToPrevious, grid, &sizes);
            for axis in 0..2 {
                let px = stored[axis] * scale[axis];
                assert!(
                    (px - [-4.0, -2.0][axis]).abs() < 1e-5,
                    "{unit:?} {grid:?}: {px}"
                );
            }
            let opposite = motion_scale(unit, MotionDirection::PreviousToCurrent, grid, &sizes);
            assert_eq!(opposite, [-scale[0], -scale[1]]);
        }
    }
}
