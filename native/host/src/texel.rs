//! Texels of the formats that the library reads and writes, to and from floats.

use ash::vk;
use half::f16;

/// Channels and bytes of a texel; none for a format that this crate does not move.
pub fn layout(format: vk::Format) -> Option<(usize, usize)> {
    Some(match format {
        vk::Format::R16G16B16A16_SFLOAT => (4, 8),
        vk::Format::R32G32B32A32_SFLOAT => (4, 16),
        vk::Format::R8G8B8A8_UNORM => (4, 4),
        vk::Format::B10G11R11_UFLOAT_PACK32 => (3, 4),
        vk::Format::R16G16_SFLOAT => (2, 4),
        vk::Format::R32G32_SFLOAT => (2, 8),
        // Of a depth-stencil image only the depth moves.
        vk::Format::R32_SFLOAT | vk::Format::D32_SFLOAT | vk::Format::D32_SFLOAT_S8_UINT => (1, 4),
        vk::Format::R16_SFLOAT => (1, 2),
        _ => return None,
    })
}

/// Packs floats, all channels of a texel in a row. Rounds to nearest; unorm values are clamped to 0..1.
/// None when the format is not moved or the floats do not fill whole texels.
pub fn encode(format: vk::Format, values: &[f32]) -> Option<Vec<u8>> {
    let (channels, bytes) = layout(format)?;
    if values.len() % channels != 0 {
        return None;
    }
    let mut packed = Vec::with_capacity(values.len() / channels * bytes);
    match format {
        vk::Format::B10G11R11_UFLOAT_PACK32 => {
            for rgb in values.chunks_exact(3) {
                let word = small_float(rgb[0], 6)
                    | small_float(rgb[1], 6) << 11
                    | small_float(rgb[2], 5) << 22;
                packed.extend_from_slice(&word.to_le_bytes());
            }
        }
        vk::Format::R8G8B8A8_UNORM => {
            packed.extend(
                values
                    .iter()
                    .map(|v| (v.clamp(0.0, 1.0) * 255.0).round_ties_even() as u8),
            );
        }
        _ if bytes == channels * 2 => {
            packed.extend(values.iter().flat_map(|&v| f16::from_f32(v).to_le_bytes()));
        }
        _ => packed.extend(values.iter().flat_map(|v| v.to_le_bytes())),
    }
    Some(packed)
}

/// Unpacks to floats. None when the format is not moved.
pub fn decode(format: vk::Format, packed: &[u8]) -> Option<Vec<f32>> {
    let (channels, bytes) = layout(format)?;
    Some(match format {
        vk::Format::B10G11R11_UFLOAT_PACK32 => packed
            .chunks_exact(4)
            .flat_map(|word| {
                let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
                // A small float is a half without its sign and lowest bits.
                [
                    half(word << 4 & 0x7ff0),
                    half(word >> 11 << 4 & 0x7ff0),
                    half(word >> 22 << 5 & 0x7fe0),
                ]
            })
            .collect(),
        vk::Format::R8G8B8A8_UNORM => packed.iter().map(|&v| f32::from(v) / 255.0).collect(),
        _ if bytes == channels * 2 => packed
            .chunks_exact(2)
            .map(|b| f16::from_le_bytes([b[0], b[1]]).to_f32())
            .collect(),
        _ => packed
            .chunks_exact(4)
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect(),
    })
}

fn half(bits: u32) -> f32 {
    f16::from_bits(bits as u16).to_f32()
}

/// An unsigned float with 5 exponent bits and `mantissa` mantissa bits; negative values become 0.
fn small_float(value: f32, mantissa: u32) -> u32 {
    let drop = 10 - mantissa;
    let infinity = 31 << mantissa;
    if value.is_nan() {
        return infinity | 1;
    }
    if value <= 0.0 {
        return 0;
    }
    if value.is_infinite() {
        return infinity;
    }
    // The nearest of the two neighbours among the halves without their lowest bits.
    let low = u32::from(f16::from_f32(value).to_bits()) >> drop;
    let candidates = [low.saturating_sub(1), low, low + 1];
    let distance = |bits: u32| f64::from(half(bits << drop)) - f64::from(value);
    candidates
        .into_iter()
        .filter(|&bits| bits < infinity)
        .min_by(|&a, &b| distance(a).abs().total_cmp(&distance(b).abs()))
        .unwrap_or(infinity - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finite_small_float_round_trips() {
        let format = vk::Format::B10G11R11_UFLOAT_PACK32;
        for bits in 0u32..31 << 6 {
            let word = bits | bits << 11 | (bits >> 1) << 22;
            let floats = decode(format, &word.to_le_bytes()).unwrap();
            assert_eq!(
                encode(format, &floats).unwrap(),
                word.to_le_bytes(),
                "{floats:?}"
            );
        }
    }

    #[test]
    fn known_texels() {
        let one = encode(vk::Format::B10G11R11_UFLOAT_PACK32, &[1.0, 1.0, 1.0]).unwrap();
        assert_eq!(one, (0x3c0u32 | 0x3c0 << 11 | 0x1e0 << 22).to_le_bytes());
        let half = encode(vk::Format::R16G16_SFLOAT, &[1.0, -2.0]).unwrap();
        assert_eq!(half, [0x00, 0x3c, 0x00, 0xc0]);
        let bytes = encode(vk::Format::R8G8B8A8_UNORM, &[0.0, 0.5, 1.0, 2.0]).unwrap();
        assert_eq!(bytes, [0, 128, 255, 255]);
        assert_eq!(encode(vk::Format::R32G32_SFLOAT, &[1.0]), None);
        assert_eq!(layout(vk::Format::D16_UNORM), None);
    }
}
