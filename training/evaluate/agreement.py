"""python -m evaluate.agreement --reconstruct PROGRAM --model FILE --out DIR

Holds PyTorch to the engine on test worlds: the features of a frame, the picture from the engine's history, and the
picture of a sequence that PyTorch reconstructs alone. Ends with 1 when a bound is missed.
"""

import argparse
import json
import math
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

from reconstruction_training import checkpoint, export, frames, stored
from reconstruction_training.features import assemble, history_features, recurrent_features, still_features
from reconstruction_training.gather import Samples
from reconstruction_training.network import Network
from reconstruction_training.sequence import State, unroll

from .program import FIRST_TEST_SEED, run

RATIOS = (2, 1.5, 3, 1, 4 / 3, 1.72, 2, 3)
LEAST_EQUAL = 0.999
MOST_STEPS = 1
LEAST_FED_DB = 50.0
LEAST_FREE_DB = 40.0


@dataclass
class Agreement:
    """Of one sequence; PSNR in dB of the worst frame, infinite where every value is equal."""

    name: str
    sizes: str
    frames: int
    equal: float  # share of features
    steps: int  # largest difference of a feature
    fed_db: float
    free_db: float

    def misses(self) -> list[str]:
        """The bounds that do not hold."""
        bounds = {
            f"{self.equal:.4%} of features equal, at least {LEAST_EQUAL:.1%}": self.equal >= LEAST_EQUAL,
            f"features {self.steps} steps apart, at most {MOST_STEPS}": self.steps <= MOST_STEPS,
            f"{self.fed_db:.2f} dB with the engine's history, at least {LEAST_FED_DB:g}": self.fed_db >= LEAST_FED_DB,
            f"{self.free_db:.2f} dB alone, at least {LEAST_FREE_DB:g}": self.free_db >= LEAST_FREE_DB,
        }
        return [f"{self.name}: {text}" for text, holds in bounds.items() if not holds]


def psnr(ours: torch.Tensor, theirs: torch.Tensor, exposure: float) -> float:
    """Of log1p(8 x) / log 9 of exposed colour, peak 1."""
    toned = (torch.log1p(8.0 * exposure * x.double()) / math.log(9.0) for x in (ours, theirs))
    error = (next(toned) - next(toned)).square().mean().item()
    return -10.0 * math.log10(error) if error > 0 else math.inf


def left_by_engine(folder: Path, count: int) -> list[dict[str, torch.Tensor]]:
    """What `reconstruct frames --dump` wrote, as tensors 1 C h w."""
    planes = []
    for at in range(count):
        tensors = load_file(folder / f"{at:04}.safetensors")
        tensors["history_weight"] = tensors["history_weight"][:, :, None]
        names = ("features", "recurrent", "history_color", "history_weight")
        planes.append({name: tensors[name].permute(2, 0, 1)[None].float() for name in names})
        planes[-1]["exposure"] = tensors["exposure"]
    return planes


def features(s: Samples, state: State, ratio: tuple[float, float]) -> torch.Tensor:
    """The 64 features of a frame: 1 64 th tw."""
    pixels, token, motion = still_features(s, ratio)
    filled = history_features(pixels, s, state.color, state.weight, ratio)
    return assemble(filled, token, recurrent_features(state.recurrent, motion, s.history))


