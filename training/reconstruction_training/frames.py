"""Scores on frame folders (`reconstruct frames --help` describes the format), through PyTorch.

python -m reconstruction_training.frames checkpoint.safetensors FRAMES/living_room FRAMES/clocks
"""

import argparse
import json
from pathlib import Path

import numpy as np
import OpenEXR
import torch

from . import checkpoint
from .exposure import measured_exposure
from .gather import Samples, gather_sequence
from .loss import tone
from .network import Network
from .sequence import State, start_as_taa, unroll


def planes(path: Path, *choices: list[str]) -> np.ndarray:
    """Channels of an EXR file, the first choice that it has: C h w."""
    with OpenEXR.File(str(path), separate_channels=True) as file:
        channels = file.channels()
        names = next((names for names in choices if set(names) <= set(channels)), None)
        if names is None:
            raise KeyError(f"{path}: none of {choices}; the file has {sorted(channels)}")
        return np.stack([channels[name].pixels.astype(np.float32) for name in names])


def load(folder: Path, feature: str) -> dict[str, torch.Tensor]:
    """Clean colour, depth, motion, references (1 T C h w), jitter, exposure and resets of a folder, the exposure
    of its scores; dlaa: references are the 2x2 mean."""
    about = json.loads((folder / "sequence.json").read_text())
    if about["depth"] != "view_linear":
        raise ValueError(f"{folder}/sequence.json: depth: expected view_linear, got {about['depth']}")
    found: dict[str, list] = {"clean": [], "depth": [], "motion": [], "reference": [], "jitter": [], "is_reset": []}
    for at, frame in enumerate(about["frames"]):
        file = folder / frame["file"]
        found["clean"].append(planes(file, ["clean.R", "clean.G", "clean.B"], ["R", "G", "B"]))
        found["depth"].append(planes(file, ["depth.Z"]))
        found["motion"].append(planes(file, ["motion.X", "motion.Y"]))
        found["reference"].append(planes(folder / frame["reference"], ["R", "G", "B"]))
        found["jitter"].append(np.float32(frame["jitter"]))
        found["is_reset"].append(np.bool_(at == 0 or frame.get("cut", False) or bool(frame.get("reset", False))))
    tensors = {name: torch.from_numpy(np.stack(values))[None] for name, values in found.items()}
    given = [frame.get("exposure") for frame in about["frames"]]
    measured = measured_exposure(tensors["clean"][0])
    chosen = [m if e is None else torch.tensor(e, dtype=torch.float32) for e, m in zip(given, measured)]
    tensors["exposure"] = torch.stack(chosen)[None]
    tensors["score_exposure"] = torch.full_like(tensors["exposure"], about.get("exposure", 1.0))
    if feature == "dlaa":
        tensors["reference"] = torch.nn.functional.avg_pool2d(tensors["reference"][0], 2)[None]
    return tensors


def samples(f: dict[str, torch.Tensor]) -> Samples:
    """Every frame of a folder after gather."""
    front = lambda v: torch.cat((v[:, :1], v), 1)
    inputs = (front(f[name]) for name in ("clean", "depth", "motion", "jitter", "exposure"))
    return gather_sequence(*inputs, f["is_reset"])


@torch.no_grad()
def pictures(network: Network, f: dict[str, torch.Tensor]) -> torch.Tensor:
    """1 T 3 H W, one frame after the other."""
    network.prepare()
    state = State.empty(1, *f["depth"].shape[-2:], *f["reference"].shape[-2:], "cpu")
    return unroll(network, samples(f), state)[0]


def row(picture: torch.Tensor, f: dict[str, torch.Tensor]) -> str:
    """PSNR of frames 3 to 6 and of the last four, flicker of both, light of the last."""
    e = f["score_exposure"][:, :, None, None, None]
    error = (tone(picture, e) - tone(f["reference"], e))[0]
    psnr = -10.0 * torch.log10(error.square().mean((1, 2, 3)))
    flicker = (error[1:] - error[:-1]).abs().mean((1, 2, 3))
    reference = f["reference"][0, -4:]
    ordinary = reference < 8.0 * reference.mean()
    light = (picture[0, -4:] * ordinary).sum() / (reference * ordinary).sum()
    still = psnr[8:]  # the folders' cameras stand still from frame 8 on
    fall = (still.cummax(0).values - still).max()
    return (f"moving {psnr[3:7].mean():.2f} dB, still {psnr[-4:].mean():.2f} dB, "
            f"flicker {flicker[2:6].mean():.4f} / {flicker[-3:].mean():.4f}, "
            f"light {light:.4f}, deepest fall {fall:.3f} dB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--feature", choices=("sr", "dlaa"), default="sr")
    parser.add_argument("--untrained", action="store_true", help="the weights that training begins with")
    parser.add_argument("--float", action="store_true", help="without rounding")
    args = parser.parse_args()
    network, _ = checkpoint.network_of(args.checkpoint)
    if args.untrained:
        start_as_taa(network)
    network.is_rounding = not args.float
    for folder in args.folders:
        f = load(folder, args.feature)
        print(f"{folder.name} {args.feature}: {row(pictures(network, f), f)}", flush=True)


if __name__ == "__main__":
    main()
