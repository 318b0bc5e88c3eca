//! The engine's side of a host's device: capabilities, shared pipelines, and what waits to be freed.

use crate::capabilities::{refusals, size_refusals, Capabilities};
use crate::error::{Reason, Result};
use crate::frame::LastFinished;
use crate::functions;
use crate::gpu::Gpu;
use crate::handles::HostHandles;
use crate::matrices::has_byte_matrices;
use crate::pipeline::{missing_shader, Pipeline};
use crate::resources::Resources;
use reconstruction_core::convention::{Feature, Model};
use reconstruction_core::host_blocks::EnabledFeature;
use reconstruction_core::network::{Model as Network, Path};
use reconstruction_core::pass::Pass;
use reconstruction_core::{passes, Mode, Recommendation, Size, Sizes};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What to render at, and why a context of that size cannot be made, if so.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// Sizes of the mode; where the context is unsupported, `optimal` is the output size.
    pub recommendation: Recommendation,
    /// The line with which the constructor would refuse.
    pub unsupported: Option<Reason>,
}

/// A host's device. Contexts share its pipelines and outlive it where they must.
///
/// Dropping the last reference frees what the device has finished with. Call [`Device::collect`] with
/// [`LastFinished::Idle`] before, once the device is idle, so that this is everything; what may still be in use is
/// left to the host's own end.
pub struct Device {
    pub(crate) gpu: Arc<Gpu>,
    frames_in_flight: u32,
    enabled_features: u32,
    has_matrices: bool,
    pipelines: Mutex<Vec<(&'static Pass, Arc<Pipeline>)>>,
    graveyard: Mutex<Vec<Buried>>,
    /// Newest host frame in which anything was recorded.
    newest_recorded: AtomicU64,
    /// Newest host frame that is known to have finished.
    finished: AtomicU64,
}

/// The objects of a closed context, and the host frame that used them last.
struct Buried {
    last_use: u64,
    resources: Resources,
}

impl Device {
    /// Takes a host's device.
    ///
    /// A device that lacks something is taken too: [`Device::support`] then says what.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) for a null handle, [`Error::Unsupported`](crate::Error::Unsupported)
    /// that names a missing function.
    ///
    /// # Safety
    /// The handles are alive, belong together, and outlive the device and every context of it.
    pub unsafe fn from_host(handles: HostHandles) -> Result<Arc<Device>> {
        handles.check()?;
        // SAFETY: guaranteed by the caller.
        let (instance, device, capabilities) = unsafe {
            let (instance, device) = functions::load(&handles)?;
            let capabilities = Capabilities::read(
                &instance,
                handles.physical_device,
                handles.queue_family,
                handles.api_version,
            );
            (instance, device, capabilities)
        };
        let enabled = handles.enabled_features;
        let wants_matrices = is_enabled(enabled, EnabledFeature::CooperativeMatrix)
            && is_enabled(enabled, EnabledFeature::ShaderInt8);
        // SAFETY: guaranteed by the caller.
        let has_matrices = wants_matrices && unsafe { has_byte_matrices(&handles, &instance) };
        let gpu = Gpu::new(instance, device, handles.physical_device, capabilities)?;
        Ok(Arc::new(Device {
            gpu: Arc::new(gpu),
            frames_in_flight: handles.frames_in_flight,
            enabled_features: handles.enabled_features,
            has_matrices,
            pipelines: Mutex::default(),
            graveyard: Mutex::default(),
            newest_recorded: AtomicU64::new(0),
            finished: AtomicU64::new(0),
        }))
    }

    /// What the device can do.
    pub fn capabilities(&self) -> &Capabilities {
        &self.gpu.capabilities
    }

    /// Name of the device.
    pub fn name(&self) -> &str {
        &self.gpu.capabilities.device_name
    }

    /// Frames that the host keeps in flight.
    pub fn frames_in_flight(&self) -> u32 {
        self.frames_in_flight
    }

    /// Features that the host enabled, as given.
    pub fn enabled_features(&self) -> u32 {
        self.enabled_features
    }

    /// How networks are computed here: as fast as the features allow that the host enabled. Matrices wait until their
    /// bits were compared on a device that has them; the stage checker runs them.
    pub fn network_path(&self) -> Path {
        match self.runs_path(Path::Dot) {
            true => Path::Dot,
            false => Path::Plain,
        }
    }

    /// Whether networks can be computed on a path here.
    pub fn runs_path(&self, path: Path) -> bool {
        match path {
            Path::Plain => true,
            Path::Dot => is_enabled(self.enabled_features, EnabledFeature::IntegerDotProduct),
            // Attention takes dot products there.
            Path::Matrix => self.has_matrices && self.runs_path(Path::Dot),
        }
    }

    /// Bytes of device memory in use by contexts, closed ones that wait to be freed among them.
    pub fn allocated_bytes(&self) -> u64 {
        self.gpu.allocated_bytes()
    }

    /// Whether the device was found to be lost.
    pub fn is_lost(&self) -> bool {
        self.gpu.is_lost()
    }

