"""The 64 int8 features of a token (2x2 render pixels) for Super Resolution, as floats that hold integers.

Channels 12 i + c belong to pixel i = 2 row + column of the token; 48..55 to the token; 56..63 are the recurrent
features of the previous frame. Shapes: B frames, h x w render pixels, th x tw = ceil(h / 2) x ceil(w / 2) tokens.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from .exact import exact_log_color, log2, luma, quantize, reciprocal, to_luma_chroma
from .gather import Samples, bilinear, pixel_centers, texels

CHANNELS = 64
RECURRENT = 8
SMALLEST_DEPTH = 2.0**-14


def to_tokens(x: Tensor) -> Tensor:
    """B c h w -> B 4 c th tw: the pixels of each token; outside the image the nearest pixel inside."""
    h, w = x.shape[-2:]
    x = F.pad(x, (0, w % 2, 0, h % 2), mode="replicate")
    x = x.unflatten(3, (-1, 2)).unflatten(2, (-1, 2))  # B c th 2 tw 2
    return x.permute(0, 3, 5, 1, 2, 4).flatten(1, 2)


def from_tokens(x: Tensor, h: int, w: int) -> Tensor:
    """B 4 c th tw -> B c h w, the inverse of `to_tokens`."""
    x = x.unflatten(1, (2, 2)).permute(0, 3, 4, 1, 5, 2)
    return x.flatten(4, 5).flatten(2, 3)[..., :h, :w]


@torch.no_grad()
def still_features(s: Samples, ratio: tuple[float, float]) -> tuple[Tensor, Tensor, Tensor]:
    """What needs no history: B 4 12 th tw with gaps, B 8 th tw (channels 48..55), the motion of the token B 2 th tw.

    `ratio`: output pixels per render pixel, x and y.
    """
    e = s.exposure
    own = to_luma_chroma(exact_log_color(s.color, e))
    depth = to_tokens(s.depth.clamp_min(SMALLEST_DEPTH))
    rise = log2(depth) - log2(depth.amin(1, keepdim=True))
    gap = torch.zeros_like(s.depth)
    planes = torch.cat(
        (
            quantize(own[:, :1], 16.0),
            quantize(own[:, 1:], 32.0),
            gap.expand(-1, 3, -1, -1),
            gap,
            quantize(s.history, 63.0),
            gap,
            quantize(log2(1.0 + 64.0 * s.deviation[:, :1] * e), 16.0),
            gap,
            quantize(own[:, :1] - log2(1.0 + 8.0 * s.mean[:, :1] * e), 32.0),
        ),
        1,
    )
    pixels = to_tokens(planes)
    pixels[:, :, 10:11] = quantize(rise, 32.0)

    vectors = to_tokens(s.motion)
    length = vectors.abs().amax(2, keepdim=True)
    chosen, longest = vectors[:, 0], length[:, 0]
    for i in range(1, 4):
        is_longer = length[:, i] > longest
        chosen = torch.where(is_longer, vectors[:, i], chosen)
        longest = torch.where(is_longer, length[:, i], longest)
    even = torch.ones_like(longest)
    jitter = s.jitter[:, :, None, None] * 254.0
    token = torch.cat(
        (
            quantize(log2(1.0 + longest), 24.0),
            quantize(chosen * reciprocal(longest.clamp_min(1.0)), 127.0),
            quantize(jitter * even, 1.0),
            even * quantize(log2(torch.tensor(ratio[0])), 80.0).item(),
            even * quantize(log2(torch.tensor(ratio[1])), 80.0).item(),
            even * 127.0,
        ),
        1,
    )
    return pixels, token, chosen


@torch.no_grad()
def history_features(pixels: Tensor, s: Samples, color: Tensor, weight: Tensor, ratio: tuple[float, float]) -> Tensor:
    """Fills the gaps of `still_features` from the history (B 3 H W and B 1 H W, output pixels)."""
    h, w = s.depth.shape[-2:]
    out_h, out_w = color.shape[-2:]
    scale = torch.stack((s.depth.new_full((), ratio[0]), s.depth.new_full((), ratio[1])))[None, :, None, None]
    position = (pixel_centers(h, w, color.device) - s.jitter[:, :, None, None] + s.motion) * scale
    x, y = position[:, 0].floor(), position[:, 1].floor()
    is_inside = (x >= 0) & (x < out_w) & (y >= 0) & (y < out_h)
    has = is_inside[:, None] & (s.history > 0)
    there = to_luma_chroma(exact_log_color(bilinear(color, position), s.exposure))
    stored = texels(weight, x.clamp(0, out_w - 1).long(), y.clamp(0, out_h - 1).long())
    change = luma(exact_log_color(s.color, s.exposure)) - there[:, :1]
    planes = torch.cat(
        (
            quantize(there[:, :1], 16.0),
            quantize(there[:, 1:], 32.0),
            quantize(change, 48.0),
            quantize(log2(1.0 + stored), 20.0),
        ),
        1,
    )
    planes = to_tokens(torch.where(has, planes, torch.zeros_like(planes)))
    return torch.cat(
        (pixels[:, :, :3], planes[:, :, :4], pixels[:, :, 7:8], planes[:, :, 4:], pixels[:, :, 9:]), 2
    )


def recurrent_features(prev: Tensor, motion: Tensor, s_history: Tensor) -> Tensor:
    """The previous frame's recurrent features (B 8 th tw) where each token was; 0 outside and without history."""
    th, tw = prev.shape[-2:]
    place = (pixel_centers(th, tw, prev.device) * 2.0 + motion) * 0.5
    x, y = place[:, 0].floor(), place[:, 1].floor()
    is_inside = (x >= 0) & (x < tw) & (y >= 0) & (y < th)
    has = is_inside[:, None] & (to_tokens(s_history).amax(1) > 0)
    found = texels(prev, x.clamp(0, tw - 1).long(), y.clamp(0, th - 1).long())
    return torch.where(has, found, torch.zeros_like(found))


def assemble(pixels: Tensor, token: Tensor, recurrent: Tensor) -> Tensor:
    """B 64 th tw."""
    return torch.cat((pixels.flatten(1, 2), token, recurrent), 1)
