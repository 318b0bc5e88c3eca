// Lights each point and writes what reconstruction needs beside it: colour, depth, motion.
#version 450
layout(location=0) in vec4 nowClip;
layout(location=1) in vec4 oldClip;
layout(location=2) in vec3 place; // metres; of the sky a direction
layout(location=3) in vec3 facing;
layout(location=4) in vec2 surface;

uniform vec2 inputSize;     // pixels
uniform float mipBias;      // patterns are filtered as textures are: footprint * 2^mipBias
uniform vec3 eye;
uniform int pattern;        // 0 sky 1 floor 2 plain 3 stripes 4 mirror 5 text 6 wire 7 light
uniform vec4 material;      // albedo and gloss; of a light its radiance
uniform vec4 balls[3];      // centre and radius of what throws round shadows
uniform vec4 ballColors[3];
uniform vec4 ringPlaces[5]; // centre and radius
uniform vec4 ringAxes[5];   // axis and half thickness

layout(location=0) out vec4 color; // linear radiance
layout(location=1) out float depth; // 0 near, 1 far and sky
layout(location=2) out vec2 motion; // where this point was minus where it is, input pixels, y down

const vec3 SUN = vec3(-0.758, 0.334, -0.560);
const vec3 SUN_LIGHT = vec3(8.5, 4.9, 2.2);
const vec3 LAMP = vec3(0.0, 1.55, 0.0);
const vec3 LAMP_LIGHT = vec3(7.5, 3.8, 1.4);
const vec3 HAZE = vec3(1.25, 0.52, 0.20);

uint scramble(ivec2 p) {
    uint h = uint(p.x) * 0x9E3779B9u ^ uint(p.y) * 0x85EBCA6Bu;
    h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
    h = (h ^ (h >> 12)) * 0x297A2D39u;
    return h ^ (h >> 15);
}
float random(vec2 cell) { return float(scramble(ivec2(cell)) >> 8) / 16777216.0; }
float noise(vec2 p) {
    vec2 i = floor(p), f = p - i;
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(random(i), random(i + vec2(1, 0)), f.x), mix(random(i + vec2(0, 1)), random(i + vec2(1, 1)), f.x), f.y);
}

// Share of a footprint w wide, at distance x from the middle of a line, that the line covers.
float line(float x, float halfWidth, float w) {
    return clamp((halfWidth + 0.5 * w - abs(x)) / w, 0.0, min(1.0, 2.0 * halfWidth / w));
}
// Marks that look like letters, 5 x 7 dots in a cell of 1 x 1; w is the footprint in cells.
float letters(vec2 p, float w) {
    vec2 cell = floor(p), at = floor((p - cell) * vec2(6.0, 9.0));
    uint bits = scramble(ivec2(cell) + 71);
    if ((bits >> 28) < 3u || at.x > 4.0 || at.y > 6.0) return 0.0;
    float column = min(at.x, 4.0 - at.x); // mirrored, as many letters are
    float ink = float((bits >> uint(column * 7.0 + at.y)) & 1u);
    if (column == 0.0 && (bits & 0x8000000u) != 0u) ink = 1.0;
    return mix(ink, 0.45, clamp(w * 5.0 - 0.6, 0.0, 1.0));
}

vec3 skyLight(vec3 d) {
    float up = max(d.y, 0.0), s = max(dot(d, SUN), 0.0);
    vec3 c = mix(HAZE, vec3(0.05, 0.13, 0.34), smoothstep(0.0, 0.66, sqrt(up)));
    c += vec3(1.6, 0.72, 0.25) * (0.5 * pow(s, 6.0) + 1.5 * pow(s, 48.0)) + vec3(90, 62, 36) * smoothstep(0.9993, 0.9997, s);
    vec2 high = d.xz / (up + 0.15) * vec2(0.9, 2.6) + 11.0;
    float veil = smoothstep(0.40, 0.75, 0.55 * noise(high) + 0.28 * noise(high * 2.3) + 0.17 * noise(high * 5.1));
    c = mix(c, vec3(1.25, 0.62, 0.42) * (0.55 + pow(s, 3.0)), 0.7 * veil * smoothstep(0.02, 0.2, up));
    float a = atan(d.x, -d.z);
    float ridge = 0.075 + 0.020 * sin(a * 7.0 + 1.0) + 0.013 * sin(a * 17.0) + 0.004 * sin(a * 61.0 + 2.0);
    float near = 0.034 + 0.012 * sin(a * 11.0 + 4.0) + 0.006 * sin(a * 29.0) + 0.002 * sin(a * 151.0);
    c = mix(c, vec3(0.40, 0.20, 0.20), d.y < ridge ? 0.8 : 0.0);
    return mix(c, vec3(0.10, 0.07, 0.11), d.y < near ? 0.8 : 0.0);
}

