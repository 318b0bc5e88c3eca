"""The table of all rows, as Markdown."""

import numpy as np

from .row import Row

COLUMNS = {
    "psnr": "PSNR",
    "psnr moving": "moving",
    "psnr still": "still",
    "psnr disoccluded": "disoccluded",
    "ssim": "SSIM",
    "flip": "FLIP",
    "flicker moving": "flicker moving",
    "flicker still": "flicker still",
    "frames to converge": "frames to converge",
}


def cell(name: str, values: list[float]) -> str:
    """Mean, and the spread over folders where there are several; ± is one standard deviation."""
    if not values:
        return ""
    digits = 2 if name.startswith("psnr") else 1 if name.startswith("frames") else 4
    text = f"{np.mean(values):.{digits}f}"
    return text if len(values) == 1 else f"{text} ± {np.std(values):.{digits}f}"


def section(title: str, rows: list[Row]) -> str:
    """One table: a line for each method."""
    lines = [f"## {title}", "", "| | " + " | ".join(COLUMNS.values()) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    for method in dict.fromkeys(row.method for row in rows):
        own = [row.scores for row in rows if row.method == method]
        cells = [cell(name, [s[name] for s in own if name in s]) for name in COLUMNS]
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def markdown(rows: list[Row]) -> str:
    """A section for all test worlds of a ratio together, and one for each other folder."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        ratio, _, number = row.folder.partition("x-")
        title = f"test worlds at {ratio}x" if number.isdigit() else row.folder
        groups.setdefault(title, []).append(row)
    return "\n".join(section(title, list_) for title, list_ in groups.items())
