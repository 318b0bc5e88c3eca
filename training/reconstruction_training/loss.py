"""What training makes small. Pictures and references are B T 3 H W, linear; exposure B T 1 1 1."""

import torch.nn.functional as F
from torch import Tensor

from .exact import log_color

GRADIENTS = 0.5
TEMPORAL = 0.5
LIGHT = 0.1
LIGHT_TILE = 16


def loss(picture: Tensor, reference: Tensor, exposure: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
    """L1 of log colour, of its gradients and of the change of its error in time; mean light of tiles."""
    error = log_color(picture, exposure) - log_color(reference, exposure)
    parts = {"color": error.abs().mean()}
    across = (error[..., 1:] - error[..., :-1]).abs().mean()
    down = (error[..., 1:, :] - error[..., :-1, :]).abs().mean()
    parts["gradients"] = (across + down) * (0.5 * GRADIENTS)
    parts["temporal"] = (error[:, 1:] - error[:, :-1]).abs().mean() * TEMPORAL
    light = F.avg_pool2d((picture * exposure).flatten(0, 1), LIGHT_TILE)
    wanted = F.avg_pool2d((reference * exposure).flatten(0, 1), LIGHT_TILE)
    parts["light"] = ((light - wanted).abs() / (wanted + 0.1)).mean() * LIGHT
    return sum(parts.values()), parts


def tone(color: Tensor, exposure: Tensor) -> Tensor:
    """The usual picture of linear colour, 0..1: log(1 + 8 x) / log 9, clipped."""
    return (log_color(color, exposure) / 3.169925001442312).clamp(0.0, 1.0)
