//! The layers of a network: their order, their shapes, the levels between which they stand.

use super::attention::{HEAD, KEYS};
use super::{Architecture, Stage, StageKind, FEATURES, HEADS};

/// What a layer reads and what becomes of its sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Features of a token to its wide residual.
    Door,
    /// First 3x3 convolution of a conv block: to int8, never negative.
    Hidden,
    /// Second 3x3 convolution of a conv block: added to the wide residual.
    Residual,
    /// A token to its queries and keys, of unit length by head, and its values.
    Qkv,
    /// Values mixed by queries and keys, in windows shifted up and left by this many tokens. No sums of weights.
    Attention(u32),
    /// A token to int8, never negative: first half of the feed-forward.
    TokenHidden,
    /// A token, added to the wide residual: mixed values, or second half of the feed-forward.
    TokenResidual,
    /// Four tokens to one of the next coarser level.
    Merge,
    /// One token to four of the next finer level, added to what that level had on the way down.
    Expand,
    /// A token of the finest level to parameters of its pixels and recurrent features.
    Heads,
}

/// One layer. Its tensors are `NAME.weight`, `NAME.bias` and `NAME.mult`; those of an attention are `BLOCK.sharpness`
/// and `BLOCK.position`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// Name in a model.
    pub name: String,
    /// What it does.
    pub role: Role,
    /// Level of the tokens that it reads.
    pub input_level: usize,
    /// Level of the tokens that it writes.
    pub output_level: usize,
    /// Channels of a token that it reads.
    pub inputs: u32,
    /// Channels of a token that it writes.
    pub outputs: u32,
}

impl Layer {
    /// Shape of the weights, row-major; the products of one output lie in a row.
    pub fn weight_shape(&self) -> Vec<usize> {
        let (inputs, outputs) = (self.inputs as usize, self.outputs as usize);
        match self.role {
            Role::Door | Role::Heads | Role::Qkv | Role::TokenHidden | Role::TokenResidual => {
                vec![outputs, inputs]
            }
            Role::Attention(_) => Vec::new(),
            Role::Hidden | Role::Residual => vec![outputs, 3, 3, inputs],
            Role::Merge => vec![outputs, 2, 2, inputs],
            Role::Expand => vec![2, 2, outputs, inputs],
        }
    }

    /// Shape of biases and multipliers.
    pub fn bias_shape(&self) -> Vec<usize> {
        let outputs = self.outputs as usize;
        match self.role {
            Role::Expand => vec![2, 2, outputs],
            _ => vec![outputs],
        }
    }

    /// Tokens that are read for one that is written.
    pub fn taps(&self) -> u32 {
        match self.role {
            Role::Hidden | Role::Residual => 9,
            Role::Merge => 4,
            _ => 1,
        }
    }

    /// Products in a sum of weights.
    pub fn depth(&self) -> u32 {
        self.taps() * self.inputs
    }

    /// Heads of an attention.
    pub fn heads(&self) -> u32 {
        self.outputs / HEAD
    }

    /// Multiplications for a token that is written.
    pub fn macs_per_token(&self) -> u32 {
        match self.role {
            Role::Attention(_) => 2 * KEYS * self.outputs,
            _ => self.depth() * self.outputs,
        }
    }
}

/// Every layer in the order of execution.
pub fn layers(architecture: &Architecture) -> Vec<Layer> {
    let mut layers = Vec::new();
    let mut add = |name: String, role, levels: [usize; 2], channels: [u32; 2]| {
        layers.push(Layer {
            name,
            role,
            input_level: levels[0],
            output_level: levels[1],
            inputs: channels[0],
            outputs: channels[1],
        });
    };
    let coarsest = architecture.levels() - 1;
    let width = |level: usize| architecture.width(level);
    add("door".into(), Role::Door, [0, 0], [FEATURES, width(0)]);
    for (index, stage) in architecture.stages().iter().enumerate() {
        let level = index.min(2 * coarsest - index);
        if index > coarsest {
            let (from, to) = (level + 1, level);
            add(
                format!("expand{level}"),
                Role::Expand,
                [from, to],
                [width(from), width(to)],
            );
        }
        for block in 0..stage.blocks {
            for (part, role, channels) in parts_of_block(stage) {
                let name = format!("{}.{block}.{part}", stage.name);
                add(name, role, [level; 2], channels);
            }
        }
        if index < coarsest {
            let (from, to) = (level, level + 1);
            add(
                format!("merge{level}"),
                Role::Merge,
                [from, to],
                [width(from), width(to)],
            );
        }
    }
    add("heads".into(), Role::Heads, [0, 0], [width(0), HEADS]);
    layers
}

