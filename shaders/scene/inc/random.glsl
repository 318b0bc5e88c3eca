// Random numbers by counting: seed, frame, pixel, sample and dimension give the same number on every device.

uint random_key;
uint random_index;
uint random_dimension;
bool random_is_single;

uint mix_bits(uint x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

// `is_single`: one sample a picture, so nothing to spread evenly.
void random_start(uint seed, uint frame, uint pixel, uint index, bool is_single) {
    random_key = mix_bits(mix_bits(mix_bits(seed) + frame) + pixel);
    random_index = index;
    random_dimension = 0u;
    random_is_single = is_single;
}

// Permutes so that every aligned range of numbers, bits reversed, maps to a range (Laine and Karras 2011).
uint scramble(uint reversed, uint key) {
    reversed += key;
    reversed ^= reversed * 0x6c50b47cu;
    reversed ^= reversed * 0xb82f1e52u;
    reversed ^= reversed * 0xc7afe638u;
    return reversed ^ (reversed * 0x8d22f6e6u);
}

float to_unit(uint bits) {
    return float(bits >> 8) * (1.0 / 16777216.0);
}

// A point of 0..1 squared. Over the samples of a pixel they form a shuffled, scrambled Sobol (0, 2) sequence.
vec2 random2() {
    uint key = mix_bits(random_key + random_dimension * 0x9e3779b9u);
    random_dimension += 1u;
    uint key_2 = mix_bits(key ^ 0x51633e2du);
    if (random_is_single) {
        return vec2(to_unit(key), to_unit(key_2));
    }
    uint i = bitfieldReverse(scramble(bitfieldReverse(random_index), key));
    // Pascal's triangle modulo 2: the second Sobol dimension.
    uint p = i;
    p ^= (p & 0xaaaaaaaau) >> 1;
    p ^= (p & 0xccccccccu) >> 2;
    p ^= (p & 0xf0f0f0f0u) >> 4;
    p ^= (p & 0xff00ff00u) >> 8;
    p ^= p >> 16;
    // Both are numbers with their bits reversed, which is how they are scrambled.
    uint x = bitfieldReverse(scramble(i, key_2));
    uint y = bitfieldReverse(scramble(p, mix_bits(key_2 + 1u)));
    return vec2(to_unit(x), to_unit(y));
}
