"""The recurrent unroll: history and recurrent features travel from frame to frame."""

from dataclasses import dataclass

import torch
from torch import Tensor

from .exact import round_clamp
from .features import RECURRENT, assemble, history_features, recurrent_features, still_features
from .gather import Samples
from .network import Network
from .output import FIRST_PARAMETERS, PARAMETERS, RECURRENT_SCALE, output


@dataclass
class State:
    """What a frame leaves to the next."""

    color: Tensor  # B 3 H W, linear
    weight: Tensor  # B 1 H W
    recurrent: Tensor  # B 8 th tw, int8 values

    @staticmethod
    def empty(b: int, h: int, w: int, out_h: int, out_w: int, device) -> "State":
        """No history."""
        zeros = lambda *shape: torch.zeros(b, *shape, device=device)
        return State(zeros(3, out_h, out_w), zeros(1, out_h, out_w), zeros(RECURRENT, (h + 1) // 2, (w + 1) // 2))

    def detached(self) -> "State":
        return State(self.color.detach(), self.weight.detach(), self.recurrent.detach())

    def copy_(self, other: "State"):
        """Takes the values over in place."""
        self.color.copy_(other.color)
        self.weight.copy_(other.weight)
        self.recurrent.copy_(other.recurrent)


def start_as_taa(network: Network):
    """Heads that say the same everywhere: a decent temporal accumulation to begin from."""
    with torch.no_grad():
        network.heads.weight.zero_()
        network.heads.bias.zero_()
        for i in range(4):
            for j, value in enumerate(FIRST_PARAMETERS):
                network.heads.bias[PARAMETERS * i + j] = value


def unroll(network: Network, samples: Samples, state: State) -> tuple[Tensor, State]:
    """Pictures (B T 3 H W, linear) of T frames, and the state after them. `network` is prepared; samples are B T.."""
    b, t, _, h, w = samples.depth.shape
    out_h, out_w = state.color.shape[-2:]
    ratio = (out_w / w, out_h / h)
    flat = Samples(**{name: value.flatten(0, 1) for name, value in samples.__dict__.items()})
    pixels, token, motion = (x.unflatten(0, (b, t)) for x in still_features(flat, ratio))
    pictures = []
    for i in range(t):
        s = samples.frame(i)
        filled = history_features(pixels[:, i], s, state.color.detach(), state.weight.detach(), ratio)
        recurrent = recurrent_features(state.recurrent, motion[:, i], s.history)
        heads = network(assemble(filled, token[:, i], recurrent))
        kept = round_clamp(heads[:, 4 * PARAMETERS :] * RECURRENT_SCALE, -127.0, 127.0, network.is_rounding)
        color, weight = output(heads, s, state.color, state.weight, network.is_rounding)
        state = State(color, weight, kept)
        pictures.append(color)
    return torch.stack(pictures, 1), state