/// The layers of a block: name in the block, role, channels read and written.
fn parts_of_block(stage: &Stage) -> Vec<(&'static str, Role, [u32; 2])> {
    let width = stage.width;
    match stage.kind {
        StageKind::Conv => vec![
            ("a", Role::Hidden, [width, width]),
            ("b", Role::Residual, [width, width]),
        ],
        StageKind::Swin => vec![
            ("qkv", Role::Qkv, [width, 3 * width]),
            (
                "attention",
                Role::Attention(stage.shift.unwrap_or(0)),
                [3 * width, width],
            ),
            ("proj", Role::TokenResidual, [width, width]),
            ("up", Role::TokenHidden, [width, 2 * width]),
            ("down", Role::TokenResidual, [2 * width, width]),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_stand_in_the_order_of_the_design() {
        let network = Architecture::conv(&[32, 64, 96], &[0, 1, 1, 0, 2]).unwrap();
        let layers = layers(&network);
        let names: Vec<_> = layers.iter().map(|l| l.name.as_str()).collect();
        let expected = [
            "door", "merge0", "enc1.0.a", "enc1.0.b", "merge1", "enc2.0.a", "enc2.0.b", "expand1",
            "expand0", "dec0.0.a", "dec0.0.b", "dec0.1.a", "dec0.1.b", "heads",
        ];
        assert_eq!(names, expected);
        assert_eq!(layers[1].weight_shape(), [64, 2, 2, 32]);
        assert_eq!(layers[7].weight_shape(), [2, 2, 64, 96]);
        assert_eq!(layers[9].weight_shape(), [32, 3, 3, 32]);
        assert_eq!(layers[13].weight_shape(), [32, 32]);
        for layer in &layers {
            let products: usize = layer.weight_shape().iter().product();
            let sums: usize = layer.bias_shape().iter().product();
            assert_eq!(products, sums * layer.depth() as usize, "{}", layer.name);
        }
    }

    #[test]
    fn a_swin_block_is_five_layers() {
        let network = Architecture::conv(&[32, 64, 96], &[0, 1, 0, 1, 0])
            .and_then(|network| network.with_swin(&["enc1", "dec1"]))
            .unwrap();
        let layers = layers(&network);
        let block = |stage: &str| -> Vec<&Layer> {
            let of = |layer: &&Layer| layer.name.starts_with(stage);
            layers.iter().filter(of).collect()
        };
        let names: Vec<_> = block("enc1").iter().map(|l| l.name.as_str()).collect();
        let expected = [
            "enc1.0.qkv",
            "enc1.0.attention",
            "enc1.0.proj",
            "enc1.0.up",
            "enc1.0.down",
        ];
        assert_eq!(names, expected);
        let shapes: Vec<_> = block("enc1").iter().map(|l| l.weight_shape()).collect();
        let expected: [&[usize]; 5] = [&[192, 64], &[], &[64, 64], &[128, 64], &[64, 128]];
        assert_eq!(shapes, expected);
        assert_eq!(block("enc1")[1].role, Role::Attention(0));
        assert_eq!(block("dec1")[1].role, Role::Attention(4));
        // training/reconstruction_training/network.py, multiplications()
        let macs: u32 = block("dec1").iter().map(|l| l.macs_per_token()).sum();
        assert_eq!(macs, 8 * 64 * 64 + 2 * 96 * 64);
    }
}
