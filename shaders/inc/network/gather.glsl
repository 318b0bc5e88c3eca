// Which tokens feed a sum.

#if defined(GATHER_3X3)
const uint TAPS = 9u;
#elif defined(GATHER_MERGE)
const uint TAPS = 4u;
#else
const uint TAPS = 1u;
#endif

// Index of the token that a tap reads for token i of the run; -1 outside the grid, where every channel is zero.
int source_of(Run run, int i, uint tap) {
    ivec2 place = place_of(run, i);
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

// First row of the weights: an expansion has its own for each place in the parent.
uint first_row_of(Run run) {
#ifdef GATHER_EXPAND
    return uint(2 * (run.first.y & 1) + (run.first.x & 1)) * params.output_channels;
#else
    return 0u;
#endif
}
