"""The fused kernels against the plain formulas, in Triton's interpreter."""

import os

os.environ["TRITON_INTERPRET"] = "1"

import pytest
import torch

from reconstruction_training.output import draw, history_at

fused_output = pytest.importorskip("reconstruction_training.fused_output")


def inputs(h, w, out_h, out_w, seed):
    """Everything `draw` takes, with places inside, outside and on texels."""
    g = torch.Generator().manual_seed(seed)
    u = lambda *shape: torch.rand(*shape, generator=g)
    b = 2
    p = torch.cat((u(b, 2, h, w) * 2 + 0.2, u(b, 1, h, w) - 0.5, u(b, 1, h, w) * 2 + 0.1, u(b, 2, h, w)), 1)
    weight = 0.3 + 0.7 * u(b, 1, h, w)
    samples = torch.cat((u(b, 3, h, w) * 3 * weight, weight), 1)
    motion = (u(b, 2, h, w) - 0.5) * 6
    motion[:, :, : h // 2, : w // 2] = 0.0
    has = torch.where(u(b, 1, h, w) < 0.15, 0.0, 1.0 + u(b, 1, h, w))
    stats = torch.cat((motion, u(b, 1, h, w) + 0.3, u(b, 2, h, w) * 0.4 - 0.2, u(b, 3, h, w) * 0.5 + 0.05, has), 1)
    color = u(b, 3, out_h, out_w) * 3
    color[:, :, 3:6, 4:6] *= 20.0
    stored = u(b, 1, out_h, out_w) * 80
    return p, samples, stats, u(b, 2) - 0.5, u(b, 1, 1, 1) + 0.5, color, stored


@pytest.mark.parametrize("sizes", [(9, 11, 18, 22), (10, 7, 15, 10), (8, 9, 8, 9), (5, 4, 15, 12)])
def test_fused_equals_plain(sizes):
    values = inputs(*sizes, seed=sum(sizes))
    results = []
    for function in (draw, fused_output.FusedDraw.apply):
        leaves = [v.clone().requires_grad_(i in (0, 5, 6)) for i, v in enumerate(values)]
        color, weight = function(*leaves, True)
        g = torch.Generator().manual_seed(5)
        seen = (color * torch.rand(color.shape, generator=g)).sum()
        (seen + (weight * torch.rand(weight.shape, generator=g)).sum()).backward()
        results.append([color.detach(), weight.detach(), leaves[0].grad, leaves[5].grad, leaves[6].grad])
    for name, plain, fused in zip(("color", "weight", "d_p", "d_color", "d_weight"), *results):
        assert plain.abs().max() > 0.05, name
        tolerance = 0.02 if name == "weight" else 2e-4 * max(1.0, plain.abs().max().item())
        assert (plain - fused).abs().max().item() <= tolerance, name
        assert (plain - fused).abs().mean().item() <= 1e-5 * max(1.0, plain.abs().max().item()), name


def test_history_is_no_darker_than_its_four_texels():
    dots = torch.zeros(1, 3, 12, 12)
    dots[:, :, 5, 5] = 100.0
    place = torch.full((1, 2, 12, 12), 5.8)
    place[:, 0] = 7.2  # the dot's column has a negative weight there
    assert history_at(dots, place).min().item() == 0.0
    place[:, 0] = 6.2
    assert history_at(dots, place).max().item() > 20.0
