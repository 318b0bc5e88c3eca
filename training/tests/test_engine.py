"""The engine's tests read a small model with swin stages and what its stages leave; both are from here.

`RECONSTRUCTION_BLESS=1` writes them anew.
"""

import os
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from integer_network import IntegerNetwork
from reconstruction_training.export import export
from reconstruction_training.network import Architecture
from test_export import random_network

FOLDER = Path(__file__).parents[2] / "native/shaders/tests/swin"
MODEL, PLANES = FOLDER / "model.safetensors", FOLDER / "planes.safetensors"
ARCHITECTURE = Architecture((32, 64, 32), (0, 1, 0), (1, 0), ("enc1", "dec0"))
ROWS, COLUMNS = 13, 19


@pytest.fixture
def network():
    """As the file has it."""
    network = random_network(ARCHITECTURE, 11)
    if os.environ.get("RECONSTRUCTION_BLESS") == "1":
        generator = np.random.default_rng(1)
        features = generator.integers(-127, 128, (ROWS, COLUMNS, 64)).astype(np.int8)
        export(network, MODEL, "swin stages of random weights", "", "", {})
        reference = IntegerNetwork(MODEL)
        reference.heads(features.astype(np.int64))
        planes = {"features": features}
        for name in ARCHITECTURE.swin:
            x, n = reference.left[name]
            planes |= {name + ".x": x.astype(np.int16), name + ".n": n.astype(np.int8)}
        save_file(planes, PLANES)
    return network


def test_the_stored_planes_are_those_of_the_stored_model(network):
    planes = load_file(PLANES)
    reference = IntegerNetwork(MODEL)
    reference.heads(planes["features"].astype(np.int64))
    for name in ARCHITECTURE.swin:
        for part, wanted in zip("xn", reference.left[name]):
            assert wanted.std() > 10
            np.testing.assert_array_equal(planes[f"{name}.{part}"], wanted)


def test_the_stored_planes_are_those_of_pytorch(network, tmp_path):
    left = []
    run = network.run

    def recorded(*of_stage):
        left.append(run(*of_stage))
        return left[-1]

    network.run = recorded
    path = tmp_path / "model.safetensors"
    export(network, path, "", "", "", {})
    ours, stored = load_file(path), load_file(MODEL)
    if any(not np.array_equal(ours[name], stored[name]) for name in stored):
        pytest.skip("this version of torch draws other random weights")
    planes = load_file(PLANES)
    with torch.no_grad():
        network(torch.from_numpy(planes["features"]).permute(2, 0, 1)[None].float())
    by_stage = dict(zip((stage.name for stage in ARCHITECTURE.stages()), left))
    for name in ARCHITECTURE.swin:
        for part, value in zip("xn", by_stage[name]):
            np.testing.assert_array_equal(value[0].permute(1, 2, 0).numpy(), planes[f"{name}.{part}"])
