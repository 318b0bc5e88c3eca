// Direct light by resampled importance sampling (Talbot 2005), with reuse over time as a switch (Bitterli 2020).
// Together with the rays that leave the surface it is multiple importance sampling: the weights are in the candidates.

#include "lights.glsl"
#include "history.glsl"

// Light of a candidate if nothing is in between, over the density of its numbers and of leaving rays together.
Reflected candidate_light(Surface s, LightSample l) {
    Reflected r = Reflected(vec3(0.0), vec3(0.0));
    if (l.density > 0.0) {
        r = reflected(s, l.direction);
        float other = l.is_visible ? direction_density(s, l.direction) : 0.0;
        vec3 by = l.radiance / (l.density + other);
        r.diffuse *= by;
        r.specular *= by;
    }
    return r;
}

float worth(Surface s, Reflected r) {
    return luminance(total_of(s, r));
}

// One of `candidates` light samples, in proportion to its light.
Reservoir choose(Surface s, uint candidates) {
    Reservoir kept = Reservoir(NONE, vec2(0.0), 0.0, float(candidates));
    float sum = 0.0;
    float chosen = 0.0;
    for (uint i = 0u; i < candidates; i++) {
        vec2 pick = random2();
        vec2 u = random2();
        uint light = pick_light(pick.x);
        float value = worth(s, candidate_light(s, sample_light(s, light, u)));
        sum += value;
        if (value > 0.0 && pick.y * sum < value) {
            kept.light = light;
            kept.u = u;
            chosen = value;
        }
    }
    kept.weight = chosen > 0.0 ? sum / (float(candidates) * chosen) : 0.0;
    return kept;
}

// Joins the choice with the one of the surface's previous pixel.
Reservoir reuse(Surface s, Reservoir now, uint previous) {
    Reservoir old = kept_reservoir(previous);
    // So old a choice may not outlive its truth.
    old.count = min(old.count, 20.0 * now.count);
    float value_now = 0.0;
    if (now.weight > 0.0) {
        value_now = worth(s, candidate_light(s, sample_light(s, now.light, now.u)));
    }
    float value_old = 0.0;
    if (old.weight > 0.0 && (old.light <= picture.light_count)) {
        value_old = worth(s, candidate_light(s, sample_light(s, old.light, old.u)));
    }
    float share_now = value_now * now.weight * now.count;
    float share_old = value_old * old.weight * old.count;
    float sum = share_now + share_old;
    Reservoir joined = now;
    joined.count = now.count + old.count;
    float chosen = value_now;
    if (random2().x * sum < share_old) {
        joined.light = old.light;
        joined.u = old.u;
        chosen = value_old;
    }
    joined.weight = chosen > 0.0 ? sum / (joined.count * chosen) : 0.0;
    return joined;
}
