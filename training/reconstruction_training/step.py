"""One training step of one ratio: a batch, the state that travels on, and the captured graph of both."""

import numpy as np
import torch
from torch import Tensor

from .data import Batch, Pairs, draw
from .gather import gather_sequence
from .loss import loss
from .network import Network
from .sequence import State, unroll

TRUE_HISTORY = 0.3  # share of starts with the previous reference as history
DAMAGED = 0.3  # share of those whose history is brighter, darker or moved
STARTS_AT_FRONT = 0.6  # share of batches that begin with frame 0 and go on through the whole sequence
EXPOSURE_STOPS = 2.0


class Step:
    """Draws batches of `pairs` and makes loss and gradients of B sequences and T frames."""

    def __init__(self, pairs: Pairs, network: Network, b: int, t: int):
        self.pairs, self.network, self.b, self.t = pairs, network, b, t
        self.batch = Batch.empty(pairs, b, t)
        self.state = State.empty(b, *pairs.render_size, *pairs.output_size, pairs.device)
        self.follows = 0  # frame at which the present sequences go on; 0: new ones
        self.drawn: dict[str, Tensor] = {}
        self.loss: Tensor | None = None

    def choose(self, random: np.random.Generator):
        """Fills batch and state: goes on with the sequences of the last step, or begins new ones."""
        to = lambda value: torch.from_numpy(value).to(self.pairs.device, non_blocking=True)
        b, t, length = self.b, self.t, self.pairs.length
        if self.follows and self.follows + t <= length:
            self.drawn["first"] = self.drawn["first"] + t
            draw(self.pairs, self.batch, **self.drawn)
            self.follows += t
            return
        is_front = random.random() < STARTS_AT_FRONT and length >= 2 * t
        first = np.zeros(b, np.int64) if is_front else random.integers(0, length - t + 1, b)
        self.drawn = {
            "sequence": to(random.integers(0, self.pairs.sequences, b)),
            "first": to(first),
            "across": to(random.random(b) < 0.5),
            "down": to(random.random(b) < 0.5),
            "stops": to(np.exp2(random.uniform(-EXPOSURE_STOPS, EXPOSURE_STOPS, b)).astype(np.float32)),
        }
        draw(self.pairs, self.batch, **self.drawn)
        self.follows = t if is_front else 0
        has_true = to((first > 0) & (random.random(b) < TRUE_HISTORY / (1 - STARTS_AT_FRONT)))
        self.batch.is_reset[:, 0] |= ~has_true
        self.begin(random, has_true, to)

    def begin(self, random: np.random.Generator, has_true: Tensor, to):
        """State of new sequences: nothing, or the previous reference, on some damaged."""
        b = self.b
        weight = np.exp2(random.uniform(-1.0, 5.0, b)).astype(np.float32)
        factor = np.where(random.random(b) < DAMAGED / 2, np.exp2(random.uniform(-2.0, 2.0, b)), 1.0)
        moved = to(random.random(b) < DAMAGED / 2)
        reference = self.batch.reference[:, 0] * to(factor.astype(np.float32))[:, None, None, None]
        shift = (int(random.integers(-6, 7)), int(random.integers(-6, 7)))
        reference = torch.where(moved[:, None, None, None], reference.roll(shift, (2, 3)), reference)
        has = has_true[:, None, None, None].float()
        self.state.color.copy_(reference * has)
        self.state.weight.copy_((to(weight)[:, None, None, None] * has).expand_as(self.state.weight))
        self.state.recurrent.zero_()

    def gradients(self) -> Tensor:
        """Loss of the batch; adds its gradients, moves the state on."""
        batch = self.batch
        samples = gather_sequence(
            batch.clean, batch.depth, batch.motion, batch.jitter, batch.exposure, batch.is_reset
        )
        self.network.prepare()
        pictures, state = unroll(self.network, samples, self.state.detached())
        value, _ = loss(pictures, batch.reference[:, 1:], batch.exposure[:, 1:, None, None, None])
        value.backward()
        self.state.copy_(state.detached())
        return value.detach()

    def capture(self, update, pool=None):
        """Captures gradients and `update()` in one CUDA graph; replay with `self.graph.replay()`."""
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(2):
                self.gradients()
                update(is_warming_up=True)
        torch.cuda.current_stream().wait_stream(side)
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, pool=pool):
            self.loss = self.gradients()
            update()
        return self.graph.pool()
