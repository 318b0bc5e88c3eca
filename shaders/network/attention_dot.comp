// As attention.comp, with dot products of four packed bytes.
#version 450
#extension GL_EXT_integer_dot_product : require
#include "pass.glsl"
#include "constants.glsl"
#include "exact.glsl"

#define DOT(a, b) dotPacked4x8EXT(int(a), int(b))

#include "network/attention.glsl"
