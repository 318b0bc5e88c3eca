//! A whole context on the CPU: the same rules, plans and passes as the engine, frame by frame.

use super::image::Image;
use super::machine::Machine;
use reconstruction_core::convention::{Bypass, DebugView};
use reconstruction_core::frame_params::{Conventions, Exposure, FrameParams, FrameState};
use reconstruction_core::frame_plans::FramePlans;
use reconstruction_core::history::{Observation, Tracker};
use reconstruction_core::network::{Model, Path};
use reconstruction_core::plan::{ImageSlot, Plan};
use reconstruction_core::Sizes;

/// The inputs of one frame.
#[derive(Debug, Clone)]
pub struct CpuFrame {
    /// Colour, render size.
    pub color: Image,
    /// Depth in the red channel, render size.
    pub depth: Image,
    /// Motion in red and green, render size.
    pub motion: Image,
    /// Displacement of the picture in render pixels.
    pub jitter_px: [f32; 2],
    /// The exposure.
    pub exposure: Exposure,
    /// The 1x1 exposure texture, where the exposure is one.
    pub exposure_texture: Option<Image>,
    /// Whether history begins anew.
    pub reset: bool,
    /// What the frame shows.
    pub bypass: Bypass,
    /// Which debug picture is drawn.
    pub debug_view: DebugView,
    /// Whether colour comes from an 8-bit image.
    pub is_color_unorm8: bool,
}

/// One temporal view, reconstructed by the CPU references.
#[derive(Debug, Clone)]
pub struct CpuContext {
    sizes: Sizes,
    conventions: Conventions,
    plans: FramePlans,
    machine: Machine,
    tracker: Tracker,
    frame_index: i64,
}

impl CpuContext {
    /// A context of the analytic model, without history.
    pub fn new(sizes: Sizes, conventions: Conventions) -> Self {
        CpuContext::with_model(sizes, conventions, None)
    }

    /// A context of a network, or of the analytic model where there is none; without history.
    pub fn with_model(sizes: Sizes, conventions: Conventions, model: Option<&Model>) -> Self {
        let plans = FramePlans::new(sizes, model, Path::Plain);
        let mut machine = Machine::new(&plans.arena);
        if let Some(model) = model {
            machine.set_weights(&model.weights);
        }
        for slot in [ImageSlot::Output, ImageSlot::Debug] {
            machine.set_image(slot, Image::filled(sizes.output, [0.0; 4]));
        }
        CpuContext {
            sizes,
            conventions,
            plans,
            machine,
            tracker: Tracker::new(2),
            frame_index: 0,
        }
    }

    /// Reconstructs the next frame and returns the picture.
    pub fn evaluate(&mut self, frame: CpuFrame) -> &Image {
        self.evaluate_watched(frame, |_, _| {})
    }

    /// The same, calling `after` behind every step with the step's index and the machine.
    pub fn evaluate_watched(
        &mut self,
        frame: CpuFrame,
        mut after: impl FnMut(usize, &Machine),
    ) -> &Image {
        let decision = self.tracker.observe(&Observation {
            frame_index: self.frame_index,
            host_frame: self.frame_index as u64,
            revision: 0,
            images: [1, 2, 3],
            conventions: self.conventions.fingerprint(),
            jitter_px: frame.jitter_px,
            stored_factor: frame.exposure.stored_factor(),
            bypass: frame.bypass,
            reset_requested: frame.reset,
        });
        self.frame_index += 1;
        let params = FrameParams::new(
            &self.sizes,
            &self.conventions,
            &FrameState {
                jitter_px: frame.jitter_px,
                exposure: frame.exposure,
                debug_view: frame.debug_view,
                is_color_unorm8: frame.is_color_unorm8,
            },
            &decision,
        );
        let stand_in = frame
            .exposure_texture
            .unwrap_or_else(|| frame.color.clone());
        self.machine.set_image(ImageSlot::Exposure, stand_in);
        self.machine.set_image(ImageSlot::Color, frame.color);
        self.machine.set_image(ImageSlot::Depth, frame.depth);
        self.machine.set_image(ImageSlot::Motion, frame.motion);
        let plan = if frame.bypass == Bypass::Off {
            &self.plans.reconstruct[decision.parity]
        } else {
            &self.plans.bypass
        };
        for (index, step) in plan.steps.iter().enumerate() {
            self.machine.execute(step, &params);
            after(index, &self.machine);
        }
        self.output()
    }

    /// The reconstructed picture.
    pub fn output(&self) -> &Image {
        self.machine
            .image(ImageSlot::Output)
            .expect("set at creation")
    }

    /// The debug picture.
    pub fn debug_output(&self) -> &Image {
        self.machine
            .image(ImageSlot::Debug)
            .expect("set at creation")
    }

    /// The arena and images, to look at between frames.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The plan that reconstructs, by parity.
    pub fn plan(&self, parity: usize) -> &Plan {
        &self.plans.reconstruct[parity]
    }
}
