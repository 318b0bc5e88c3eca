"""python -m evaluate FOLDER... --reconstruct PROGRAM --model FILE --out DIR

Reconstructs every frame folder with each model, scores all rows and writes table.md, table.json and the pictures.
`--worlds N` renders N test worlds first, each at the ratios of `--ratios`.
"""

import argparse
import json
import sys
from pathlib import Path

from .float_row import write_float
from .program import FIRST_TEST_SEED, run
from .row import Row, score
from .table import markdown


def parse(arguments: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="evaluate", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, help="frame folders")
    parser.add_argument("--reconstruct", type=Path, required=True, help="the program")
    parser.add_argument("--model", type=Path, action="append", default=[], help="a model file; may repeat")
    parser.add_argument("--checkpoint", type=Path, help="adds a row of its network without rounding, by PyTorch")
    parser.add_argument("--pictures", action="append", default=[], metavar="NAME=DIR",
                        help="a row of pictures made elsewhere: DIR/FOLDER/NNNN.exr")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--worlds", type=int, default=0)
    parser.add_argument("--frames", type=int, default=32, help="frames of a test world")
    parser.add_argument("--output", default="640x360", help="output size of test worlds")
    parser.add_argument("--clean", type=int, default=64, help="samples a pixel of a test world's input")
    parser.add_argument("--reference", type=int, default=256, help="of its references")
    parser.add_argument("--ratios", default="2", help="output over render, comma-separated")
    parser.add_argument("--device", default=None)
    return parser.parse_args(arguments)


def render_worlds(options: argparse.Namespace) -> list[Path]:
    """Frame folders of test worlds; those that are there already stay."""
    width, height = map(int, options.output.split("x"))
    folders = []
    for ratio in map(float, options.ratios.split(",")):
        render = f"{round(width / ratio)}x{round(height / ratio)}"
        for i in range(options.worlds):
            folder = options.out / "worlds" / f"{ratio:g}x-{i}"
            folders.append(folder)
            if not (folder / "sequence.json").exists():
                run(options.reconstruct, "scene", FIRST_TEST_SEED + i, "--seed-split", "test", "--frames",
                    options.frames, "--render", render, "--output", options.output, "--clean",
                    options.clean, "--reference", options.reference, "--out", folder, *device(options))
    return folders


def device(options: argparse.Namespace) -> list[str]:
    """The flag that chooses the device."""
    return ["--device", options.device] if options.device else []


def rows_of(folder: Path, options: argparse.Namespace) -> list[Row]:
    """Every row of a frame folder."""
    rows, groups = [], None
    for model in ["analytic", *options.model]:
        name = Path(str(model)).stem
        out = options.out / "pictures" / folder.name / name
        extra = ["--baselines"] if groups is None else ["--psnr-only"]
        run(options.reconstruct, "frames", folder, "--feature", "sr", "--model", model, "--out", out, *extra,
            *device(options))
        summary = json.loads((out / "summary.json").read_text())
        if groups is None:
            groups = [frame["group"] for frame in summary["frames"]]
            rows += [score(method, folder, out / method, groups) for method in ("bicubic", "corrected")]
            ceilings = [f["ceiling_db"] for f in summary["frames"] if f["ceiling_db"] is not None]
            if ceilings:
                rows.append(Row("ceiling", folder.name, {"psnr": sum(ceilings) / len(ceilings)}))
        rows.append(score(name, folder, out, groups))
    if options.checkpoint:
        out = options.out / "pictures" / folder.name / "float"
        write_float(options.checkpoint, folder, out)
        rows.append(score("float", folder, out, groups))
    for entry in options.pictures:
        name, _, place = entry.partition("=")
        rows.append(score(name, folder, Path(place) / folder.name, groups))
    return rows


def main() -> None:
    """Runs the command."""
    options = parse(sys.argv[1:])
    options.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for folder in options.folders + render_worlds(options):
        print(folder, file=sys.stderr)
        rows += rows_of(folder, options)
    (options.out / "table.json").write_text(json.dumps([vars(row) for row in rows], indent=1))
    text = markdown(rows)
    (options.out / "table.md").write_text(text)
    print(text)


main()
