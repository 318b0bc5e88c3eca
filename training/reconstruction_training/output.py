"""Draws the picture from samples, heads and history, differentiable; mirrors the engine's output pass with a network.

Shapes: B frames, h x w render pixels, H x W output pixels.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from .exact import SMALLEST, Exp2, Half, Round, from_luma_chroma, luma, to_luma_chroma
from .features import from_tokens
from .gather import LUMA_COMPRESSION, Samples, pixel_centers, texels

PARAMETERS = 6
RECURRENT_SCALE = 32.0
KERNEL_PER_RENDER_MIN = 1.4143
CLAMP_FLOOR = 0.02
WEIGHT_STEPS = 64.0
WEIGHT_MAX_HISTORY = 64.0
WEIGHT_MAX = 127.0
WIDE_SHARE = 2.0**-10
# p0..p5 of untrained heads: a round kernel, weight 1, keeps 0.79 of the history, clamp of 1.25 deviations.
FIRST_PARAMETERS = (0.0, 0.0, 0.0, 0.0, 1.6, 0.32)


def pixel_parameters(heads: Tensor, h: int, w: int, is_exact: bool) -> Tensor:
    """A, C, B of the kernel, sample weight s, keep k, clamp width g: B 6 h w; `is_exact`: as halves."""
    p = from_tokens(heads[:, : 4 * PARAMETERS].unflatten(1, (4, PARAMETERS)), h, w)
    width, stretch, tilt, weight, keep, clamp = p.split(1, 1)
    u = (0.5 + keep * 0.125).clamp(0.0, 1.0)
    along, across = (width + stretch).clamp(-6.0, 2.0), (width - stretch).clamp(-6.0, 2.0)
    # The mean exponent for B: A C > B B whatever was clamped.
    exponents = (along, across, (along + across) * 0.5, weight.clamp(-4.0, 2.0), clamp.clamp(-3.0, 4.0))
    a, c, b, s, g = Exp2.apply(torch.cat(exponents, 1)).split(1, 1)
    found = torch.cat((a, c, b * tilt.clamp(-0.9, 0.9), s, u * u * (3.0 - 2.0 * u), g), 1)
    return Half.apply(found) if is_exact else found


def nearest_samples(jitter: Tensor, last: int, count: int, scale: float) -> tuple[Tensor, Tensor]:
    """On one axis: index of the sample nearest to each output pixel, and its offset in render pixels. B count each.

    `jitter`: B; `last`: highest index; `scale`: render pixels per output pixel.
    """
    place = (torch.arange(count, device=jitter.device) + 0.5) * scale + jitter[:, None]
    nearest = place.floor().clamp(0, last)
    return nearest.long(), nearest + 0.5 - place


def spread(x: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """`x` (B C h w) at rows (B H) and columns (B W): B C H W."""
    b, c, _, w = x.shape
    index = (rows[:, :, None] * w + columns[:, None, :]).flatten(1)[:, None].expand(b, c, -1)
    return x.flatten(2).gather(2, index).unflatten(2, (rows.shape[1], columns.shape[1]))


def cubic_weights(t: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Catmull-Rom weights of the four texels around a position t behind the second."""
    t2 = t * t
    t3 = t2 * t
    return t2 - (t + t3) * 0.5, 1.0 - t2 * 2.5 + t3 * 1.5, t * 0.5 + t2 * 2.0 - t3 * 1.5, (t3 - t2) * 0.5


def history_at(history: Tensor, position: Tensor) -> Tensor:
    """History (B C H W, colour first) at places of the output grid: bicubic, no darker than the four nearest texels;
    the nearest texel where the filter would leave the image or stands on a texel."""
    out_h, out_w = history.shape[-2:]
    corner = position - 0.5
    whole = corner.floor()
    t = corner - whole
    x, y = whole[:, 0], whole[:, 1]
    is_inner = (x >= 1) & (y >= 1) & (x + 2 < out_w) & (y + 2 < out_h)
    is_inner &= (t[:, 0] != 0) | (t[:, 1] != 0)
    x0, y0 = x.clamp(1, out_w - 3).long() - 1, y.clamp(1, out_h - 3).long() - 1
    wx, wy = cubic_weights(t[:, :1]), cubic_weights(t[:, 1:])
    total, low = 0.0, None
    for i in range(4):
        row = 0.0
        for j in range(4):
            texel = texels(history, x0 + j, y0 + i)
            row = row + texel * wx[j]
            if i in (1, 2) and j in (1, 2):
                low = texel.detach() if low is None else torch.minimum(low, texel.detach())
        total = total + row * wy[i]
    nx = position[:, 0].floor().clamp(0, out_w - 1).long()
    ny = position[:, 1].floor().clamp(0, out_h - 1).long()
    return torch.where(is_inner[:, None], torch.maximum(total, low), texels(history, nx, ny))


