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
const vec3 SUN_LIGHT = vec3(4.6, 2.9, 1.55);
const vec3 LAMP = vec3(0.0, 1.55, 0.0);
const vec3 LAMP_LIGHT = vec3(3.4, 1.9, 0.8);
const vec3 HAZE = vec3(0.98, 0.60, 0.38);

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
float clouds(vec2 p) {
    return 0.5 * noise(p) + 0.25 * noise(p * 2.1 + 7.0) + 0.13 * noise(p * 4.3 + 3.0) + 0.07 * noise(p * 8.7);
}

// Share of a footprint w wide, at distance x from the middle of a line, that the line covers.
float line(float x, float halfWidth, float w) {
    return clamp((halfWidth + 0.5 * w - abs(x)) / w, 0.0, min(1.0, 2.0 * halfWidth / w));
}
// Letter-like marks, 5 x 7 dots in a cell of 1 x 1; w is the footprint in cells.
float letters(vec2 p, float w) {
    vec2 cell = floor(p), dot5 = floor((p - cell) * vec2(6.0, 9.0));
    uint bits = scramble(ivec2(cell) + 71);
    if ((bits >> 28) < 3u || dot5.x > 4.0 || dot5.y > 6.0) return 0.0;
    vec2 half3 = vec2(min(dot5.x, 4.0 - dot5.x), dot5.y); // mirrored, as many letters are
    float ink = float((bits >> uint(half3.x * 7.0 + half3.y)) & 1u);
    if (half3.x == 0.0 && (bits & 0x8000000u) != 0u) ink = 1.0;
    return mix(ink, 0.45, clamp(w * 5.0 - 0.6, 0.0, 1.0));
}

vec3 skyLight(vec3 d) {
    float up = max(d.y, 0.0), s = max(dot(d, SUN), 0.0);
    vec3 c = mix(HAZE, vec3(0.20, 0.34, 0.55), smoothstep(0.0, 0.55, sqrt(up) * 0.8));
    c += vec3(1.5, 0.75, 0.32) * (0.45 * pow(s, 6.0) + 1.2 * pow(s, 48.0)) + vec3(90, 62, 36) * smoothstep(0.9993, 0.9997, s);
    float veil = smoothstep(0.42, 0.75, clouds(d.xz / (up + 0.15) * vec2(0.9, 2.2) + 11.0));
    c = mix(c, vec3(1.5, 0.88, 0.62) * (0.6 + pow(s, 4.0)), 0.65 * veil * smoothstep(0.02, 0.25, up));
    float azimuth = atan(d.x, -d.z) * 6.0 + 40.0;
    float ridge = 0.035 + 0.05 * noise(vec2(azimuth, 0.0)) + 0.012 * noise(vec2(azimuth * 5.0, 9.0));
    float near = 0.012 + 0.03 * noise(vec2(azimuth * 1.7, 5.0)) + 0.006 * noise(vec2(azimuth * 14.0, 2.0));
    if (d.y < ridge) c = mix(c, vec3(0.50, 0.36, 0.36), 0.75);
    if (d.y < near) c = mix(c, vec3(0.24, 0.20, 0.24), 0.8);
    return c;
}