float ballShadow(vec3 p, vec3 d, vec4 ball, float softness) {
    vec3 v = ball.xyz - p;
    float b = dot(v, d);
    float clear = sqrt(max(dot(v, v) - b * b, 0.0)) - ball.w;
    return b < 0.0 ? 1.0 : smoothstep(-1.0, 1.0, clear / (b * softness + 0.004));
}
float ringShadow(vec3 p, vec3 d, int i, float softness) {
    vec3 axis = ringAxes[i].xyz, v = ringPlaces[i].xyz - p;
    float t = dot(v, axis) / dot(d, axis);
    float thick = ringAxes[i].w, w = t * softness + 0.002;
    float off = abs(length(d * t - v) - ringPlaces[i].w);
    return t > 0.04 ? 1.0 - min(1.0, thick / w) * (1.0 - smoothstep(max(thick - w, 0.0), thick + w, off)) : 1.0;
}
// Sun with soft shadows, the sky with contact shadows, and the lamp.
vec3 lightAt(vec3 p, vec3 n) {
    vec3 toLamp = LAMP - p;
    float far2 = dot(toLamp, toLamp);
    vec3 d = toLamp * inversesqrt(far2);
    vec3 share = vec3(1); // of sun, sky, lamp
    for (int i = 0; i < 3; i++) {
        vec3 v = balls[i].xyz - p;
        float size2 = balls[i].w * balls[i].w, ball2 = max(dot(v, v), size2);
        share *= vec3(
            ballShadow(p, SUN, balls[i], 0.035), 1.0 - max(dot(n, v * inversesqrt(ball2)), 0.0) * size2 / ball2,
            ballShadow(p, d, balls[i], 0.08));
    }
    for (int i = 0; i < 5; i++) share.x *= ringShadow(p, SUN, i, 0.014);
    for (int i = 3; i < 5; i++) {
        // These rings turn about the lamp: their shadows are planes through it.
        float off = abs(dot(d, ringAxes[i].xyz)) * ringPlaces[i].w, thick = ringAxes[i].w;
        share.z *= far2 > ringPlaces[i].w * ringPlaces[i].w ? 0.35 + 0.65 * smoothstep(thick * 0.3, thick * 2.5, off) : 1.0;
    }
    vec3 sky = mix(vec3(0.13, 0.08, 0.05), vec3(0.12, 0.16, 0.30), 0.5 + 0.5 * n.y) * (0.6 + 0.4 * smoothstep(0.0, 0.5, p.y + n.y));
    vec3 light = LAMP_LIGHT * (share.z * max(dot(n, d), 0.0) / (far2 + 0.1));
    return light + SUN_LIGHT * (share.x * max(dot(n, SUN), 0.0)) + sky * share.y;
}

// Dark terrazzo in tiles, brass rings, 60 ticks and `ink`; w is the footprint in metres along x and z.
vec3 floorAlbedo(vec2 p, vec2 w, float ink) {
    vec2 tile = floor(p / 0.75), grain = floor(p / 0.035);
    float chip = random(grain + 13.0);
    vec2 off = p / 0.035 - grain - 0.5 + (vec2(chip, fract(chip * 37.0)) - 0.5) * 0.5;
    float chips = mix(smoothstep(0.42, 0.30, length(off)) * step(0.5, chip), 0.22, smoothstep(0.008, 0.03, max(w.x, w.y)));
    vec3 c = vec3(0.105, 0.095, 0.10) * (0.8 + 0.4 * random(tile));
    c = mix(c, mix(vec3(0.36, 0.30, 0.24), vec3(0.26, 0.09, 0.05), step(0.88, chip)), 0.65 * chips);
    vec2 joint = abs(fract(p / 0.75 + 0.5) - 0.5) * 0.75;
    c = mix(c, vec3(0.02), max(line(joint.x, 0.006, w.x), line(joint.y, 0.006, w.y)));
    float r = length(p), angle = atan(p.y, p.x);
    vec2 outwards = p / max(r, 1e-3);
    float wr = dot(abs(outwards), w), wa = dot(abs(outwards.yx), w);
    float tick = abs(fract(angle * 9.549297 + 0.5) - 0.5) / 9.549297 * r;
    float brass = max(max(line(r - 1.75, 0.012, wr), line(r - 2.05, 0.006, wr)), max(line(r - 2.65, 0.006, wr), line(r - 2.75, 0.018, wr)));
    brass = max(brass, line(tick, 0.008, wa) * step(1.75, r) * step(r, 2.05));
    return mix(c, vec3(0.80, 0.50, 0.18), max(brass, ink));
}

// What a ray from p sees: `behind`, or a ball, the lamp or a ring before it.
vec3 glance(vec3 p, vec3 d, float nearest, vec3 behind) {
    vec3 c = behind;
    for (int i = 0; i < 5; i++) c = mix(vec3(0.45, 0.25, 0.10), c, ringShadow(p, d, i, 0.003));
    for (int i = 0; i < 4; i++) {
        vec4 ball = i < 3 ? balls[i] : vec4(LAMP, 0.2);
        vec3 v = ball.xyz - p;
        float b = dot(v, d), h = b * b - dot(v, v) + ball.w * ball.w;
        float t = b - sqrt(max(h, 0.0));
        bool hit = h > 0.0 && t > 0.03 && t < nearest;
        vec3 n = normalize(p + d * t - ball.xyz);
        vec3 lit = i == 3 ? vec3(22, 12, 5) : ballColors[i % 3].rgb * (SUN_LIGHT * max(dot(n, SUN), 0.0) + vec3(0.24)) * (0.7 + 0.3 * n.y);
        c = hit ? lit : c;
        nearest = hit ? t : nearest;
    }
    return c;
}

