//! The CPU references as an executor.

use crate::error::Result;
use crate::executor::{Executor, Input, Settings};
use crate::image::Picture;
use reconstruction_core::convention::{Bypass, DebugView};
use reconstruction_core::frame_params::{Conventions, Exposure};
use reconstruction_core::plan::{Plan, Range};
use reconstruction_shaders::cpu::{CpuContext, CpuFrame, Image, Machine};

/// One context of the references.
#[derive(Debug)]
pub struct CpuExecutor {
    context: CpuContext,
    is_color_half: bool,
    prev_frame_index: Option<i64>,
}

impl CpuExecutor {
    /// A context without history.
    pub fn new(settings: Settings) -> Self {
        let conventions = Conventions {
            depth: settings.depth,
            alpha: settings.alpha,
            ..Conventions::default()
        };
        CpuExecutor {
            context: CpuContext::with_model(
                settings.sizes,
                conventions,
                settings.network.as_deref(),
            ),
            is_color_half: settings.is_color_half,
            prev_frame_index: None,
        }
    }

    /// Colour as the image of a device would hold it.
    fn color(&self, picture: &Picture) -> Image {
        let stored = |p: &[f32; 4]| match self.is_color_half {
            true => p.map(|v| half::f16::from_f32(v).to_f32()),
            false => *p,
        };
        Image::new(picture.size, picture.pixels.iter().map(stored).collect())
    }

    /// The plan that reconstructs, by parity.
    pub fn plan(&self, parity: usize) -> &Plan {
        self.context.plan(parity)
    }

    /// Reconstructs the next frame, calling `after` behind every step with the step's index and the machine.
    pub fn evaluate_watched(
        &mut self,
        input: &Input,
        after: impl FnMut(usize, &Machine),
    ) -> Picture {
        let size = input.color.size;
        // The references count frames themselves, so a gap in the caller's count is told as a reset.
        let prev_index = self.prev_frame_index.replace(input.frame_index);
        let has_gap = prev_index.is_some_and(|prev| prev + 1 != input.frame_index);
        let frame = CpuFrame {
            color: self.color(input.color),
            depth: Image::from_red(size, input.depth),
            motion: Image::from_red_green(size, input.motion),
            jitter_px: input.jitter_px,
            exposure: input.exposure.map_or(Exposure::Auto, Exposure::Scalar),
            exposure_texture: None,
            reset: input.is_reset || has_gap,
            bypass: Bypass::Off,
            debug_view: DebugView::None,
            is_color_unorm8: false,
        };
        let output = self.context.evaluate_watched(frame, after);
        Picture {
            size: output.size,
            pixels: output.texels.clone(),
        }
    }
}

impl Executor for CpuExecutor {
    fn device(&self) -> String {
        "CPU references".to_owned()
    }

    fn restart(&mut self, settings: Settings) -> Result<()> {
        *self = CpuExecutor::new(settings);
        Ok(())
    }

    fn evaluate(&mut self, input: &Input) -> Result<Picture> {
        Ok(self.evaluate_watched(input, |_, _| {}))
    }

    fn range(&mut self, range: Range) -> Result<Vec<u32>> {
        Ok(self.context.machine().range(range).to_vec())
    }
}
