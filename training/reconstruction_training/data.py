"""Training pairs of `reconstruct dataset` on the device, and batches of them.

Halves stay halves until a batch is drawn. A batch holds one ratio; B sequences, T frames and the one before them.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import safe_open
from torch import Tensor

PLANES = ("clean", "depth", "motion", "reference")
NUMBERS = ("jitter", "exposure", "cut")


class Pairs:
    """All sequences of one folder: PLANES as halves S T C h w, jitter S T 2, exposure S T, cut S T (bool)."""

    def __init__(self, folder: str | Path, device):
        folder = Path(folder)
        self.name = folder.name
        self.description = json.loads((folder / "dataset.json").read_text())
        shards = sorted(folder.glob("*-[0-9][0-9][0-9][0-9][0-9].safetensors"))
        if not shards:
            raise FileNotFoundError(f"{folder}: no shards; make them with `reconstruct dataset`")
        parts: dict[str, list[Tensor]] = {name: [] for name in PLANES + NUMBERS}
        for shard in shards:
            with safe_open(shard, "pt") as file:
                for name in parts:
                    parts[name].append(file.get_tensor(name).to(device))
        self.tensors = {name: torch.cat(values) for name, values in parts.items()}
        self.tensors["cut"] = self.tensors["cut"] > 0
        # What is not finite or beyond a half's range is no sample; references hold none.
        for name in ("clean", "reference"):
            self.tensors[name].nan_to_num_(0.0, 65504.0, 0.0)
        self.sequences, self.length = self.tensors["jitter"].shape[:2]
        self.render_size = tuple(self.tensors["depth"].shape[-2:])  # h, w
        self.output_size = tuple(self.tensors["reference"].shape[-2:])
        self.device = device

    def ratio(self) -> float:
        """Output pixels per render pixel along x."""
        return self.output_size[1] / self.render_size[1]


@dataclass
class Batch:
    """Static tensors that a captured step reads."""

    clean: Tensor  # B T+1 3 h w
    depth: Tensor  # B T+1 1 h w
    motion: Tensor  # B T+1 2 h w
    reference: Tensor  # B T+1 3 H W
    jitter: Tensor  # B T+1 2
    exposure: Tensor  # B T+1
    is_reset: Tensor  # B T

    @staticmethod
    def empty(pairs: Pairs, b: int, t: int) -> "Batch":
        (h, w), (out_h, out_w) = pairs.render_size, pairs.output_size
        zeros = lambda *shape: torch.zeros(b, t + 1, *shape, device=pairs.device)
        batch = Batch(
            zeros(3, h, w), zeros(1, h, w), zeros(2, h, w), zeros(3, out_h, out_w), zeros(2), zeros(), zeros()
        )
        batch.is_reset = torch.zeros(b, t, dtype=torch.bool, device=pairs.device)
        return batch


def flip(value: Tensor, name: str, across: Tensor, down: Tensor) -> Tensor:
    """Mirrors the sequences where `across` (x) or `down` (y) is set (B bools); vectors turn with the picture."""
    for axis, where in ((-1, across), (-2, down)):
        where = where.view(-1, *[1] * (value.dim() - 1))
        if name == "jitter":
            sign = value.new_ones(2)
            sign[0 if axis == -1 else 1] = -1.0
            value = torch.where(where, value * sign, value)
            continue
        mirrored = value.flip(axis)
        if name == "motion":
            mirrored[:, :, 0 if axis == -1 else 1] *= -1.0
        value = torch.where(where, mirrored, value)
    return value


def draw(pairs: Pairs, batch: Batch, sequence: Tensor, first: Tensor, across: Tensor, down: Tensor, stops: Tensor):
    """Fills `batch` with frames first - 1 .. first + T - 1 of sequences, `stops` times their exposure (all B).

    Frame -1 is frame 0 again; `is_reset` is set for frame 0 and where a cut is.
    """
    t = batch.is_reset.shape[1]
    frames = first[:, None] + torch.arange(-1, t, device=first.device)
    inside = frames.clamp_min(0)
    for name in PLANES:
        value = pairs.tensors[name][sequence[:, None], inside].float()
        getattr(batch, name).copy_(flip(value, name, across, down))
    batch.jitter.copy_(flip(pairs.tensors["jitter"][sequence[:, None], inside], "jitter", across, down))
    batch.exposure.copy_(pairs.tensors["exposure"][sequence[:, None], inside] * stops[:, None])
    batch.is_reset.copy_(pairs.tensors["cut"][sequence[:, None], inside][:, 1:] | (frames[:, 1:] == 0))
