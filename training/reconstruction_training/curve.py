"""log.csv as a picture."""

import csv
from pathlib import Path


def draw_curve(folder: Path):
    """Writes curve.png: the loss by minutes, where matplotlib is there."""
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    with open(folder / "log.csv", newline="") as file:
        rows = [[float(value) for value in row] for row in csv.reader(file)]
    if len(rows) < 2:
        return
    smooth, value = [], rows[0][2]
    for row in rows:
        value += 0.05 * (row[2] - value)
        smooth.append(value)
    figure, axes = pyplot.subplots(figsize=(8, 4.5))
    minutes = [row[1] / 60.0 for row in rows]
    axes.plot(minutes, [row[2] for row in rows], color="0.8", linewidth=0.7)
    axes.plot(minutes, smooth, color="tab:blue")
    axes.set_xlabel("minutes of training")
    axes.set_ylabel("loss")
    axes.set_yscale("log")
    figure.tight_layout()
    figure.savefig(folder / "curve.png", dpi=110)
    pyplot.close(figure)
