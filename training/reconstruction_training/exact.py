"""Arithmetic of native/core/src/exact.rs on tensors, and rounding that lets gradients through.

Everything here but `log_color`, which losses use, is the engine's to the bit: a last bit may turn a rounding.
"""

import torch
from torch import Tensor
from torch.autograd import Function

SMALLEST = 2.0**-14
LARGEST = 65504.0
NORM_RMS = 32.0  # of a normed token, in steps of int8


def reciprocal(x: Tensor) -> Tensor:
    """1 / x of positive floats: an integer first guess and three Newton steps."""
    y = (0x7EF311C3 - x.view(torch.int32)).view(torch.float32)
    for _ in range(3):
        y = y * (2.0 - x * y)
    return y


def inverse_square_root(x: Tensor) -> Tensor:
    """1 / sqrt(x) of positive floats: an integer first guess and three Newton steps."""
    half_x = x * 0.5
    y = (0x5F375A86 - (x.view(torch.int32) >> 1)).view(torch.float32)
    for _ in range(3):
        y = y * (1.5 - half_x * (y * y))
    return y


def square_root(x: Tensor) -> Tensor:
    """The square root of positive floats."""
    return x * inverse_square_root(x)


LOG2 = (0.234209850, -0.248821810, 0.287075600, -0.360241980, 0.480924040, -0.721352760, 1.442694900)
EXP2 = (0.0012689353, 0.00965244, 0.055495936, 0.24022722, 0.6931471805599453)


def log2_parts(x: Tensor) -> tuple[Tensor, Tensor]:
    """The binary logarithm of positive normal floats as a whole number and a rest within half of one."""
    bits = x.view(torch.int32)
    exponent = (bits - 0x3F3504F3) >> 23
    u = (bits - (exponent << 23)).view(torch.float32) - 1.0
    q = torch.full_like(u, -0.14620353)
    for term in LOG2:
        q = q * u + term
    return exponent, u * q


def log2(x: Tensor) -> Tensor:
    """The binary logarithm of positive normal floats, without gradient."""
    whole, rest = log2_parts(x)
    return whole.float() + rest


class Exp2(Function):
    """2^x of floats in -100..100."""

    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        whole = x.floor()
        f = x - whole
        q = torch.full_like(f, 0.00020829191)
        for term in EXP2:
            q = q * f + term
        value = ((1.0 + f * q).view(torch.int32) + (whole.int() << 23)).view(torch.float32)
        ctx.save_for_backward(value)
        return value

    @staticmethod
    def backward(ctx, grad: Tensor):
        (value,) = ctx.saved_tensors
        return grad * value * 0.6931472


def as_half(x: Tensor) -> Tensor:
    """What a stored half keeps of finite floats: +0 below 2^-14, at most 65504 in magnitude."""
    kept = x.clamp(-LARGEST, LARGEST).half().float()
    return torch.where(x.abs() < SMALLEST, torch.zeros_like(kept), kept)


class Half(Function):
    """`as_half`; the gradient passes."""

    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        return as_half(x)

    @staticmethod
    def backward(ctx, grad: Tensor):
        return grad


class RoundClamp(Function):
    """Round half to even, then clamp to [low, high]; the gradient passes where nothing was clamped."""

    @staticmethod
    def forward(ctx, x: Tensor, low: float, high: float) -> Tensor:
        ctx.save_for_backward((x >= low) & (x <= high))
        return x.round().clamp_(low, high)

    @staticmethod
    def backward(ctx, grad: Tensor):
        (is_inside,) = ctx.saved_tensors
        return grad * is_inside, None, None


class Round(Function):
    """Round half to even; the gradient passes."""

    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        return x.round()

    @staticmethod
    def backward(ctx, grad: Tensor):
        return grad


def round_clamp(x: Tensor, low: float, high: float, is_rounding: bool = True) -> Tensor:
    """`RoundClamp`, or the clamp alone."""
    return RoundClamp.apply(x, low, high) if is_rounding else x.clamp(low, high)


def quantize(value: Tensor, scale: float) -> Tensor:
    """int8 of an input: `value * scale` rounded half to even and held within -127..127; as floats."""
    return (value * scale).round_().clamp_(-127.0, 127.0)


def exact_log_color(color: Tensor, exposure: Tensor) -> Tensor:
    """`log_color` as the engine has it, without gradient."""
    return log2(1.0 + color * (exposure * 8.0))


def log_color(color: Tensor, exposure: Tensor) -> Tensor:
    """log2(1 + 8 colour exposure) of linear colour >= 0."""
    return torch.log2(1.0 + 8.0 * color * exposure)


def luma(color: Tensor, axis: int = 1) -> Tensor:
    """(r + 2 g + b) / 4, the channel axis kept with length 1."""
    r, g, b = color.split(1, axis)
    return (r + b) * 0.25 + g * 0.5


def to_luma_chroma(color: Tensor, axis: int = 1) -> Tensor:
    """Luma, (r - b) / 2, g / 2 - (r + b) / 4."""
    r, g, b = color.split(1, axis)
    return torch.cat(((r + b) * 0.25 + g * 0.5, (r - b) * 0.5, g * 0.5 - (r + b) * 0.25), axis)


def from_luma_chroma(y: Tensor, axis: int = 1) -> Tensor:
    """The inverse of `to_luma_chroma`."""
    l, a, b = y.split(1, axis)
    rest = l - b
    return torch.cat((rest + a, l + b, rest - a), axis)
