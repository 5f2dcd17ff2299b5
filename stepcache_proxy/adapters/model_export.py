"""Writes a sentence-transformers model as an int8 ONNX network, once per model.

    python -m stepcache_proxy.adapters.model_export MODEL FOLDER

A process of its own: it imports torch, which takes seconds and hundreds of megabytes
that the proxy then never needs. Exit 0 means FOLDER is complete; 3 that the model
cannot be loaded, 4 that it cannot be exported, each with one line on stderr.
"""

import shutil
import sys
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from sentence_transformers import SentenceTransformer

from stepcache_proxy.adapters.exported_model import NETWORK, TOKENIZER, ExportedModel
from stepcache_proxy.adapters.sentence_model import open_network, rows_of

CANNOT_LOAD, CANNOT_EXPORT = 3, 4
# Whole numbers of eight bits move a vector a little (all-MiniLM-L6-v2: cosine 0.983 to
# 0.997 alone, from 0.975 in a batch of very different lengths). Far more than that
# means that the export computes something else.
_LEAST_COSINE = 0.95
_SAMPLES: tuple[str, ...] = (
    "Solve 3x + 7 = 22 for x and show every step of the work in order.",
    "hello",
    "Which of the two lamps uses more electricity in a year, and why? " * 6,
)


class _Pooled(torch.nn.Module):
    """Token ids -> sentence vectors: the form in which the network is written."""

    def __init__(self, network: SentenceTransformer) -> None:
        super().__init__()
        self.network = network

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        features = {"input_ids": ids, "attention_mask": mask}
        vectors: torch.Tensor = self.network(features)["sentence_embedding"]
        return vectors


def export(network: SentenceTransformer, folder: Path) -> None:
    """Write ``network`` into ``folder``, which appears only when it is complete.

    Raises ValueError if its vectors are not those of ``network``, and whatever the
    exporter raises on a network that it cannot write.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".export-"))
    try:
        network.tokenizer.backend_tokenizer.save(str(made / TOKENIZER))
        _write_network(network, made)
        _compare(network, ExportedModel(made))
        if not folder.exists():
            made.rename(folder)
    except OSError:
        if not folder.exists():  # another process may have been first
            raise
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _write_network(network: SentenceTransformer, folder: Path) -> None:
    whole = folder / "float32.onnx"
    ids = torch.ones((2, 9), dtype=torch.long)
    axes = {0: "texts", 1: "tokens"}
    with warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            _Pooled(network).eval(),  # else the exporter leaves all of it training
            (ids, torch.ones_like(ids)),
            str(whole),
            input_names=["ids", "mask"],
            output_names=["vectors"],
            dynamic_axes={"ids": axes, "mask": axes, "vectors": {0: "texts"}},
            dynamo=False,
        )
    quantize_dynamic(
        whole,
        folder / NETWORK,
        op_types_to_quantize=["MatMul"],  # the table of words stays as exact as it is
        weight_type=QuantType.QInt8,
        per_channel=True,
        extra_options={
            "MatMulConstBOnly": True,
            "DefaultTensorType": onnx.TensorProto.FLOAT,
        },
    )
    whole.unlink()
    _write_window(folder / NETWORK, int(network.max_seq_length or 512))


def _write_window(path: Path, window: int) -> None:
    """Keep with the network how many tokens a text may have."""
    model = onnx.load(str(path))
    entry = model.metadata_props.add()
    entry.key, entry.value = "window", str(window)
    onnx.save(model, str(path))


def _compare(network: SentenceTransformer, exported: ExportedModel) -> None:
    for texts in (*([text] for text in _SAMPLES), list(_SAMPLES)):
        cosine = _least_cosine(rows_of(network, texts), exported, texts)
        if not cosine >= _LEAST_COSINE:
            msg = f"a vector of the export has cosine {cosine:.3f} to the model's"
            raise ValueError(msg)


def _least_cosine(
    rows: npt.NDArray[np.float32], exported: ExportedModel, texts: Sequence[str]
) -> float:
    vectors = exported.encode(texts)
    return min(
        float(np.dot(row, vector)) if vector is not None else -1.0
        for row, vector in zip(rows, vectors, strict=True)
    )


def main(model: str, folder: str) -> int:
    """The exit status of exporting ``model`` to ``folder``."""
    try:
        network = open_network(model)
    except Exception as error:  # noqa: BLE001 -- a foreign model may raise anything
        return _fail(error, CANNOT_LOAD)
    try:
        export(network, Path(folder))
    except Exception as error:  # noqa: BLE001 -- so may the exporter
        return _fail(error, CANNOT_EXPORT)
    return 0


def _fail(error: Exception, status: int) -> int:
    lines = str(error).strip().splitlines() or [""]
    sys.stderr.write(f"{type(error).__name__}: {lines[0][:120]}\n")
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
