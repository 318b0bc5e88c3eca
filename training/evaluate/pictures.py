"""Reads pictures and descriptions of frame folders."""

import json
from functools import lru_cache
from pathlib import Path

import numpy as np
import OpenEXR

from reconstruction_training import frames
from reconstruction_training.gather import pixel_centers


def read_channels(path: Path) -> dict[str, np.ndarray]:
    """Every channel of an EXR file by its full name: float32 h w."""
    with OpenEXR.File(str(path), separate_channels=True) as file:
        return {name: channel.pixels.astype(np.float32) for name, channel in file.channels().items()}


def read_rgb(path: Path) -> np.ndarray:
    """R, G, B of an EXR file: float32 h w 3."""
    channels = read_channels(path)
    return np.stack([channels[name] for name in "RGB"], -1)


def read_sequence(folder: Path) -> dict:
    """sequence.json of a frame folder."""
    return json.loads((folder / "sequence.json").read_text())


def tone(color: np.ndarray, exposure: float) -> np.ndarray:
    """log1p(8 x) / log 9 of the exposed colour, as the command line scores it: lights lie above 1."""
    return np.log1p(8 * np.maximum(color * exposure, 0)) / np.log(9)


@lru_cache(maxsize=1)
def hidden_before(folder: Path) -> list[np.ndarray]:
    """Render pixels (h w bool) of each frame that show what the frame before did not: mask.Y, and where a folder has
    none what its depth and motion tell, by the engine's own rule, and what lay outside the picture."""
    masks = [read_channels(folder / frame["file"]).get("mask.Y") for frame in read_sequence(folder)["frames"]]
    if all(mask is not None for mask in masks):
        return [mask > 0.5 for mask in masks]
    f = frames.load(folder, "sr")
    samples = frames.samples(f)
    h, w = f["depth"].shape[-2:]
    place = (pixel_centers(h, w, "cpu") - f["jitter"][0, :, :, None, None] + samples.motion[0]).numpy()
    is_outside = (place < 0).any(1) | (place[:, 0] >= w) | (place[:, 1] >= h)
    return list((samples.history[0, :, 0] == 0).numpy() | is_outside)


def enlarged(mask: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """A mask at output size (h w): that of the nearest render pixel."""
    rows, columns = (np.arange(n) * m // n for n, m in zip(size, mask.shape))
    return mask[np.ix_(rows, columns)]
