// The attention of one window and head. DOT(a, b) sums the products of four packed int8.

const int WINDOW = 8;
const int REACH = 10;
// Keys are taken in fours.
const uint QUADS = 25u;
const uint QUERIES = 64u;
const uint HEAD_UNITS = 73u;
const uint SHARPNESS = 289u;
const int MOST_SCORE = 65535;

shared uvec4 keys[8u * QUADS];   // two units of each key
shared uvec4 values[8u * QUADS]; // of each quad 32 words, a channel each, its byte i of key i
shared int is_key[4u * QUADS];   // all bits set, or none: a corner, or outside the grid
shared int positions[4u * HEAD_UNITS]; // of the head, then its sharpness
shared uvec2 rows[QUADS * QUERIES]; // 16 bits each, of four keys and a query

// Place of a key in the grid; keys stand row by row around the window.
ivec2 place_of_key(ivec2 window, uint key) {
    return window + ivec2(int(key % uint(REACH)), int(key / uint(REACH))) - 1;
}

// Index of a token's first unit; -1 outside the grid.
int unit_of(ivec2 place) {
    ivec2 grid = ivec2(params.grid);
    bool is_in = place.x >= 0 && place.y >= 0 && place.x < grid.x && place.y < grid.y;
    return is_in ? (place.y * grid.x + place.x) * int(6u * params.heads) : -1;
}

uvec4 load(int unit, uint part) {
    return unit < 0 ? uvec4(0u) : qkv_in[uint(unit) + part];
}

void load_keys(ivec2 window, uint head) {
    for (uint at = gl_LocalInvocationIndex; at < 8u * QUADS; at += QUERIES) {
        uint key = at / 2u;
        int unit = unit_of(place_of_key(window, key));
        keys[at] = load(unit, 2u * (params.heads + head) + at % 2u);
        if (at % 2u == 0u) {
            uint x = key % uint(REACH);
            uint y = key / uint(REACH);
            bool is_corner = (x == 0u || x == uint(REACH) - 1u) && (y == 0u || y == uint(REACH) - 1u);
            is_key[key] = unit >= 0 && !is_corner ? -1 : 0;
        }
    }
}

// 16 channels of four keys, turned so that a word holds one channel.
void load_values(ivec2 window, uint head) {
    for (uint at = gl_LocalInvocationIndex; at < 2u * QUADS; at += QUERIES) {
        uint quad = at / 2u;
        uvec4 of_key[4];
        for (uint i = 0u; i < 4u; i++) {
            int unit = unit_of(place_of_key(window, 4u * quad + i));
            of_key[i] = load(unit, 2u * (2u * params.heads + head) + at % 2u);
        }
        for (int word = 0; word < 4; word++) {
            uvec4 four = uvec4(of_key[0][word], of_key[1][word], of_key[2][word], of_key[3][word]);
            uvec4 turned;
            for (int b = 0; b < 4; b++) {
                uvec4 channel = (four >> (8 * b)) & 0xffu;
                turned[b] = channel.x | (channel.y << 8) | (channel.z << 16) | (channel.w << 24);
            }
            values[8u * quad + 4u * (at % 2u) + uint(word)] = turned;
        }
    }
}

// 1 + s / 3 in 4096ths, 0..16383, of a score and what its position adds.
int base_of(int score, int sharpness, int position) {
    int s = clamp(((score * sharpness) >> 8) + position, -MOST_SCORE, MOST_SCORE);
    return clamp(4096 + (((s >> 2) * 21845) >> 14), 0, 16383);
}

// Their cubes, 18 bits.
uvec4 cube_of(uvec4 base) {
    return (((base * base) >> 12) * base) >> 12;
}

void main() {
    uint index = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    // The whole workgroup leaves, or none of it.
    if (index >= params.window_heads) return;
    uint head = index % params.heads;
    uint in_grid = index / params.heads;
    ivec2 window = WINDOW * ivec2(int(in_grid % params.windows_per_row), int(in_grid / params.windows_per_row));
    window -= int(params.shift);
    load_keys(window, head);
    load_values(window, head);
    for (uint at = gl_LocalInvocationIndex; at < HEAD_UNITS; at += QUERIES) {
        ivec4 four = ivec4(tables[head * HEAD_UNITS + at]);
        for (int i = 0; i < 4; i++) positions[4u * at + uint(i)] = four[i];
    }
    barrier();

    uint me = gl_LocalInvocationIndex;
    ivec2 in_window = ivec2(int(me % uint(WINDOW)), int(me / uint(WINDOW)));
    ivec2 place = window + in_window;
    int unit = unit_of(place);
    if (unit < 0) return;
    uvec4 low = load(unit, 2u * head);
    uvec4 high = load(unit, 2u * head + 1u);
    int sharpness = positions[SHARPNESS];
    // Of key (0, 0): it stands one up and left of the window.
    int position = 17 * (7 - in_window.y) + 7 - in_window.x;

    uint most = 0u;
    for (uint quad = 0u; quad < QUADS; quad++) {
        uvec4 base;
        for (uint i = 0u; i < 4u; i++) {
            uint key = 4u * quad + i;
            uvec4 a = keys[2u * key];
            uvec4 b = keys[2u * key + 1u];
            int score = DOT(low.x, a.x) + DOT(low.y, a.y) + DOT(low.z, a.z) + DOT(low.w, a.w)
                + DOT(high.x, b.x) + DOT(high.y, b.y) + DOT(high.z, b.z) + DOT(high.w, b.w);
            int at = position + int(17u * (key / uint(REACH)) + key % uint(REACH));
            base[i] = uint(base_of(score, sharpness, positions[at]) & is_key[key]);
        }
        most = max(most, max(max(base.x, base.y), max(base.z, base.w)));
        rows[quad * QUERIES + me] = uvec2(base.x | (base.y << 16), base.z | (base.w << 16));
    }

    // One division a row: weights are cubes in 127ths of the largest.
    uint rate = (127u << 24) / max(cube_of(uvec4(most)).x, 1u);
    uint total = 0u;
    ivec4 mixed[8];
    for (int j = 0; j < 8; j++) mixed[j] = ivec4(0);
    for (uint quad = 0u; quad < QUADS; quad++) {
        uvec2 row = rows[quad * QUERIES + me];
        uvec4 base = uvec4(row.x & 0xffffu, row.x >> 16, row.y & 0xffffu, row.y >> 16);
        uvec4 weight = (cube_of(base) * rate + (1u << 23)) >> 24;
        total += weight.x + weight.y + weight.z + weight.w;
        uint packed = weight.x | (weight.y << 8) | (weight.z << 16) | (weight.w << 24);
        for (int j = 0; j < 8; j++) {
            uvec4 four = values[8u * quad + uint(j)];
            mixed[j] += ivec4(DOT(packed, four.x), DOT(packed, four.y), DOT(packed, four.z), DOT(packed, four.w));
        }
    }

    float share = total > 0u ? reciprocal(float(total)) : 0.0;
    uint first = uint(place.y * int(params.grid.x) + place.x) * 2u * params.heads + 2u * head;
    for (uint i = 0u; i < 2u; i++) {
        uvec4 packed;
        for (uint j = 0u; j < 4u; j++) {
            vec4 value = roundEven(vec4(mixed[4u * i + j]) * share);
            uvec4 u = uvec4(ivec4(min(max(value, vec4(-127.0)), vec4(127.0)))) & 0xffu;
            packed[j] = u.x | (u.y << 8) | (u.z << 16) | (u.w << 24);
        }
        mixed_out[first + i] = packed;
    }
}
