//! Where a world comes from: a demo's name, a seed, or a glTF file.

use crate::error::{Error, Result};
use reconstruction_scene::demo;
use reconstruction_scene::gltf_scene::{self, Reading};
use reconstruction_scene::random::{self, Knobs, Recipe, Split};
use reconstruction_scene::world::World;
use std::path::Path;

/// How a world is found.
#[derive(Debug, Clone)]
pub struct Search<'a> {
    /// Length of the sequence: random worlds spread what happens over it.
    pub frames: u32,
    /// Difficulty of random worlds.
    pub knobs: &'a Knobs,
    /// The split that a seed must belong to.
    pub split: Option<Split>,
    /// Share of seeds whose light reuses samples of the frame before, 0..1.
    pub reuse: f64,
    /// What files do not say.
    pub reading: Reading,
}

/// A world, ready to be flattened.
#[derive(Debug, Clone)]
pub struct Source {
    /// The world.
    pub world: World,
    /// The seed and what came of it; nothing for demos and files.
    pub recipe: Option<Recipe>,
}

impl Source {
    /// The world of a name, a seed or a file.
    ///
    /// # Errors
    /// An unknown name, a seed of no split or of another one, a file that is broken.
    pub fn open(text: &str, search: &Search) -> Result<Self> {
        if let Ok(seed) = text.parse::<u64>() {
            return Source::seeded(seed, search);
        }
        if let Some(split) = search.split {
            return Err(Error::Argument(format!(
                "--seed-split: expected a seed of split {split}, got {}; leave the flag out for demos and files",
                text.escape_default()
            )));
        }
        let path = Path::new(text);
        let is_file = path
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("glb") || end.eq_ignore_ascii_case("gltf"));
        let world = if is_file {
            gltf_scene::load(path, search.reading).map_err(Error::SceneFile)?
        } else {
            demo::world(text).map_err(Error::Scene)?
        };
        Ok(Source {
            world,
            recipe: None,
        })
    }

    /// The random world of a seed.
    ///
    /// # Errors
    /// A seed of no split or of another one, or knobs that leave no light.
    pub fn seeded(seed: u64, search: &Search) -> Result<Self> {
        if let Some(split) = search.split {
            split.check(seed).map_err(Error::Scene)?;
        }
        let mut random = random::world(seed, search.knobs, search.frames).map_err(Error::Scene)?;
        random.world.is_reusing_light = is_reusing(seed, search.reuse);
        Ok(Source {
            world: random.world,
            recipe: Some(random.recipe),
        })
    }

    /// Seed of the noise: that of the world, 0 for demos and files.
    pub fn seed(&self) -> u64 {
        self.recipe.as_ref().map_or(0, |recipe| recipe.seed)
    }
}

/// Whether the light of a seed reuses samples; the answer depends on nothing but seed and share.
fn is_reusing(seed: u64, share: f64) -> bool {
    // The finaliser of SplitMix64: neighbouring seeds give unrelated bits.
    let mut bits = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    let unit = (bits ^ bits >> 31) as f64 / 2f64.powi(64);
    unit < share
}

#[cfg(test)]
mod tests {
    use super::is_reusing;

    #[test]
    fn the_share_is_kept_among_even_and_odd_seeds() {
        let share = |parity: u64| {
            let count = (0..5000)
                .filter(|i| is_reusing(2 * i + parity, 0.4))
                .count();
            count as f64 / 5000.0
        };
        // Five standard deviations of a fair draw are 0.035.
        assert!((share(0) - 0.4).abs() < 0.035, "{}", share(0));
        assert!((share(1) - 0.4).abs() < 0.035, "{}", share(1));
        assert!((0..1000).all(|seed| !is_reusing(seed, 0.0) && is_reusing(seed, 1.0)));
    }
}
