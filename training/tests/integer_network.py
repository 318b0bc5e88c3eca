"""The engine's arithmetic on a model file, in numpy integers: the reference of the tests."""

import json

import numpy as np
from safetensors import safe_open


def inverse_square_root(x: np.ndarray) -> np.ndarray:
    half = x * np.float32(0.5)
    y = (np.int64(0x5F375A86) - (x.view(np.uint32) >> 1).astype(np.int64)).astype(np.uint32).view(np.float32)
    for _ in range(3):
        y = y * (np.float32(1.5) - half * (y * y))
    return y


def requantized(acc: np.ndarray, mult: np.ndarray, low: int, high: int) -> np.ndarray:
    return np.clip(np.rint(acc.astype(np.int32).astype(np.float32) * mult), low, high).astype(np.int64)


class IntegerNetwork:
    """Planes are [th, tw, C] integers."""

    def __init__(self, path):
        with safe_open(path, "numpy") as file:
            self.metadata = file.metadata()
            self.tensors = {name: file.get_tensor(name) for name in file.keys()}
        self.stages = json.loads(self.metadata["stages"])

    def layer(self, name):
        weight = self.tensors[name + ".weight"].astype(np.int64)
        return weight, self.tensors[name + ".bias"].astype(np.int64), self.tensors[name + ".mult"]

    @staticmethod
    def normed(x):
        c = x.shape[-1]
        shift = 2 if c <= 64 else 3
        total = ((np.abs(x) >> shift) ** 2).sum(-1, keepdims=True)
        assert total.max() < 2**32
        factor = np.float32(32.0 * np.sqrt(np.float64(c)) / 2**shift)
        m = inverse_square_root(np.maximum(total, 1).astype(np.float32)) * factor
        n = np.clip(np.rint(x.astype(np.float32) * m), -127, 127).astype(np.int64)
        return np.where(total > 0, n, 0)

    def conv(self, name, n):
        weight, bias, mult = self.layer(name)
        th, tw, _ = n.shape
        padded = np.pad(n, ((1, 1), (1, 1), (0, 0)))
        acc = np.zeros((th, tw, weight.shape[0]), np.int64) + bias
        for i in range(3):
            for j in range(3):
                acc += padded[i : i + th, j : j + tw] @ weight[:, i, j].T
        return acc, mult

    def blocks(self, stage, x, n):
        for at in range(stage["blocks"]):
            hidden = requantized(*self.conv(f"{stage['name']}.{at}.a", n), 0, 127)
            added = requantized(*self.conv(f"{stage['name']}.{at}.b", hidden), -32767, 32767)
            x = np.clip(x + added, -32767, 32767)
            n = self.normed(x)
        return x, n

    def merge(self, level, n):
        weight, bias, mult = self.layer(f"merge{level}")
        th, tw, _ = n.shape
        n = np.pad(n, ((0, th % 2), (0, tw % 2), (0, 0)))
        acc = sum(n[i::2, j::2] @ weight[:, i, j].T for i in range(2) for j in range(2)) + bias
        return requantized(acc, mult, -32767, 32767)

    def expand(self, level, n, skip):
        weight, bias, mult = self.layer(f"expand{level}")
        x = skip.copy()
        for i in range(2):
            for j in range(2):
                child = requantized(n @ weight[i, j].T + bias[i, j], mult[i, j], -32767, 32767)
                target = x[i::2, j::2]
                target += child[: target.shape[0], : target.shape[1]]
        return np.clip(x, -32767, 32767)

    def heads(self, features):
        """[th, tw, 64] integers -> [th, tw, 32] f32."""
        weight, bias, mult = self.layer("door")
        x = requantized(features @ weight.T + bias, mult, -32767, 32767)
        n = self.normed(x)
        levels = (len(self.stages) + 1) // 2
        skips = []
        for at, stage in enumerate(self.stages):
            level = int(stage["name"][3:])
            if stage["name"].startswith("enc"):
                x, n = self.blocks(stage, x, n)
                if level < levels - 1:
                    skips.append(x)
                    x = self.merge(level, n)
                    n = self.normed(x)
            else:
                x = self.expand(level, n, skips.pop())
                n = self.normed(x)
                x, n = self.blocks(stage, x, n)
        weight, bias, mult = self.layer("heads")
        acc = n @ weight.T + bias
        return np.clip(acc.astype(np.int32).astype(np.float32) * mult, np.float32(-16), np.float32(16))
