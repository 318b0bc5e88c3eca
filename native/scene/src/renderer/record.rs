//! The commands of a submission: waves of kernels, each waiting for the one before.

use super::blocks::Picture;
use super::layout::Layout;
use super::pipeline::{Features, Kernel, Pipelines};
use super::waves::{Round, Wave};
use ash::vk;

/// Pixels on each side of a workgroup.
const GROUP: u32 = 8;

/// Records every wave. `pictures` are those of the rounds, `features` those of the views.
pub(crate) fn record_waves(
    device: &ash::Device,
    commands: vk::CommandBuffer,
    pipelines: &Pipelines,
    set: vk::DescriptorSet,
    layout: &Layout,
    pictures: &[Picture],
    features: &[Features],
) {
    // SAFETY: the caller's buffer is recording outside a render pass, and the set's buffers outlive its submission.
    unsafe {
        device.cmd_bind_descriptor_sets(
            commands,
            vk::PipelineBindPoint::COMPUTE,
            pipelines.layout,
            0,
            &[set],
            &[],
        );
    }
    for wave in &layout.waves {
        let rounds = &layout.rounds[wave.rounds.clone()];
        let features = features_of(rounds, features);
        for (kernel, lists) in kernels(wave, pictures) {
            let first = &rounds[0];
            let samples = match kernel {
                Kernel::Sum => 1,
                _ => first.samples.len() as u32,
            };
            // SAFETY: as above; the shaders stay within the pictures that the scene buffer holds.
            unsafe {
                device.cmd_bind_pipeline(
                    commands,
                    vk::PipelineBindPoint::COMPUTE,
                    pipelines.handle(kernel, features),
                );
                device.cmd_dispatch_base(
                    commands,
                    0,
                    0,
                    wave.rounds.start as u32,
                    first.size.width.div_ceil(GROUP) * lists,
                    (first.rows.len() as u32).div_ceil(GROUP) * samples,
                    wave.rounds.len() as u32,
                );
            }
            record_barrier(device, commands);
        }
    }
}

/// What the worlds of rounds have. `features` are those of the views.
pub(crate) fn features_of(rounds: &[Round], features: &[Features]) -> Features {
    let features = rounds.iter().map(|round| features[round.view]);
    features.fold(Features::default(), Features::or)
}

/// The kernels of a wave in order, with the lists of rays that each follows.
fn kernels(wave: &Wave, pictures: &[Picture]) -> Vec<(Kernel, u32)> {
    let pictures = &pictures[wave.rounds.clone()];
    let is_split = pictures.iter().any(Picture::is_split);
    let lists_with = |third: bool| if third { 3 } else { 2 };
    let lists = lists_with(is_split || pictures.iter().any(Picture::has_mirrored_rays));
    let mut kernels = vec![
        (Kernel::Camera, 1),
        (Kernel::First, 1),
        (Kernel::Trace, lists),
        (Kernel::Second, 1),
    ];
    if pictures.iter().any(Picture::has_indirect) {
        kernels.extend([(Kernel::Trace, lists_with(is_split)), (Kernel::Last, 1)]);
    }
    kernels.push((Kernel::Sum, 1));
    kernels
}

/// Everything before is finished and seen by everything after.
pub(crate) fn record_barrier(device: &ash::Device, commands: vk::CommandBuffer) {
    let stages = vk::PipelineStageFlags::COMPUTE_SHADER | vk::PipelineStageFlags::TRANSFER;
    let barrier = vk::MemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE)
        .dst_access_mask(
            vk::AccessFlags::SHADER_READ
                | vk::AccessFlags::SHADER_WRITE
                | vk::AccessFlags::TRANSFER_READ
                | vk::AccessFlags::TRANSFER_WRITE
                | vk::AccessFlags::HOST_READ,
        );
    // SAFETY: the caller's buffer is recording outside a render pass.
    unsafe {
        device.cmd_pipeline_barrier(
            commands,
            stages,
            stages | vk::PipelineStageFlags::HOST,
            vk::DependencyFlags::empty(),
            &[barrier],
            &[],
            &[],
        );
    }
}
