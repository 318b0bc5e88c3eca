"""Steps of the hidden activations from what a batch shows."""

import torch
from torch import Tensor

from .layers import Block
from .network import Network
from .step import Step
from .gather import gather_sequence
from .sequence import unroll

QUANTILE = 0.9999
SMALLEST = 1e-3


@torch.no_grad()
def calibrate(network: Network, step: Step):
    """Sets each channel's step to the 99.99 % point of its values over the present batch, over 127."""
    peaks: dict[int, Tensor] = {}
    hooks = []
    for at, block in enumerate(network.blocks()):

        def look(layer, inputs, at=at, block=block):
            real = layer.forward(inputs[0]).detach().clamp_min(0.0).transpose(0, 1).flatten(1)
            rank = max(1, round(real.shape[1] * (1.0 - QUANTILE)))
            peak = real.topk(rank, dim=1).values[:, -1] * torch.exp2(block.log2_step)
            peaks[at] = torch.maximum(peaks[at], peak) if at in peaks else peak

        hooks.append((block.a if isinstance(block, Block) else block.up).register_forward_pre_hook(look))
    batch = step.batch
    samples = gather_sequence(batch.clean, batch.depth, batch.motion, batch.jitter, batch.exposure, batch.is_reset)
    network.prepare()
    unroll(network, samples, step.state)
    for hook in hooks:
        hook.remove()
    for at, block in enumerate(network.blocks()):
        block.log2_step.copy_(torch.log2(peaks[at].clamp_min(SMALLEST) / 127.0))
