"""A model file as a network: the engine's own integers, without the floats that they were rounded from."""

import json
from pathlib import Path

import torch
from safetensors import safe_open

from .layers import Dense, SwinBlock
from .network import Architecture, Network


class StoredNetwork(Network):
    """Its integers are those of the file."""

    def prepare(self):
        """Nothing is left to round."""


def architecture_of(stages: list[dict]) -> Architecture:
    """From the list of stages in a model file."""
    of = {stage["name"]: stage for stage in stages}
    count = lambda kind: sum(name.startswith(kind) for name in of)
    named = lambda kind, key: tuple(of[f"{kind}{level}"][key] for level in range(count(kind)))
    swin = tuple(name for name, stage in of.items() if stage["kind"] == "swin")
    return Architecture(named("enc", "width"), named("enc", "blocks"), named("dec", "blocks"), swin)


def read(path: Path) -> Network:
    """The network of a model file, rounding."""
    with safe_open(path, "pt") as file:
        stages = json.loads(file.metadata()["stages"])
        tensors = {name: file.get_tensor(name).float() for name in file.keys()}
    network = StoredNetwork(architecture_of(stages))

    def fill(layer: Dense, name: str):
        weight = tensors[name + ".weight"]
        if layer.size == 1:
            weight = weight.reshape(-1, 1, 1, weight.shape[-1])
        vectors = (tensors[f"{name}.{part}"].flatten() for part in ("bias", "mult"))
        layer.integers = (weight.permute(0, 3, 1, 2).contiguous(), *vectors)

    fill(network.door, "door")
    fill(network.heads, "heads")
    for kind, layers in (("merge", network.merge), ("expand", network.expand)):
        for level, layer in enumerate(layers):
            fill(layer, f"{kind}{level}")
    for kind, of_level in (("enc", network.enc), ("dec", network.dec)):
        for level, blocks in enumerate(of_level):
            for at, block in enumerate(blocks):
                name = f"{kind}{level}.{at}"
                is_swin = isinstance(block, SwinBlock)
                for part in ("qkv", "proj", "up", "down") if is_swin else ("a", "b"):
                    fill(getattr(block, part), f"{name}.{part}")
                if is_swin:
                    block.tables = (tensors[name + ".sharpness"], tensors[name + ".position"])
    return network
