"""Arithmetic of native/core/src/exact.rs on tensors, and rounding that lets gradients through.

Reciprocals and reciprocal square roots are the engine's to the bit, since a last bit may turn a rounding. Logarithms
and powers are torch's: the engine's polynomials differ from them by at most 2e-6, which moves one rounded feature in
some ten thousand.
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
