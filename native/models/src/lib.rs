//! The trained weights that ship with the library, as files of `models/` inside the program.
#![forbid(unsafe_code)]

use reconstruction_core::convention::Feature;
use reconstruction_core::network::{from_bytes, Model};
use std::sync::{Arc, LazyLock};

static SUPER_RESOLUTION: LazyLock<Arc<Model>> = LazyLock::new(|| {
    let bytes = include_bytes!("../../../models/sr.safetensors");
    Arc::new(from_bytes(bytes).expect("a shipped model passes every check"))
});

/// The shipped network of a feature; none where none is shipped. Read at its first use, shared from then on.
pub fn shipped(feature: Feature) -> Option<Arc<Model>> {
    match feature {
        Feature::SuperResolution => Some(SUPER_RESOLUTION.clone()),
        Feature::RayReconstruction => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_models_are_whole() {
        let model = shipped(Feature::SuperResolution).unwrap();
        assert_eq!(model.feature, Feature::SuperResolution);
        assert!(shipped(Feature::RayReconstruction).is_none());
    }
}
