//! Damaged model files, for tests of the loader.

use super::random::SplitMix;

/// A file with a seeded damage: cut, stretched, with changed bytes, or with another length of its header.
pub fn damaged(file: &[u8], seed: u64) -> Vec<u8> {
    let mut random = SplitMix(seed);
    let mut bytes = file.to_vec();
    let header = 8 + usize::try_from(u64::from_le_bytes(
        file[..8].try_into().expect("a file has a header"),
    ))
    .expect("a header of this file");
    let mut at = |end: usize| random.below(end as u64) as usize;
    match seed % 6 {
        0 => bytes.truncate(at(file.len())),
        1 => bytes.truncate(at(header)),
        2 => bytes.extend(std::iter::repeat_n(0, 1 + at(64))),
        3 => {
            for _ in 0..1 + at(4) {
                let place = 8 + at(header - 8);
                bytes[place] = at(256) as u8;
            }
        }
        4 => {
            // A digit of a shape, an offset, a version.
            let digits: Vec<usize> = (8..header).filter(|&i| file[i].is_ascii_digit()).collect();
            let place = digits[at(digits.len())];
            bytes[place] = b'0' + at(10) as u8;
        }
        _ => {
            let place = if at(4) == 0 { at(8) } else { at(file.len()) };
            bytes[place] ^= 1 << at(8);
        }
    }
    bytes
}
