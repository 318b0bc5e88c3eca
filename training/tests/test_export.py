"""The fake-quantised network against the integers of its model file."""

import hashlib

import numpy as np
import pytest
import torch

from integer_network import IntegerNetwork
from reconstruction_training.export import export
from reconstruction_training.network import Architecture, Network

SHAPES = [
    (Architecture((32, 32, 64, 128), (0, 1, 1, 1), (1, 1, 1)), 24, 20),
    (Architecture((32, 64, 96), (1, 2, 1), (0, 1)), 13, 7),
    (Architecture((32, 32, 32), (0, 0, 1), (1, 0)), 1, 1),
    (Architecture((32, 64, 64), (1, 1, 2), (1, 1), ("enc0", "enc2", "dec1", "dec0")), 17, 22),
]


def random_network(architecture: Architecture, seed: int) -> Network:
    """Weights of all layers alive, activations of every size."""
    torch.manual_seed(seed)
    network = Network(architecture)
    with torch.no_grad():
        for layer in network.modules():
            if hasattr(layer, "bias"):
                layer.bias.normal_(0.0, 0.1)
            if hasattr(layer, "position"):
                layer.position.normal_(0.0, 0.5)
                layer.log2_sharpness.uniform_(0.0, 4.0)
        network.heads.weight.normal_(0.0, 0.3)
    return network


@pytest.mark.parametrize("at", range(len(SHAPES)))
def test_heads_are_those_of_the_integers(at, tmp_path):
    architecture, th, tw = SHAPES[at]
    network = random_network(architecture, at)
    path = tmp_path / "model.safetensors"
    export(network, path, "test", "", "", {})
    reference = IntegerNetwork(path)
    features = torch.randint(-127, 128, (2, 64, th, tw)).float()
    with torch.no_grad():
        heads = network(features).permute(0, 2, 3, 1).numpy()
    for i in range(2):
        wanted = reference.heads(features[i].permute(1, 2, 0).numpy().astype(np.int64))
        assert wanted.std() > 0.1
        np.testing.assert_array_equal(heads[i], wanted)


def test_attention_carries_gradients():
    """Close to those of the smooth formula, which rounding only disturbs."""
    gradients = []
    for is_rounding in (True, False):
        network = random_network(SHAPES[3][0], 3)
        network.is_rounding = is_rounding
        network.prepare()
        g = torch.Generator().manual_seed(1)
        features = torch.randint(-127, 128, (1, 64, 9, 12), generator=g).float()
        (network(features) * torch.randn(1, 32, 9, 12, generator=g)).sum().backward()
        block = network.enc[0][0]
        gradients.append([p.grad for p in (block.qkv.weight, block.position, block.log2_sharpness, block.down.weight)])
    for rounded, smooth in zip(*gradients):
        assert smooth.norm() > 0
        assert torch.nn.functional.cosine_similarity(rounded.flatten(), smooth.flatten(), 0) > 0.9


def test_a_changed_weight_changes_the_heads(tmp_path):
    network = random_network(SHAPES[1][0], 7)
    path = tmp_path / "model.safetensors"
    export(network, path, "test", "", "", {})
    reference = IntegerNetwork(path)
    features = np.random.default_rng(1).integers(-127, 128, (9, 11, 64))
    before = reference.heads(features)
    for name in ("door", "enc1.1.b", "merge1", "expand0", "heads"):
        weight = reference.tensors[name + ".weight"]
        kept = weight.copy()
        weight.reshape(weight.shape[0], -1)[:, 0] = np.where(weight.reshape(weight.shape[0], -1)[:, 0] > 0, -127, 127)
        assert not np.array_equal(reference.heads(features), before), name
        reference.tensors[name + ".weight"] = kept


def test_the_hash_covers_names_bytes_and_shifts(tmp_path):
    path = tmp_path / "model.safetensors"
    for at, shifts in ((3, b"enc0\0\0enc2\0\0dec1\0\x04dec0\0\x04"), (2, b"")):
        export(random_network(SHAPES[at][0], 3), path, "test", "", "", {})
        model = IntegerNetwork(path)
        digest = hashlib.sha256()
        for name, value in sorted(model.tensors.items()):
            digest.update(name.encode() + b"\0" + value.tobytes())
        digest.update(shifts)
        assert digest.hexdigest() == model.metadata["hash"]
    assert model.tensors["expand0.weight"].shape == (2, 2, 32, 32)
    assert model.tensors["enc2.0.a.weight"].shape == (32, 3, 3, 32)
    assert model.tensors["merge0.bias"].dtype == np.int32
