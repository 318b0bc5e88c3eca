//! Whether a device multiplies the matrices that the network's fastest path is made of.

use crate::handles::HostHandles;
use ash::vk;
use reconstruction_core::network::passes::SUBGROUP;

/// Whether the device lists 16x16x32 signed bytes with 32-bit sums, in subgroups of 32.
///
/// # Safety
/// The handles are alive, belong together, and the host enabled cooperative matrices.
pub(crate) unsafe fn has_byte_matrices(handles: &HostHandles, instance: &ash::Instance) -> bool {
    for name in [
        c"vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR",
        c"vkGetPhysicalDeviceProperties2",
    ] {
        // SAFETY: the caller guarantees the instance and the entry point.
        let call = unsafe { (handles.get_instance_proc_addr)(handles.instance, name.as_ptr()) };
        if call.is_none() {
            return false;
        }
    }
    let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut subgroup);
    // SAFETY: as above, and both functions are there.
    let matrices = unsafe {
        instance.get_physical_device_properties2(handles.physical_device, &mut properties);
        let entry = ash::Entry::from_static_fn(ash::StaticFn {
            get_instance_proc_addr: handles.get_instance_proc_addr,
        });
        ash::khr::cooperative_matrix::Instance::new(&entry, instance)
    };
    // SAFETY: as above.
    let listed = unsafe {
        matrices.get_physical_device_cooperative_matrix_properties(handles.physical_device)
    };
    let is_ours = |matrix: &vk::CooperativeMatrixPropertiesKHR| {
        (matrix.m_size, matrix.n_size, matrix.k_size) == (16, 16, 32)
            && [matrix.a_type, matrix.b_type] == [vk::ComponentTypeKHR::SINT8; 2]
            && [matrix.c_type, matrix.result_type] == [vk::ComponentTypeKHR::SINT32; 2]
            && matrix.saturating_accumulation == vk::FALSE
            && matrix.scope == vk::ScopeKHR::SUBGROUP
    };
    subgroup.subgroup_size == SUBGROUP && listed.is_ok_and(|all| all.iter().any(is_ours))
}
