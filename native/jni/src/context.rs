//! A context: blocks in, engine, blocks out.

use crate::fault::Thrown;
use crate::host::HostObject;
use crate::objects::Object;
use ash::vk;
use ash::vk::Handle;
use percent_encoding::percent_decode_str;
use reconstruction_core::block::Text;
use reconstruction_core::convention::{
    Alpha, Bypass, ColorEncoding, DebugView, Depth, ExposureKind, Fault, Feature, Model,
    MotionDirection, MotionGrid, MotionUnit, Outcome as OutcomeCode, ResetReason,
};
use reconstruction_core::host_blocks::{
    mode_from_code, size_of_words, ContextBlock, CreatedBlock, FrameBlock, ImageBlock, InputSlot,
    Query, ReplyBlock, StatisticsBlock, TimingBlock, TimingEntry, CREATE_BYTES, MAX_TIMINGS,
    TIMINGS_BYTES,
};
use reconstruction_core::network::{self, Model as Network};
use reconstruction_engine::{
    Context, ContextSettings, Conventions, Exposure, Frame, ImageDesc, LastFinished, Outcome,
};
use std::path::Path;
use std::sync::Arc;

/// The network of a context: that of a file, its path in the escapes of a URI, or the shipped one.
pub(crate) fn network(
    feature: Feature,
    model: Model,
    path: &str,
) -> Result<Option<Arc<Network>>, Thrown> {
    match (model, path) {
        (Model::Analytic, _) => Ok(None),
        (_, "") => Ok(reconstruction_models::shipped(feature)),
        (_, path) => {
            let path = percent_decode_str(path).decode_utf8_lossy();
            Ok(Some(Arc::new(network::read(Path::new(&*path))?)))
        }
    }
}

/// What a context's handle names.
pub struct ContextObject {
    context: Context,
}

impl ContextObject {
    /// Makes a context of a host; answers its handle and the bytes behind the [`ContextBlock`].
    pub fn create(host: i64, block: &ContextBlock) -> Result<(i64, Vec<u8>), Thrown> {
        let (feature, model) = (
            Feature::from_code(block.feature)?,
            Model::from_code(block.model)?,
        );
        let settings = ContextSettings {
            feature,
            model,
            network: network(feature, model, &block.model_path.as_str())?,
            mode: mode_from_code(block.mode, block.scale_bits)?,
            render: size_of_words(block.render_size),
            output: size_of_words(block.output_size),
            debug: block.wants_debug != 0,
            name: block.name.as_str(),
        };
        HostObject::map().with(host, |host| {
            let context = Context::new(&host.device, settings)?;
            let answer = created(&context)?;
            let handle = Self::map().insert(ContextObject { context });
            host.contexts.push(handle);
            Ok((handle, answer))
        })
    }

    /// Records a frame. `bytes` holds a [`FrameBlock`] and the images.
    pub fn evaluate(&mut self, bytes: &[u8]) -> Result<ReplyBlock, Thrown> {
        let block = FrameBlock::get(&bytes[..FrameBlock::SIZE]);
        let image = |slot: InputSlot| image(bytes, block.image_mask, slot);
        let reset_text = block.reset_text.as_str();
        let frame = Frame {
            host_frame: block.host_frame,
            last_finished: LastFinished::from_code(block.last_finished),
            frame_index: block.frame_index as i64,
            revision: block.revision as i64,
            jitter_px: block.jitter_px,
            exposure: match ExposureKind::from_code(block.exposure_kind)? {
                ExposureKind::Auto => Exposure::Auto,
                ExposureKind::Scalar => Exposure::Scalar(block.exposure_scale),
                ExposureKind::PreExposed => Exposure::PreExposed(block.exposure_scale),
                ExposureKind::Texture => Exposure::Texture(
                    image(InputSlot::Exposure)?.ok_or_else(|| missing("exposure"))?,
                ),
            },
            conventions: Conventions {
                color_encoding: ColorEncoding::from_code(block.color_encoding)?,
                depth: Depth::from_code(block.depth_kind)?,
                motion_unit: MotionUnit::from_code(block.motion_unit)?,
                motion_direction: MotionDirection::from_code(block.motion_direction)?,
                motion_grid: MotionGrid::from_code(block.motion_grid)?,
                alpha: Alpha::from_code(block.alpha)?,
            },
            bypass: Bypass::from_code(block.bypass)?,
            debug_view: DebugView::from_code(block.debug_view)?,
            reset: (block.is_reset != 0).then_some(reset_text.as_str()),
            wants_timings: block.wants_timings != 0,
            wants_statistics: block.wants_statistics != 0,
            color: image(InputSlot::Color)?.ok_or_else(|| missing("color"))?,
            depth: image(InputSlot::Depth)?,
            motion: image(InputSlot::Motion)?,
        };
        let command = vk::CommandBuffer::from_raw(block.command_buffer);
        // SAFETY: the binding passes a recording command buffer of the host's device and living images, as its
        // documentation demands; the engine refuses null handles itself.
        let outcome = unsafe { self.context.evaluate(command, &frame) }?;
        Ok(self.reply(outcome))
    }

