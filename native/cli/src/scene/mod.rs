//! Rendered worlds as frames: where a world comes from, what is rendered of it, and how it is stored and shown.

pub mod channels;
pub mod guide_sheet;
pub mod knobs;
pub mod shot;
pub mod source;

use crate::error::Error;
use reconstruction_scene::Error as SceneError;

/// An error of the renderer, with a word for people when the device was lost during `what`.
pub fn told(error: SceneError, what: &str) -> Error {
    use ash::vk::Result as Code;
    let call = match &error {
        SceneError::Vulkan { call, result } if *result == Code::ERROR_DEVICE_LOST => call,
        SceneError::Host(reconstruction_host::Error::Vulkan { call, result })
            if *result == Code::ERROR_DEVICE_LOST =>
        {
            call
        }
        _ => return Error::Scene(error),
    };
    Error::Device(format!(
        "device: lost while rendering {what} ({call}); what was finished before is whole; run again, with fewer \
         samples or a smaller size if it happens again"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ash::vk::Result as Code;

    #[test]
    fn a_lost_device_is_told_in_words() {
        let result = Code::ERROR_DEVICE_LOST;
        let lost = SceneError::Host(reconstruction_host::Error::Vulkan {
            call: "vkQueueSubmit",
            result,
        });
        let told = told(lost, "frame 7");
        assert_eq!(told.exit_code(), 4);
        assert!(told
            .to_string()
            .starts_with("device: lost while rendering frame 7 (vkQueueSubmit); "));
    }

    #[test]
    fn other_errors_stay_as_they_are() {
        let result = Code::ERROR_OUT_OF_DEVICE_MEMORY;
        let call = "vkAllocateMemory";
        let other = told(SceneError::Vulkan { call, result }, "frame 7");
        assert_eq!(
            (other.exit_code(), other.to_string().as_str()),
            (4, "vkAllocateMemory: ERROR_OUT_OF_DEVICE_MEMORY")
        );
    }
}
