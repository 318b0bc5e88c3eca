// Arithmetic with one result on every device; mirrors native/core/src/exact.rs.

const uint INFINITY_BITS = 0x7f800000u;

float door(float value, float substitute) {
    uint magnitude = floatBitsToUint(value) & 0x7fffffffu;
    if (magnitude >= INFINITY_BITS) return substitute;
    if (magnitude < floatBitsToUint(SMALLEST)) return 0.0;
    return value;
}

// The same for values of which only the positive ones count: 0 below 2^-14, at most 65504.
float positive_door(float value) {
    int bits = floatBitsToInt(value);
    return bits < floatBitsToInt(SMALLEST) ? 0.0 : intBitsToFloat(min(bits, floatBitsToInt(LARGEST)));
}

bool is_finite(float value) {
    return (floatBitsToUint(value) & 0x7fffffffu) < INFINITY_BITS;
}

// x in [2^-60, 2^60]
float reciprocal(float x) {
    float y = uintBitsToFloat(0x7ef311c3u - floatBitsToUint(x));
    y = y * (2.0 - x * y);
    y = y * (2.0 - x * y);
    y = y * (2.0 - x * y);
    return y;
}

// x in [2^-60, 2^60]
float inverse_square_root(float x) {
    float half_x = x * 0.5;
    float y = uintBitsToFloat(0x5f375a86u - (floatBitsToUint(x) >> 1));
    y = y * (1.5 - half_x * (y * y));
    y = y * (1.5 - half_x * (y * y));
    y = y * (1.5 - half_x * (y * y));
    return y;
}

// x in [2^-60, 2^60]
float square_root(float x) {
    return x * inverse_square_root(x);
}

// Whole part in whole, rest in [-0.5, 0.5] returned.
float log2_parts(float x, out int whole) {
    uint bits = floatBitsToUint(x);
    whole = int(bits - 0x3f3504f3u) >> 23;
    float u = uintBitsToFloat(bits - uint(whole << 23)) - 1.0;
    float q = -0.14620353;
    q = q * u + 0.23420985;
    q = q * u - 0.24882181;
    q = q * u + 0.2870756;
    q = q * u - 0.36024198;
    q = q * u + 0.48092404;
    q = q * u - 0.72135276;
    q = q * u + 1.4426949;
    return u * q;
}

float exact_log2(float x) {
    int whole;
    float rest = log2_parts(x, whole);
    return float(whole) + rest;
}

float exact_exp2(float x) {
    float whole = floor(x);
    float f = x - whole;
    float q = 0.00020829191;
    q = q * f + 0.0012689353;
    q = q * f + 0.00965244;
    q = q * f + 0.055495936;
    q = q * f + 0.24022722;
    q = q * f + 0.6931472;
    return uintBitsToFloat(floatBitsToUint(1.0 + f * q) + uint(int(whole) << 23));
}

uint to_half(float value) {
    uint bits = floatBitsToUint(value);
    uint magnitude = bits & 0x7fffffffu;
    if (magnitude < floatBitsToUint(SMALLEST)) return 0u;
    uint rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    uint half_bits = min((rounded - 0x38000000u) >> 13, 0x7bffu);
    return half_bits | ((bits >> 16) & 0x8000u);
}

// The same for values in [0, 65504].
uint positive_to_half(float value) {
    uint bits = floatBitsToUint(value);
    uint rounded = bits + 0xfffu + ((bits >> 13) & 1u);
    return bits < floatBitsToUint(SMALLEST) ? 0u : (rounded - 0x38000000u) >> 13;
}

uint pack_halves(float x, float y) {
    return to_half(x) | (to_half(y) << 16);
}

// Exact, since stored halves are zero or normal.
vec2 unpack_halves(uint word) {
    return unpackHalf2x16(word);
}
