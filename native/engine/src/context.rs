//! One temporal view: its sizes, histories, output, and the frames that are evaluated into it.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::frame::{Frame, Outcome};
use crate::image_desc::ImageDesc;
use crate::program::PlanKind;
use crate::record::{bindings, Recorder};
use crate::resources::{Resources, SLOT_BYTES};
use crate::ring::{Ring, Use};
use crate::validate::Wall;
use ash::vk::{self, Handle};
use reconstruction_core::convention::{Bypass, Feature, Model, ResetReason};
use reconstruction_core::error::printable;
use reconstruction_core::frame_params::{FrameParams, FrameState};
use reconstruction_core::history::{Decision, Observation, Tracker};
use reconstruction_core::network::Model as Network;
use reconstruction_core::{Mode, Size, Sizes};
use std::sync::Arc;

/// What a context is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextSettings {
    /// Size of colour, depth and motion.
    pub render: Size,
    /// Size of the output.
    pub output: Size,
    /// The mode; other than DLAA it only names a recommendation.
    pub mode: Mode,
    /// What is reconstructed.
    pub feature: Feature,
    /// Which model does it.
    pub model: Model,
    /// The network of [`Model::Network`]; contexts may share one.
    pub network: Option<Arc<Network>>,
    /// Whether a debug image of the output's size is made.
    pub debug: bool,
    /// How messages call the context; may be empty.
    pub name: String,
}

/// The last reset of a context's history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastReset {
    /// Index of the frame that reset.
    pub frame_index: i64,
    /// Why.
    pub reason: ResetReason,
    /// The caller's words for [`ResetReason::Requested`]; empty for the others.
    pub text: String,
}

/// A temporal view on a device. Use it from one thread at a time.
///
/// Every command buffer that an evaluate recorded into is submitted, in the order of the evaluates, to a queue of the
/// family that the device was made with.
pub struct Context {
    pub(crate) device: Arc<Device>,
    pub(crate) settings: ContextSettings,
    pub(crate) sizes: Sizes,
    /// None once closed.
    pub(crate) resources: Option<Resources>,
    pub(crate) ring: Ring,
    pub(crate) tracker: Tracker,
    /// Whether output, debug image and arena have their first contents.
    pub(crate) is_initialised: bool,
    pub(crate) last_host_frame: u64,
    /// Host frame that used the resources last; none before the first recorded command.
    pub(crate) last_use: Option<u64>,
    pub(crate) last_frame_index: Option<i64>,
    pub(crate) frames_since_reset: u32,
    pub(crate) reset_text: String,
    pub(crate) last_decline: String,
}

impl Context {
    /// Makes a context; commands are recorded only by evaluate.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a feature, a model or a size that this device lacks, before anything else is looked
    /// at; [`Error::Invalid`] for illegal sizes; [`Error::OutOfDeviceMemory`] and others with everything freed.
    pub fn new(device: &Arc<Device>, mut settings: ContextSettings) -> Result<Context> {
        device.support(settings.feature, settings.model)?;
        device.gpu.check_lost()?;
        // Lines are ASCII, whatever the name.
        settings.name = settings.name.chars().map(printable).collect();
        let sizes = Sizes::new(settings.render, settings.output, settings.mode)?;
        let network = network_of(&settings)?;
        if let Some(reason) = device.size_refusal(&sizes, settings.debug, network) {
            return Err(reason.into());
        }
        let ring = Ring::new(device.frames_in_flight());
        let resources = Resources::new(device, &sizes, settings.debug, ring.len(), network)?;
        Ok(Context {
            device: device.clone(),
            tracker: Tracker::new(device.frames_in_flight()),
            settings,
            sizes,
            resources: Some(resources),
            ring,
            is_initialised: false,
            last_host_frame: 0,
            last_use: None,
            last_frame_index: None,
            frames_since_reset: 0,
            reset_text: String::with_capacity(132),
            last_decline: String::new(),
        })
    }

