"""The exposure of a frame that names none; mirrors shaders/frame/exposure.comp."""

import torch
from torch import Tensor

from .exact import SMALLEST, Exp2, log2_parts, luma
from .gather import at_door

GRID = (64, 32)  # measured pixels on x and y
KEY = 0.25


@torch.no_grad()
def measured_exposure(color: Tensor) -> Tensor:
    """N of linear colour N 3 h w: brings the geometric mean of luma to KEY; 1 where all is black."""
    h, w = color.shape[-2:]
    columns, rows = ((2 * torch.arange(n) + 1) * size // (2 * n) for n, size in zip(GRID, (w, h)))
    light = luma(at_door(color)[:, :, rows][:, :, :, columns]).flatten(1)
    whole, rest = log2_parts(light.clamp_min(SMALLEST))
    terms = (whole + 16) * 1024 + (rest * 1024.0).round().int()
    is_lit = light > 0
    count = is_lit.sum(1)
    mean = (terms * is_lit).sum(1) // count.clamp_min(1)
    value = KEY * Exp2.apply((16384 - mean).float() * 2.0**-10)
    return torch.where(count > 0, value, torch.ones_like(value)).clamp(SMALLEST, 16384.0)
