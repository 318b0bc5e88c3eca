"""The network, float and fake-quantised: stages of blocks on levels that halve. A token outside its level's grid reads
as zero. Values and units are those of `layers`."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .attention import HEAD, WINDOW
from .exact import NORM_RMS, round_clamp
from .features import CHANNELS
from .layers import RESIDUAL_STEP, Block, Dense, Norm, SwinBlock, spread_children

FEATURE_STEP = 2.0**-5  # value of one step of a feature
HEADS = 32


@dataclass(frozen=True)
class Stage:
    """Blocks of one level on the way down (enc) or up (dec)."""

    name: str
    width: int
    blocks: int
    kind: str = "conv"

    def entry(self) -> dict:
        """As the model file lists it."""
        swin = {"heads": self.width // HEAD, "shift": self.shift()} if self.kind == "swin" else {}
        return {"name": self.name, "kind": self.kind, "width": self.width, "blocks": self.blocks, **swin}

    def shift(self) -> int:
        """Tokens by which the windows of a swin stage are shifted: those of a level differ down and up."""
        return 0 if self.name.startswith("enc") else WINDOW // 2


@dataclass(frozen=True)
class Architecture:
    """Widths by level and blocks by stage, level 0 the finest; names of the stages that are swin."""

    widths: tuple[int, ...] = (32, 32, 64, 128)
    enc: tuple[int, ...] = (0, 1, 1, 1)
    dec: tuple[int, ...] = (1, 1, 1)
    swin: tuple[str, ...] = ()

    def stages(self) -> list[Stage]:
        """In the order of execution."""
        make = lambda name, w, b: Stage(name, w, b, "swin" if name in self.swin else "conv")
        down = [make(f"enc{l}", w, b) for l, (w, b) in enumerate(zip(self.widths, self.enc))]
        up = [make(f"dec{l}", self.widths[l], b) for l, b in enumerate(self.dec)]
        return down + up[::-1]


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
        stages = architecture.stages()
        make = lambda s: Block(s.width) if s.kind == "conv" else SwinBlock(s.width, s.shift())
        built = [nn.ModuleList(make(stage) for _ in range(stage.blocks)) for stage in stages]
        self.enc = nn.ModuleList(built[: len(widths)])
        self.dec = nn.ModuleList(built[: len(widths) - 1 : -1])
        self.heads = Dense(widths[0], HEADS, 1, 0.0, unit)

    def prepare(self):
        """Rounds the weights; once before the frames of a step."""
        for block in self.blocks():
            block.prepare(self.is_rounding)
        for layer in (self.door, *self.merge, *self.expand):
            layer.prepare(RESIDUAL_STEP, None, self.is_rounding)
        self.heads.prepare(1.0, None, self.is_rounding)

    def blocks(self) -> list[Block | SwinBlock]:
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
            if isinstance(block, SwinBlock):
                x, n = self.residual(block.proj, block.attention(n, self.is_rounding), x)
                x, n = self.residual(block.down, self.hidden(block.up, n), x)
            else:
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
        widths = self.architecture.widths
        sums = (CHANNELS * widths[0] + widths[0] * HEADS) / 4
        for stage in self.architecture.stages():
            w, level = stage.width, int(stage.name[3:])
            token = 18 * w * w if stage.kind == "conv" else 8 * w * w + 2 * 96 * w
            sums += stage.blocks * token / 4 ** (level + 1)
        for level, (fine, coarse) in enumerate(zip(widths, widths[1:])):
            sums += 2 * fine * coarse / 4 ** (level + 1)
        return sums
