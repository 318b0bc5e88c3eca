//! The Vulkan instance, its devices, and what the validation layer says.

use crate::device_info::DeviceInfo;
use crate::drivers::announce_software_drivers;
use crate::error::{Error, Named, Result};
use ash::{ext, vk};
use std::ffi::{c_void, CStr};
use std::sync::{Arc, Mutex};

const VALIDATION_LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// How an instance is made.
#[derive(Debug, Clone)]
pub struct InstanceOptions {
    /// Validation of calls and of synchronisation.
    pub validation: bool,
    /// The Vulkan version asked for, for example `vk::API_VERSION_1_1`.
    pub api_version: u32,
}

impl Default for InstanceOptions {
    fn default() -> Self {
        InstanceOptions {
            validation: false,
            api_version: vk::API_VERSION_1_3,
        }
    }
}

/// One warning or error of the validation layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The rule, for example `SYNC-HAZARD-READ-AFTER-WRITE`.
    pub id: String,
    /// The whole text.
    pub text: String,
}

/// The messages of an instance; a clone reads the same list and outlives the instance.
#[derive(Debug, Clone, Default)]
pub struct MessageLog(Arc<Mutex<Vec<Message>>>);

impl MessageLog {
    /// Every message since the last call.
    pub fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *self.0.lock().expect("no panic holds the list"))
    }
}

/// A Vulkan instance.
pub struct Instance {
    /// Calls of the instance.
    pub raw: ash::Instance,
    pub(crate) entry: ash::Entry,
    pub(crate) api_version: u32,
    pub(crate) messages: MessageLog,
    messenger: Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    // The messenger's user pointer points into this allocation.
    _log: Box<MessageLog>,
}