float ballShadow(vec3 p, vec3 d, vec4 ball, float softness) {
    vec3 v = ball.xyz - p;
    float b = dot(v, d);
    if (b < 0.0) return 1.0;
    float clear = sqrt(max(dot(v, v) - b * b, 0.0)) - ball.w;
    return smoothstep(-1.0, 1.0, clear / (b * softness + 0.004));
}
float ringShadow(vec3 p, vec3 d, int i, float softness) {
    vec3 axis = ringAxes[i].xyz, v = ringPlaces[i].xyz - p;
    float t = dot(v, axis) / dot(d, axis);
    if (!(t > 0.02)) return 1.0;
    float thick = ringAxes[i].w, w = t * softness + 0.002;
    float off = abs(length(d * t - v) - ringPlaces[i].w);
    return 1.0 - min(1.0, thick / w) * (1.0 - smoothstep(max(thick - w, 0.0), thick + w, off));
}
float sunShare(vec3 p) {
    float share = 1.0;
    for (int i = 0; i < 3; i++) share *= ballShadow(p, SUN, balls[i], 0.035);
    for (int i = 0; i < 5; i++) share *= ringShadow(p, SUN, i, 0.014);
    return share;
}
float skyShare(vec3 p, vec3 n) {
    float share = 1.0;
    for (int i = 0; i < 3; i++) {
        vec3 v = balls[i].xyz - p;
        float far2 = max(dot(v, v), balls[i].w * balls[i].w);
        share *= 1.0 - max(dot(n, v * inversesqrt(far2)), 0.0) * balls[i].w * balls[i].w / far2;
    }
    return share * (0.65 + 0.35 * smoothstep(0.0, 0.5, p.y + n.y));
}
vec3 lampAt(vec3 p, vec3 n) {
    vec3 v = LAMP - p;
    float far2 = dot(v, v), share = 1.0;
    vec3 d = v * inversesqrt(far2);
    for (int i = 0; i < 3; i++) share *= ballShadow(p, d, balls[i], 0.08);
    for (int i = 3; i < 5; i++) {
        // These rings turn about the lamp: their shadows are planes through it.
        float off = abs(dot(d, ringAxes[i].xyz)) * ringPlaces[i].w, thick = ringAxes[i].w;
        if (far2 > ringPlaces[i].w * ringPlaces[i].w) share *= 0.35 + 0.65 * smoothstep(thick * 0.3, thick * 2.5, off);
    }
    return LAMP_LIGHT * share * max(dot(n, d), 0.0) / (far2 + 0.1);
}
vec3 lightAt(vec3 p, vec3 n) {
    vec3 sky = mix(vec3(0.30, 0.20, 0.13), vec3(0.42, 0.46, 0.60), 0.5 + 0.5 * n.y);
    vec3 sun = SUN_LIGHT * max(dot(n, SUN), 0.0);
    if (dot(n, SUN) > 0.0) sun *= sunShare(p);
    return sun + sky * skyShare(p, n) + lampAt(p, n);
}

// Dark terrazzo in tiles, brass rings and a ring of letters; w is the footprint in metres, x, z.
vec3 floorAlbedo(vec2 p, vec2 w) {
    vec2 tile = floor(p / 0.75);
    float wide = max(w.x, w.y);
    vec3 c = vec3(0.30, 0.27, 0.26) * (0.85 + 0.3 * random(tile));
    vec2 grain = floor(p / 0.035);
    float chip = random(grain + 13.0);
    vec2 off = p / 0.035 - grain - 0.5 + (vec2(random(grain + 5.0), random(grain + 9.0)) - 0.5) * 0.5;
    float chips = smoothstep(0.42, 0.30, length(off)) * step(0.45, chip);
    c = mix(c, mix(vec3(0.75, 0.66, 0.55), vec3(0.42, 0.18, 0.12), step(0.85, chip)), mix(chips, 0.24, smoothstep(0.008, 0.03, wide)) * 0.75);
    vec2 joint = abs(fract(p / 0.75 + 0.5) - 0.5) * 0.75;
    c = mix(c, vec3(0.10, 0.09, 0.09), max(line(joint.x, 0.006, w.x), line(joint.y, 0.006, w.y)));
    float r = length(p), angle = atan(p.y, p.x);
    vec2 out1 = p / max(r, 1e-3);
    float wr = dot(abs(out1), w), wa = dot(abs(out1.yx), w);
    if (r > 1.6 && r < 3.4) {
        float brass = max(max(line(r - 1.75, 0.012, wr), line(r - 2.05, 0.006, wr)), max(line(r - 2.65, 0.006, wr), line(r - 2.75, 0.018, wr)));
        float tick = abs(fract(angle * 9.549297 + 0.5) - 0.5) / 9.549297 * r; // 60 ticks
        brass = max(brass, line(tick, 0.008, wa) * step(1.75, r) * step(r, 2.05));
        float row = (r - 2.15) / 0.14;
        if (row > 0.0 && row < 3.0) brass = max(brass, letters(vec2(angle * 22.0, 3.0 - row), max(wr, wa) / 0.14));
        c = mix(c, vec3(0.86, 0.62, 0.30), brass);
    }
    return c;
}

