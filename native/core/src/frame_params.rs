//! The parameter block of every pass under `shaders/frame`, written once per frame.

crate::block! {
    /// What a frame's passes need to know. Lengths in render pixels unless the name says otherwise.
    pub struct FrameParams {
        /// width and height of colour, depth and motion
        pub render_size: [u32; 2],
        /// width and height of the output
        pub output_size: [u32; 2],
        /// render pixels per output pixel on each axis
        pub render_per_output: [f32; 2],
        /// output pixels per render pixel on each axis
        pub output_per_render: [f32; 2],
        /// displacement of the picture, +x right, +y down
        pub jitter_px: [f32; 2],
        /// factor from stored motion to previous-minus-current render pixels
        pub motion_scale: [f32; 2],
        /// 1 when history must not be used
        pub is_reset: u32,
        /// code of the depth convention
        pub depth_kind: u32,
        /// code of the colour encoding
        pub color_encoding: u32,
        /// code of the exposure's source
        pub exposure_kind: u32,
        /// exposed colour = colour * this, where the source is a number
        pub exposure_scale: f32,
        /// factor from the units of the stored history to this frame's
        pub history_scale: f32,
        /// code of the alpha rule
        pub alpha_mode: u32,
        /// code of the bypass
        pub bypass: u32,
        /// code of the debug view
        pub debug_view: u32,
        /// frames since the last reset, 0 in the frame that resets
        pub frames_since_reset: u32,
        /// length of the jitter sequence
        pub jitter_phases: u32,
        /// 1 when colour holds 8-bit values
        pub is_color_unorm8: u32,
    }
}