    fn reply(&self, outcome: Outcome) -> ReplyBlock {
        let (code, is_reset, reason) = match outcome {
            Outcome::Reconstructed { reset, .. } => (
                OutcomeCode::Reconstructed,
                reset != ResetReason::None,
                String::new(),
            ),
            Outcome::Bypassed => (
                OutcomeCode::Bypassed,
                false,
                "bypass is on: the source is shown".into(),
            ),
            Outcome::Declined(reason) => (OutcomeCode::Declined, false, reason),
        };
        let last = self.context.last_reset();
        let last = last.as_ref();
        ReplyBlock {
            reset_frame_index: last.map_or(0, |reset| reset.frame_index as u64),
            outcome: code.code(),
            reset_reason: last.map_or(0, |reset| reset.reason.code()),
            is_reset: u32::from(is_reset),
            frames_since_reset: self.context.frames_since_reset(),
            reset_text: Text::new(last.map_or("", |reset| &reset.text)),
            reason: Text::new(&reason),
        }
    }

    /// Answers a question; the bytes are those of its block.
    pub fn query(&mut self, question: Query) -> Result<Vec<u8>, Thrown> {
        match question {
            Query::Timings => self.timings(),
            Query::Statistics => self.statistics(),
        }
    }

    fn timings(&mut self) -> Result<Vec<u8>, Thrown> {
        let timings = self.context.timings()?;
        let mut bytes = vec![0; TIMINGS_BYTES];
        let Some(timings) = timings else {
            return Ok(bytes);
        };
        let passes = &timings.passes[..timings.passes.len().min(MAX_TIMINGS)];
        TimingBlock {
            frame_index: timings.frame_index as u64,
            count: passes.len() as u32,
            is_measured: 1,
        }
        .put(&mut bytes[..TimingBlock::SIZE]);
        let entries = bytes[TimingBlock::SIZE..].chunks_exact_mut(TimingEntry::SIZE);
        for (to, (pass, gpu_ms)) in entries.zip(passes) {
            TimingEntry {
                pass: Text::new(pass),
                gpu_ms: *gpu_ms,
            }
            .put(to);
        }
        Ok(bytes)
    }

    fn statistics(&mut self) -> Result<Vec<u8>, Thrown> {
        let Some(counted) = self.context.statistics()? else {
            return Ok(vec![0; StatisticsBlock::SIZE]);
        };
        Ok(StatisticsBlock {
            frame_index: counted.frame_index as u64,
            is_counted: 1,
            moving_share: counted.moving_share,
            nonfinite_motion_share: counted.nonfinite_motion_share,
            longest_motion_px: counted.longest_motion_px,
            nonfinite_color_share: counted.nonfinite_color_share,
            nonfinite_depth_share: counted.nonfinite_depth_share,
        }
        .bytes()
        .to_vec())
    }
}

fn created(context: &Context) -> Result<Vec<u8>, Thrown> {
    let mut bytes = vec![0; CREATE_BYTES - ContextBlock::SIZE];
    let (output, rest) = bytes.split_at_mut(ImageBlock::SIZE);
    let (debug, answer) = rest.split_at_mut(ImageBlock::SIZE);
    context.output()?.to_block().put(output);
    // A context without a debug image leaves the block zero: view 0 says that there is none.
    if context.settings().debug {
        context.debug_output()?.to_block().put(debug);
    }
    let sizes = context.sizes();
    CreatedBlock {
        device_bytes: context.device_bytes(),
        jitter_phases: sizes.jitter_phases(),
        mip_bias: sizes.mip_bias(),
        backend: Text::new(&context.backend()),
    }
    .put(answer);
    Ok(bytes)
}

fn image(bytes: &[u8], mask: u32, slot: InputSlot) -> Result<Option<ImageDesc>, Thrown> {
    let index = slot as usize;
    if mask >> index & 1 == 0 {
        return Ok(None);
    }
    let at = FrameBlock::SIZE + index * ImageBlock::SIZE;
    let block = ImageBlock::get(&bytes[at..at + ImageBlock::SIZE]);
    Ok(Some(ImageDesc::from_block(&block)))
}

fn missing(slot: &str) -> Thrown {
    Thrown::new(
        Fault::InvalidInput,
        format!("{slot}: expected an image, got none; pass one in ReconstructionInputs"),
    )
}
