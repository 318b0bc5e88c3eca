"""Trains the Super Resolution network for some minutes; goes on from its checkpoint.

python -m reconstruction_training.train --data DIR... --validation DIR... --out DIR --minutes 8
"""

import argparse
import csv
import json
import math
import time
from pathlib import Path

import numpy as np
import torch

from . import checkpoint
from .calibrate import calibrate
from .curve import draw_curve
from .data import Pairs
from .network import Architecture, Network
from .optimizer import Optimizer
from .sequence import start_as_taa
from .step import Step
from .validate import line, validate

WARM_UP_STEPS = 100
CALIBRATION_STEP = 300
LAST_RATE = 0.01


def numbers(text: str) -> tuple[int, ...]:
    """A list like 32,32,64."""
    return tuple(int(part) for part in text.split(","))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", required=True, help="folders of training pairs, one ratio each")
    parser.add_argument("--share", nargs="*", type=float, help="share of the steps for each folder")
    parser.add_argument("--validation", nargs="*", default=[], help="folders of validation pairs")
    parser.add_argument("--out", type=Path, required=True, help="checkpoint.safetensors, log.csv, curve.png, scores")
    parser.add_argument("--minutes", type=float, required=True, help="of this run, capture and scores included")
    parser.add_argument("--whole", type=float, help="minutes of training of all runs, which the rate falls over")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--unroll", type=int, default=8)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--widths", type=numbers, default=(32, 32, 64, 128))
    parser.add_argument("--enc", type=numbers, default=(0, 1, 1, 1))
    parser.add_argument("--dec", type=numbers, default=(1, 1, 1))
    parser.add_argument("--swin", nargs="*", default=(), help="stages with attention in place of convolutions")
    parser.add_argument("--float", action="store_true", help="train without rounding")
    parser.add_argument("--steps", type=int, help="end after this many steps, for tests")
    return parser.parse_args()


class Run:
    """A network, its data, and how far it has come."""

    def __init__(self, args: argparse.Namespace):
        self.args, self.began = args, time.monotonic()
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        torch.manual_seed(args.seed)
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.backends.cudnn.allow_tf32 = True
        self.network = Network(Architecture(args.widths, args.enc, args.dec, tuple(args.swin)))
        start_as_taa(self.network)
        self.network.to(self.device, memory_format=torch.channels_last)
        self.network.is_rounding = not args.float
        self.optimizer = Optimizer(self.network)
        self.sets = [Pairs(folder, self.device) for folder in args.data]
        self.validation = [Pairs(folder, self.device) for folder in args.validation]
        self.steps = [Step(pairs, self.network, args.batch, args.unroll) for pairs in self.sets]
        share = np.array(args.share or [1.0] * len(self.sets))
        self.share = share / share.sum()
        self.progress = {"step": 0, "seconds": 0.0, "seed": args.seed}
        self.path = args.out / "checkpoint.safetensors"

    def say(self, text: str):
        print(f"[{time.monotonic() - self.began:6.1f} s] {text}", flush=True)

    def prepare(self):
        """Captures the graphs, then takes over the checkpoint if there is one."""
        pool = None
        for step in self.steps:
            step.choose(np.random.default_rng(0))
            if self.device.type == "cuda":
                pool = step.capture(self.optimizer.update, pool)
                step.follows = 0
                self.say(f"captured ratio {step.pairs.ratio():.2f}: {torch.cuda.memory_reserved() / 2**30:.1f} GiB")
            else:
                step.gradients()
                self.optimizer.update()
        self.optimizer.forget()
        for mean, p in zip(self.optimizer.mean, self.optimizer.parameters):
            mean.copy_(p.detach())
        if self.path.exists():
            self.progress = checkpoint.load(self.path, self.network, self.optimizer)
            self.say(f"goes on from step {self.progress['step']}")

    def rate(self, seconds: float) -> float:
        """Rises over the first steps, then falls as a cosine over the whole time."""
        whole = (self.args.whole or self.args.minutes) * 60.0
        fall = 0.5 + 0.5 * math.cos(math.pi * min(seconds / whole, 1.0))
        return self.args.rate * min((self.progress["step"] + 1) / WARM_UP_STEPS, 1.0) * max(fall, LAST_RATE)

    def scores(self, with_baselines: bool = False) -> dict:
        """Scores of the running mean, by folder."""
        self.optimizer.swap_mean()
        found = {p.name: validate(self.network, p, 16, with_baselines) for p in self.validation}
        self.optimizer.swap_mean()
        return found

    def train(self):
        """Until the minutes are over."""
        args, progress = self.args, self.progress
        log = open(args.out / "log.csv", "a", newline="")
        rows = csv.writer(log)
        before = progress["seconds"]
        begin = time.monotonic()
        saved = looked = begin
        summed, count, last_step = torch.zeros((), device=self.device), 0, progress["step"]
        while time.monotonic() - self.began < args.minutes * 60.0 - 12.0:
            if args.steps and progress["step"] >= args.steps:
                break
            random = np.random.default_rng((args.seed, progress["step"]))
            at = int(random.choice(len(self.steps), p=self.share))
            step = self.steps[at]
            step.choose(random)
            self.optimizer.set_rate(self.rate(progress["seconds"]))
            if self.device.type == "cuda":
                step.graph.replay()
                summed += step.loss
            else:
                summed += step.gradients()
                self.optimizer.update()
            count += 1
            progress["step"] += 1
            if progress["step"] == CALIBRATION_STEP:
                calibrate(self.network, step)
            if progress["step"] % 20 == 0 or self.device.type == "cpu":
                value = summed.item() / count  # waits for the device
                now = time.monotonic()
                progress["seconds"] = before + now - begin
                norm = self.optimizer.norm.item()
                rows.writerow([progress["step"], f"{progress['seconds']:.1f}", f"{value:.5f}", f"{norm:.3f}"])
                if now - looked > 15.0:
                    rate = (progress["step"] - last_step) / (now - looked)
                    self.say(f"step {progress['step']}: loss {value:.4f}, {rate:.1f} steps a second")
                    looked, last_step = now, progress["step"]
                summed.zero_()
                count = 0
                if now - saved > 60.0:
                    checkpoint.save(self.path, self.network, self.optimizer, progress)
                    log.flush()
                    saved = now
        log.close()
        checkpoint.save(self.path, self.network, self.optimizer, progress)


def main():
    args = arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    run = Run(args)
    run.say(f"{run.network.multiplications() / 1000:.2f} kMAC a render pixel, "
            f"{sum(p.numel() for p in run.network.parameters())} parameters, "
            f"{[f'{p.sequences} x {p.length} at {p.ratio():.2f}' for p in run.sets]}")
    run.prepare()
    if run.progress["step"] == 0:
        for name, found in run.scores(with_baselines=True).items():
            run.say(line(f"untrained, {name}", found))
    run.train()
    found = run.scores()
    for name, scores in found.items():
        run.say(line(f"step {run.progress['step']}, {name}", scores))
    (args.out / "scores.json").write_text(json.dumps({"progress": run.progress, "scores": found}, indent=1))
    draw_curve(args.out)


if __name__ == "__main__":
    main()
