//! What a context tells: its pictures, times, counts, the state of its history.

use crate::context::{Context, ContextSettings, LastReset};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::image_desc::ImageDesc;
use crate::memory::Image;
use crate::program::PlanKind;
use crate::record::{bindings, Recorder};
use crate::resources::Resources;
use crate::ring::{Statistics, Timings, Use};
use ash::vk;
use reconstruction_core::convention::ResetReason;
use reconstruction_core::frame_params::FrameParams;
use reconstruction_core::plan::{ArenaLayout, Plan};
use reconstruction_core::Sizes;
use std::sync::Arc;

impl Context {
    /// The output: RGBA16F, in the read-only layout from the first recorded evaluate on.
    ///
    /// # Errors
    /// [`Error::InvalidState`] after close.
    pub fn output(&self) -> Result<ImageDesc> {
        Ok(self.describe(&self.open()?.output))
    }

    /// The debug image, like the output.
    ///
    /// # Errors
    /// [`Error::InvalidState`] after close, or for a context made without one.
    pub fn debug_output(&self) -> Result<ImageDesc> {
        let resources = self.open()?;
        if !self.settings.debug {
            return Err(Error::InvalidState {
                what: self.called(),
                expected: "one with a debug image",
                got: "one without",
                remedy: "make the context with debug = true",
            });
        }
        Ok(self.describe(&resources.debug))
    }

    /// The sizes.
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// What the context was made of.
    pub fn settings(&self) -> &ContextSettings {
        &self.settings
    }

    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Bytes of device memory; 0 after close.
    pub fn device_bytes(&self) -> u64 {
        self.resources.as_ref().map_or(0, Resources::bytes)
    }

    /// Device and pipelines in words.
    pub fn backend(&self) -> String {
        format!("{}, portable pipelines", self.device.name())
    }

    /// GPU times of the newest finished frame that asked for them; none before, or where the queue has no timestamps.
    ///
    /// # Errors
    /// [`Error::InvalidState`] after close, [`Error::DeviceLost`].
    pub fn timings(&self) -> Result<Option<Timings>> {
        let resources = self.open()?;
        self.device.gpu.check_lost()?;
        self.ring.timings(&self.device, resources)
    }

    /// Counts of the newest finished frame that asked for them; none before.
    ///
    /// # Errors
    /// [`Error::InvalidState`] after close, [`Error::DeviceLost`].
    pub fn statistics(&self) -> Result<Option<Statistics>> {
        let resources = self.open()?;
        self.device.gpu.check_lost()?;
        Ok(self.ring.statistics(&self.device, resources, &self.sizes))
    }

    /// The last reset; none before the first reconstructed frame.
    pub fn last_reset(&self) -> Option<LastReset> {
        self.tracker.last_reset().map(|reset| LastReset {
            frame_index: reset.frame_index,
            reason: reset.reason,
            text: match reset.reason {
                ResetReason::Requested => self.reset_text.clone(),
                _ => String::new(),
            },
        })
    }

    /// Frames since the last reset, 0 in the frame that reset.
    pub fn frames_since_reset(&self) -> u32 {
        self.frames_since_reset
    }

    /// Why the last declined frame was declined.
    pub fn last_decline(&self) -> Option<&str> {
        (!self.last_decline.is_empty()).then_some(self.last_decline.as_str())
    }

    /// One line for people: feature, model, sizes, frame, last reset, last decline.
    pub fn status_line(&self) -> String {
        let s = &self.settings;
        let mut line = format!(
            "{} {:?} {:?} {} {} to {}",
            self.called(),
            s.feature,
            s.model,
            s.mode.name(),
            self.sizes.render,
            self.sizes.output
        );
        if let Some(frame) = self.last_frame_index {
            line += &format!(", frame {frame}");
        }
        if let Some(reset) = self.last_reset() {
            line += &format!(", reset in {} ({:?}", reset.frame_index, reset.reason);
            if !reset.text.is_empty() {
                line += &format!(": {}", reset.text);
            }
            line.push(')');
        }
        if let Some(reason) = self.last_decline() {
            line += &format!(", declined ({reason})");
        }
        if self.is_closed() {
            line += ", closed";
        }
        if self.device.is_lost() {
            line += ", device lost";
        }
        line
    }

    /// The arena's buffer and layout, for tests that compare passes; the buffer can be copied from and to.
    ///
    /// # Errors
    /// [`Error::InvalidState`] after close.
    pub fn arena(&self) -> Result<(vk::Buffer, &ArenaLayout)> {
        let resources = self.open()?;
        Ok((resources.arena.handle, &resources.program.plans.arena))
    }

    /// A plan of this context.
    ///
    /// # Errors
    /// [`Error::InvalidState`] after close.
    pub fn plan(&self, kind: PlanKind, parity: usize) -> Result<&Plan> {
        Ok(self.open()?.program.plan(kind, parity & 1))
    }

    /// Records a single step of a plan with these parameters over the arena as it is, for tests that compare passes.
    /// History is not consulted; the parameters' sizes are the context's.
    ///
    /// # Errors
    /// As [`Context::evaluate`].
    ///
    /// # Safety
    /// As [`Context::evaluate`].
    pub unsafe fn record_step(
        &mut self,
        commands: vk::CommandBuffer,
        frame: &Frame<'_>,
        kind: PlanKind,
        parity: usize,
        step: usize,
        params: &FrameParams,
    ) -> Result<()> {
        self.device.collect(frame.last_finished)?;
        let resources = self.open()?;
        let slot = self.ring.free_slot(&self.device)?;
        let recorder = Recorder {
            device: &self.device.gpu.device,
            commands,
            resources,
            slot,
            is_timed: false,
        };
        recorder.begin(!self.is_initialised);
        recorder.step(kind, parity & 1, step, &bindings(frame, resources));
        recorder.end();
        self.write_parameters(slot, params);
        self.ring.take(Use {
            host_frame: frame.host_frame,
            frame_index: frame.frame_index,
            timed: None,
            has_statistics: false,
        });
        self.note_recorded(frame);
        Ok(())
    }

    fn describe(&self, image: &Image) -> ImageDesc {
        ImageDesc {
            view: image.view,
            image: image.handle,
            device: self.device.gpu.handle,
            format: Image::FORMAT,
            size: image.size,
            usage: image.usage,
            samples: 1,
            mips: 1,
            layers: 1,
            layout: vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
            aspect: vk::ImageAspectFlags::COLOR,
            is_alive: true,
        }
    }
}
