"""What the engine's gather pass tells about a frame's samples; mirrors shaders/frame/gather.comp.

Nothing here depends on the network: frames of a whole unroll are gathered in one batch, without gradients.
Shapes: N frames of h x w render pixels. Motion and jitter in render pixels, +x right, +y down.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from .exact import LARGEST, SMALLEST, as_half, luma, reciprocal, square_root, to_luma_chroma

LUMA_COMPRESSION = 16.0
DISOCCLUSION_TOLERANCE = 0.05
CHANGE_LIMIT = 2.0
CHANGE_FLOOR = 0.04
LONGEST_MOTION_PX = 16384.0


@dataclass
class Samples:
    """A frame after gather."""

    color: Tensor  # N 3 h w, linear, 0..65504
    weight: Tensor  # N 1 h w, 1 / (1 + luma exposure / 16)
    depth: Tensor  # N 1 h w, distance
    motion: Tensor  # N 2 h w, of the nearest of 3x3 depths
    mean: Tensor  # N 3 h w, luma/chroma of the weighted colour over 3x3
    deviation: Tensor  # N 3 h w
    history: Tensor  # N 1 h w, 0: history must not be used; else 1, and up to 1 more where the picture is steady
    jitter: Tensor  # N 2
    exposure: Tensor  # N 1 1 1

    def frame(self, at: int) -> "Samples":
        """One frame of tensors that are B T ... instead of N ...."""
        return Samples(**{name: value[:, at] for name, value in self.__dict__.items()})


def at_door(color: Tensor) -> Tensor:
    """Linear colour: negative and tiny values become 0, at most 65504; as halves."""
    return as_half(color.clamp_min(0.0))


def sample_weight(color: Tensor, exposure: Tensor, axis: int = 1) -> Tensor:
    """Compression weight of a colour at the door, as halves."""
    exact = reciprocal(1.0 + luma(color, axis) * exposure * (1.0 / LUMA_COMPRESSION))
    return as_half(exact.clamp_min(SMALLEST))


def statistics(weighted: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and deviation over 3x3 pixels, the border repeated; summed row by row as the engine does, since a small
    variance is a difference of large numbers."""
    h, w = weighted.shape[-2:]
    padded = F.pad(weighted, (1, 1, 1, 1), mode="replicate")
    total, squares = torch.zeros_like(weighted), torch.zeros_like(weighted)
    for dy in range(3):
        for dx in range(3):
            value = padded[..., dy : dy + h, dx : dx + w]
            total = total + value
            squares = squares + value * value
    share = reciprocal(torch.full((), 9.0, device=weighted.device))
    mean = total * share
    variance = squares * share - mean * mean
    deviation = square_root(variance.clamp_min(2.0**-30)).clamp_max(LARGEST)
    return mean, torch.where(variance > 2.0**-30, deviation, torch.zeros_like(variance))


def nearest_motion(depth: Tensor, motion: Tensor) -> tuple[Tensor, Tensor]:
    """Depth and motion of the nearest of 3x3 depths; of equals the pixel itself, then the first row by row."""
    h, w = depth.shape[-2:]
    near = F.pad(depth, (1, 1, 1, 1), mode="replicate")
    vectors = F.pad(motion, (1, 1, 1, 1), mode="replicate")
    best, chosen = depth, motion
    for dy in range(3):
        for dx in range(3):
            if (dy, dx) == (1, 1):
                continue
            candidate = near[..., dy : dy + h, dx : dx + w]
            is_nearer = candidate < best
            best = torch.where(is_nearer, candidate, best)
            chosen = torch.where(is_nearer, vectors[..., dy : dy + h, dx : dx + w], chosen)
    return best, chosen


def pixel_centers(h: int, w: int, device) -> Tensor:
    """1 2 h w: x and y of the centres of pixels."""
    x = torch.arange(w, device=device, dtype=torch.float32) + 0.5
    y = torch.arange(h, device=device, dtype=torch.float32) + 0.5
    return torch.stack((x.expand(h, w), y[:, None].expand(h, w)))[None]


