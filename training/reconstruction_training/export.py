"""From a checkpoint to the int8 model file that the engine loads.

python -m reconstruction_training.export checkpoint.safetensors --out models/sr.safetensors --scores scores.json
"""

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save_file

from . import checkpoint
from .layers import Dense, SwinBlock
from .network import Network

FORMAT = "reconstruction-network"
VERSION = "1"


def integers(layer: Dense) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """int8 weight [out, kh, kw, in], int32 bias [out], f32 multiplier [out] of a prepared layer."""
    weight, bias, mult = (value.detach().cpu() for value in layer.integers)
    rounded = weight.permute(0, 2, 3, 1).numpy()
    assert np.array_equal(rounded, np.rint(rounded)) and np.abs(rounded).max() <= 127
    whole = bias.double().numpy()
    assert np.array_equal(whole, np.rint(whole)) and np.abs(whole).max() < 2**30
    return rounded.astype(np.int8), whole.astype(np.int32), mult.numpy().astype(np.float32)


def tensors(network: Network) -> dict[str, np.ndarray]:
    """Every tensor of the model file by name, in the engine's shapes."""
    network.is_rounding = True
    with torch.no_grad():
        network.prepare()
    found: dict[str, np.ndarray] = {}

    def add(name: str, layer: Dense, shape=lambda w: w, outputs=lambda b: b):
        weight, bias, mult = integers(layer)
        found[name + ".weight"] = np.ascontiguousarray(shape(weight))
        found[name + ".bias"] = np.ascontiguousarray(outputs(bias))
        found[name + ".mult"] = np.ascontiguousarray(outputs(mult))

    flat = lambda w: w[:, 0, 0, :]
    add("door", network.door, flat)
    for kind, stages in (("enc", network.enc), ("dec", network.dec)):
        for level, blocks in enumerate(stages):
            for at, block in enumerate(blocks):
                name = f"{kind}{level}.{at}"
                if isinstance(block, SwinBlock):
                    for layer in ("qkv", "proj", "up", "down"):
                        add(f"{name}.{layer}", getattr(block, layer), flat)
                    sharpness, position = (value.detach().cpu().numpy() for value in block.tables)
                    found[name + ".sharpness"] = sharpness.astype(np.int32)
                    found[name + ".position"] = position.astype(np.int16)
                else:
                    add(f"{name}.a", block.a)
                    add(f"{name}.b", block.b)
    for level, layer in enumerate(network.merge):
        add(f"merge{level}", layer)
    for level, layer in enumerate(network.expand):
        children = lambda values: values.reshape(2, 2, -1)
        add(f"expand{level}", layer, lambda w: flat(w).reshape(2, 2, -1, w.shape[-1]), children)
    add("heads", network.heads, flat)
    for name, value in found.items():
        if name.endswith(".mult"):
            assert np.isfinite(value).all() and (value >= 2.0**-30).all() and (value <= 2.0**6).all(), name
    return found


def hash_of(found: dict[str, np.ndarray], stages: list[dict]) -> str:
    """sha256 of name, a zero byte and the bytes of each tensor, by name; then of name, a zero byte and shift of each swin
    stage."""
    digest = hashlib.sha256()
    for name in sorted(found):
        digest.update(name.encode() + b"\0" + found[name].tobytes())
    for stage in stages:
        if "shift" in stage:
            digest.update(stage["name"].encode() + bytes((0, stage["shift"])))
    return digest.hexdigest()


def export(network: Network, path: Path, name: str, run: str, seeds: str, scores: dict):
    """Writes the model file."""
    found = tensors(network)
    stages = [stage.entry() for stage in network.architecture.stages()]
    metadata = {
        "format": FORMAT,
        "version": VERSION,
        "name": name,
        "feature": "sr",
        "stages": json.dumps(stages),
        "features": str(network.door.weight.shape[1]),
        "run": run,
        "seeds": seeds,
        "scores": json.dumps(scores),
        "hash": hash_of(found, stages),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(found, path, metadata)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", default="sr")
    parser.add_argument("--run", default="", help="name of the training run")
    parser.add_argument("--seeds", default="", help="which seeds of which split the data came from")
    parser.add_argument("--scores", type=Path, help="scores.json of the training run")
    args = parser.parse_args()
    network, progress = checkpoint.network_of(args.checkpoint)
    scores = json.loads(args.scores.read_text()) if args.scores else {"progress": progress}
    export(network, args.out, args.name, args.run, args.seeds, scores)
    print(f"{args.out}: {args.out.stat().st_size} bytes, {network.multiplications() / 1000:.2f} kMAC a render pixel")


if __name__ == "__main__":
    main()
