"""Checkpoints: one safetensors file with weights, optimizer and progress, replaced as a whole."""

import json
import os
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file

from .network import Architecture, Network
from .optimizer import Optimizer


def save(path: Path, network: Network, optimizer: Optimizer | None, progress: dict):
    """Writes under a temporary name, then renames."""
    tensors = {f"network.{name}": p.detach() for name, p in network.named_parameters()}
    if optimizer:
        tensors.update({f"optimizer.{name}": value for name, value in optimizer.tensors().items()})
    tensors = {name: value.contiguous().cpu() for name, value in tensors.items()}
    a = network.architecture
    about = {"architecture": {"widths": a.widths, "enc": a.enc, "dec": a.dec, "swin": a.swin}, "progress": progress}
    partial = path.with_suffix(".partial")
    save_file(tensors, partial, {"about": json.dumps(about)})
    os.replace(partial, path)


def read_about(path: Path) -> dict:
    """Architecture and progress."""
    with safe_open(path, "pt") as file:
        return json.loads(file.metadata()["about"])


@torch.no_grad()
def load(path: Path, network: Network, optimizer: Optimizer | None) -> dict:
    """Fills network and optimizer in place; returns the progress."""
    with safe_open(path, "pt") as file:
        for name, p in network.named_parameters():
            p.copy_(file.get_tensor(f"network.{name}"))
        if optimizer:
            for name, value in optimizer.tensors().items():
                value.copy_(file.get_tensor(f"optimizer.{name}"))
        return json.loads(file.metadata()["about"])["progress"]


@torch.no_grad()
def network_of(path: Path, is_mean: bool = True) -> tuple[Network, dict]:
    """The network of a checkpoint, its running mean by default, and the progress."""
    about = read_about(path)
    network = Network(Architecture(**{name: tuple(v) for name, v in about["architecture"].items()}))
    progress = load(path, network, None)
    if is_mean:
        with safe_open(path, "pt") as file:
            for i, p in enumerate(network.parameters()):
                p.copy_(file.get_tensor(f"optimizer.mean.{i}"))
    return network, progress
