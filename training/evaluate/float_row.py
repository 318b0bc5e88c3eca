"""Pictures of the network before its values are rounded, by PyTorch: what int8 costs is the distance to them."""

from pathlib import Path

import numpy as np
import OpenEXR

from reconstruction_training import checkpoint, frames


def write_float(checkpoint_file: Path, folder: Path, out: Path) -> None:
    """Reconstructs a frame folder with the floats of a checkpoint; `out`/NNNN.exr. Features are int8 all the same."""
    network, _ = checkpoint.network_of(checkpoint_file)
    network.is_rounding = False
    out.mkdir(parents=True, exist_ok=True)
    for at, picture in enumerate(frames.pictures(network, frames.load(folder, "sr"))[0].numpy()):
        channels = {name: np.ascontiguousarray(plane) for name, plane in zip("RGB", picture)}
        OpenEXR.File({}, channels).write(str(out / f"{at:04}.exr"))
