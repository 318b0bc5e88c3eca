// A function whose products must not be contracted with its sum.
float product_sum(float a, float b, float c) {
    return a * b + c;
}
