"""Reads pictures and descriptions of frame folders."""

import json
from pathlib import Path

import numpy as np
import OpenEXR


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
    """log1p(8 x) / log 9 of the exposed colour, as the command line scores it, held to 0..1."""
    return np.clip(np.log1p(8 * np.maximum(color * exposure, 0)) / np.log(9), 0, 1)


def read_mask(folder: Path, file: str, size: tuple[int, int]) -> np.ndarray | None:
    """Output pixels (h w bool) whose nearest render pixel shows what the frame before did not; None without mask.Y."""
    mask = read_channels(folder / file).get("mask.Y")
    if mask is None:
        return None
    rows, columns = (np.arange(n) * m // n for n, m in zip(size, mask.shape))
    return mask[np.ix_(rows, columns)] > 0.5
