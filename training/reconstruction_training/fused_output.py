"""`output.draw` as two Triton kernels, forward and backward, for training on a GPU. One program a block of output
pixels; the backward kernel computes the forward values again and scatters gradients with atomic additions."""

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd import Function

BLOCK = 128


@triton.jit
def _place(i, out_h, out_w, h, w, scale_x, scale_y, jitter, B: tl.constexpr):
    """Sequence, row and column of pixels; nearest sample and its offset on both axes."""
    x = i % out_w
    y = (i // out_w) % out_h
    b = i // (out_w * out_h)
    px = (x.to(tl.float32) + 0.5) * scale_x + tl.load(jitter + b * 2, mask=b < B, other=0.0)
    py = (y.to(tl.float32) + 0.5) * scale_y + tl.load(jitter + b * 2 + 1, mask=b < B, other=0.0)
    fx = tl.minimum(tl.maximum(tl.floor(px), 0.0), (w - 1).to(tl.float32))
    fy = tl.minimum(tl.maximum(tl.floor(py), 0.0), (h - 1).to(tl.float32))
    return b, x, y, fx.to(tl.int32), fy.to(tl.int32), fx + 0.5 - px, fy + 0.5 - py


@triton.jit
def _cubic(t):
    t2 = t * t
    t3 = t2 * t
    return t2 - (t + t3) * 0.5, 1.0 - t2 * 2.5 + t3 * 1.5, t * 0.5 + t2 * 2.0 - t3 * 1.5, (t3 - t2) * 0.5


@triton.jit
def _pick(i: tl.constexpr, a, b, c, d):
    if i == 0:
        return a
    elif i == 1:
        return b
    elif i == 2:
        return c
    else:
        return d


@triton.jit
def _fetch(base, first, nearest, is_inner, out_w, mask, wx0, wx1, wx2, wx3, wy0, wy1, wy2, wy3):
    """One channel of the history: bicubic but no darker than the four nearest, or the nearest texel.
    Also whether the bicubic sum was taken."""
    inner = mask & is_inner
    total = tl.zeros_like(wx0)
    low = tl.full(wx0.shape, float("inf"), tl.float32)
    for i in tl.static_range(4):
        row = tl.zeros_like(wx0)
        for j in tl.static_range(4):
            texel = tl.load(base + first + i * out_w + j, mask=inner, other=0.0)
            row += texel * _pick(j, wx0, wx1, wx2, wx3)
            if (i == 1 or i == 2) and (j == 1 or j == 2):
                low = tl.minimum(low, texel)
        total += row * _pick(i, wy0, wy1, wy2, wy3)
    plain = tl.load(base + nearest, mask=mask, other=0.0)
    return tl.where(is_inner, tl.maximum(total, low), plain), is_inner & (total >= low)


@triton.jit
def _scatter(base, first, nearest, is_inner, is_sum, out_w, mask, g, wx0, wx1, wx2, wx3, wy0, wy1, wy2, wy3):
    """Adds the gradient of `_fetch` to the texels."""
    taken = mask & is_sum
    for i in tl.static_range(4):
        for j in tl.static_range(4):
            share = _pick(j, wx0, wx1, wx2, wx3) * _pick(i, wy0, wy1, wy2, wy3)
            tl.atomic_add(base + first + i * out_w + j, g * share, mask=taken, sem="relaxed")
    tl.atomic_add(base + nearest, g, mask=mask & (is_inner == 0), sem="relaxed")


@triton.jit
def _tap(r, c, nx, ny, ox, oy, per_x, per_y, pa, pb, pc, h, w, mask):
    """The sample at row r and column c of the nearest 3x3: its place, whether it is there, its kernel, and for the
    gradient the fourth root of the kernel and the distance."""
    yr = oy + (r - 1)
    xr = ox + (c - 1)
    yk = yr * per_y
    xk = xr * per_x
    q = pa * xk * xk + 2.0 * pb * xk * yk + pc * yk * yk
    m = tl.maximum(1.0 - q * 0.5, 0.0)
    ax = tl.maximum(1.0 - xr * xr, 0.0)
    ay = tl.maximum(1.0 - yr * yr, 0.0)
    kernel = m * m * m * m + ax * ax * (ay * ay * 0.0009765625)
    sx = nx + (c - 1)
    sy = ny + (r - 1)
    valid = mask & (sx >= 0) & (sx < w) & (sy >= 0) & (sy < h)
    to = sy * w + sx
    return to, valid, kernel, m, xk, yk


@triton.jit
def _kernel(
    p, samples, stats, color, weight, jitter, exposure, next_color, next_weight,
    g_color, g_weight, d_p, d_color, d_weight,
    h, w, out_h, out_w, scale_x, scale_y, ratio_x, ratio_y, per_x, per_y,
    B: tl.constexpr, IS_BACKWARD: tl.constexpr, IS_EXACT: tl.constexpr, SIZE: tl.constexpr,
):
    """samples: B 4 h w (colour times weight, weight); stats: B 9 h w (motion, mean, deviation, history)."""
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    mask = i < B * out_h * out_w
    b, x, y, nx, ny, ox, oy = _place(i, out_h, out_w, h, w, scale_x, scale_y, jitter, B)
    area = h * w
    out_area = out_h * out_w
    kk = tl.load(exposure + b, mask=mask, other=0.0) * 0.0625
    at = ny * w + nx
    own = p + b * (6 * area) + at
    pa = tl.load(own, mask=mask, other=0.0)
    pc = tl.load(own + area, mask=mask, other=0.0)
    pb = tl.load(own + 2 * area, mask=mask, other=0.0)
    keep = tl.load(own + 4 * area, mask=mask, other=0.0)
    clamp = tl.load(own + 5 * area, mask=mask, other=0.0)
    st = stats + b * (9 * area) + at
    mx = tl.load(st, mask=mask, other=0.0)
    my = tl.load(st + area, mask=mask, other=0.0)
    m0 = tl.load(st + 2 * area, mask=mask, other=0.0)
    m1 = tl.load(st + 3 * area, mask=mask, other=0.0)
    m2 = tl.load(st + 4 * area, mask=mask, other=0.0)
    v0 = tl.load(st + 5 * area, mask=mask, other=0.0)
    v1 = tl.load(st + 6 * area, mask=mask, other=0.0)
    v2 = tl.load(st + 7 * area, mask=mask, other=0.0)
    has = tl.load(st + 8 * area, mask=mask, other=0.0)

    # History at its place.
    hx = x.to(tl.float32) + 0.5 + mx * ratio_x
    hy = y.to(tl.float32) + 0.5 + my * ratio_y
    ix = tl.floor(hx)
    iy = tl.floor(hy)
    is_inside = (ix >= 0.0) & (ix < out_w) & (iy >= 0.0) & (iy < out_h) & (has > 0.0)
    nearest = tl.where(is_inside, iy.to(tl.int32) * out_w + ix.to(tl.int32), 0)
    cx = tl.floor(hx - 0.5)
    cy = tl.floor(hy - 0.5)
    tx = hx - 0.5 - cx
    ty = hy - 0.5 - cy
    is_inner = (cx >= 1.0) & (cy >= 1.0) & (cx + 2.0 < out_w) & (cy + 2.0 < out_h)
    is_inner = is_inner & ((tx != 0.0) | (ty != 0.0)) & is_inside
    first = tl.where(is_inner, (cy.to(tl.int32) - 1) * out_w + cx.to(tl.int32) - 1, 0)
    wx0, wx1, wx2, wx3 = _cubic(tx)
    wy0, wy1, wy2, wy3 = _cubic(ty)
    live = mask & is_inside
    base = color + b * (3 * out_area)
    f0, s0 = _fetch(base, first, nearest, is_inner, out_w, live, wx0, wx1, wx2, wx3, wy0, wy1, wy2, wy3)
    f1, s1 = _fetch(base + out_area, first, nearest, is_inner, out_w, live, wx0, wx1, wx2, wx3, wy0, wy1, wy2, wy3)
    f2, s2 = _fetch(base + 2 * out_area, first, nearest, is_inner, out_w, live, wx0, wx1, wx2, wx3, wy0, wy1, wy2, wy3)
    y0 = (f0 + f2) * 0.25 + f1 * 0.5
    y1 = (f0 - f2) * 0.5
    y2 = f1 * 0.5 - (f0 + f2) * 0.25
    shrink = 1.0 / (1.0 + y0 * kk)
    y0 *= shrink
    y1 *= shrink
    y2 *= shrink
    floor = m0 * 0.02
    e0 = v0 * clamp + floor
    e1 = v1 * clamp + floor
    e2 = v2 * clamp + floor
    l0 = tl.minimum(tl.maximum(y0, m0 - e0), m0 + e0)
    l1 = tl.minimum(tl.maximum(y1, m1 - e1), m1 + e1)
    l2 = tl.minimum(tl.maximum(y2, m2 - e2), m2 + e2)
    r0 = l0 - l2 + l1
    r1 = l0 + l2
    r2 = l0 - l2 - l1
    k0 = tl.maximum(r0, 0.0)
    k1 = tl.maximum(r1, 0.0)
    k2 = tl.maximum(r2, 0.0)
    open_ = 1.0 - ((k0 + k2) * 0.25 + k1 * 0.5) * kk
    comp = tl.maximum(open_, 6.103515625e-05)
    stored = tl.load(weight + b * out_area + nearest, mask=live, other=0.0)
    held = tl.where(is_inside, tl.minimum(stored, 64.0), 0.0)
    old = held * keep

    # Samples.
    t0 = k0 * old
    t1 = k1 * old
    t2 = k2 * old
    tm = comp * old
    tw = old
    taps = samples + b * (4 * area)
    ps = p + b * (6 * area) + 3 * area
    for r in tl.static_range(3):
        for c in tl.static_range(3):
            to, valid, kernel, m, xk, yk = _tap(
                r, c, nx, ny, ox, oy, per_x, per_y, pa, pb, pc, h, w, mask
            )
            share = tl.load(ps + to, mask=valid, other=0.0) * kernel
            t0 += tl.load(taps + to, mask=valid, other=0.0) * share
            t1 += tl.load(taps + area + to, mask=valid, other=0.0) * share
            t2 += tl.load(taps + 2 * area + to, mask=valid, other=0.0) * share
            tm += tl.load(taps + 3 * area + to, mask=valid, other=0.0) * share
            tw += tl.where(valid, share, 0.0)
    inverse = 1.0 / tl.maximum(tm, 9.094947017729282e-13)
    c0 = t0 * inverse
    c1 = t1 * inverse
    c2 = t2 * inverse
    out = b * (3 * out_area) + y * out_w + x
    out1 = b * out_area + y * out_w + x
    if not IS_BACKWARD:
        amount = tl.minimum(tw, 127.0)
        if IS_EXACT:
            # 2^23 of the float's own rounding: to the nearest, ties to even.
            amount = ((amount * 64.0 + 8388608.0) - 8388608.0) * 0.015625
        tl.store(next_color + out, c0, mask=mask)
        tl.store(next_color + out + out_area, c1, mask=mask)
        tl.store(next_color + out + 2 * out_area, c2, mask=mask)
        tl.store(next_weight + out1, amount, mask=mask)
    else:
        g0 = tl.load(g_color + out, mask=mask, other=0.0) * inverse
        g1 = tl.load(g_color + out + out_area, mask=mask, other=0.0) * inverse
        g2 = tl.load(g_color + out + 2 * out_area, mask=mask, other=0.0) * inverse
        gm = -(g0 * c0 + g1 * c1 + g2 * c2)
        gm = tl.where(tm > 9.094947017729282e-13, gm, 0.0)
        gw = tl.where(tw <= 127.0, tl.load(g_weight + out1, mask=mask, other=0.0), 0.0)
        da = tl.zeros_like(c0)
        db = tl.zeros_like(c0)
        dc = tl.zeros_like(c0)
        d_own = d_p + b * (6 * area)
        for r in tl.static_range(3):
            for c in tl.static_range(3):
                to, valid, kernel, m, xk, yk = _tap(
                    r, c, nx, ny, ox, oy, per_x, per_y, pa, pb, pc, h, w, mask
                )
                e = gw + gm * tl.load(taps + 3 * area + to, mask=valid, other=0.0)
                e += g0 * tl.load(taps + to, mask=valid, other=0.0)
                e += g1 * tl.load(taps + area + to, mask=valid, other=0.0)
                e += g2 * tl.load(taps + 2 * area + to, mask=valid, other=0.0)
                tl.atomic_add(d_own + 3 * area + to, e * kernel, mask=valid & (kernel != 0.0), sem="relaxed")
                dq = -2.0 * m * m * m * e * tl.load(ps + to, mask=valid, other=0.0)
                da += dq * xk * xk
                db += dq * 2.0 * xk * yk
                dc += dq * yk * yk
        d_near = d_own + at
        tl.atomic_add(d_near, da, mask=mask, sem="relaxed")
        tl.atomic_add(d_near + area, dc, mask=mask, sem="relaxed")
        tl.atomic_add(d_near + 2 * area, db, mask=mask, sem="relaxed")
        d_old = k0 * g0 + k1 * g1 + k2 * g2 + comp * gm + gw
        tl.atomic_add(d_near + 4 * area, d_old * held, mask=live, sem="relaxed")
        tl.atomic_add(d_weight + b * out_area + nearest, d_old * keep, mask=live & (stored <= 64.0), sem="relaxed")
        d_luma = tl.where(open_ > 6.103515625e-05, -kk * gm * old, 0.0)
        d0 = tl.where(r0 >= 0.0, g0 * old + d_luma * 0.25, 0.0)
        d1 = tl.where(r1 >= 0.0, g1 * old + d_luma * 0.5, 0.0)
        d2 = tl.where(r2 >= 0.0, g2 * old + d_luma * 0.25, 0.0)
        z0 = d0 + d1 + d2
        z1 = d0 - d2
        z2 = d1 - d0 - d2
        above = tl.where(y0 > m0 + e0, z0 * v0, 0.0) + tl.where(y1 > m1 + e1, z1 * v1, 0.0)
        above += tl.where(y2 > m2 + e2, z2 * v2, 0.0)
        below = tl.where(y0 < m0 - e0, z0 * v0, 0.0) + tl.where(y1 < m1 - e1, z1 * v1, 0.0)
        below += tl.where(y2 < m2 - e2, z2 * v2, 0.0)
        tl.atomic_add(d_near + 5 * area, above - below, mask=live, sem="relaxed")
        z0 = tl.where((y0 >= m0 - e0) & (y0 <= m0 + e0), z0, 0.0)
        z1 = tl.where((y1 >= m1 - e1) & (y1 <= m1 + e1), z1, 0.0)
        z2 = tl.where((y2 >= m2 - e2) & (y2 <= m2 + e2), z2, 0.0)
        d_den = -(z0 * y0 + z1 * y1 + z2 * y2) * kk
        z0 = (z0 + d_den) * shrink
        z1 = z1 * shrink
        z2 = z2 * shrink
        a0 = z0 * 0.25 + z1 * 0.5 - z2 * 0.25
        a1 = z0 * 0.5 + z2 * 0.5
        a2 = z0 * 0.25 - z1 * 0.5 - z2 * 0.25
        d_base = d_color + b * (3 * out_area)
        d_base1 = d_base + out_area
        d_base2 = d_base1 + out_area
        _scatter(d_base, first, nearest, is_inner, s0, out_w, live, a0, wx0, wx1, wx2, wx3, wy0, wy1, wy2, wy3)
        _scatter(d_base1, first, nearest, is_inner, s1, out_w, live, a1, wx0, wx1, wx2, wx3, wy0, wy1, wy2, wy3)
        _scatter(d_base2, first, nearest, is_inner, s2, out_w, live, a2, wx0, wx1, wx2, wx3, wy0, wy1, wy2, wy3)


class FusedDraw(Function):
    """Arguments as `output.draw`; gradients for parameters, colour and weight."""

    @staticmethod
    def forward(ctx, p, samples, stats, jitter, exposure, color, weight, is_exact: bool):
        tensors = [v.contiguous() for v in (p, samples, stats, color, weight, jitter, exposure)]
        p, samples, stats, color, weight, jitter, exposure = tensors
        b, _, h, w = p.shape
        out_h, out_w = color.shape[-2:]
        sizes = (h, w, out_h, out_w, w / out_w, h / out_h, out_w / w, out_h / h)
        sizes += (max(out_w / w, 1.4143), max(out_h / h, 1.4143))
        ctx.save_for_backward(*tensors)
        ctx.sizes, ctx.is_exact = sizes, is_exact
        next_color, next_weight = torch.empty_like(color), torch.empty_like(weight)
        grid = (triton.cdiv(b * out_h * out_w, BLOCK),)
        none = next_weight
        _kernel[grid](
            *tensors, next_color, next_weight, none, none, none, none, none, *sizes,
            B=b, IS_BACKWARD=False, IS_EXACT=is_exact, SIZE=BLOCK,
        )
        return next_color, next_weight

    @staticmethod
    def backward(ctx, g_color: Tensor, g_weight: Tensor):
        tensors = ctx.saved_tensors
        p, color, weight = tensors[0], tensors[3], tensors[4]
        d_p, d_color, d_weight = torch.zeros_like(p), torch.zeros_like(color), torch.zeros_like(weight)
        b, out_h, out_w = color.shape[0], *color.shape[-2:]
        grid = (triton.cdiv(b * out_h * out_w, BLOCK),)
        _kernel[grid](
            *tensors, color, weight, g_color.contiguous(), g_weight.contiguous(), d_p, d_color, d_weight, *ctx.sizes,
            B=b, IS_BACKWARD=True, IS_EXACT=ctx.is_exact, SIZE=BLOCK,
        )
        return d_p, None, None, None, None, d_color, d_weight, None