// What a ray sees that leaves p: a ball, the lamp, the floor or the sky.
vec3 glance(vec3 p, vec3 d) {
    float nearest = 1e9;
    vec3 c = vec3(0);
    if (d.y < 0.0) {
        nearest = -p.y / d.y;
        vec3 q = p + d * nearest;
        c = mix(floorAlbedo(q.xz, vec2(0.01) * (1.0 + nearest)) * lightAt(vec3(q.x, 0.0, q.z), vec3(0, 1, 0)), HAZE, 1.0 - exp(-0.02 * nearest));
    } else {
        c = skyLight(d);
    }
    for (int i = 0; i < 4; i++) {
        vec4 ball = i < 3 ? balls[i] : vec4(LAMP, 0.2);
        vec3 v = ball.xyz - p;
        float b = dot(v, d), h = b * b - dot(v, v) + ball.w * ball.w;
        float t = b - sqrt(max(h, 0.0));
        if (h < 0.0 || t < 0.03 || t > nearest) continue;
        nearest = t;
        vec3 n = normalize(p + d * t - ball.xyz);
        if (i == 3) c = vec3(22, 12, 5);
        else c = ballColors[i].rgb * (SUN_LIGHT * max(dot(n, SUN), 0.0) + vec3(0.40, 0.40, 0.46)) * (0.7 + 0.3 * n.y);
    }
    return c;
}

void main() {
    vec3 toEye = eye - place;
    float far = length(toEye);
    vec3 v = toEye / far, n = normalize(facing), albedo = material.rgb;
    float bias = exp2(mipBias), gloss = material.a;
    vec2 footprint = max((abs(dFdx(place.xz)) + abs(dFdy(place.xz))) * bias, 1e-4);
    vec2 fine = max((abs(dFdx(surface)) + abs(dFdy(surface))) * bias, 1e-5);
    if (pattern == 0) {
        color = vec4(skyLight(normalize(place)), 1.0);
    } else if (pattern == 7) {
        color = vec4(material.rgb * (0.75 + 0.25 * max(dot(n, v), 0.0)), 1.0);
    } else {
        if (pattern == 6) n = normalize(v + 0.6 * SUN); // a wire is round: it shows the sun a lit side
        if (pattern == 1) {
            albedo = floorAlbedo(place.xz, footprint);
            vec2 tile = floor(place.xz / 0.75);
            n = normalize(vec3((random(tile) - 0.5) * 0.008, 1.0, (random(tile + 31.0) - 0.5) * 0.008));
        } else if (pattern == 3) {
            float band = line(abs(fract(surface.y * 14.0) - 0.5), 0.22, fine.y * 14.0);
            float spokes = line(abs(fract(surface.x * 24.0) - 0.5), 0.12, fine.x * 24.0);
            albedo = mix(albedo, vec3(0.92, 0.88, 0.78), max(band, spokes * step(abs(surface.y - 0.5), 0.18)));
        } else if (pattern == 5) {
            vec2 rows = vec2(surface.x, surface.y - 0.42) / vec2(0.045, 0.075);
            bool inside = surface.x > 0.15 && surface.x < 2.05 && surface.y > 0.42 && surface.y < 1.62 && abs(surface.x - 1.1) > 0.05;
            float ink = inside ? letters(rows, max(fine.x / 0.045, fine.y / 0.075)) : 0.0;
            if (surface.x > 0.15 && surface.x < 1.5 && surface.y > 0.12 && surface.y < 0.32)
                ink = letters(vec2(surface.x / 0.15, (surface.y - 0.12) / 0.2), fine.x / 0.15);
            albedo = mix(albedo, vec3(0.05, 0.06, 0.09), ink);
        }
        vec3 lit = albedo * lightAt(place, n);
        float fresnel = 0.04 + 0.96 * pow(1.0 - max(dot(n, v), 0.0), 5.0);
        if (pattern == 4) lit = albedo * glance(place, reflect(-v, n));
        else if (pattern == 1) lit += gloss * fresnel * glance(place, reflect(-v, n));
        else {
            vec3 h = normalize(v + SUN);
            float sharp = exp2(3.0 + 7.0 * gloss);
            lit += gloss * SUN_LIGHT * pow(max(dot(n, h), 0.0), sharp) * (sharp + 8.0) / 60.0 * mix(vec3(1), albedo, 0.6);
            lit += gloss * fresnel * skyLight(reflect(-v, n)) * 0.6;
        }
        color = vec4(mix(lit, HAZE * (1.0 + 0.6 * pow(max(dot(-v, SUN), 0.0), 4.0)), 1.0 - exp(-0.014 * far)), 1.0);
    }

    vec2 nowUV = nowClip.xy / nowClip.w * vec2(.5, -.5) + .5;
    vec2 prevUV = oldClip.xy / oldClip.w * vec2(.5, -.5) + .5;
    motion = (prevUV - nowUV) * inputSize;
    depth = gl_FragCoord.z;
}