    /// Records a frame into the host's command buffer.
    ///
    /// All earlier writes to the inputs become visible to it; the inputs stay in their declared layouts. The output is
    /// in the read-only layout before and after, readable by every later command. Disturbed are the compute pipeline
    /// and descriptor set 0 of the compute bind point, nothing else.
    ///
    /// # Errors
    /// [`Error::Invalid`] and [`Error::InvalidState`] before anything is recorded, the context stays usable;
    /// [`Error::DeviceLost`] once the device is lost.
    ///
    /// # Safety
    /// `commands` is a primary command buffer of the device in the recording state, outside a render pass, of the
    /// queue family that the device was made with. The images are what their descriptions say and outlive the frame.
    pub unsafe fn evaluate(
        &mut self,
        commands: vk::CommandBuffer,
        frame: &Frame<'_>,
    ) -> Result<Outcome> {
        self.device.collect(frame.last_finished)?;
        let resources = self.resources.as_ref().ok_or_else(|| self.closed())?;
        let wall = Wall {
            settings: &self.settings,
            sizes: &self.sizes,
            device: self.device.gpu.handle,
            output: resources.output.handle,
            debug: resources.debug.handle,
            last_host_frame: self.last_host_frame,
        };
        let declined = wall.check(commands, frame)?;
        let slot = self.ring.free_slot(&self.device)?;
        let observation = self.observation(frame);
        let device = self.device.clone();
        let recorder = Recorder {
            device: &device.gpu.device,
            commands,
            resources,
            slot,
            is_timed: frame.wants_timings,
        };
        if let Some(reason) = declined {
            if !self.is_initialised {
                recorder.begin(true);
                recorder.end();
                self.note_recorded(frame);
            }
            self.tracker.decline(&observation);
            self.last_host_frame = frame.host_frame;
            self.last_frame_index = Some(frame.frame_index);
            self.keep_reset_text(frame);
            self.last_decline.clone_from(&reason);
            return Ok(Outcome::Declined(reason));
        }

        let decision = self.tracker.observe(&observation);
        let is_bypassed = frame.bypass != Bypass::Off;
        let kind = if is_bypassed {
            PlanKind::Bypass
        } else {
            PlanKind::Reconstruct
        };
        let images = bindings(frame, resources);
        recorder.begin(!self.is_initialised);
        recorder.begin_timing();
        recorder.plan(kind, decision.parity, &images);
        let has_statistics =
            frame.wants_statistics && frame.depth.is_some() && frame.motion.is_some();
        if has_statistics {
            recorder.statistics(&images);
        }
        recorder.end();

        let params = self.parameters(frame, &decision);
        self.write_parameters(slot, &params);
        self.ring.take(Use {
            host_frame: frame.host_frame,
            frame_index: frame.frame_index,
            timed: (frame.wants_timings).then_some(kind),
            has_statistics,
        });
        self.note_recorded(frame);
        self.last_host_frame = frame.host_frame;
        self.last_frame_index = Some(frame.frame_index);
        self.keep_reset_text(frame);
        if is_bypassed {
            return Ok(Outcome::Bypassed);
        }
        self.frames_since_reset = decision.frames_since_reset;
        Ok(Outcome::Reconstructed {
            reset: decision.reset,
            frames_since_reset: decision.frames_since_reset,
        })
    }

    /// Ends the context. Its memory is freed by [`Device::collect`] or a later evaluate of any context, once the
    /// device has finished its last use. Closing twice does nothing.
    pub fn close(&mut self) {
        if let Some(resources) = self.resources.take() {
            match self.last_use {
                Some(frame) => self.device.bury(resources, frame),
                None => drop(resources),
            }
        }
    }

    /// Whether the context was closed.
    pub fn is_closed(&self) -> bool {
        self.resources.is_none()
    }

    fn parameters(&self, frame: &Frame<'_>, decision: &Decision) -> FrameParams {
        let state = FrameState {
            jitter_px: frame.jitter_px,
            exposure: frame.exposure.without_texture(),
            debug_view: frame.debug_view,
            is_color_unorm8: frame.color.format == vk::Format::R8G8B8A8_UNORM,
        };
        FrameParams::new(&self.sizes, &frame.conventions, &state, decision)
    }

    pub(crate) fn write_parameters(&mut self, slot: usize, params: &FrameParams) {
        if let Some(resources) = &mut self.resources {
            let at = slot * SLOT_BYTES as usize;
            let bytes = &mut resources.parameters.mapped_mut()[at..at + FrameParams::SIZE];
            params.put(bytes);
        }
    }

    fn observation(&self, frame: &Frame<'_>) -> Observation {
        let id = |image: &Option<ImageDesc>| image.map_or(0, |image| image.image.as_raw());
        Observation {
            frame_index: frame.frame_index,
            host_frame: frame.host_frame,
            revision: frame.revision,
            images: [
                frame.color.image.as_raw(),
                id(&frame.depth),
                id(&frame.motion),
            ],
            conventions: frame.conventions.fingerprint(),
            jitter_px: frame.jitter_px,
            stored_factor: frame.exposure.without_texture().stored_factor(),
            bypass: frame.bypass,
            reset_requested: frame.reset.is_some(),
        }
    }

    fn keep_reset_text(&mut self, frame: &Frame<'_>) {
        if let Some(text) = frame.reset {
            self.reset_text.clear();
            self.reset_text.extend(text.chars().map(printable));
        }
    }

    pub(crate) fn note_recorded(&mut self, frame: &Frame<'_>) {
        self.is_initialised = true;
        self.last_use = Some(frame.host_frame);
        self.device.note_recorded(frame.host_frame);
    }

    pub(crate) fn open(&self) -> Result<&Resources> {
        self.resources.as_ref().ok_or_else(|| self.closed())
    }

    pub(crate) fn closed(&self) -> Error {
        Error::InvalidState {
            what: self.called(),
            expected: "an open one",
            got: "a closed one",
            remedy: "make a new context",
        }
    }

    pub(crate) fn called(&self) -> String {
        if self.settings.name.is_empty() {
            "context".into()
        } else {
            format!("context '{}'", self.settings.name)
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.close();
    }
}

/// The network that decides, where one does.
fn network_of(settings: &ContextSettings) -> Result<Option<&Network>> {
    let refuse = |expected: &str, got: String, remedy| Error::Invalid {
        what: "network".into(),
        expected: expected.into(),
        got,
        remedy,
    };
    match (settings.model, &settings.network) {
        (Model::Analytic, _) => Ok(None),
        (_, Some(network)) if network.feature == settings.feature => Ok(Some(network)),
        (_, Some(network)) => {
            let expected = format!("one for {:?}", settings.feature);
            let got = format!("{}, for {:?}", network.name, network.feature);
            Err(refuse(&expected, got, "name a model of this feature"))
        }
        (_, None) => Err(refuse(
            "weights",
            "none".into(),
            "read a model file, or choose the analytic model",
        )),
    }
}
