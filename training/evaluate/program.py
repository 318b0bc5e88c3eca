"""The command line of the reconstruction, run."""

import subprocess
import sys
from pathlib import Path

FIRST_TEST_SEED = 1_100_000_000


def run(program: Path, *arguments: object) -> None:
    """Runs the program; its own line tells what failed."""
    try:
        done = subprocess.run([str(program), *map(str, arguments)], stdout=subprocess.DEVNULL)
    except OSError as cause:
        sys.exit(f"{program}: cannot run: {cause.strerror}; build it with `cargo build --release -p reconstruction-cli`")
    if done.returncode:
        sys.exit(done.returncode)
