"""Attention in windows, in the engine's integers: 8x8 queries, the 10x10 keys around them without the four corners.

Forward values are exact integers; gradients are those of the smooth formula beside each.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from .exact import inverse_square_root, reciprocal

HEAD = 32  # channels of a head
WINDOW = 8
REACH = 10
UNIT = 127.0
# One step of sharpness, of position: s has 12 bits, unit vectors have length 127, scores are shifted by 8.
SHARPNESS_STEPS = 256.0 * 4096.0 / (UNIT * UNIT)
POSITION_STEPS = 4096.0


def instead(soft: Tensor, exact: Tensor) -> Tensor:
    """The value of `exact`, the gradient of `soft`."""
    return soft + (exact.to(soft.dtype) - soft).detach()


def unit_vectors(u: Tensor, is_rounding: bool) -> Tensor:
    """Each head's vector (B heads 32 th tw) at length 127."""
    soft = u * (UNIT / u.square().sum(2, keepdim=True).clamp_min(1.0).sqrt())
    if not is_rounding:
        return soft
    with torch.no_grad():
        whole = u.round().clamp(-32767.0, 32767.0)
        total = (whole.abs() * 0.25).floor().square().sum(2, keepdim=True)
        exact = (whole * (inverse_square_root(total.clamp_min(1.0)) * (UNIT / 4.0))).round().clamp(-UNIT, UNIT)
        exact = torch.where(total > 0, exact, torch.zeros_like(exact))
    return instead(soft, exact)


def windows(x: Tensor, reach: int, shift: int) -> Tensor:
    """B C th tw -> B windows C reach*reach, windows every 8 tokens from -shift on, zeros outside the grid."""
    b, c, th, tw = x.shape
    edge = (reach - WINDOW) // 2
    down, across = ((-(-(size + shift) // WINDOW)) * WINDOW for size in (th, tw))
    x = F.pad(x, (shift + edge, across - shift - tw + edge, shift + edge, down - shift - th + edge))
    return F.unfold(x, reach, stride=WINDOW).unflatten(1, (c, reach * reach)).permute(0, 3, 1, 2)


def from_windows(x: Tensor, th: int, tw: int, shift: int) -> Tensor:
    """B windows C 64 -> B C th tw, the inverse of `windows` with reach 8."""
    down, across = (-(-(size + shift) // WINDOW) for size in (th, tw))
    x = x.unflatten(3, (WINDOW, WINDOW)).unflatten(1, (down, across))  # B down across C 8 8
    x = x.permute(0, 3, 1, 4, 2, 5).flatten(4, 5).flatten(2, 3)
    return x[..., shift : shift + th, shift : shift + tw]


def offsets(device) -> tuple[Tensor, Tensor]:
    """For 64 queries and 100 keys: index into a 17 x 17 table, and whether the key is no corner."""
    query = torch.arange(WINDOW * WINDOW, device=device)
    key = torch.arange(REACH * REACH, device=device)
    dy = (key // REACH - 1)[None] - (query // WINDOW)[:, None]
    dx = (key % REACH - 1)[None] - (query % WINDOW)[:, None]
    ky, kx = key // REACH, key % REACH
    is_corner = ((ky == 0) | (ky == REACH - 1)) & ((kx == 0) | (kx == REACH - 1))
    return (dy + 8) * 17 + dx + 8, ~is_corner


def exact_weights(score: Tensor, sharpness: Tensor, position: Tensor, is_key: Tensor) -> Tensor:
    """Weights 0..127 of each row, in integers of 32 bits."""
    s = ((score.round().long() * sharpness.round().long()) >> 8) + position.round().long()
    s = s.clamp(-65535, 65535)
    t = (4096 + (((s >> 2) * 21845) >> 14)).clamp(0, 16383)
    cube = (((t * t) >> 12) * t) >> 12
    cube = torch.where(is_key, cube, torch.zeros_like(cube))
    rate = (127 << 24) // cube.amax(-1, keepdim=True).clamp_min(1)
    return (cube * rate + (1 << 23)) >> 24


def attend(qkv: Tensor, v_int: Tensor, sharpness: Tensor, position: Tensor, shift: int, is_rounding: bool) -> Tensor:
    """Mixed values o (B C th tw, int8 in the steps of v).

    `qkv`: B 3C th tw times multipliers, q and k used; `v_int`: B C th tw; `sharpness`: heads, in steps;
    `position`: heads 17 17, in steps.
    """
    b, _, th, tw = v_int.shape
    heads = sharpness.shape[0]
    q, k = (unit_vectors(u.unflatten(1, (heads, HEAD)), is_rounding).flatten(1, 2) for u in qkv.chunk(3, 1)[:2])
    split = lambda x: x.unflatten(2, (heads, HEAD))  # B windows heads 32 tokens
    q, k, v = split(windows(q, WINDOW, shift)), split(windows(k, REACH, shift)), split(windows(v_int, REACH, shift))
    is_inside = windows(torch.ones_like(v_int[:1, :1]), REACH, shift)[:, :, :, None] > 0  # 1 windows 1 1 100
    index, is_no_corner = offsets(v_int.device)
    is_key = is_inside & is_no_corner
    score = q.transpose(3, 4) @ k  # B windows heads 64 100
    at = position.flatten(1)[:, index]
    sharp = sharpness[:, None, None]
    s = (score * sharp * (1.0 / 256.0) + at) * (1.0 / 4096.0)
    cube = (1.0 + s * (1.0 / 3.0)).clamp(0.0, 4.0) ** 3 * is_key
    w = cube * (127.0 / cube.amax(-1, keepdim=True).clamp_min(1e-6))
    if is_rounding:
        with torch.no_grad():
            exact = exact_weights(score, sharp, at, is_key)
        w = instead(w, exact)
    total, mixed = w.sum(-1), (v @ w.transpose(3, 4))
    o = mixed / total.clamp_min(1e-6)[:, :, :, None]
    if is_rounding:
        with torch.no_grad():
            d = total.round()[:, :, :, None]
            exact = (mixed.round() * reciprocal(d.clamp_min(1.0))).round().clamp(-UNIT, UNIT)
        o = instead(o, exact)
    return from_windows(o.flatten(2, 3), th, tw, shift)