def texels(image: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """`image` (N C h w) at integer positions (N H W each, long, inside)."""
    n, c, h, w = image.shape
    index = (y * w + x).flatten(1)[:, None].expand(n, c, -1)
    return image.flatten(2).gather(2, index).unflatten(2, x.shape[1:])


def bilinear(image: Tensor, position: Tensor) -> Tensor:
    """`image` at positions in its pixels (centres at 0.5), the border repeated. N C h w at N 2 H W."""
    h, w = image.shape[-2:]
    corner = position - 0.5
    whole = corner.floor()
    tx, ty = (corner - whole).split(1, 1)
    x, y = whole[:, 0].clamp(-2, w).long(), whole[:, 1].clamp(-2, h).long()
    columns = x.clamp(0, w - 1), (x + 1).clamp(0, w - 1)
    rows = [
        texels(image, columns[0], row) * (1.0 - tx) + texels(image, columns[1], row) * tx
        for row in (y.clamp(0, h - 1), (y + 1).clamp(0, h - 1))
    ]
    return rows[0] * (1.0 - ty) + rows[1] * ty


def was_seen(nearest_depth: Tensor, prev_depth: Tensor, position: Tensor) -> Tensor:
    """Whether a depth lies within the range of the 3x3 previous depths around a place, 5 % wider on both ends."""
    h, w = prev_depth.shape[-2:]
    padded = F.pad(prev_depth, (3, 3, 3, 3), mode="replicate")
    low = -F.max_pool2d(-padded, 3, 1)
    high = F.max_pool2d(padded, 3, 1)
    x = (position[:, 0].floor().clamp(-2, w + 1) + 2).long()
    y = (position[:, 1].floor().clamp(-2, h + 1) + 2).long()
    low, high = texels(torch.cat((low, high), 1), x, y).split(1, 1)
    return (nearest_depth >= low - low * DISOCCLUSION_TOLERANCE) & (
        nearest_depth <= high + high * DISOCCLUSION_TOLERANCE
    )


def steadiness(mean: Tensor, deviation: Tensor, prev_mean: Tensor, prev_deviation: Tensor, position: Tensor) -> Tensor:
    """0..1 by how far the luma around a place changed, in deviations. All N 1 h w; the previous ones are halves."""
    h, w = prev_mean.shape[-2:]
    whole = position.floor()
    aside = whole + 0.5 - position
    x, y = whole[:, 0].clamp(-2, w + 1).long(), whole[:, 1].clamp(-2, h + 1).long()
    before = torch.zeros_like(mean)
    for dy in (-1, 0, 1):
        wy = (1.0 - (aside[:, 1:] + dy).abs()).clamp_min(0.0)
        for dx in (-1, 0, 1):
            wx = (1.0 - (aside[:, :1] + dx).abs()).clamp_min(0.0)
            before = before + texels(prev_mean, (x + dx).clamp(0, w - 1), (y + dy).clamp(0, h - 1)) * (wx * wy)
    widest = F.max_pool2d(F.pad(prev_deviation, (3, 3, 3, 3), mode="replicate"), 3, 1)
    usual = torch.maximum(deviation, texels(widest, x + 2, y + 2)) + mean * CHANGE_FLOOR
    change = (mean - before).abs()
    steady = (CHANGE_LIMIT - change * reciprocal(usual.clamp_min(SMALLEST))).clamp(0.0, 1.0)
    return torch.where(change > usual * (CHANGE_LIMIT - 1.0), steady, torch.ones_like(steady))


@torch.no_grad()
def gather(color, depth, motion, jitter, exposure, prev_depth, prev_mean, prev_deviation, prev_jitter, is_reset):
    """Samples of N frames. `prev_mean`, `prev_deviation`: luma of the frame before (N 1 h w); `is_reset`: N."""
    color = at_door(color)
    weight = sample_weight(color, exposure)
    mean, deviation = statistics(to_luma_chroma(color * weight))
    nearest_depth, chosen = nearest_motion(depth, motion)
    chosen = torch.where(chosen.abs() < SMALLEST, torch.zeros_like(chosen), chosen)
    chosen = chosen.clamp(-LONGEST_MOTION_PX, LONGEST_MOTION_PX)
    h, w = depth.shape[-2:]
    # In the engine's order: the motion is rounded to a half only where it is stored.
    place = pixel_centers(h, w, color.device) - jitter[:, :, None, None]
    position = place + chosen + prev_jitter[:, :, None, None]
    seen = was_seen(nearest_depth, prev_depth, position) & ~is_reset[:, None, None, None]
    steady = steadiness(mean[:, :1], deviation[:, :1], as_half(prev_mean), as_half(prev_deviation), position)
    history = torch.where(seen, as_half(1.0 + steady), torch.zeros_like(steady))
    return Samples(
        color, weight, depth, as_half(chosen), as_half(mean), as_half(deviation), history, jitter, exposure
    )


@torch.no_grad()
def gather_sequence(color, depth, motion, jitter, exposure, is_reset) -> Samples:
    """Samples of frames 1.. of B sequences of T + 1 frames (B T+1 ...): the first frame is only the previous one.

    `is_reset`: B T, of the frames after the first. Returns Samples of B T ....
    """
    b, t = color.shape[0], color.shape[1] - 1
    flat = lambda x: x.flatten(0, 1)
    e = exposure[:, :, None, None, None]
    door = at_door(color)
    weighted = flat(door * sample_weight(door, e, 2))
    mean, deviation = statistics(luma(weighted))
    mean, deviation = mean.unflatten(0, (b, t + 1)), deviation.unflatten(0, (b, t + 1))
    samples = gather(
        flat(color[:, 1:]), flat(depth[:, 1:]), flat(motion[:, 1:]), flat(jitter[:, 1:]), flat(e[:, 1:]),
        flat(depth[:, :-1]), flat(mean[:, :-1]), flat(deviation[:, :-1]), flat(jitter[:, :-1]), flat(is_reset),
    )
    return Samples(**{name: value.unflatten(0, (b, t)) for name, value in samples.__dict__.items()})
