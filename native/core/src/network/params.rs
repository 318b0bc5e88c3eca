//! The parameter blocks of a layer of sums, and of an attention.

crate::block! {
    /// One layer over the tokens of a level. Its values depend on the model and the render size alone.
    pub struct LayerParams {
        /// tokens of the plane that is read, width and height
        pub input_grid: [u32; 2],
        /// tokens of the plane that is written
        pub output_grid: [u32; 2],
        /// channels of a token that is read
        pub input_channels: u32,
        /// channels of a token that is written
        pub output_channels: u32,
        /// where the biases begin in the weights, in units of 16 bytes
        pub bias_unit: u32,
        /// where the multipliers begin
        pub multiplier_unit: u32,
        /// runs of tokens in a row of the written plane; how long a run is, the path says
        pub runs_per_row: u32,
        /// runs of the written plane
        pub runs: u32,
        /// 16 channels each: how many of them a written token has
        pub lanes: u32,
        /// runs of a workgroup
        pub runs_per_group: u32,
        /// right shift of a magnitude before it is squared for the norm
        pub norm_shift: u32,
        /// 32 sqrt(output_channels) / 2^norm_shift; of queries and keys 127 / 2^norm_shift
        pub norm_factor: f32,
    }
}

crate::block! {
    /// The attention of a block over the tokens of a level. Its values depend on the model and the render size alone.
    pub struct AttentionParams {
        /// tokens of the level, width and height
        pub grid: [u32; 2],
        /// heads, 32 channels each; a read token has all queries, then all keys, then all values
        pub heads: u32,
        /// tokens by which the windows are shifted up and left, 0 or 4
        pub shift: u32,
        /// windows in a row
        pub windows_per_row: u32,
        /// windows times heads: workgroups that have something to do
        pub window_heads: u32,
    }
}
