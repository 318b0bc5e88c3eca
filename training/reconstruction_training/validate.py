"""Scores on sequences never trained on: PSNR of log(1 + 8 x) / log 9 over the last eight frames, and flicker."""

import torch
from torch import Tensor

from .data import Batch, Pairs, draw
from .exact import LARGEST
from .gather import gather_sequence, pixel_centers, texels
from .loss import tone
from .network import Network
from .output import cubic_weights
from .sequence import State, unroll

LAST = 8


def enlarged(color: Tensor, jitter: Tensor | None, out_h: int, out_w: int) -> Tensor:
    """Catmull-Rom enlargement of N 3 h w, the border repeated; `jitter` (N 2): read at the jittered places."""
    n, _, h, w = color.shape
    place = pixel_centers(out_h, out_w, color.device) * torch.tensor([w / out_w, h / out_h], device=color.device)[
        None, :, None, None
    ]
    place = place.expand(n, -1, -1, -1) - 0.5
    if jitter is not None:
        place = place + jitter[:, :, None, None]
    whole = place.floor()
    wx, wy = (cubic_weights(t) for t in (place - whole).split(1, 1))
    total = 0.0
    for i in range(4):
        for j in range(4):
            x = (whole[:, 0] + (j - 1)).clamp(0, w - 1).long()
            y = (whole[:, 1] + (i - 1)).clamp(0, h - 1).long()
            total = total + texels(color, x, y) * (wx[j] * wy[i])
    return total.clamp(0.0, LARGEST)


def score(pictures: Tensor, references: Tensor, exposure: Tensor) -> tuple[Tensor, Tensor]:
    """PSNR and flicker of each sequence over the last frames. B T 3 H W, exposure B T 1 1 1."""
    error = (tone(pictures, exposure) - tone(references, exposure))[:, -LAST - 1 :]
    psnr = -10.0 * torch.log10(error[:, -LAST:].square().mean((1, 2, 3, 4)).clamp_min(1e-12))
    return psnr, (error[:, 1:] - error[:, :-1])[:, -LAST:].abs().mean((1, 2, 3, 4))


@torch.no_grad()
def validate(network: Network, pairs: Pairs, batch_size: int = 16, with_baselines: bool = False) -> dict[str, float]:
    """Means over all sequences of `pairs`. The network as it is: rounding or float."""
    found: dict[str, list[Tensor]] = {}
    for begin in range(0, pairs.sequences, batch_size):
        sequence = torch.arange(begin, min(begin + batch_size, pairs.sequences), device=pairs.device)
        b, t = len(sequence), pairs.length
        batch = Batch.empty(pairs, b, t)
        no, one = torch.zeros(b, dtype=torch.bool, device=pairs.device), torch.ones(b, device=pairs.device)
        draw(pairs, batch, sequence, torch.zeros_like(sequence), no, no, one)
        samples = gather_sequence(
            batch.clean, batch.depth, batch.motion, batch.jitter, batch.exposure, batch.is_reset
        )
        network.prepare()
        state = State.empty(b, *pairs.render_size, *pairs.output_size, pairs.device)
        pictures, _ = unroll(network, samples, state)
        references, exposure = batch.reference[:, 1:], batch.exposure[:, 1:, None, None, None]
        rows = {"ours": pictures}
        if with_baselines:
            flat, jitter = batch.clean[:, 1:].flatten(0, 1), batch.jitter[:, 1:].flatten(0, 1)
            size = pairs.output_size
            rows["bicubic"] = enlarged(flat, None, *size).unflatten(0, (b, t))
            rows["bicubic_corrected"] = enlarged(flat, jitter, *size).unflatten(0, (b, t))
        for name, value in rows.items():
            psnr, flicker = score(value, references, exposure)
            found.setdefault(name + "_psnr", []).append(psnr)
            found.setdefault(name + "_flicker", []).append(flicker)
        light = (pictures * exposure)[:, -LAST:], (references * exposure)[:, -LAST:]
        ordinary = light[1] < 8.0 * light[1].mean((1, 2, 3, 4), keepdim=True)
        ratio = (light[0] * ordinary).sum((1, 2, 3, 4)) / (light[1] * ordinary).sum((1, 2, 3, 4)).clamp_min(1e-6)
        found.setdefault("ours_light", []).append(ratio)
    return {name: torch.cat(values).mean().item() for name, values in found.items()}


def line(name: str, scores: dict[str, float]) -> str:
    """One row for a log."""
    return name + ": " + ", ".join(f"{k} {v:.4f}" if "psnr" not in k else f"{k} {v:.2f}" for k, v in scores.items())

