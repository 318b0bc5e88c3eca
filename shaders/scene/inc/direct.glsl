// Direct light by resampled importance sampling (Talbot 2005), with reuse over time as a switch (Bitterli 2020).
// Together with the rays that leave the surface it is multiple importance sampling: the weights are in the candidates.

#include "lights.glsl"
#include "history.glsl"

// Light of a candidate if nothing is in between, over the density of all `candidates` and the leaving ray together.
Reflected candidate_light(Surface s, LightSample l, uint candidates) {
    Reflected r = Reflected(vec3(0.0), vec3(0.0));
    if (l.density > 0.0) {
        r = reflected(s, l.direction);
        float other = l.is_visible ? direction_density(s, l.direction) : 0.0;
        vec3 by = l.radiance / (l.density + other / float(candidates));
        r.diffuse *= by;
        r.specular *= by;
    }
    return r;
}

// Light samples among which one is chosen.
struct Candidates {
    // How many.
    uint count;
    // Their part of the lights, as pick_light counts: where it begins, and how much of 0..1 it is.
    float first;
    float share;
    // They are chosen in proportion to the root of their light, not to the light itself.
    bool is_by_root;
};

// All lights. The root: a bright light that is hidden here, as a sun from indoors, may not outdo all that is seen.
Candidates all_lights(uint count) {
    return Candidates(count, 0.0, 1.0, true);
}

// The world's lights, or sun and sky. With a ray for each of both parts neither hides the other, and the brightest lamp
// may be chosen most; the sun may still be hidden. Where one part has nothing, both have half of the lights.
Candidates part_of_lights(uint count, bool is_surrounding) {
    float surrounding = picture.sky_share;
    if (picture.sun != 0u) {
        surrounding += (1.0 - picture.sky_share) * light_at(picture.sun - 1u).pick;
    }
    bool are_both = surrounding > 0.0 && surrounding < 0.999;
    float middle = are_both ? 1.0 - surrounding : 0.5;
    if (is_surrounding) {
        return Candidates(count, middle, 1.0 - middle, are_both);
    }
    return Candidates(count, 0.0, middle, false);
}

// One of the candidates; `old`, the choice of the surface's previous pixel, is one more that stands for many. The
// sample that was chosen, and its light, come back too.
Reservoir choose(Surface s, Candidates among, Reservoir old, out LightSample sampled, out Reflected light) {
    Reservoir kept = Reservoir(NONE, vec2(0.0), 0.0, float(among.count) + old.count);
    float sum = 0.0;
    float chosen = 0.0;
    light = Reflected(vec3(0.0), vec3(0.0));
    sampled.density = 0.0;
    sampled.distance = 0.0;
    sampled.direction = s.normal;
    sampled.radiance = vec3(0.0);
    sampled.is_visible = false;
    bool has_old = old.weight > 0.0 && old.light <= picture.light_count;
    for (uint i = 0u; i < among.count + (has_old ? 1u : 0u); i++) {
        vec2 pick = random2();
        vec2 u = random2();
        // Spread evenly over the lights.
        float place = among.first + among.share * (float(i) + pick.x) / float(among.count);
        place = min(place, 0.9999999);
        uint index = pick_light(place);
        float stands_for = 1.0;
        if (i == among.count) {
            index = old.light;
            u = old.u;
            stands_for = old.weight * old.count;
        }
        LightSample l = sample_light(s, index, u);
        Reflected r = candidate_light(s, l, among.count);
        float value = luminance(total_of(s, r));
        value = among.is_by_root ? sqrt(value) : value;
        sum += value * stands_for;
        if (i == 0u || (value > 0.0 && pick.y * sum < value * stands_for)) {
            kept.light = index;
            kept.u = u;
            chosen = value;
            sampled = l;
            light = r;
        }
    }
    kept.weight = chosen > 0.0 ? among.share * sum / (kept.count * chosen) : 0.0;
    return kept;
}
