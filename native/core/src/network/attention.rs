//! Windowed attention: its sizes, and the table that a head's scores are made with.

/// Channels of a head.
pub const HEAD: u32 = 32;
/// Length of queries and keys.
pub const UNIT: f32 = 127.0;
/// Right shift of a magnitude of a query or key before it is squared.
pub const UNIT_SHIFT: u32 = 2;
/// Side of a window, whose tokens ask.
pub const WINDOW: u32 = 8;
/// Side of the square of tokens that answer a window.
pub const REACH: u32 = 10;
/// Tokens that answer a window: the square without its corners.
pub const KEYS: u32 = REACH * REACH - 4;
/// What the windows of a stage may be shifted by, up and left, in tokens.
pub const SHIFTS: [u32; 2] = [0, WINDOW / 2];
/// Side of a head's table of positions: key less query, -8..8 on each axis.
pub const POSITIONS: u32 = 2 * WINDOW + 1;
/// Largest step of a head's sharpness: a score of int8 vectors times this fits 32 bits.
pub const MOST_SHARPNESS: i32 = 2047;
/// Largest magnitude of a position's part of a score.
pub const MOST_POSITION: i16 = i16::MAX;

/// Words of a head in the weights: its positions row by row, its sharpness, and two of nothing.
pub const HEAD_WORDS: usize = (POSITIONS * POSITIONS) as usize + 3;
/// Where its sharpness stands among them.
pub const SHARPNESS_WORD: usize = (POSITIONS * POSITIONS) as usize;

// The words of a head fill units of 16 bytes, and no score leaves 32 bits.
const _: () = assert!(HEAD_WORDS % 4 == 0);
const _: () = assert!((HEAD as i64) * 127 * 127 * (MOST_SHARPNESS as i64) < 1 << 31);

/// Windows on an axis of so many tokens.
pub const fn windows(tokens: u32, shift: u32) -> u32 {
    (tokens + shift).div_ceil(WINDOW)
}

/// The words of every head, from the little-endian tensors of a model: int32 sharpness, int16 positions.
pub(super) fn head_words(sharpness: &[u8], positions: &[u8]) -> Vec<u32> {
    let bytes_of_head = 2 * SHARPNESS_WORD;
    let mut words = Vec::new();
    let heads = sharpness
        .chunks_exact(4)
        .zip(positions.chunks_exact(bytes_of_head));
    for (sharpness, positions) in heads {
        let signed = |b: &[u8]| i32::from(i16::from_le_bytes([b[0], b[1]])) as u32;
        words.extend(positions.chunks_exact(2).map(signed));
        words.extend(sharpness.first_chunk().map(|&b| u32::from_le_bytes(b)));
        words.extend([0; 2]);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_cover_every_token() {
        assert_eq!([1, 8, 9, 16].map(|n| windows(n, 0)), [1, 1, 2, 2]);
        assert_eq!([1, 4, 5, 12].map(|n| windows(n, 4)), [1, 1, 2, 2]);
    }

    #[test]
    fn a_head_is_positions_then_sharpness() {
        let positions: Vec<u8> = (0..2 * 289i16)
            .flat_map(|n| (n - 300).to_le_bytes())
            .collect();
        let sharpness: Vec<u8> = [7u32, 2047].iter().flat_map(|n| n.to_le_bytes()).collect();
        let words = head_words(&sharpness, &positions);
        assert_eq!(words.len(), 2 * HEAD_WORDS);
        assert_eq!((words[0] as i32, words[288] as i32), (-300, -12));
        assert_eq!(words[289..292], [7, 0, 0]);
        assert_eq!((words[292] as i32, words[292 + 289]), (-11, 2047));
    }
}
