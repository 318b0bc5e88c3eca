"""Metrics of one picture against its reference, both toned, for SSIM and FLIP to 0..1: float32 h w 3."""

import flip_evaluator
import numpy as np
import torch
from torchmetrics.functional.image import structural_similarity_index_measure


def psnr(picture: np.ndarray, reference: np.ndarray, mask: np.ndarray | None = None) -> float:
    """In decibels, peak 1; over the pixels of a mask only. NaN where the mask is empty."""
    squares = np.square(picture.astype(np.float64) - reference).mean(-1)
    error = squares.mean() if mask is None else squares[mask].mean() if mask.any() else np.nan
    return float(-10 * np.log10(error)) if error != 0 else np.inf


def ssim(picture: np.ndarray, reference: np.ndarray) -> float:
    """Structural similarity (Wang et al. 2004), mean over channels."""
    a, b = (torch.from_numpy(x).permute(2, 0, 1)[None] for x in (picture, reference))
    return float(structural_similarity_index_measure(a, b, data_range=1.0))


def flip(picture: np.ndarray, reference: np.ndarray) -> float:
    """Mean LDR-FLIP (Andersson et al. 2020) at its usual viewing distance; lower is better."""
    _, mean, _ = flip_evaluator.evaluate(np.ascontiguousarray(reference), np.ascontiguousarray(picture), "LDR")
    return float(mean)


def frames_to_converge(scores: list[float], first: int) -> int | None:
    """Frames after frame `first` until the PSNR is within 1 dB of its mean over the last four; None if it never is."""
    goal = float(np.mean(scores[-4:])) - 1.0
    return next((i for i, score in enumerate(scores[first:]) if score >= goal), None)
