// As layer.comp, with cooperative matrices: a subgroup of 32 works on a run of 16 tokens, 32 outputs at a time.
#version 450
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#pragma use_vulkan_memory_model
#include "pass.glsl"
#include "constants.glsl"
#include "exact.glsl"
#include "network/gather.glsl"
#include "network/finish.glsl"

const int RUN = 16;
const uint SUBGROUPS = 4u;
// Units of 16 bytes in a row of sums: 32 sums, and one unit that spreads the rows over the banks.
const uint SUM_UNITS = 9u;

// Most chunks of 32 outputs of a token.
#ifdef FINISH_WIDE
const uint CHUNKS = 8u;
#else
const uint CHUNKS = 24u;
#endif

#define TOKENS coopmat<int8_t, gl_ScopeSubgroup, 16, 32, gl_MatrixUseA>
#define WEIGHTS coopmat<int8_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseB>
#define SUMS coopmat<int, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>

shared uvec4 staged[SUBGROUPS * 32u];
shared ivec4 summed[SUBGROUPS * 16u * SUM_UNITS];
shared uint squares[SUBGROUPS * 32u];

void wait_for_subgroup() {
    controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
}

// Sums of the run's tokens with outputs `row` to `row + 31`, left in `summed`.
void sum_products(ivec2 first, int step, uint row) {
    uint units = params.input_channels / 16u;
    uint stride = TAPS * units;
    uint lane = gl_SubgroupInvocationID;
    uint stage = gl_SubgroupID * 32u;
    ivec2 place = ivec2(first.x + int(lane / 2u) * step, first.y);
    ivec2 last = ivec2(first.x + (RUN - 1) * step, first.y);
    SUMS low = SUMS(0);
    SUMS high = SUMS(0);
    for (uint tap = 0u; tap < TAPS; tap++) {
        int from = source_of(first, tap);
        int to = source_of(last, tap);
        // Whole runs inside the grid are read where they lie, the others through shared memory, with zeros outside.
        bool is_whole = from >= 0 && to >= 0;
        int source = is_whole ? 0 : source_of(place, tap);
        uint at = uint(from) * units;
        for (uint unit = 0u; unit < units; unit += 2u) {
            TOKENS tokens;
            if (is_whole) {
                coopMatLoad(tokens, tokens_in, at + unit, SOURCE_STEP * units, gl_CooperativeMatrixLayoutRowMajor);
            } else {
                wait_for_subgroup();
                uvec4 mine = uvec4(0u);
                if (source >= 0) mine = tokens_in[uint(source) * units + unit + (lane & 1u)];
                staged[stage + lane] = mine;
                wait_for_subgroup();
                coopMatLoad(tokens, staged, stage, 2u, gl_CooperativeMatrixLayoutRowMajor);
            }
            WEIGHTS rows;
            uint weight = row * stride + tap * units + unit;
            coopMatLoad(rows, weights, weight, stride, gl_CooperativeMatrixLayoutColumnMajor);
            low = coopMatMulAdd(tokens, rows, low);
            coopMatLoad(rows, weights, weight + 16u * stride, stride, gl_CooperativeMatrixLayoutColumnMajor);
            high = coopMatMulAdd(tokens, rows, high);
        }
    }
    wait_for_subgroup();
    uint sums = gl_SubgroupID * 16u * SUM_UNITS;
    coopMatStore(low, summed, sums, SUM_UNITS, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(high, summed, sums + 4u, SUM_UNITS, gl_CooperativeMatrixLayoutRowMajor);
    wait_for_subgroup();
}

void main() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint index = group * SUBGROUPS + gl_SubgroupID;
    // No barrier beyond the subgroup's follows.
    if (index >= params.runs) return;
    int in_row = int(index % params.runs_per_row);
    int y = int(index / params.runs_per_row);
#ifdef GATHER_EXPAND
    int step = 2;
    ivec2 first = ivec2(2 * RUN * (in_row >> 1) + (in_row & 1), y);
#else
    int step = 1;
    ivec2 first = ivec2(RUN * in_row, y);
#endif
    uint first_row = first_row_of(first);
    // Two invocations share a token, each with 16 of the 32 outputs.
    uint half_lane = gl_SubgroupInvocationID & 1u;
    ivec2 place = ivec2(first.x + int(gl_SubgroupInvocationID / 2u) * step, y);
    bool is_inside = place.x < int(params.output_grid.x);
    uint token = uint(y) * params.output_grid.x + uint(place.x);
    uint mine = (gl_SubgroupID * 16u + gl_SubgroupInvocationID / 2u) * SUM_UNITS;
#ifdef FINISH_WIDE
    ivec4 wide[8][4];
    uint square = 0u;
#endif
    for (uint chunk = 0u; chunk < CHUNKS; chunk++) {
        if (chunk >= params.lanes / 2u) break;
        sum_products(first, step, first_row + 32u * chunk);
        uint lane = 2u * chunk + half_lane;
        ivec4 sums[4];
        for (int j = 0; j < 4; j++) {
            uint row = row_of(lane, j);
            sums[j] = summed[mine + (row - 32u * chunk) / 4u] + ivec4(weights[params.bias_unit + (first_row + row) / 4u]);
        }
#ifdef FINISH_WIDE
        if (is_inside) square += widen(token, lane, first_row, sums);
        wide[chunk] = sums;
#elif defined(FINISH_QKV)
        // A chunk is a head.
        uint square = 0u;
        if (is_inside) square = vectorise(lane, first_row, sums);
        squares[gl_SubgroupID * 32u + gl_SubgroupInvocationID] = square;
        wait_for_subgroup();
        uint total = square + squares[gl_SubgroupID * 32u + (gl_SubgroupInvocationID ^ 1u)];
        if (is_inside) write_vector(token, lane, sums, total);
#else
        if (is_inside) finish_token(token, lane, first_row, sums);
#endif
    }
#ifdef FINISH_WIDE
    squares[gl_SubgroupID * 32u + gl_SubgroupInvocationID] = square;
    wait_for_subgroup();
    uint total = square + squares[gl_SubgroupID * 32u + (gl_SubgroupInvocationID ^ 1u)];
    for (uint chunk = 0u; chunk < CHUNKS; chunk++) {
        if (chunk >= params.lanes / 2u) break;
        if (is_inside) write_normed(token, 2u * chunk + half_lane, wide[chunk], total);
    }
#endif
}
