//! The planes between gather and output; mirrors `shaders/inc/samples.glsl`.

use reconstruction_core::exact::{pack_halves, unpack_halves};

/// Mean and deviation of a neighbourhood in luma/chroma of the weighted colour, alpha, use of history.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stats {
    /// Mean luma and chroma.
    pub mean: [f32; 3],
    /// Standard deviation of each.
    pub deviation: [f32; 3],
    /// Alpha of the pixel.
    pub alpha: f32,
    /// 0 where history must not be used; else 1, and up to 1 more where the picture is steady.
    pub history: f32,
}

/// Packs [`Stats`] as eight halves.
pub fn pack_stats(s: &Stats) -> [u32; 4] {
    [
        pack_halves(s.mean[0], s.mean[1]),
        pack_halves(s.mean[2], s.deviation[0]),
        pack_halves(s.deviation[1], s.deviation[2]),
        pack_halves(s.alpha, s.history),
    ]
}

/// The inverse of [`pack_stats`].
pub fn unpack_stats(words: &[u32]) -> Stats {
    let [a, b, c, d] = [0, 1, 2, 3].map(|i| unpack_halves(words[i]));
    Stats {
        mean: [a[0], a[1], b[0]],
        deviation: [b[1], c[0], c[1]],
        alpha: d[0],
        history: d[1],
    }
}

/// Four halves of a pair of words.
pub fn unpack_pair(words: &[u32]) -> [f32; 4] {
    let (a, b) = (unpack_halves(words[0]), unpack_halves(words[1]));
    [a[0], a[1], b[0], b[1]]
}
