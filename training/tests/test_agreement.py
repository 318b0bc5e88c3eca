"""PyTorch against the built program, and the parts that this rests on."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import OpenEXR
import pytest
import torch

from integer_network import IntegerNetwork
from reconstruction_training import frames, stored
from reconstruction_training.exact import Exp2, as_half, log2
from reconstruction_training.export import export
from reconstruction_training.exposure import measured_exposure
from reconstruction_training.features import still_features
from reconstruction_training.gather import gather_sequence
from reconstruction_training.network import Architecture
from test_export import random_network

ROOT = Path(__file__).parents[2]


def program() -> Path:
    """The newest build; skips without one."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    built = [p for p in (target / kind / "reconstruct" for kind in ("release", "debug")) if p.exists()]
    if not built:
        pytest.skip(f"no program in {target}: cargo build --release -p reconstruction-cli")
    return max(built, key=lambda p: p.stat().st_mtime)


def test_pytorch_agrees_with_the_engine_on_a_test_world(tmp_path):
    arguments = ["--reconstruct", program(), "--model", ROOT / "models/sr.safetensors", "--out", tmp_path]
    more = ["--sequences", "1", "--frames", "4", "--output", "128x72"]
    done = subprocess.run([sys.executable, "-m", "evaluate.agreement", *map(str, arguments), *more],
                          cwd=ROOT / "training", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (row,) = json.loads((tmp_path / "agreement.json").read_text())
    assert row["frames"] == 4 and row["equal"] >= 0.999 and row["steps"] <= 1
    assert row["fed_db"] >= 50 and row["free_db"] >= 40


def test_a_missed_bound_is_told():
    agreement = pytest.importorskip("evaluate.agreement")
    good = agreement.Agreement("a", "", 16, 0.9995, 1, 50.0, 40.0)
    assert good.misses() == []
    bad = agreement.Agreement("a", "", 16, 0.998, 2, 49.9, 39.9)
    assert len(bad.misses()) == 4 and all(miss.startswith("a: ") for miss in bad.misses())


@pytest.mark.parametrize("architecture", [
    Architecture((32, 64, 32), (0, 1, 2), (1, 0)),
    Architecture((32, 64, 32), (0, 1, 0), (1, 0), ("enc1", "dec0")),
])
def test_a_stored_network_gives_the_integers_of_its_file(architecture, tmp_path):
    path = tmp_path / "model.safetensors"
    network = random_network(architecture, 3)
    export(network, path, "", "", "", {})
    again = stored.read(path)
    assert again.architecture == architecture
    features = np.random.default_rng(2).integers(-127, 128, (9, 11, 64))
    again.prepare()
    with torch.no_grad():
        heads = again(torch.from_numpy(features).permute(2, 0, 1)[None].float())
    wanted = IntegerNetwork(path).heads(features)
    assert wanted.std() > 0.01
    np.testing.assert_array_equal(heads[0].permute(1, 2, 0).numpy(), wanted)


def test_logarithms_and_powers_are_close_and_powers_have_gradients():
    x = torch.logspace(-30, 30, 10_000, base=2.0)
    assert (log2(x) - x.double().log2()).abs().max() < 3e-6
    assert torch.equal(log2(torch.tensor([0.25, 1.0, 64.0])), torch.tensor([-2.0, 0.0, 6.0]))
    y = torch.linspace(-20, 20, 1001, requires_grad=True)
    power = Exp2.apply(y)
    assert (power.double() / y.double().exp2() - 1).abs().max() < 2e-6
    power.sum().backward()
    assert (y.grad / y.detach().exp2() - 0.6931472).abs().max() < 1e-5


def test_halves_are_zero_below_the_smallest_and_end_at_the_largest():
    values = torch.tensor([2.0**-14, 2.0**-14 * 0.999, -(2.0**-15), 1e9, -1e9, 1.0 + 2.0**-11, 1.0 + 3 * 2.0**-11])
    wanted = torch.tensor([2.0**-14, 0.0, 0.0, 65504.0, -65504.0, 1.0, 1.0 + 2.0**-9])
    assert torch.equal(as_half(values), wanted)


def test_a_ratio_beyond_three_is_held_to_what_a_byte_says():
    samples = gather_sequence(*(torch.ones(1, 2, n, 4, 4) for n in (3, 1, 2)), torch.zeros(1, 2, 2),
                              torch.ones(1, 2), torch.ones(1, 1, dtype=torch.bool))
    _, token, _ = still_features(samples.frame(0), (3.1, 2.0))
    assert token[0, 5].eq(127.0).all() and token[0, 6].eq(80.0).all()


def test_the_measured_exposure_brings_the_middle_to_a_quarter():
    color = torch.full((3, 3, 40, 70), 2.0)
    color[1, :, :, :35] = 0.5  # two stops apart, half of the picture each
    color[2] = 0.0
    exposure = measured_exposure(color)
    assert torch.allclose(exposure, torch.tensor([0.125, 0.25, 1.0]), rtol=2e-3)


def test_a_folder_tells_resets_and_exposures(tmp_path):
    gray = lambda size, names: {name: np.full(size, 0.5, np.float32) for name in names}
    write = lambda path, channels: OpenEXR.File({}, channels).write(str(path))
    entries = []
    for at, more in enumerate(({}, {"exposure": 3.0}, {"cut": True}, {"reset": "resized"}, {"reset": False})):
        write(tmp_path / f"{at}.exr", gray((6, 8), ["R", "G", "B", "depth.Z", "motion.X", "motion.Y"]))
        write(tmp_path / f"reference{at}.exr", gray((12, 16), ["R", "G", "B"]))
        entries.append({"file": f"{at}.exr", "reference": f"reference{at}.exr", "jitter": [0, 0], **more})
    about = {"format": "frames-1", "depth": "view_linear", "exposure": 2.0, "frames": entries}
    (tmp_path / "sequence.json").write_text(json.dumps(about))
    f = frames.load(tmp_path, "sr")
    assert f["is_reset"][0].tolist() == [True, False, True, True, False]
    assert torch.allclose(f["exposure"][0], torch.tensor([0.5, 3.0, 0.5, 0.5, 0.5]), rtol=2e-3)
    assert f["score_exposure"][0].eq(2.0).all()
    (tmp_path / "sequence.json").write_text(json.dumps({**about, "depth": "hardware"}))
    with pytest.raises(ValueError, match="view_linear"):
        frames.load(tmp_path, "sr")
