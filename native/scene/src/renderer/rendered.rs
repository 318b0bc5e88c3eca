//! Pictures that came back.

use super::layout::Layout;
use super::request::Plane;
use reconstruction_core::Size;
use reconstruction_host::texel;

/// The planes of a finished submission, by view, request and plane.
pub struct Rendered<'a> {
    layout: &'a Layout,
    bytes: &'a [u8],
    /// Time that the device took, copies included.
    pub milliseconds: f64,
}

impl<'a> Rendered<'a> {
    pub(crate) fn new(layout: &'a Layout, bytes: &'a [u8], milliseconds: f64) -> Self {
        Rendered {
            layout,
            bytes,
            milliseconds,
        }
    }

    /// Size of a picture.
    ///
    /// # Panics
    /// When there is no such picture.
    pub fn size(&self, view: usize, request: usize) -> Size {
        self.layout.places[view][request]
            .size
            .expect("a planned picture has a size")
    }

    /// The packed texels of a plane in its format; none where it was not asked for.
    ///
    /// # Panics
    /// When there is no such picture.
    pub fn bytes(&self, view: usize, request: usize, plane: Plane) -> Option<&'a [u8]> {
        let planes = &self.layout.places[view][request].planes;
        let (_, word) = planes.iter().find(|(p, _)| *p == plane)?;
        let first = *word as usize * 4;
        let bytes = (self.size(view, request).area() * plane.words()) as usize * 4;
        Some(&self.bytes[first..first + bytes])
    }

    /// The plane as floats, all channels of a texel in a row; none where it was not asked for.
    ///
    /// # Panics
    /// When there is no such picture.
    pub fn floats(&self, view: usize, request: usize, plane: Plane) -> Option<Vec<f32>> {
        texel::decode(plane.format(), self.bytes(view, request, plane)?)
    }
}
