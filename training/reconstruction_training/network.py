"""The network, float and fake-quantised, in the integers of the engine.

Activations are floats that hold what the engine's integers hold: n and hidden within -127..127, the residual stream x
within -32767..32767. Weights are floats; `prepare` rounds them once a step. Shapes are B C th tw; a token outside its
level's grid reads as zero.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd import Function

from .exact import NORM_RMS, Round, inverse_square_root, round_clamp
from .features import CHANNELS

RESIDUAL_STEP = 2.0**-10  # value of one step of x
FEATURE_STEP = 2.0**-5  # value of one step of a feature
HEADS = 32
SMALLEST_WEIGHT_STEP = 2.0**-18


@dataclass(frozen=True)
class Stage:
    """Blocks of one level on the way down (enc) or up (dec)."""

    name: str
    width: int
    blocks: int
    kind: str = "conv"


@dataclass(frozen=True)
class Architecture:
    """Widths by level and blocks by stage; level 0 is the finest."""

    widths: tuple[int, ...] = (32, 32, 64, 128)
    enc: tuple[int, ...] = (0, 1, 1, 1)
    dec: tuple[int, ...] = (1, 1, 1)

    def stages(self) -> list[Stage]:
        """In the order of execution."""
        down = [Stage(f"enc{l}", w, b) for l, (w, b) in enumerate(zip(self.widths, self.enc))]
        up = [Stage(f"dec{l}", self.widths[l], b) for l, b in enumerate(self.dec)]
        return down + up[::-1]


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


class Network(nn.Module):
    """Features (B 64 th tw) to heads (B 32 th tw, within -16..16)."""

    def __init__(self, architecture: Architecture = Architecture()):
        super().__init__()
        self.architecture = architecture
        self.is_rounding = True
        widths = architecture.widths
        unit = 1.0 / NORM_RMS
        self.door = Dense(CHANNELS, widths[0], 1, 1.0, FEATURE_STEP)
        pairs = list(zip(widths, widths[1:]))
        self.merge = nn.ModuleList(Dense(fine, coarse, 2, 1.0, unit) for fine, coarse in pairs)
        self.expand = nn.ModuleList(Dense(coarse, 4 * fine, 1, 0.5, unit) for fine, coarse in pairs)
        self.enc = nn.ModuleList(nn.ModuleList(Block(w) for _ in range(b)) for w, b in zip(widths, architecture.enc))
        self.dec = nn.ModuleList(nn.ModuleList(Block(w) for _ in range(b)) for w, b in zip(widths, architecture.dec))
        self.heads = Dense(widths[0], HEADS, 1, 0.0, unit)

    def prepare(self):
        """Rounds the weights; once before the frames of a step."""
        for block in self.blocks():
            block.prepare(self.is_rounding)
        for layer in (self.door, *self.merge, *self.expand):
            layer.prepare(RESIDUAL_STEP, None, self.is_rounding)
        self.heads.prepare(1.0, None, self.is_rounding)

    def blocks(self) -> list[Block]:
        """Every block."""
        return [block for stage in (*self.enc, *self.dec) for block in stage]

    def hidden(self, layer: Dense, n: Tensor) -> Tensor:
        """int8 after ReLU."""
        if n.is_cuda:
            from .fused_layers import Hidden

            return Hidden.apply(layer.convolve(n), *layer.integers[1:], self.is_rounding)
        return round_clamp(layer(n), 0.0, 127.0, self.is_rounding)

    def residual(self, layer: Dense, n: Tensor, skip: Tensor | None = None, is_expand: bool = False):
        """What `layer` makes of n, added to `skip`: x and its norm."""
        if n.is_cuda:
            from .fused_layers import Residual

            return Residual.apply(layer.convolve(n), *layer.integers[1:], skip, is_expand, self.is_rounding)
        wide = lambda value: round_clamp(value, -32767.0, 32767.0, self.is_rounding)
        x = wide(layer(n))
        if is_expand:
            x = spread_children(x, *skip.shape[-2:])
        if skip is not None:
            x = wide(skip + x)
        return x, Norm.apply(x, self.is_rounding)

    def run(self, blocks: nn.ModuleList, x: Tensor, n: Tensor) -> tuple[Tensor, Tensor]:
        """A stage."""
        for block in blocks:
            x, n = self.residual(block.b, self.hidden(block.a, n), x)
        return x, n

    def forward(self, features: Tensor) -> Tensor:
        x, n = self.residual(self.door, features.contiguous(memory_format=torch.channels_last))
        skips = []
        for level, blocks in enumerate(self.enc):
            x, n = self.run(blocks, x, n)
            if level < len(self.merge):
                skips.append(x)
                th, tw = n.shape[-2:]
                x, n = self.residual(self.merge[level], F.pad(n, (0, tw % 2, 0, th % 2)))
        for level in reversed(range(len(self.merge))):
            x, n = self.residual(self.expand[level], n, skips[level], is_expand=True)
            x, n = self.run(self.dec[level], x, n)
        return self.heads(n).clamp(-16.0, 16.0)

    def multiplications(self) -> float:
        """Multiply-accumulates of a render pixel."""
        widths, sums = self.architecture.widths, 0.0
        sums += (CHANNELS * widths[0] + widths[0] * HEADS) / 4
        for level, w in enumerate(widths):
            blocks = self.architecture.enc[level] + (self.architecture.dec[level] if level < len(widths) - 1 else 0)
            sums += blocks * 18 * w * w / 4 ** (level + 1)
            if level < len(widths) - 1:
                sums += 2 * w * widths[level + 1] / 4 ** (level + 1)
        return sums