def draw(
    p: Tensor, samples: Tensor, stats: Tensor, jitter: Tensor, exposure: Tensor, color: Tensor, weight: Tensor,
    is_exact: bool,
) -> tuple[Tensor, Tensor]:
    """Next history from pixel parameters (B 6 h w), samples (B 4 h w: colour times weight, weight), stats (B 9 h w:
    motion, mean, deviation, history), jitter B 2, exposure B 1 1 1 and the previous history."""
    h, w = p.shape[-2:]
    out_h, out_w = color.shape[-2:]
    columns, dx = nearest_samples(jitter[:, 0], w - 1, out_w, w / out_w)
    rows, dy = nearest_samples(jitter[:, 1], h - 1, out_h, h / out_h)
    near = spread(torch.cat((p[:, :3], p[:, 4:]), 1), rows, columns)
    a, c, b, keep, clamp = near.split(1, 1)
    motion, mean, deviation, has = spread(stats, rows, columns).split((2, 3, 3, 1), 1)

    # History, held within the neighbourhood of the nearest sample.
    k = exposure * (1.0 / LUMA_COMPRESSION)
    scale = torch.tensor([out_w / w, out_h / h], device=p.device)[None, :, None, None]
    position = pixel_centers(out_h, out_w, color.device) + motion * scale
    x, y = position[:, 0].floor(), position[:, 1].floor()
    is_inside = ((x >= 0) & (x < out_w) & (y >= 0) & (y < out_h))[:, None] & (has > 0)
    fetched = history_at(color, position)
    yc = to_luma_chroma(fetched)
    yc = yc / (1.0 + yc[:, :1] * k)
    extent = deviation * clamp + mean[:, :1] * CLAMP_FLOOR
    yc = torch.minimum(torch.maximum(yc, mean - extent), mean + extent)
    kept = from_luma_chroma(yc).clamp_min(0.0)
    compression = (1.0 - luma(kept) * k).clamp_min(SMALLEST)
    stored = texels(weight, x.clamp(0, out_w - 1).long(), y.clamp(0, out_h - 1).long())
    old = torch.where(is_inside, stored.clamp_max(WEIGHT_MAX_HISTORY) * keep, torch.zeros_like(stored))

    # 3x3 samples; beyond the border they weigh nothing. Channels: weighted compressed colour, compression, weight.
    taps = F.pad(torch.cat((samples, torch.ones_like(samples[:, :1])), 1) * p[:, 3:4], (1, 1, 1, 1))
    total = torch.cat((kept * old, compression * old, old), 1)
    per_x, per_y = max(out_w / w, KERNEL_PER_RENDER_MIN), max(out_h / h, KERNEL_PER_RENDER_MIN)
    dx, dy = dx[:, None, None, :], dy[:, None, :, None]
    for i in range(3):
        y_render = dy + (i - 1)
        y_kernel = y_render * per_y
        wide_y = (1.0 - y_render * y_render).clamp_min(0.0).square() * WIDE_SHARE
        for j in range(3):
            x_render = dx + (j - 1)
            x_kernel = x_render * per_x
            q = a * (x_kernel * x_kernel) + b * (2.0 * x_kernel * y_kernel) + c * (y_kernel * y_kernel)
            kernel = (1.0 - q * 0.5).clamp_min(0.0).square().square()
            kernel = kernel + (1.0 - x_render * x_render).clamp_min(0.0).square() * wide_y
            total = total + spread(taps, rows + i, columns + j) * kernel
    light, compressed, amount = total.split((3, 1, 1), 1)
    next_color = light / compressed.clamp_min(2.0**-40)
    amount = amount.clamp_max(WEIGHT_MAX)
    return next_color, Round.apply(amount * WEIGHT_STEPS) / WEIGHT_STEPS if is_exact else amount


def output(heads: Tensor, s: Samples, color: Tensor, weight: Tensor, is_exact: bool = True) -> tuple[Tensor, Tensor]:
    """The next history: colour B 3 H W (linear) and accumulated weight B 1 H W, from the previous one.

    `heads`: B 32 th tw; `is_exact`: stored as the engine does, colour in halves and the weight in steps of 1/64.
    """
    p = pixel_parameters(heads, *s.depth.shape[-2:], is_exact)
    samples = torch.cat((s.color * s.weight, s.weight), 1)
    stats = torch.cat((s.motion, s.mean, s.deviation, s.history), 1)
    function = draw
    if p.device.type == "cuda":
        from .fused_output import FusedDraw

        function = FusedDraw.apply
    next_color, next_weight = function(p, samples, stats, s.jitter, s.exposure, color, weight, is_exact)
    return (Half.apply(next_color) if is_exact else next_color), next_weight
