"""Programs that check or run what is deployed, where this machine has them."""

import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def tool(name: str, how: str) -> str:
    """The program ``name``; skips the test where there is none."""
    beside = str(Path(sys.executable).parent)
    found = shutil.which(name) or shutil.which(name, path=beside)
    if found is None:
        pytest.skip(f"no {name} here: {how}")
    return found
