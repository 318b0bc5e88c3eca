"""Scores of made-up pictures."""

import json

import numpy as np
import OpenEXR
import pytest

pytest.importorskip("flip_evaluator")
pytest.importorskip("torchmetrics")

from evaluate.metrics import frames_to_converge, psnr
from evaluate.pictures import enlarged, hidden_before
from evaluate.row import score

H, W = 12, 16


def write(path, size, values):
    path.parent.mkdir(parents=True, exist_ok=True)
    channels = {name: np.full(size, value, np.float32) if np.isscalar(value) else value.astype(np.float32)
                for name, value in values.items()}
    OpenEXR.File({}, channels).write(str(path))


@pytest.fixture
def folder(tmp_path):
    """Four gray frames; a near thing of 4 x 4 pixels that moved right by 4 before frame 1; a cut in frame 2."""
    entries = []
    for at in range(4):
        depth, motion = np.full((H, W), 9.0), np.zeros((H, W))
        left = 4 if at == 0 else 8
        depth[4:8, left : left + 4] = 1.0
        if at == 1:
            motion[4:8, left : left + 4] = -4.0
        rgb = dict.fromkeys("RGB", 0.25)
        write(tmp_path / f"{at}.exr", (H, W), {**rgb, "depth.Z": depth, "motion.X": motion, "motion.Y": 0.0})
        write(tmp_path / "reference" / f"{at}.exr", (2 * H, 2 * W), rgb)
        more = {"cut": True} if at == 2 else {}
        entries.append({"file": f"{at}.exr", "reference": f"reference/{at}.exr", "jitter": [0, 0], **more})
    about = {"format": "frames-1", "depth": "view_linear", "exposure": 2.0, "frames": entries}
    (tmp_path / "sequence.json").write_text(json.dumps(about))
    return tmp_path


def test_what_a_thing_uncovers_was_hidden(folder):
    hidden = hidden_before(folder)[1]
    inner = hidden[5:7, 5:7]  # the neighbourhood of the place where the thing was holds its depth alone
    assert inner.all() and hidden.sum() < 16
    assert not hidden[4:8, 8:12].any()
    assert hidden_before(folder)[0].all() and hidden_before(folder)[2].all()  # resets


def test_a_mask_of_the_renderer_goes_before(folder):
    for at in range(4):
        mask = np.zeros((H, W))
        mask[0, at] = 1.0
        rgb = dict.fromkeys("RGB", 0.25)
        write(folder / f"{at}.exr", (H, W), {**rgb, "depth.Z": 9.0, "motion.X": 0.0, "motion.Y": 0.0, "mask.Y": mask})
    hidden_before.cache_clear()
    assert [np.argwhere(mask).tolist() for mask in hidden_before(folder)] == [[[0, at]] for at in range(4)]
    assert np.argwhere(enlarged(hidden_before(folder)[1], (2 * H, 2 * W))).tolist() == [
        [0, 2], [0, 3], [1, 2], [1, 3]]


def test_scores_are_those_of_the_errors(folder, tmp_path):
    hidden_before.cache_clear()
    tone = lambda x: np.log1p(8 * 2.0 * x) / np.log(9)
    for at, value in enumerate((0.25, 0.2, 0.3, 0.25)):
        write(tmp_path / "ours" / f"{at:04}.exr", (2 * H, 2 * W), dict.fromkeys("RGB", value))
    row = score("ours", folder, tmp_path / "ours", ["other", "moving", "still", "still"])
    wanted = -20 * np.log10(abs(tone(0.2) - tone(0.25)))
    assert row.scores["psnr moving"] == pytest.approx(wanted, abs=1e-3)
    # Frame 2 is a cut: nothing flickers across it.
    assert row.scores["flicker moving"] == pytest.approx(tone(0.25) - tone(0.2), abs=1e-5)
    assert row.scores["flicker still"] == pytest.approx(tone(0.3) - tone(0.25), abs=1e-5)
    assert row.scores["psnr disoccluded"] == pytest.approx(wanted, abs=1e-3)


def test_lights_count_in_decibels_as_the_command_line_counts_them(folder, tmp_path):
    hidden_before.cache_clear()
    for at in range(4):
        write(folder / "reference" / f"{at}.exr", (2 * H, 2 * W), dict.fromkeys("RGB", 4.0))
        write(tmp_path / "ours" / f"{at:04}.exr", (2 * H, 2 * W), dict.fromkeys("RGB", 2.0))
    row = score("ours", folder, tmp_path / "ours", ["still"] * 4)
    wanted = -20 * np.log10(np.log(65 / 33) / np.log(9))
    assert row.scores["psnr still"] == pytest.approx(wanted, abs=1e-3)
    assert row.scores["ssim still"] == pytest.approx(1.0) and row.scores["flip still"] == pytest.approx(0.0)


def test_convergence_counts_frames_after_the_cut():
    assert frames_to_converge([20, 25, 29.5, 30, 30, 30, 30], 0) == 2
    assert frames_to_converge([9, 9, 30, 30, 30, 30], 2) == 0
    assert psnr(np.zeros((2, 2, 3)), np.full((2, 2, 3), 0.1)) == pytest.approx(20.0)
