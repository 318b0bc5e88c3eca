"""What follows each convolution, as Triton kernels: bias, multiplier, rounding, residual and norm in one pass.

Planes are channels-last: token-major, channels contiguous. One program takes some tokens with all their channels.
"""

import math

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd import Function

from .exact import NORM_RMS

VALUES = 2048  # about as many of a program
WIDE = 32767.0


def tokens_of(channels: int) -> int:
    """Tokens of a program."""
    return triton.next_power_of_2(max(4, VALUES // channels))


@triton.jit
def _rounded(x):
    """To the nearest integer, ties to even; |x| < 2^22."""
    return (x + 12582912.0) - 12582912.0


@triton.jit
def _held(v, limit, IS_ROUNDING: tl.constexpr):
    """Clamped before it is rounded, which gives the same and keeps the rounding within range."""
    v = tl.minimum(tl.maximum(v, -limit), limit)
    if IS_ROUNDING:
        v = _rounded(v)
    return v


@triton.jit
def _hidden_kernel(acc, bias, mult, out, g_out, d_acc, d_bias, d_mult, count,
                   C: tl.constexpr, P: tl.constexpr, TOKENS: tl.constexpr, IS_BACKWARD: tl.constexpr,
                   IS_ROUNDING: tl.constexpr):
    token = tl.program_id(0) * TOKENS + tl.arange(0, TOKENS)
    c = tl.arange(0, P)
    mask = (token < count)[:, None] & (c < C)[None, :]
    at = token[:, None] * C + c[None, :]
    k = tl.load(mult + c, mask=c < C, other=0.0)[None, :]
    whole = tl.load(acc + at, mask=mask, other=0.0) + tl.load(bias + c, mask=c < C, other=0.0)[None, :]
    v = whole * k
    if not IS_BACKWARD:
        v = tl.minimum(tl.maximum(v, 0.0), 127.0)
        if IS_ROUNDING:
            v = _rounded(v)
        tl.store(out + at, v, mask=mask)
    else:
        g = tl.where((v >= 0.0) & (v <= 127.0), tl.load(g_out + at, mask=mask, other=0.0), 0.0)
        tl.store(d_acc + at, g * k, mask=mask)
        tl.atomic_add(d_bias + c, tl.sum(g * k, 0), mask=c < C, sem="relaxed")
        tl.atomic_add(d_mult + c, tl.sum(tl.where(mask, g * whole, 0.0), 0), mask=c < C, sem="relaxed")


class Hidden(Function):
    """clamp(round((acc + bias) mult), 0, 127): B C th tw."""

    @staticmethod
    def forward(ctx, acc: Tensor, bias: Tensor, mult: Tensor, is_rounding: bool) -> Tensor:
        acc = acc.contiguous(memory_format=torch.channels_last)
        out = torch.empty_like(acc)
        c = acc.shape[1]
        count = acc.numel() // c
        ctx.save_for_backward(acc, bias, mult)
        ctx.is_rounding = is_rounding
        _hidden_kernel[(triton.cdiv(count, tokens_of(c)),)](
            acc, bias, mult, out, out, out, out, out, count, C=c, P=triton.next_power_of_2(c), TOKENS=tokens_of(c),
            IS_BACKWARD=False, IS_ROUNDING=is_rounding,
        )
        return out

    @staticmethod
    def backward(ctx, grad: Tensor):
        acc, bias, mult = ctx.saved_tensors
        grad = grad.contiguous(memory_format=torch.channels_last)
        d_acc, d_bias, d_mult = torch.empty_like(acc), torch.zeros_like(bias), torch.zeros_like(mult)
        c = acc.shape[1]
        count = acc.numel() // c
        _hidden_kernel[(triton.cdiv(count, tokens_of(c)),)](
            acc, bias, mult, acc, grad, d_acc, d_bias, d_mult, count, C=c, P=triton.next_power_of_2(c),
            TOKENS=tokens_of(c), IS_BACKWARD=True, IS_ROUNDING=ctx.is_rounding,
        )
        return d_acc, d_bias, d_mult, None


@triton.jit
def _residual_kernel(acc, bias, mult, skip, x_out, n_out, g_x, g_n, d_acc, d_bias, d_skip, count, h, w, limit,
                     C: tl.constexpr, P: tl.constexpr, TOKENS: tl.constexpr, HAS_SKIP: tl.constexpr,
                     IS_EXPAND: tl.constexpr, SHIFT: tl.constexpr, FACTOR: tl.constexpr, RMS2: tl.constexpr,
                     IS_BACKWARD: tl.constexpr, IS_ROUNDING: tl.constexpr):
    """IS_EXPAND: acc holds the four children of a token of the coarser level, h x w is the finer grid."""
    token = tl.program_id(0) * TOKENS + tl.arange(0, TOKENS)
    c = tl.arange(0, P)
    mask = (token < count)[:, None] & (c < C)[None, :]
    at = token[:, None] * C + c[None, :]
    if IS_EXPAND:
        column = token % w
        row = (token // w) % h
        child = (row % 2) * 2 + column % 2
        parent = ((token // (w * h)) * ((h + 1) // 2) + row // 2) * ((w + 1) // 2) + column // 2
        from_ = (parent * 4 + child)[:, None] * C + c[None, :]
        per = child[:, None] * C + c[None, :]
        k = tl.load(mult + per, mask=mask, other=0.0)
        add = tl.load(bias + per, mask=mask, other=0.0)
    else:
        from_ = at
        k = tl.load(mult + c, mask=c < C, other=0.0)[None, :]
        add = tl.load(bias + c, mask=c < C, other=0.0)[None, :]
    v = (tl.load(acc + from_, mask=mask, other=0.0) + add) * k
    whole = _held(v, limit, IS_ROUNDING)
    if HAS_SKIP:
        whole += tl.load(skip + at, mask=mask, other=0.0)
    x = tl.minimum(tl.maximum(whole, -limit), limit)
    short = tl.abs(x) * (1.0 / SHIFT)
    if IS_ROUNDING:
        short = tl.floor(short)
    total = tl.sum(short * short, 1)
    r = (0x5F375A86 - (tl.maximum(total, 1.0).to(tl.int32, bitcast=True) >> 1)).to(tl.float32, bitcast=True)
    half = tl.maximum(total, 1.0) * 0.5
    r = r * (1.5 - half * (r * r))
    r = r * (1.5 - half * (r * r))
    r = r * (1.5 - half * (r * r))
    m = tl.where(total > 0.0, r * FACTOR, 0.0)[:, None]
    n = x * m
    if IS_ROUNDING:
        n = _held(n, 127.0, IS_ROUNDING)
    if not IS_BACKWARD:
        tl.store(x_out + at, x, mask=mask)
        tl.store(n_out + at, n, mask=mask)
    else:
        gn = tl.load(g_n + at, mask=mask, other=0.0)
        along = tl.sum(gn * n, 1)[:, None] * (1.0 / (C * RMS2))
        g = (gn - n * along) * m + tl.load(g_x + at, mask=mask, other=0.0)
        g = tl.where((whole >= -limit) & (whole <= limit), g, 0.0)
        if HAS_SKIP:
            tl.store(d_skip + at, g, mask=mask)
        g = tl.where((v >= -limit) & (v <= limit) & mask, g, 0.0) * k
        tl.store(d_acc + from_, g, mask=mask)
        if IS_EXPAND:
            for i in tl.static_range(4):
                part = tl.sum(tl.where(child[:, None] == i, g, 0.0), 0)
                tl.atomic_add(d_bias + i * C + c, part, mask=c < C, sem="relaxed")
        else:
            tl.atomic_add(d_bias + c, tl.sum(g, 0), mask=c < C, sem="relaxed")


class Residual(Function):
    """x = held(skip + held((acc + bias) mult)) and its norm n. `skip`: B C th tw or None; with `is_expand` acc is
    B 4C ceil(th / 2) ceil(tw / 2). The multiplier gets no gradient: it is a constant here."""

    @staticmethod
    def forward(ctx, acc: Tensor, bias: Tensor, mult: Tensor, skip: Tensor | None, is_expand: bool, is_rounding: bool):
        acc = acc.contiguous(memory_format=torch.channels_last)
        if skip is not None:
            skip = skip.contiguous(memory_format=torch.channels_last)
        x = torch.empty_like(skip if is_expand else acc)
        n = torch.empty_like(x)
        ctx.save_for_backward(acc, bias, mult, acc if skip is None else skip)
        ctx.about = (skip is not None, is_expand, is_rounding)
        run(acc, bias, mult, acc if skip is None else skip, x, n, x, x, x, x, x, x, ctx.about, False)
        return x, n

    @staticmethod
    def backward(ctx, g_x: Tensor, g_n: Tensor):
        acc, bias, mult, skip = ctx.saved_tensors
        g_x, g_n = (g.contiguous(memory_format=torch.channels_last) for g in (g_x, g_n))
        has_skip, is_expand, _ = ctx.about
        d_acc = torch.zeros_like(acc) if is_expand else torch.empty_like(acc)
        d_bias = torch.zeros_like(bias)
        d_skip = torch.empty_like(g_x) if has_skip else g_x
        run(acc, bias, mult, skip, g_x, g_x, g_x, g_n, d_acc, d_bias, d_skip, g_x, ctx.about, True)
        return d_acc, d_bias, None, d_skip if has_skip else None, None, None


def run(acc, bias, mult, skip, x, n, g_x, g_n, d_acc, d_bias, d_skip, shape_of, about, is_backward: bool):
    """Launches `_residual_kernel` over the tokens of `shape_of`."""
    has_skip, is_expand, is_rounding = about
    _, c, h, w = shape_of.shape
    count = shape_of.numel() // c
    shift = 4.0 if c <= 64 else 8.0
    tokens = tokens_of(c)
    _residual_kernel[(triton.cdiv(count, tokens),)](
        acc, bias, mult, skip, x, n, g_x, g_n, d_acc, d_bias, d_skip, count, h, w, WIDE,
        C=c, P=triton.next_power_of_2(c), TOKENS=tokens, HAS_SKIP=has_skip,
        IS_EXPAND=is_expand, SHIFT=shift, FACTOR=NORM_RMS * math.sqrt(c) / shift, RMS2=NORM_RMS * NORM_RMS,
        IS_BACKWARD=is_backward, IS_ROUNDING=is_rounding,
    )
