// The planes of a picture: halves and floats packed into 32-bit words. An absent plane is not written.

// Largest half.
const float LARGEST = 65504.0;

void put_4(uint plane, uint pixel, vec4 value) {
    if (plane != NONE) {
        value = clamp(value, -LARGEST, LARGEST);
        planes[plane + pixel * 2u] = packHalf2x16(value.xy);
        planes[plane + pixel * 2u + 1u] = packHalf2x16(value.zw);
    }
}

void put_2(uint plane, uint pixel, vec2 value) {
    if (plane != NONE) {
        planes[plane + pixel * 2u] = floatBitsToUint(value.x);
        planes[plane + pixel * 2u + 1u] = floatBitsToUint(value.y);
    }
}

void put_1(uint plane, uint pixel, float value) {
    if (plane != NONE) {
        planes[plane + pixel] = floatBitsToUint(value);
    }
}
