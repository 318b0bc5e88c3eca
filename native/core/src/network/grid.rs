//! The grids of tokens.

use crate::size::Size;

/// Tokens of every level: level 0 has one for 2x2 render pixels, each further level one for 2x2 tokens. Nothing is
/// padded: a token outside its grid reads as zero.
pub fn grids(render: Size, levels: usize) -> Vec<Size> {
    let half = |size: Size| Size::new(size.width.div_ceil(2), size.height.div_ceil(2));
    std::iter::successors(Some(half(render)), |&grid| Some(half(grid)))
        .take(levels)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_sizes_keep_their_last_token() {
        let sizes = grids(Size::new(1114, 626), 6);
        let sides: Vec<_> = sizes.iter().map(|s| (s.width, s.height)).collect();
        assert_eq!(
            sides,
            [
                (557, 313),
                (279, 157),
                (140, 79),
                (70, 40),
                (35, 20),
                (18, 10)
            ]
        );
        assert_eq!(grids(Size::new(1, 2), 3), [Size::new(1, 1); 3]);
    }
}
