// Which tokens feed a sum.

#if defined(GATHER_3X3)
const uint TAPS = 9u;
#elif defined(GATHER_MERGE)
const uint TAPS = 4u;
#else
const uint TAPS = 1u;
#endif

// From the token that one token of a row reads to the one that the next reads.
#ifdef GATHER_MERGE
const uint SOURCE_STEP = 2u;
#else
const uint SOURCE_STEP = 1u;
#endif

// Index of the token that a tap reads for a token; -1 outside the grid, where every channel is zero.
int source_of(ivec2 place, uint tap) {
#if defined(GATHER_3X3)
    place += ivec2(int(tap % 3u), int(tap / 3u)) - 1;
#elif defined(GATHER_MERGE)
    place = 2 * place + ivec2(int(tap % 2u), int(tap / 2u));
#elif defined(GATHER_EXPAND)
    place >>= 1;
#endif
    ivec2 grid = ivec2(params.input_grid);
    bool is_in = place.x >= 0 && place.y >= 0 && place.x < grid.x && place.y < grid.y;
    return is_in ? place.y * grid.x + place.x : -1;
}

// First row of a token's weights: an expansion has its own for each place in the parent.
uint first_row_of(ivec2 place) {
#ifdef GATHER_EXPAND
    return uint(2 * (place.y & 1) + (place.x & 1)) * params.output_channels;
#else
    return 0u;
#endif
}
