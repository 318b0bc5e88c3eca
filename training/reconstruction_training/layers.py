"""Layers and blocks of the network, in the integers of the engine.

Activations are floats that hold what the engine's integers hold: n and hidden within -127..127, the residual stream x
within -32767..32767. Weights are floats; `prepare` rounds them once a step. Shapes are B C th tw.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd import Function

from .attention import HEAD, POSITION_STEPS, SHARPNESS_STEPS, attend
from .exact import NORM_RMS, Round, inverse_square_root, round_clamp

RESIDUAL_STEP = 2.0**-10  # value of one step of x
SMALLEST_WEIGHT_STEP = 2.0**-18


class Norm(Function):
    """n of x: rms 32, rounded to int8. x in steps of int16."""

    @staticmethod
    def forward(ctx, x: Tensor, is_rounding: bool) -> Tensor:
        channels = x.shape[1]
        shift = 4.0 if channels <= 64 else 8.0
        factor = NORM_RMS * math.sqrt(channels) / shift
        if is_rounding:
            total = (x.abs() * (1.0 / shift)).floor_().square_().sum(1, keepdim=True)
        else:
            total = (x * (1.0 / shift)).square_().sum(1, keepdim=True)
        m = inverse_square_root(total.clamp_min(1.0)) * factor
        m = torch.where(total > 0, m, torch.zeros_like(m))
        n = x * m
        if is_rounding:
            n = n.round_().clamp_(-127.0, 127.0)
        ctx.save_for_backward(n, m)
        return n

    @staticmethod
    def backward(ctx, grad: Tensor):
        n, m = ctx.saved_tensors
        along = (grad * n).sum(1, keepdim=True) / (n.shape[1] * NORM_RMS * NORM_RMS)
        return (grad - n * along) * m, None


class Dense(nn.Module):
    """A linear map of int8 to int32 with a multiplier a channel: 1x1, 2x2 at stride 2 or 3x3 convolution."""

    def __init__(self, inputs: int, outputs: int, size: int, gain: float, input_step: float):
        super().__init__()
        spread = gain / math.sqrt(inputs * size * size)
        self.weight = nn.Parameter(torch.randn(outputs, inputs, size, size) * spread)
        self.bias = nn.Parameter(torch.zeros(outputs))
        self.size, self.input_step = size, input_step

    def prepare(self, output_step, input_scale: Tensor | None, is_rounding: bool):
        """Integer weights, integer bias and multipliers. `input_scale`: value of one step of each input channel."""
        if input_scale is None:
            weight, base = self.weight, self.input_step
        else:
            weight, base = self.weight * input_scale[None, :, None, None], 1.0
        step = weight.detach().abs().amax((1, 2, 3)).mul(1.0 / 127.0).clamp_min(SMALLEST_WEIGHT_STEP)
        weight = weight / step[:, None, None, None]
        bias = self.bias / (step * base)
        if is_rounding:
            weight = round_clamp(weight, -127.0, 127.0)
            bias = Round.apply(bias)
        self.integers = (weight, bias, step * base / output_step)

    def convolve(self, n: Tensor) -> Tensor:
        """int32 sums without bias."""
        stride = 2 if self.size == 2 else 1
        return F.conv2d(n, self.integers[0], None, stride, 1 if self.size == 3 else 0)

    def forward(self, n: Tensor) -> Tensor:
        """Sums with bias times multipliers, not yet rounded: in output steps."""
        _, bias, mult = self.integers
        return (self.convolve(n) + bias[:, None, None]) * mult[:, None, None]


def spread_children(x: Tensor, th: int, tw: int) -> Tensor:
    """B 4C ph pw, the children of each token row by row, to B C th tw."""
    x = x.unflatten(1, (2, 2, -1)).permute(0, 3, 4, 1, 5, 2)
    return x.flatten(4, 5).flatten(2, 3)[..., :th, :tw]


class Block(nn.Module):
    """n -> 3x3 -> ReLU int8 -> 3x3 -> added to x."""

    def __init__(self, width: int):
        super().__init__()
        self.a = Dense(width, width, 3, math.sqrt(2.0), 1.0 / NORM_RMS)
        self.b = Dense(width, width, 3, 0.3, 1.0)
        self.log2_step = nn.Parameter(torch.full((width,), math.log2(4.0 / 127.0)))

    def prepare(self, is_rounding: bool):
        step = torch.exp2(self.log2_step)
        self.a.prepare(step, None, is_rounding)
        self.b.prepare(RESIDUAL_STEP, step, is_rounding)


class SwinBlock(nn.Module):
    """n -> attention in windows, added to x; then n -> hidden of twice the width -> added to x."""

    def __init__(self, width: int, shift: int):
        super().__init__()
        unit = 1.0 / NORM_RMS
        self.width, self.shift = width, shift
        self.qkv = Dense(width, 3 * width, 1, 1.0, unit)
        self.proj = Dense(width, width, 1, 0.5, 1.0)
        self.up = Dense(width, 2 * width, 1, math.sqrt(2.0), unit)
        self.down = Dense(2 * width, width, 1, 0.3, 1.0)
        self.value_log2_step = nn.Parameter(torch.full((width,), math.log2(4.0 / 127.0)))
        self.log2_step = nn.Parameter(torch.full((2 * width,), math.log2(4.0 / 127.0)))
        self.log2_sharpness = nn.Parameter(torch.full((width // HEAD,), 2.0))
        self.position = nn.Parameter(torch.zeros(width // HEAD, 17, 17))

    def prepare(self, is_rounding: bool):
        value, hidden = torch.exp2(self.value_log2_step), torch.exp2(self.log2_step)
        even = value.new_full((2 * self.width,), RESIDUAL_STEP)
        self.qkv.prepare(torch.cat((even, value)), None, is_rounding)
        self.proj.prepare(RESIDUAL_STEP, value, is_rounding)
        self.up.prepare(hidden, None, is_rounding)
        self.down.prepare(RESIDUAL_STEP, hidden, is_rounding)
        sharpness = torch.exp2(self.log2_sharpness) * SHARPNESS_STEPS
        self.tables = (
            round_clamp(sharpness, 0.0, 2047.0, is_rounding),
            round_clamp(self.position * POSITION_STEPS, -32767.0, 32767.0, is_rounding),
        )

    def attention(self, n: Tensor, is_rounding: bool) -> Tensor:
        """The mixed values, int8."""
        qkv = self.qkv(n)
        v = round_clamp(qkv[:, 2 * self.width :], -127.0, 127.0, is_rounding)
        return attend(qkv, v, *self.tables, self.shift, is_rounding)
