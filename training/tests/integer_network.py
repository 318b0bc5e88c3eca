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


def reciprocal(x: np.float32) -> np.float32:
    y = (np.int64(0x7EF311C3) - np.int64(x.view(np.uint32))).astype(np.uint32).view(np.float32)
    for _ in range(3):
        y = y * (np.float32(2.0) - x * y)
    return y


def requantized(acc: np.ndarray, mult: np.ndarray, low: int, high: int) -> np.ndarray:
    return np.clip(np.rint(acc.astype(np.int32).astype(np.float32) * mult), low, high).astype(np.int64)


class IntegerNetwork:
    """Planes are [th, tw, C] integers; `left` has x and n after each stage of the last features."""

    def __init__(self, path):
        with safe_open(path, "numpy") as file:
            self.metadata = file.metadata()
            self.tensors = {name: file.get_tensor(name) for name in file.keys()}
        self.stages = json.loads(self.metadata["stages"])
        self.left = {}

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

    def dense(self, name, n):
        weight, bias, mult = self.layer(name)
        return n @ weight.T + bias, mult

    def blocks(self, stage, x, n):
        for at in range(stage["blocks"]):
            name = f"{stage['name']}.{at}"
            if stage["kind"] == "swin":
                x, n = self.added(x, self.dense(name + ".proj", self.attention(name, stage, n)))
                hidden = requantized(*self.dense(name + ".up", n), 0, 127)
                x, n = self.added(x, self.dense(name + ".down", hidden))
            else:
                hidden = requantized(*self.conv(name + ".a", n), 0, 127)
                x, n = self.added(x, self.conv(name + ".b", hidden))
        return x, n

    def added(self, x, sums):
        x = np.clip(x + requantized(*sums, -32767, 32767), -32767, 32767)
        return x, self.normed(x)

    def attention(self, name, stage, n):
        """Token by token: the keys of a query are the 10x10 around its window, corners and outside left out."""
        acc, mult = self.dense(name + ".qkv", n)
        th, tw, c = n.shape
        sharpness, position = self.tensors[name + ".sharpness"], self.tensors[name + ".position"].astype(np.int64)
        v = requantized(acc[..., 2 * c :], mult[2 * c :], -127, 127)
        units = []
        for part in (acc[..., :c], acc[..., c : 2 * c]):
            m = mult[len(units) * c : (len(units) + 1) * c]
            u = requantized(part, m, -32767, 32767).reshape(th, tw, -1, 32)
            total = ((np.abs(u) >> 2) ** 2).sum(-1, keepdims=True)
            r = inverse_square_root(np.maximum(total, 1).astype(np.float32)) * np.float32(127 / 4)
            unit = np.clip(np.rint(u.astype(np.float32) * r), -127, 127).astype(np.int64)
            units.append(np.where(total > 0, unit, 0))
        q, k = units
        v = v.reshape(th, tw, -1, 32)
        out = np.zeros((th, tw, c), np.int64)
        for y in range(th):
            for x in range(tw):
                top = (y + stage["shift"]) // 8 * 8 - stage["shift"] - 1
                left = (x + stage["shift"]) // 8 * 8 - stage["shift"] - 1
                for h in range(stage["heads"]):
                    rows, values = [], []
                    for i in range(10):
                        for j in range(10):
                            ky, kx = top + i, left + j
                            if (i in (0, 9) and j in (0, 9)) or not (0 <= ky < th and 0 <= kx < tw):
                                continue
                            score = int(q[y, x, h] @ k[ky, kx, h])
                            s = ((score * int(sharpness[h])) >> 8) + int(position[h, ky - y + 8, kx - x + 8])
                            s = max(-65535, min(65535, s))
                            t = max(0, min(16383, 4096 + (((s >> 2) * 21845) >> 14)))
                            rows.append((((t * t) >> 12) * t) >> 12)
                            values.append(v[ky, kx, h])
                    rate = (127 << 24) // max(max(rows), 1)
                    w = [(r * rate + (1 << 23)) >> 24 for r in rows]
                    total = sum(w)
                    if total:
                        mixed = sum(a * b for a, b in zip(w, values)).astype(np.float32)
                        out[y, x, 32 * h : 32 * h + 32] = np.rint(mixed * reciprocal(np.float32(total)))
        return out

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
                self.left[stage["name"]] = x, n
                if level < levels - 1:
                    skips.append(x)
                    x = self.merge(level, n)
                    n = self.normed(x)
            else:
                x = self.expand(level, n, skips.pop())
                n = self.normed(x)
                x, n = self.blocks(stage, x, n)
                self.left[stage["name"]] = x, n
        weight, bias, mult = self.layer("heads")
        acc = n @ weight.T + bias
        return np.clip(acc.astype(np.int32).astype(np.float32) * mult, np.float32(-16), np.float32(16))