impl Instance {
    /// Opens the Vulkan loader and makes an instance.
    ///
    /// # Errors
    /// [`Error::NoLoader`], [`Error::NoValidationLayer`], or the failed call.
    pub fn new(options: &InstanceOptions) -> Result<Self> {
        announce_software_drivers();
        // SAFETY: the system's Vulkan loader runs no code that breaks Rust's rules when it is opened.
        let entry = unsafe { ash::Entry::load() }.map_err(|e| Error::NoLoader {
            detail: one_line(&e.to_string()),
        })?;
        // SAFETY: the entry was just loaded.
        let loader_version = unsafe { entry.try_enumerate_instance_version() }
            .named("vkEnumerateInstanceVersion")?
            .unwrap_or(vk::API_VERSION_1_0);
        let api_version = options.api_version.min(loader_version);

        if options.validation {
            // SAFETY: as above.
            let layers = unsafe { entry.enumerate_instance_layer_properties() }
                .named("vkEnumerateInstanceLayerProperties")?;
            let is_there = layers
                .iter()
                .any(|l| l.layer_name_as_c_str() == Ok(VALIDATION_LAYER));
            if !is_there {
                return Err(Error::NoValidationLayer);
            }
        }

        let messages = MessageLog::default();
        let log = Box::new(messages.clone());
        let application = vk::ApplicationInfo::default()
            .application_name(c"reconstruction host")
            .api_version(api_version);
        let mut messenger_info = messenger_info(&log);
        let enabled = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
        let mut validation =
            vk::ValidationFeaturesEXT::default().enabled_validation_features(&enabled);
        let layers = [VALIDATION_LAYER.as_ptr()];
        let extensions = [
            ext::debug_utils::NAME.as_ptr(),
            ext::validation_features::NAME.as_ptr(),
        ];
        let mut info = vk::InstanceCreateInfo::default().application_info(&application);
        if options.validation {
            info = info
                .enabled_layer_names(&layers)
                .enabled_extension_names(&extensions)
                .push_next(&mut messenger_info)
                .push_next(&mut validation);
        }
        // SAFETY: every pointer in `info` lives until the call returns.
        let raw = match unsafe { entry.create_instance(&info, None) } {
            // The loader's word for "no driver could be loaded".
            Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER) => {
                return Err(Error::NoDevice {
                    expected: "any".to_owned(),
                    found: "no driver".to_owned(),
                })
            }
            created => created.named("vkCreateInstance")?,
        };
        let mut instance = Instance {
            raw,
            entry,
            api_version,
            messages,
            messenger: None,
            _log: log,
        };
        if options.validation {
            let calls = ext::debug_utils::Instance::new(&instance.entry, &instance.raw);
            // SAFETY: the extension is enabled, and the log outlives the messenger.
            let handle = unsafe {
                calls.create_debug_utils_messenger(&self::messenger_info(&instance._log), None)
            }
            .named("vkCreateDebugUtilsMessengerEXT")?;
            instance.messenger = Some((calls, handle));
        }
        Ok(instance)
    }

    /// Every device, best first: discrete, integrated, virtual, software.
    ///
    /// # Errors
    /// The failed call.
    pub fn devices(&self) -> Result<Vec<DeviceInfo>> {
        // SAFETY: the instance is alive.
        let devices = match unsafe { self.raw.enumerate_physical_devices() } {
            Err(vk::Result::ERROR_INITIALIZATION_FAILED) => Vec::new(),
            other => other.named("vkEnumeratePhysicalDevices")?,
        };
        let mut infos: Vec<DeviceInfo> = devices
            .into_iter()
            .map(|device| DeviceInfo::read(self, device))
            .collect();
        infos.sort_by_key(DeviceInfo::rank);
        Ok(infos)
    }

    /// The best device, or the best one whose name or driver contains `name` in any case.
    ///
    /// # Errors
    /// [`Error::NoDevice`] with the names of those that exist.
    pub fn pick(&self, name: Option<&str>) -> Result<DeviceInfo> {
        let devices = self.devices()?;
        let found = devices
            .iter()
            .map(|d| d.name.as_str())
            .collect::<Vec<_>>()
            .join(", ");
        let wanted = devices
            .into_iter()
            .find(|d| name.is_none_or(|name| d.is_called(name)));
        wanted.ok_or_else(|| Error::NoDevice {
            expected: name.map_or_else(
                || "a Vulkan device".to_string(),
                |name| format!("one whose name contains '{name}'"),
            ),
            found: if found.is_empty() {
                "none".to_string()
            } else {
                found
            },
        })
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some((calls, messenger)) = self.messenger.take() {
            // SAFETY: made from this instance, and nobody else destroys it.
            unsafe { calls.destroy_debug_utils_messenger(messenger, None) };
        }
        // SAFETY: devices hold an `Arc` of this instance, so they are gone.
        unsafe { self.raw.destroy_instance(None) };
    }
}

/// Every Vulkan device of the machine, best first.
///
/// # Errors
/// [`Error::NoLoader`] or the failed call. An empty list is no error.
pub fn devices() -> Result<Vec<DeviceInfo>> {
    Instance::new(&InstanceOptions::default())?.devices()
}

fn messenger_info(log: &MessageLog) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(
            vk::DebugUtilsMessageSeverityFlagsEXT::WARNING
                | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
        )
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
        .pfn_user_callback(Some(on_message))
        .user_data(std::ptr::from_ref(log).cast_mut().cast())
}

unsafe extern "system" fn on_message(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    let text = |pointer: *const std::ffi::c_char| {
        if pointer.is_null() {
            String::new()
        } else {
            // SAFETY: the layer passes zero-terminated strings that live during the call.
            let text = unsafe { CStr::from_ptr(pointer) };
            text.to_string_lossy().into_owned()
        }
    };
    // SAFETY: the layer passes a valid structure, and the messenger's user pointer is the log's.
    let (data, log) = unsafe { (&*data, &*user.cast::<MessageLog>()) };
    if let Ok(mut list) = log.0.lock() {
        list.push(Message {
            id: text(data.p_message_id_name),
            text: text(data.p_message),
        });
    }
    vk::FALSE
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