void main() {
    vec3 toEye = eye - place;
    float far = length(toEye), bias = exp2(mipBias), gloss = material.a;
    vec3 v = toEye / far, n = normalize(facing), albedo = material.rgb;
    vec2 footprint = max((abs(dFdx(place.xz)) + abs(dFdy(place.xz))) * bias, 1e-4);
    vec2 fine = max((abs(dFdx(surface)) + abs(dFdy(surface))) * bias, 1e-5);
    vec2 tile = floor(place.xz / 0.75);
    if (pattern == 1) n = normalize(vec3((random(tile) - 0.5) * 0.008, 1.0, (random(tile + 31.0) - 0.5) * 0.008));
    if (pattern == 6) n = normalize(v + 0.6 * SUN); // a wire is round: it shows the sun a lit side

    // A mirror is lit where its reflected ray meets the floor; everything else where it is.
    vec3 d = pattern == 0 ? normalize(place) : reflect(-v, n);
    bool isFloorSeen = pattern == 4 && d.y < 0.0, isFloor = pattern == 1 || isFloorSeen;
    float way = isFloorSeen ? -place.y / d.y : 1e9;
    vec3 at = isFloorSeen ? place + d * way : place;
    footprint = isFloorSeen ? vec2(0.01 + 0.01 * way) : footprint;

    vec2 cell = vec2(surface.x, surface.y - 0.42) / vec2(0.045, 0.075); // the panel's two columns of text
    float cellWide = max(fine.x / 0.045, fine.y / 0.075), r = length(at.xz);
    bool isInked = pattern == 5 && abs(abs(surface.x - 1.1) - 0.5) < 0.45 && abs(surface.y - 1.02) < 0.6;
    if (pattern == 5 && abs(surface.x - 0.825) < 0.675 && abs(surface.y - 0.22) < 0.1) { // its title
        isInked = true;
        cell = vec2(surface.x / 0.15, (surface.y - 0.12) / 0.2);
        cellWide = fine.x / 0.15;
    }
    if (isFloor) { // three lines of text in a circle
        isInked = r > 2.15 && r < 2.57;
        cell = vec2(atan(at.z, at.x) * 22.0, 3.0 - (r - 2.15) / 0.14);
        cellWide = max(footprint.x, footprint.y) / 0.14;
    }
    float ink = isInked ? letters(cell, cellWide) : 0.0;
    if (isFloor) albedo = floorAlbedo(at.xz, footprint, ink);
    if (pattern == 5) albedo = mix(albedo, vec3(0.05, 0.05, 0.07), ink);
    if (pattern == 3) {
        float band = line(abs(fract(surface.y * 14.0) - 0.5), 0.22, fine.y * 14.0);
        float spokes = line(abs(fract(surface.x * 24.0) - 0.5), 0.12, fine.x * 24.0) * step(abs(surface.y - 0.5), 0.18);
        albedo = mix(albedo, vec3(0.88, 0.80, 0.66), max(band, spokes));
    }

    vec3 sky = skyLight(d);
    vec3 lit = albedo * lightAt(at, isFloorSeen ? vec3(0, 1, 0) : n);
    vec3 seen = glance(place, d, way, isFloorSeen ? mix(lit, HAZE, 1.0 - exp(-0.02 * way)) : sky);
    float fresnel = 0.04 + 0.96 * pow(1.0 - max(dot(n, v), 0.0), 5.0);
    float sharp = exp2(3.0 + 7.0 * gloss);
    vec3 glint = SUN_LIGHT * pow(max(dot(n, normalize(v + SUN)), 0.0), sharp) * (sharp + 8.0) / 60.0;
    vec3 shown = lit + gloss * (fresnel * seen + (pattern == 1 ? vec3(0) : glint * mix(vec3(1), albedo, 0.6)));
    if (pattern == 4) shown = material.rgb * seen;
    float glow = pow(max(dot(-v, SUN), 0.0), 4.0);
    shown = mix(shown, HAZE * (0.55 + 0.9 * glow), 1.0 - exp(-0.008 * max(far - 6.0, 0.0)));
    if (pattern == 7) shown = material.rgb * (0.75 + 0.25 * max(dot(n, v), 0.0));
    color = vec4(pattern == 0 ? sky : shown, 1.0);

    vec2 nowUV = nowClip.xy / nowClip.w * vec2(.5, -.5) + .5;
    vec2 prevUV = oldClip.xy / oldClip.w * vec2(.5, -.5) + .5;
    motion = (prevUV - nowUV) * inputSize;
    depth = gl_FragCoord.z;
}
