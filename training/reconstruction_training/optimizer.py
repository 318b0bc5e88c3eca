"""AdamW, gradient clip and the running mean of the weights, all in place, so that a captured graph may hold them."""

import torch
from torch import Tensor

from .network import Network

DECAY = 1e-4
CLIP = 1.0
STEP_RATE = 0.02  # rate of the quantisation steps over that of the weights
MEAN_DECAY = 0.999


class Optimizer:
    """Updates a network; `mean` is the running mean of its parameters."""

    def __init__(self, network: Network):
        named = list(network.named_parameters())
        self.parameters = [p for _, p in named]
        device = self.parameters[0].device
        steps = [p for name, p in named if name.endswith("log2_step")]
        weights = [p for name, p in named if not name.endswith("log2_step")]
        self.rate = torch.zeros((), device=device)
        self.step_rate = torch.zeros((), device=device)
        is_cuda = device.type == "cuda"
        self.adam = torch.optim.AdamW(
            [
                {"params": weights, "lr": self.rate, "weight_decay": DECAY},
                {"params": steps, "lr": self.step_rate, "weight_decay": 0.0},
            ],
            betas=(0.9, 0.99), fused=is_cuda, capturable=is_cuda, foreach=False if not is_cuda else None,
        )
        for p in self.parameters:
            p.grad = torch.zeros_like(p)
        self.mean = [p.detach().clone() for p in self.parameters]
        self.norm = torch.zeros((), device=device)

    def set_rate(self, rate: float):
        """Learning rate of the next updates."""
        self.rate.fill_(rate)
        self.step_rate.fill_(rate * STEP_RATE)

    @torch.no_grad()
    def update(self, is_warming_up: bool = False):
        """One update from the gradients, which end as zeros. A gradient that is not finite changes nothing."""
        gradients = [p.grad for p in self.parameters]
        norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients)))
        factor = torch.where(norm.isfinite(), (CLIP / (norm + 1e-6)).clamp_max(1.0), torch.zeros_like(norm))
        for g in gradients:
            g.nan_to_num_(0.0, 0.0, 0.0).mul_(factor)
        self.norm.copy_(norm)
        self.adam.step()
        torch._foreach_lerp_(self.mean, self.parameters, 1.0 - MEAN_DECAY)
        torch._foreach_zero_(gradients)

    @torch.no_grad()
    def forget(self):
        """As before the first update: after the warm-up of a capture, in place."""
        for state in self.adam.state.values():
            for value in state.values():
                value.zero_()
        for p in self.parameters:
            p.grad.zero_()

    def tensors(self) -> dict[str, Tensor]:
        """Everything to be kept, by name."""
        kept = {f"mean.{i}": value for i, value in enumerate(self.mean)}
        for i, p in enumerate(self.parameters):
            kept.update({f"adam.{i}.{name}": value for name, value in self.adam.state[p].items()})
        return kept

    @torch.no_grad()
    def swap_mean(self):
        """Exchanges the weights and their running mean, in place."""
        for p, mean in zip(self.parameters, self.mean):
            held = p.detach().clone()
            p.copy_(mean)
            mean.copy_(held)
