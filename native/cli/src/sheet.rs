//! A contact sheet: pictures in a row-major grid, each with a label above it.

use crate::png_file::Rgb8;
use font8x8::legacy::BASIC_LEGACY;
use reconstruction_core::Size;

/// Height of a label line in pixels: an 8-pixel font with room above and below.
const LABEL_HEIGHT: u32 = 14;
/// Space between cells in pixels.
const GAP: u32 = 4;
const BACKGROUND: u8 = 24;
const TEXT: u8 = 230;

/// Lays pictures out in `columns`, labels above them. Every cell has the size of the largest picture; a label
/// wider than its cell is cut off. Characters outside ASCII show as `?`.
///
/// # Panics
/// When there are no pictures or no columns.
pub fn sheet(cells: &[(String, Rgb8)], columns: u32) -> Rgb8 {
    assert!(!cells.is_empty() && columns > 0, "an empty sheet");
    let widest = |side: fn(&Size) -> u32| cells.iter().map(|(_, p)| side(&p.size)).max();
    let cell = Size::new(
        widest(|s| s.width).unwrap_or(0),
        widest(|s| s.height).unwrap_or(0) + LABEL_HEIGHT,
    );
    let columns = columns.min(cells.len() as u32);
    let rows = (cells.len() as u32).div_ceil(columns);
    let size = Size::new(
        columns * (cell.width + GAP) + GAP,
        rows * (cell.height + GAP) + GAP,
    );
    let mut out = Rgb8 {
        size,
        bytes: vec![BACKGROUND; 3 * size.area() as usize],
    };
    for (i, (label, picture)) in cells.iter().enumerate() {
        let (column, row) = (i as u32 % columns, i as u32 / columns);
        let x = GAP + column * (cell.width + GAP);
        let y = GAP + row * (cell.height + GAP);
        write_label(&mut out, label, [x, y + 3], cell.width);
        paste(&mut out, picture, [x, y + LABEL_HEIGHT]);
    }
    out
}

fn paste(to: &mut Rgb8, picture: &Rgb8, [x, y]: [u32; 2]) {
    let row_bytes = 3 * picture.size.width as usize;
    for (row, source) in picture.bytes.chunks_exact(row_bytes).enumerate() {
        let start = 3 * ((y as usize + row) * to.size.width as usize + x as usize);
        to.bytes[start..start + row_bytes].copy_from_slice(source);
    }
}

fn write_label(to: &mut Rgb8, label: &str, [x, y]: [u32; 2], width: u32) {
    for (i, letter) in label.chars().take(width as usize / 8).enumerate() {
        let code = if letter.is_ascii() { letter } else { '?' } as usize;
        for (dy, bits) in BASIC_LEGACY[code].iter().enumerate() {
            // The lowest bit is the leftmost pixel.
            for dx in (0..8).filter(|dx| bits >> dx & 1 == 1) {
                let at = (y as usize + dy) * to.size.width as usize + x as usize + 8 * i + dx;
                to.bytes[3 * at..3 * at + 3].fill(TEXT);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_and_labels_land_in_their_cells() {
        let picture = |value, width| Rgb8 {
            size: Size::new(width, 10),
            bytes: vec![value; 30 * width as usize],
        };
        let cells = [
            ("I".to_owned(), picture(200, 16)),
            ("too long a label".to_owned(), picture(100, 8)),
            (String::new(), picture(50, 16)),
        ];
        let sheet = sheet(&cells, 2);
        assert_eq!(sheet.size, Size::new(2 * 20 + 4, 2 * 28 + 4));
        let at = |x: u32, y: u32| sheet.bytes[3 * (y * sheet.size.width + x) as usize];
        assert_eq!((at(4, 18), at(19, 27), at(20, 18)), (200, 200, BACKGROUND));
        assert_eq!((at(24, 18), at(31, 18), at(32, 18)), (100, 100, BACKGROUND));
        assert_eq!(at(4, 46), 50);
        // The stem of the letter I is two pixels in the middle of its eight.
        let row: Vec<bool> = (4..12).map(|x| at(x, 10) == TEXT).collect();
        assert_eq!(row, [0, 0, 1, 1, 0, 0, 0, 0].map(|b| b == 1));
        // The long label keeps inside its cell of 16 pixels.
        assert!((0..60).all(|y| (40..44).all(|x| at(x, y) == BACKGROUND)));
    }
}
