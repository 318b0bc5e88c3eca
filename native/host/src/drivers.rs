//! Software drivers that the Vulkan loader does not look for by itself.

use std::path::{Path, PathBuf};
use std::sync::Once;

/// Where Debian's chromium keeps SwiftShader.
const SWIFTSHADER: &str = "/usr/lib/chromium/vk_swiftshader_icd.json";

/// The manifest of SwiftShader, where it is installed.
pub fn swiftshader_manifest() -> Option<PathBuf> {
    let path = Path::new(SWIFTSHADER);
    path.exists().then(|| path.to_path_buf())
}

/// Lets the loader find SwiftShader too, unless the user chose drivers by `VK_DRIVER_FILES` or `VK_ICD_FILENAMES`.
///
/// The only place of this crate that changes the environment, once in a process, before the loader is opened. A
/// program that reads the environment from C in other threads must make its first instance before it starts them.
pub(crate) fn announce_software_drivers() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        if is_set("VK_DRIVER_FILES") || is_set("VK_ICD_FILENAMES") {
            return;
        }
        let Some(manifest) = swiftshader_manifest() else {
            return;
        };
        let mut paths: Vec<PathBuf> = std::env::var_os("VK_ADD_DRIVER_FILES")
            .map(|paths| std::env::split_paths(&paths).collect())
            .unwrap_or_default();
        if !paths.contains(&manifest) {
            paths.push(manifest);
        }
        if let Ok(joined) = std::env::join_paths(paths) {
            std::env::set_var("VK_ADD_DRIVER_FILES", joined);
        }
    });
}
