// Which tokens and channels an invocation works on: a run of four tokens of a row, and 16 channels of each.

const int RUN = 4;

struct Run {
    ivec2 first; // the run's first token
    int step;    // from a token of the run to the next, along x
    uint lane;   // the invocation's place among those that share the run
    uint slot;   // the run's place in the workgroup
    bool is_active;
};

Run find_run() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    Run run;
    run.lane = gl_LocalInvocationIndex / params.runs_per_group;
    run.slot = gl_LocalInvocationIndex % params.runs_per_group;
    uint index = group * params.runs_per_group + run.slot;
    run.is_active = run.lane < params.lanes && index < params.runs;
    int y = int(index / params.runs_per_row);
    int in_row = int(index % params.runs_per_row);
#ifdef GATHER_EXPAND
    // Every second token of eight: all of them have the same place in their parent.
    run.step = 2;
    run.first = ivec2(8 * (in_row >> 1) + (in_row & 1), y);
#else
    run.step = 1;
    run.first = ivec2(RUN * in_row, y);
#endif
    return run;
}

ivec2 place_of(Run run, int i) {
    return ivec2(run.first.x + i * run.step, run.first.y);
}

bool is_inside(Run run, int i) {
    return run.is_active && run.first.x + i * run.step < int(params.output_grid.x);
}

// Index of a token of the run in the written plane.
uint token_of(Run run, int i) {
    ivec2 place = place_of(run, i);
    return uint(place.y) * params.output_grid.x + uint(place.x);
}
