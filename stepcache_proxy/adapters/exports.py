"""Where exported models are kept, and how one that is missing is made."""

import logging
import os
import subprocess
import sys
from pathlib import Path

from stepcache_proxy.adapters.model_files import fingerprint_of
from stepcache_proxy.errors import EmbedderUnavailableError

_FORMAT = "int8-1"  # another one where the same model would be written differently
_CANNOT_LOAD = 3  # model_export's exit status
_SECONDS = 110.0  # a download may be part of it

_log = logging.getLogger(__name__)


def export_of(model: str, folder: Path) -> Path | None:
    """The export of ``model`` below ``folder``, made if it is missing.

    None where it cannot be made, with one line in the log; the model can still be run
    by its own library. Blocks for as long as the making takes. Raises
    EmbedderUnavailableError if the model cannot be loaded at all.
    """
    export = folder / f"{fingerprint_of(model)}-{_FORMAT}"
    try:
        if export.is_dir():  # an error where the folder may not be looked into
            return export
        made = _run(model, export)
    except (OSError, subprocess.TimeoutExpired) as error:
        _log.warning("the model is not exported: %s", type(error).__name__)
        return None
    reason = (made.stderr.strip().splitlines() or [f"exit {made.returncode}"])[-1]
    if made.returncode == _CANNOT_LOAD:
        raise EmbedderUnavailableError(reason)
    if made.returncode != 0:
        _log.warning("the model is not exported: %s", reason)
        return None
    return export


def _run(model: str, export: Path) -> subprocess.CompletedProcess[str]:
    """In a process of its own, whose torch is gone with it."""
    export.parent.mkdir(parents=True, exist_ok=True)
    program = [sys.executable, "-m", "stepcache_proxy.adapters.model_export"]
    return subprocess.run(  # noqa: S603 -- the model's name is the operator's setting
        [*program, model, str(export)],
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=_SECONDS,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