    /// Whether a feature runs with a model on this device at some size.
    ///
    /// # Errors
    /// The first reason why not.
    pub fn support(&self, feature: Feature, model: Model) -> std::result::Result<(), Reason> {
        match (feature, model) {
            (Feature::SuperResolution, Model::Analytic | Model::Network) => {}
            (Feature::RayReconstruction, _) => {
                return Err(Reason::new(
                    "rayReconstruction",
                    "false",
                    "true",
                    "this version ships no ray reconstruction; use super resolution",
                ))
            }
        }
        for pass in passes::baseline() {
            if reconstruction_shaders::shader(pass).is_none() {
                if let crate::Error::Unsupported(reason) = missing_shader(pass) {
                    return Err(reason);
                }
            }
        }
        refusals(self.capabilities())
            .into_iter()
            .next()
            .map_or(Ok(()), Err)
    }

    /// The render size of a mode for an output size, and whether a context of it can be made. `network`: that of the
    /// context, whose memory counts.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) when the output size or a free scale is out of range.
    pub fn recommend(
        &self,
        output: Size,
        mode: Mode,
        feature: Feature,
        model: Model,
        network: Option<&Network>,
    ) -> Result<Advice> {
        let mut recommendation = reconstruction_core::size::recommend(output, mode)?;
        let sizes = Sizes::new(recommendation.optimal, output, mode)?;
        let unsupported = self
            .support(feature, model)
            .err()
            .or_else(|| self.size_refusal(&sizes, false, network));
        if unsupported.is_some() {
            let native = Sizes::new(output, output, Mode::Dlaa)?;
            recommendation.optimal = output;
            recommendation.jitter_phases = native.jitter_phases();
            recommendation.mip_bias = native.mip_bias();
        }
        Ok(Advice {
            recommendation,
            unsupported,
        })
    }

    /// Why these sizes do not fit the device.
    pub(crate) fn size_refusal(
        &self,
        sizes: &Sizes,
        has_debug_image: bool,
        network: Option<&Network>,
    ) -> Option<Reason> {
        size_refusals(self.capabilities(), sizes, has_debug_image, network)
            .into_iter()
            .next()
    }

    /// Frees every closed context whose last use has finished. Cheap when there is none.
    ///
    /// # Errors
    /// [`Error::DeviceLost`](crate::Error::DeviceLost) when the host says so; closed contexts are freed all the same.
    pub fn collect(&self, last_finished: LastFinished) -> Result<()> {
        match last_finished {
            LastFinished::Frame(frame) => {
                self.finished.fetch_max(frame, Ordering::Relaxed);
            }
            LastFinished::Idle => {
                let newest = self.newest_recorded.load(Ordering::Relaxed);
                self.finished.fetch_max(newest, Ordering::Relaxed);
            }
            LastFinished::Lost => self.gpu.set_lost(),
        }
        self.graveyard()
            .retain(|buried| !self.has_finished(buried.last_use));
        self.gpu.check_lost()
    }

    /// Whether the device has finished a host frame. A lost device works on nothing any more.
    pub(crate) fn has_finished(&self, frame: u64) -> bool {
        frame <= self.finished() || self.is_lost()
    }

    /// Newest host frame that is known to have finished.
    pub(crate) fn finished(&self) -> u64 {
        self.finished.load(Ordering::Relaxed)
    }

    /// Takes note that commands were recorded in a host frame.
    pub(crate) fn note_recorded(&self, frame: u64) {
        self.newest_recorded.fetch_max(frame, Ordering::Relaxed);
    }

    /// Keeps the objects of a closed context until their last use has finished.
    pub(crate) fn bury(&self, resources: Resources, last_use: u64) {
        if !self.has_finished(last_use) {
            self.graveyard().push(Buried {
                last_use,
                resources,
            });
        }
    }

    /// The pipeline of a pass, made at its first use.
    pub(crate) fn pipeline(&self, pass: &'static Pass) -> Result<Arc<Pipeline>> {
        let mut pipelines = self
            .pipelines
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((_, made)) = pipelines
            .iter()
            .find(|(known, _)| std::ptr::eq(*known, pass))
        {
            return Ok(made.clone());
        }
        let made = Arc::new(Pipeline::new(&self.gpu, pass)?);
        pipelines.push((pass, made.clone()));
        Ok(made)
    }

    fn graveyard(&self) -> MutexGuard<'_, Vec<Buried>> {
        self.graveyard
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_enabled(features: u32, feature: EnabledFeature) -> bool {
    features >> feature.code() & 1 == 1
}

impl Drop for Device {
    fn drop(&mut self) {
        let is_idle = self.has_finished(self.newest_recorded.load(Ordering::Relaxed));
        for buried in self.graveyard().drain(..) {
            if is_idle || buried.last_use <= self.finished.load(Ordering::Relaxed) {
                drop(buried);
            } else {
                std::mem::forget(buried.resources);
            }
        }
        if !is_idle {
            // Commands that the device may still run refer to the pipelines.
            let pipelines = self
                .pipelines
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner);
            for pipeline in pipelines.drain(..) {
                std::mem::forget(pipeline);
            }
        }
    }
}
