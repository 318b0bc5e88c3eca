//! GPU time between points of a command buffer.

use crate::error::{Named, Result};
use crate::memory::Shared;
use ash::vk;
use std::sync::Arc;

/// A fixed number of timestamps. Dropping them waits until the device is idle.
pub struct Timestamps {
    pool: vk::QueryPool,
    count: u32,
    /// Milliseconds per tick.
    tick_ms: f64,
    shared: Arc<Shared>,
}

impl Timestamps {
    pub(crate) fn new(shared: &Arc<Shared>, count: u32, period_ns: f32) -> Result<Self> {
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::TIMESTAMP)
            .query_count(count);
        // SAFETY: the device is alive.
        let pool =
            unsafe { shared.device.create_query_pool(&info, None) }.named("vkCreateQueryPool")?;
        Ok(Timestamps {
            pool,
            count,
            tick_ms: f64::from(period_ns) * 1e-6,
            shared: shared.clone(),
        })
    }

    /// Records that all are empty; first thing in a command buffer that writes them.
    pub fn record_reset(&self, command_buffer: vk::CommandBuffer) {
        // SAFETY: the caller's buffer is recording outside a render pass.
        unsafe {
            self.shared
                .device
                .cmd_reset_query_pool(command_buffer, self.pool, 0, self.count);
        }
    }

    /// Records point `index` after all earlier commands.
    pub fn record(&self, command_buffer: vk::CommandBuffer, index: u32) {
        // SAFETY: as above, and the index is below the count or validation says so.
        unsafe {
            self.shared.device.cmd_write_timestamp(
                command_buffer,
                vk::PipelineStageFlags::BOTTOM_OF_PIPE,
                self.pool,
                index,
            );
        }
    }

    /// Milliseconds from point 0 to every point. Waits for them.
    ///
    /// # Errors
    /// The failed call.
    pub fn milliseconds(&self) -> Result<Vec<f64>> {
        let mut ticks = vec![0u64; self.count as usize];
        // SAFETY: every point was recorded and submitted, or the call reports it.
        unsafe {
            self.shared.device.get_query_pool_results(
                self.pool,
                0,
                &mut ticks,
                vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT,
            )
        }
        .named("vkGetQueryPoolResults")?;
        Ok(ticks
            .iter()
            .map(|tick| tick.wrapping_sub(ticks[0]) as f64 * self.tick_ms)
            .collect())
    }
}

impl Drop for Timestamps {
    fn drop(&mut self) {
        self.shared.wait_idle();
        // SAFETY: the device is idle.
        unsafe { self.shared.device.destroy_query_pool(self.pool, None) };
    }
}
