"""Data, unroll and checkpoints on made-up frames."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from reconstruction_training import checkpoint
from reconstruction_training.data import Batch, Pairs, draw
from reconstruction_training.gather import gather_sequence, nearest_motion, was_seen
from reconstruction_training.loss import loss
from reconstruction_training.network import Architecture, Network
from reconstruction_training.optimizer import Optimizer
from reconstruction_training.sequence import State, start_as_taa, unroll
from reconstruction_training.step import Step

SMALL = Architecture((32, 32, 32), (0, 1, 1), (1, 1))


@pytest.fixture
def pairs(tmp_path) -> Pairs:
    """Two sequences of six frames, 12 x 10 to 24 x 20."""
    g = torch.Generator().manual_seed(2)
    u = lambda *shape: torch.rand(*shape, generator=g)
    s, t, h, w = 2, 6, 10, 12
    tensors = {
        "clean": u(s, t, 3, h, w) * 2,
        "depth": u(s, t, 1, h * w).argsort(-1).unflatten(-1, (h, w)) / 32 + 4,  # no two alike: ties have an order
        "motion": (u(s, t, 2, h, w) - 0.5) * 4,
        "reference": u(s, t, 3, 2 * h, 2 * w) * 2,
    }
    tensors = {name: value.half() for name, value in tensors.items()}
    tensors["jitter"] = u(s, t, 2) - 0.5
    tensors["exposure"] = u(s, t) + 0.5
    tensors["cut"] = torch.zeros(s, t, dtype=torch.uint8)
    tensors["cut"][1, 3] = 1
    save_file(tensors, tmp_path / "train-00000.safetensors")
    (tmp_path / "dataset.json").write_text(json.dumps({"split": "train"}))
    return Pairs(tmp_path, torch.device("cpu"))


def batch_of(pairs: Pairs, across: bool, down: bool) -> Batch:
    batch = Batch.empty(pairs, 2, pairs.length)
    full = lambda value: torch.full((2,), value, dtype=torch.bool)
    sequence = torch.arange(2)
    draw(pairs, batch, sequence, torch.zeros(2, dtype=torch.long), full(across), full(down), torch.ones(2))
    return batch


@torch.no_grad()
def pictures(pairs: Pairs, batch: Batch) -> torch.Tensor:
    torch.manual_seed(0)
    network = Network(SMALL)
    start_as_taa(network)
    network.prepare()
    s = gather_sequence(batch.clean, batch.depth, batch.motion, batch.jitter, batch.exposure, batch.is_reset)
    return unroll(network, s, State.empty(2, *pairs.render_size, *pairs.output_size, "cpu"))[0]


@pytest.mark.parametrize("across,down", [(True, False), (False, True), (True, True)])
def test_a_mirrored_sequence_gives_the_mirrored_picture(pairs, across, down):
    axes = [axis for axis, is_set in ((-1, across), (-2, down)) if is_set]
    plain = pictures(pairs, batch_of(pairs, False, False))
    mirrored = pictures(pairs, batch_of(pairs, across, down))
    # A place exactly between two texels may round to the other one.
    difference = (plain.flip(axes) - mirrored).abs()
    assert (difference > 1e-3).float().mean() < 0.002
    assert (plain - mirrored).abs().mean() > 0.1


def test_frames_are_those_of_the_shard_and_cuts_reset(pairs):
    batch = batch_of(pairs, False, False)
    assert torch.equal(batch.clean[:, 1:], pairs.tensors["clean"].float())
    assert torch.equal(batch.clean[:, 0], batch.clean[:, 1])
    wanted = torch.zeros(2, 6, dtype=torch.bool)
    wanted[:, 0] = wanted[1, 3] = True
    assert torch.equal(batch.is_reset, wanted)


def test_history_carries_from_chunk_to_chunk(pairs):
    network = Network(SMALL)
    start_as_taa(network)
    batch = batch_of(pairs, False, False)
    whole = pictures(pairs, batch)
    step = Step(pairs, network, 2, 3)
    step.drawn = {
        "sequence": torch.arange(2), "first": torch.zeros(2, dtype=torch.long), "stops": torch.ones(2),
        "across": torch.zeros(2, dtype=torch.bool), "down": torch.zeros(2, dtype=torch.bool),
    }
    draw(pairs, step.batch, **step.drawn)
    step.follows = 3
    torch.manual_seed(0)
    step.gradients()
    step.choose(np.random.default_rng(0))
    assert step.follows == 6
    step.gradients()
    assert torch.allclose(step.state.color, whole[:, -1], atol=1e-5)


def test_the_same_seed_draws_the_same_batches(pairs):
    steps = [Step(pairs, Network(SMALL), 2, 2) for _ in range(2)]
    seen = []
    for step in steps:
        for at in range(6):
            step.choose(np.random.default_rng((7, at)))
        seen.append((step.batch.clean.clone(), step.batch.exposure.clone(), step.state.color.clone()))
    for a, b in zip(*seen):
        assert torch.equal(a, b)


def test_a_checkpoint_brings_everything_back(pairs, tmp_path):
    torch.manual_seed(1)
    network = Network(SMALL)
    start_as_taa(network)
    optimizer, step = Optimizer(network), Step(pairs, network, 2, 2)
    optimizer.set_rate(1e-2)

    def go():
        step.choose(np.random.default_rng(3))
        step.follows = 0
        value = step.gradients()
        optimizer.update()
        return value

    go()
    checkpoint.save(tmp_path / "c.safetensors", network, optimizer, {"step": 1})
    after = [go() for _ in range(2)]
    other = Network(SMALL)
    state = Optimizer(other)
    other_step = Step(pairs, other, 2, 2)
    other_step.choose(np.random.default_rng(3))
    other_step.follows = 0
    other_step.gradients()
    state.update()  # makes the optimizer's state, which the checkpoint then fills
    assert checkpoint.load(tmp_path / "c.safetensors", other, state) == {"step": 1}
    network, optimizer, step = other, state, other_step
    optimizer.set_rate(1e-2)
    assert [go() for _ in range(2)] == after
    assert after[0] != after[1]


def test_a_bad_gradient_changes_nothing():
    network = Network(SMALL)
    optimizer = Optimizer(network)
    optimizer.set_rate(1e-2)
    before = network.door.weight.detach().clone()
    network.door.weight.grad.fill_(float("nan"))
    optimizer.update()
    assert (network.door.weight - before).abs().max() < 1e-5  # weight decay alone
    assert network.door.weight.isfinite().all()


def test_motion_is_that_of_the_nearest_depth():
    depth = torch.full((1, 1, 5, 5), 9.0)
    depth[0, 0, 2, 2] = 1.0
    motion = torch.zeros(1, 2, 5, 5)
    motion[0, 0, 2, 2] = 7.0
    nearest, chosen = nearest_motion(depth, motion)
    assert chosen[0, 0].eq(7.0).sum() == 9 and nearest.eq(1.0).sum() == 9


def test_a_surface_beyond_the_range_of_depths_was_hidden():
    prev = torch.full((1, 1, 6, 6), 4.0)
    prev[..., 3:] = 8.0
    place = torch.full((1, 2, 1, 1), 1.5)
    for depth, wanted in ((4.0, True), (4.19, True), (4.3, False), (3.7, False)):
        assert was_seen(torch.full((1, 1, 1, 1), depth), prev, place).item() == wanted
    place[:, 0] = 2.5  # both depths lie within 3x3
    assert was_seen(torch.full((1, 1, 1, 1), 6.0), prev, place).item()


def test_the_loss_of_the_reference_is_zero_and_of_flicker_is_not():
    reference = torch.rand(1, 1, 3, 32, 32).expand(-1, 3, -1, -1, -1)
    exposure = torch.ones(1, 3, 1, 1, 1)
    assert loss(reference, reference, exposure)[0] == 0
    brighter = reference.clone()
    brighter[:, 1] *= 1.1
    steady = reference * 1.1
    assert loss(brighter, reference, exposure)[1]["temporal"] > 0.01
    assert loss(steady, reference, exposure)[1]["temporal"] == 0
    assert loss(steady, reference, exposure)[0] > 0.01
