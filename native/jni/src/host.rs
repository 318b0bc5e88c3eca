//! A host: its device, and what is known of its frames.

use crate::context::{network, ContextObject};
use crate::fault::Thrown;
use crate::objects::Object;
use reconstruction_core::block::Text;
use reconstruction_core::convention::{Feature, Model};
use reconstruction_core::host_blocks::{
    mode_from_code, size_of_words, HostBlock, RecommendBlock, SupportBlock,
};
use reconstruction_engine::{Device, HostHandles, LastFinished};
use std::sync::Arc;

/// What a host's handle names.
pub struct HostObject {
    /// The device; contexts share it.
    pub device: Arc<Device>,
    /// Handles of the contexts made here; some may be closed already.
    pub contexts: Vec<i64>,
}

impl HostObject {
    /// Takes over the handles of a block.
    pub fn create(block: &HostBlock) -> Result<Self, Thrown> {
        // SAFETY: the binding takes the handles from living LWJGL objects and tells its callers to keep them alive
        // until the host is closed.
        let device = unsafe { Device::from_host(HostHandles::from_block(block)?) }?;
        Ok(HostObject {
            device,
            contexts: Vec::new(),
        })
    }

    /// Frees closed contexts whose frames have finished.
    pub fn collect(&mut self, last_finished: u64) -> Result<(), Thrown> {
        self.contexts
            .retain(|handle| ContextObject::map().contains(*handle));
        Ok(self
            .device
            .collect(LastFinished::from_code(last_finished))?)
    }

    /// Answers the question of a block.
    pub fn support(&self, mut block: SupportBlock) -> Result<SupportBlock, Thrown> {
        let (feature, model) = (
            Feature::from_code(block.feature)?,
            Model::from_code(block.model)?,
        );
        let answer = self.device.support(feature, model);
        block.is_supported = u32::from(answer.is_ok());
        block.device_name = Text::new(self.device.name());
        block.reason = Text::new(answer.as_ref().err().map_or("", |reason| reason.as_str()));
        Ok(block)
    }

    /// Answers the question of a block.
    pub fn recommend(&self, mut block: RecommendBlock) -> Result<RecommendBlock, Thrown> {
        let feature = Feature::from_code(block.feature)?;
        let model = Model::from_code(block.model)?;
        // A network of a file is not known here; the shipped one stands for its size.
        let network = network(feature, model, "")?;
        let advice = self.device.recommend(
            size_of_words(block.output_size),
            mode_from_code(block.mode, block.scale_bits)?,
            feature,
            model,
            network.as_deref(),
        )?;
        let sizes = &advice.recommendation;
        block.is_supported = u32::from(advice.unsupported.is_none());
        block.reason = Text::new(
            advice
                .unsupported
                .as_ref()
                .map_or("", |reason| reason.as_str()),
        );
        block.optimal = [sizes.optimal.width, sizes.optimal.height];
        block.min = [sizes.min.width, sizes.min.height];
        block.max = [sizes.max.width, sizes.max.height];
        block.jitter_phases = sizes.jitter_phases;
        block.mip_bias = sizes.mip_bias;
        Ok(block)
    }

    /// Ends a host and its contexts: everything is freed now. The caller has waited for the device.
    pub fn close(handle: i64) -> Result<(), Thrown> {
        let (device, contexts) = Self::map().with(handle, |host| {
            Ok((host.device.clone(), std::mem::take(&mut host.contexts)))
        })?;
        for context in contexts {
            ContextObject::map().remove(context);
        }
        Self::map().remove(handle);
        Ok(device.collect(LastFinished::Idle)?)
    }
}
