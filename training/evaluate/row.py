"""One row of the table: a method on one folder of frames."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from . import metrics
from .pictures import enlarged, hidden_before, read_rgb, read_sequence, tone


@dataclass
class Row:
    """Scores of a method on a folder; means over frames, by group where a group is named."""

    method: str
    folder: str
    scores: dict[str, float] = field(default_factory=dict)


def score(method: str, frames: Path, pictures: Path, groups: list[str]) -> Row:
    """Scores `pictures`/NNNN.exr against the references of the frame folder.

    `groups`: for each frame `moving`, `still` or `other`, as `reconstruct frames` sorted them.
    """
    sequence = read_sequence(frames)
    exposure = sequence.get("exposure", 1.0)
    lists: dict[str, list[float]] = {}
    psnrs, before, restarts = [], None, [0]
    for i, (frame, group) in enumerate(zip(sequence["frames"], groups)):
        reference = tone(read_rgb(frames / frame["reference"]), exposure)
        picture = tone(read_rgb(pictures / f"{i:04}.exr"), exposure)
        error = picture - reference
        shown = np.clip(picture, 0, 1), np.clip(reference, 0, 1)
        psnrs.append(metrics.psnr(picture, reference))
        values = {
            "psnr": psnrs[-1],
            "ssim": metrics.ssim(*shown),
            "flip": metrics.flip(*shown),
        }
        if before is not None and not frame.get("cut"):
            values["flicker"] = float(np.abs(error - before).mean())
        before = error
        if frame.get("cut") and i:
            restarts.append(i)
        mask = enlarged(hidden_before(frames)[i], reference.shape[:2])
        if i not in restarts and mask.any():
            lists.setdefault("psnr disoccluded", []).append(metrics.psnr(picture, reference, mask))
        for name, value in values.items():
            if group != "other":
                lists.setdefault(f"{name} {group}", []).append(value)
            lists.setdefault(name, []).append(value)
    row = Row(method, frames.name, {name: float(np.mean(list_)) for name, list_ in lists.items()})
    frames_needed = metrics.frames_to_converge(psnrs[restarts[-1] :], 0)
    if frames_needed is not None:
        row.scores["frames to converge"] = float(frames_needed)
    return row
