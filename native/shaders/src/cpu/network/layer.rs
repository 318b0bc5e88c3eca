//! Reference of `shaders/network/layer.comp`, every variant.

use super::gather::{first_row, source, taps};
use super::heads::heads;
use super::norm::normed;
use super::{bytes, pack_bytes, pack_pair, requantise, wide_at};
use reconstruction_core::network::attention::HEAD;
use reconstruction_core::network::LayerParams;

/// All invocations of a variant. `read`: weights, tokens, then the residual where there is one.
pub fn layer(variant: &str, params: &LayerParams, read: &[&[u32]], mut written: Vec<&mut [u32]>) {
    let values = Values::new(params, read[0]);
    let tokens = bytes(read[1]);
    let channels = params.output_channels as usize;
    let grid = params.output_grid;
    for y in 0..grid[1] {
        for x in 0..grid[0] {
            let place = [x as i32, y as i32];
            let token = (y * grid[0] + x) as usize;
            let row = first_row(variant, params, place);
            let sums = values.sums(variant, params, &tokens, place, row);
            let multipliers = &values.multipliers[row..row + channels];
            match variant {
                "hidden" | "token_hidden" => {
                    let hidden: Vec<i32> = (sums.iter().zip(multipliers))
                        .map(|(&sum, &m)| requantise(sum, m, 0.0, 127.0))
                        .collect();
                    put_bytes(written[0], token, &hidden);
                }
                "heads" => {
                    let [parameters, recurrent] = &mut written[..] else {
                        panic!("the heads write two ranges");
                    };
                    heads(params, token, &sums, multipliers, parameters, recurrent);
                }
                "qkv" => {
                    let vectors: Vec<i32> = (sums.iter().zip(multipliers).enumerate())
                        .map(|(c, (&sum, &m))| {
                            let is_value = c >= channels / 3 * 2;
                            let most = if is_value { 127.0 } else { 32767.0 };
                            requantise(sum, m, -most, most)
                        })
                        .collect();
                    let (pairs, values) = vectors.split_at(channels / 3 * 2);
                    let heads = pairs.chunks_exact(HEAD as usize);
                    let mut qkv: Vec<i32> = heads.flat_map(|head| normed(params, head)).collect();
                    qkv.extend(values);
                    put_bytes(written[0], token, &qkv);
                }
                _ => {
                    let wide: Vec<i32> = (0..channels)
                        .map(|c| {
                            let sum = requantise(sums[c], multipliers[c], -32767.0, 32767.0);
                            let residual = match read.get(2) {
                                Some(words) => wide_at(words, token * channels + c),
                                None => 0,
                            };
                            (residual + sum).clamp(-32767, 32767)
                        })
                        .collect();
                    put_pairs(written[0], token, &wide);
                    put_bytes(written[1], token, &normed(params, &wide));
                }
            }
        }
    }
}

/// A layer's values.
struct Values {
    weights: Vec<i8>,
    biases: Vec<i32>,
    multipliers: Vec<f32>,
}

impl Values {
    fn new(params: &LayerParams, words: &[u32]) -> Self {
        let bias = 4 * params.bias_unit as usize;
        let multiplier = 4 * params.multiplier_unit as usize;
        Values {
            weights: bytes(&words[..bias]),
            biases: words[bias..multiplier].iter().map(|&w| w as i32).collect(),
            multipliers: words[multiplier..]
                .iter()
                .map(|&w| f32::from_bits(w))
                .collect(),
        }
    }

    /// The sum of every output of a token, from `first_row` on.
    fn sums(
        &self,
        variant: &str,
        params: &LayerParams,
        tokens: &[i8],
        place: [i32; 2],
        first_row: usize,
    ) -> Vec<i32> {
        let inputs = params.input_channels as usize;
        let taps = taps(variant);
        let outputs = params.output_channels as usize;
        let mut sums = self.biases[first_row..first_row + outputs].to_vec();
        for tap in 0..taps {
            let Some(source) = source(variant, params, tap, place) else {
                continue;
            };
            let token = &tokens[source * inputs..][..inputs];
            for (row, sum) in sums.iter_mut().enumerate() {
                let at = ((first_row + row) * taps + tap) * inputs;
                *sum += dot(token, &self.weights[at..][..inputs]);
            }
        }
        sums
    }
}

/// Sum of products; never overflows, and checks would keep it from being vectorised.
fn dot(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).fold(0i32, |sum, (&a, &b)| {
        sum.wrapping_add(i32::from(a).wrapping_mul(i32::from(b)))
    })
}

fn put_bytes(words: &mut [u32], token: usize, values: &[i32]) {
    let at = token * values.len() / 4;
    for (word, v) in words[at..].iter_mut().zip(values.chunks_exact(4)) {
        *word = pack_bytes([v[0], v[1], v[2], v[3]]);
    }
}

fn put_pairs(words: &mut [u32], token: usize, values: &[i32]) {
    let at = token * values.len() / 2;
    for (word, v) in words[at..].iter_mut().zip(values.chunks_exact(2)) {
        *word = pack_pair(v[0], v[1]);
    }
}
