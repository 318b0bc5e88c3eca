//! Reference of `shaders/network/attention.comp`.

use super::{bytes, pack_bytes};
use reconstruction_core::exact::reciprocal;
use reconstruction_core::network::attention::{HEAD, HEAD_WORDS, REACH, SHARPNESS_WORD, WINDOW};
use reconstruction_core::network::AttentionParams;

const KEYS: usize = (REACH * REACH) as usize;
const CHANNELS: usize = HEAD as usize;
const MOST_SCORE: i32 = 65535;

/// A key and its values, as one head sees them; none: a corner, or outside the grid.
type Key<'a> = Option<(&'a [i8], &'a [i8])>;

/// All invocations of the pass.
pub fn attention(params: &AttentionParams, tables: &[u32], qkv: &[u32], mixed_out: &mut [u32]) {
    let tokens = bytes(qkv);
    for index in 0..params.window_heads {
        let head = (index % params.heads) as usize;
        let in_grid = index / params.heads;
        let window = [
            in_grid % params.windows_per_row,
            in_grid / params.windows_per_row,
        ];
        let window = window.map(|at| (WINDOW * at) as i32 - params.shift as i32);
        let keys: Vec<Key> = (0..KEYS)
            .map(|key| key_at(params, &tokens, window, head, key))
            .collect();
        let table = &tables[HEAD_WORDS * head..][..HEAD_WORDS];
        for me in 0..WINDOW * WINDOW {
            let in_window = [me % WINDOW, me / WINDOW].map(|at| at as i32);
            let place = [window[0] + in_window[0], window[1] + in_window[1]];
            let Some(token) = token_at(params, place) else {
                continue;
            };
            let query = part(params, &tokens, token, 0, head);
            let mixed = mix(table, query, &keys, in_window);
            let first = (token * params.heads as usize + head) * CHANNELS / 4;
            for (word, v) in mixed_out[first..].iter_mut().zip(mixed.chunks_exact(4)) {
                *word = pack_bytes([v[0], v[1], v[2], v[3]]);
            }
        }
    }
}

fn token_at(params: &AttentionParams, place: [i32; 2]) -> Option<usize> {
    let grid = params.grid.map(|n| n as i32);
    let is_in = place[0] >= 0 && place[1] >= 0 && place[0] < grid[0] && place[1] < grid[1];
    is_in.then_some((place[1] * grid[0] + place[0]) as usize)
}

/// Queries (0), keys (1) or values (2) of a token for a head.
fn part<'a>(
    params: &AttentionParams,
    tokens: &'a [i8],
    token: usize,
    part: usize,
    head: usize,
) -> &'a [i8] {
    let heads = params.heads as usize;
    &tokens[((3 * token + part) * heads + head) * CHANNELS..][..CHANNELS]
}

fn key_at<'a>(
    params: &AttentionParams,
    tokens: &'a [i8],
    window: [i32; 2],
    head: usize,
    key: usize,
) -> Key<'a> {
    let [x, y] = [key as i32 % REACH as i32, key as i32 / REACH as i32];
    let is_end = |at: i32| at == 0 || at == REACH as i32 - 1;
    if is_end(x) && is_end(y) {
        return None;
    }
    let token = token_at(params, [window[0] + x - 1, window[1] + y - 1])?;
    let of = |index| part(params, tokens, token, index, head);
    Some((of(1), of(2)))
}

/// The values of a query.
fn mix(table: &[u32], query: &[i8], keys: &[Key], in_window: [i32; 2]) -> [i32; CHANNELS] {
    let sharpness = table[SHARPNESS_WORD] as i32;
    // Of key (0, 0): it stands one up and left of the window.
    let position = 17 * (7 - in_window[1]) + 7 - in_window[0];
    let mut most = 0u32;
    let mut row = [0u32; KEYS];
    for key in 0..KEYS {
        if let Some((vector, _)) = keys[key] {
            let products = (query.iter().zip(vector)).map(|(&a, &b)| i32::from(a) * i32::from(b));
            let at = position + (17 * (key / REACH as usize) + key % REACH as usize) as i32;
            row[key] = base_of(products.sum(), sharpness, table[at as usize] as i32) as u32;
        }
        most = most.max(row[key]);
    }

    let rate = (127 << 24) / cube_of(most).max(1);
    let mut total = 0u32;
    let mut mixed = [0i32; CHANNELS];
    for key in 0..KEYS {
        let weight = (cube_of(row[key]) * rate + (1 << 23)) >> 24;
        total += weight;
        if let Some((_, values)) = keys[key] {
            for (sum, &value) in mixed.iter_mut().zip(values) {
                *sum += weight as i32 * i32::from(value);
            }
        }
    }

    let mut share = 0.0f32;
    if total > 0 {
        share = reciprocal(total as f32);
    }
    mixed.map(|sum| {
        let value = (sum as f32 * share).round_ties_even();
        value.max(-127.0).min(127.0) as i32
    })
}

/// 1 + s / 3 in 4096ths, 0..16383, of a score and what its position adds.
fn base_of(score: i32, sharpness: i32, position: i32) -> i32 {
    let s = (((score * sharpness) >> 8) + position).clamp(-MOST_SCORE, MOST_SCORE);
    (4096 + (((s >> 2) * 21845) >> 14)).clamp(0, 16383)
}

/// Its cube, 18 bits.
fn cube_of(base: u32) -> u32 {
    (((base * base) >> 12) * base) >> 12
}
