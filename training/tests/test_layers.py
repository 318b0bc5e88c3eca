"""The fused kernels of the layers against the plain formulas, in Triton's interpreter."""

import os

os.environ["TRITON_INTERPRET"] = "1"

import pytest
import torch

from reconstruction_training.exact import round_clamp
from reconstruction_training.layers import Norm, spread_children

fused_layers = pytest.importorskip("reconstruction_training.fused_layers")


def seen(tensors, seed=3):
    """A number in which every value counts differently."""
    g = torch.Generator().manual_seed(seed)
    return sum((t * torch.randn(t.shape, generator=g)).sum() for t in tensors)


def compare(plain, fused):
    for a, b in zip(plain, fused):
        assert a.abs().max() > 0
        assert (a - b).abs().max() <= 1e-4 * a.abs().max()


@pytest.mark.parametrize("is_rounding", [True, False])
@pytest.mark.parametrize("channels", [32, 96])
def test_hidden(channels, is_rounding):
    g = torch.Generator().manual_seed(channels)
    acc = torch.randint(-9000, 9000, (2, channels, 5, 7), generator=g).float()
    bias, mult = torch.randint(-500, 500, (channels,), generator=g).float(), torch.rand(channels, generator=g) * 0.03
    results = []
    for is_fused in (False, True):
        leaves = [v.clone().requires_grad_() for v in (acc, bias, mult)]
        if is_fused:
            out = fused_layers.Hidden.apply(*leaves, is_rounding)
        else:
            value = (leaves[0] + leaves[1][:, None, None]) * leaves[2][:, None, None]
            out = round_clamp(value, 0.0, 127.0, is_rounding)
        seen([out]).backward()
        results.append([out.detach()] + [v.grad for v in leaves])
    assert torch.equal(results[0][0], results[1][0])
    compare(*results)


@pytest.mark.parametrize("is_rounding", [True, False])
@pytest.mark.parametrize("kind", ["first", "block", "expand"])
@pytest.mark.parametrize("channels", [32, 128])
def test_residual(channels, kind, is_rounding):
    g = torch.Generator().manual_seed(channels)
    is_expand = kind == "expand"
    th, tw = 5, 7
    outputs = channels * 4 if is_expand else channels
    size = (2, outputs, 3, 4) if is_expand else (2, outputs, th, tw)
    acc = torch.randint(-90000, 90000, size, generator=g).float()
    acc[0, :, 0, 0] = 0.0
    bias, mult = torch.randint(-500, 500, (outputs,), generator=g).float(), torch.rand(outputs, generator=g) * 0.5
    skip = torch.randint(-2000, 2000, (2, channels, th, tw), generator=g).float()
    if not is_rounding:
        skip += 0.25  # never exactly on a clamp's edge, where subgradients differ
    results = []
    for is_fused in (False, True):
        leaves = [v.clone().requires_grad_(v is not mult) for v in (acc, bias, mult, skip)]
        before = None if kind == "first" else leaves[3]
        if is_fused:
            x, n = fused_layers.Residual.apply(*leaves[:3], before, is_expand, is_rounding)
        else:
            wide = lambda v: round_clamp(v, -32767.0, 32767.0, is_rounding)
            x = wide((leaves[0] + leaves[1][:, None, None]) * leaves[2][:, None, None])
            x = spread_children(x, th, tw) if is_expand else x
            x = x if before is None else wide(before + x)
            n = Norm.apply(x, is_rounding)
        seen([x * 1e-3, n]).backward()
        results.append([x.detach(), n.detach(), leaves[0].grad, leaves[1].grad])
        if before is not None:
            results[-1].append(leaves[3].grad)
    assert torch.equal(results[0][0], results[1][0])
    assert (results[0][1] - results[1][1]).abs().max() <= (0 if is_rounding else 1e-3)
    compare(*results)