@torch.no_grad()
def compare(network: Network, folder: Path, dumps: Path) -> Agreement:
    """PyTorch against what the engine left in `dumps` of the frames in `folder`."""
    f = frames.load(folder, "sr")
    samples, count = frames.samples(f), f["depth"].shape[1]
    left = left_by_engine(dumps, count)
    for at, frame in enumerate(left):
        if frame["exposure"].item() != f["exposure"][0, at].item():
            sys.exit(f"{folder}: frame {at}: the engine's exposure is {frame['exposure'].item()}, PyTorch's "
                     f"{f['exposure'][0, at].item()}; rebuild the program, or mend reconstruction_training/exposure.py")
    (h, w), (out_h, out_w) = f["depth"].shape[-2:], left[0]["history_color"].shape[-2:]
    ratio, exposure = (out_w / w, out_h / h), f["score_exposure"][0, 0].item()
    network.prepare()
    free = fed = State.empty(1, h, w, out_h, out_w, "cpu")
    equal, steps, fed_db, free_db = [], 0, math.inf, math.inf
    for at, theirs in enumerate(left):
        apart = (features(samples.frame(at), fed, ratio) - theirs["features"]).abs()
        equal.append((apart == 0).double().mean().item())
        steps = max(steps, int(apart.max()))
        now = Samples(**{name: value[:, at : at + 1] for name, value in samples.__dict__.items()})
        fed_db = min(fed_db, psnr(unroll(network, now, fed)[0][0, 0], theirs["history_color"][0], exposure))
        picture, free = unroll(network, now, free)
        free_db = min(free_db, psnr(picture[0, 0], theirs["history_color"][0], exposure))
        fed = State(theirs["history_color"], theirs["history_weight"], theirs["recurrent"])
    sizes = f"{w}x{h} to {out_w}x{out_h}"
    return Agreement(folder.name, sizes, count, float(np.mean(equal)), steps, fed_db, free_db)


def network_of(model: Path, checkpoint_file: Path | None) -> Network:
    """The model's own integers, or those that the floats of a checkpoint are rounded to, which must be the same."""
    if checkpoint_file is None:
        return stored.read(model)
    network, _ = checkpoint.network_of(checkpoint_file)
    ours, theirs = export.tensors(network), load_file(model)
    differing = [name for name in theirs if name not in ours or not np.array_equal(ours[name], theirs[name].numpy())]
    if differing or len(ours) != len(theirs):
        sys.exit(f"{checkpoint_file}: not what {model} was made from: {', '.join(differing[:3])} differ")
    return network


def table(rows: list[Agreement]) -> str:
    """Markdown."""
    lines = ["| test world | sizes | frames | features equal | largest step | engine's history, dB | alone, dB |"]
    lines.append("|---" * 7 + "|")
    for r in rows:
        lines.append(f"| {r.name} | {r.sizes} | {r.frames} | {r.equal:.4%} | {r.steps} | {r.fed_db:.2f} "
                     f"| {r.free_db:.2f} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Runs the command."""
    parser = argparse.ArgumentParser(prog="evaluate.agreement", description=__doc__)
    parser.add_argument("--reconstruct", type=Path, required=True, help="the program")
    parser.add_argument("--model", type=Path, required=True, help="a model file")
    parser.add_argument("--checkpoint", type=Path, help="round the floats of this checkpoint instead of the model's")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sequences", type=int, default=8, help="test worlds, at ratios in turn: "
                        + ", ".join(f"{ratio:.3g}" for ratio in RATIOS))
    parser.add_argument("--frames", type=int, default=16)
    parser.add_argument("--output", default="160x90", help="output size of the worlds")
    options = parser.parse_args()
    network = network_of(options.model, options.checkpoint)
    width, height = map(int, options.output.split("x"))
    rows = []
    for i in range(options.sequences):
        ratio = RATIOS[i % len(RATIOS)]
        folder, dumps = options.out / f"test-{i}", options.out / "dumps" / f"test-{i}"
        if not (folder / "sequence.json").exists():
            run(options.reconstruct, "scene", FIRST_TEST_SEED + i, "--seed-split", "test", "--frames", options.frames,
                "--render", f"{round(width / ratio)}x{round(height / ratio)}", "--output", options.output,
                "--clean", 16, "--reference", 2, "--out", folder)
        run(options.reconstruct, "frames", folder, "--feature", "sr", "--model", options.model, "--psnr-only",
            "--dump", dumps)
        rows.append(compare(network, folder, dumps))
        print(table(rows[-1:]).splitlines()[-1], file=sys.stderr)
    (options.out / "agreement.md").write_text(table(rows))
    (options.out / "agreement.json").write_text(json.dumps([asdict(row) for row in rows], indent=1))
    print(table(rows))
    misses = [miss for row in rows for miss in row.misses()]
    for miss in misses:
        print(f"missed: {miss}", file=sys.stderr)
    return 1 if misses or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
