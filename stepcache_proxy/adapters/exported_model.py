"""An exported model as a function from texts to unit vectors, without torch."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Encoding, Tokenizer

from stepcache_proxy.adapters.sentences import (
    MOST_CHARACTERS_PER_TOKEN,
    is_encodable,
    vector_of,
)
from stepcache_proxy.reuse.protocols import Vector

NETWORK = "network.onnx"
TOKENIZER = "tokenizer.json"

Rows = npt.NDArray[np.float32]


class ExportedModel:
    """The network in a folder that ``model_export`` wrote; for any thread."""

    def __init__(self, folder: Path) -> None:
        """Load it. Raises whatever the runtime raises on files that are damaged."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(folder / NETWORK), options, providers=["CPUExecutionProvider"]
        )
        self._window = int(self._session.get_modelmeta().custom_metadata_map["window"])
        self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def encode(self, texts: Sequence[str]) -> list[Vector | None]:
        """A unit vector for each text; None where a text overflows the window.

        A cut text would be compared without its end.
        """
        tokens = {text: found for text in texts if (found := self._tokens(text))}
        if not tokens:
            return [None] * len(texts)
        rows = self._rows(list(tokens.values()))
        vectors = {text: vector_of(row) for text, row in zip(tokens, rows, strict=True)}
        return [vectors.get(text) for text in texts]

    def _tokens(self, text: str) -> Encoding | None:
        most = self._window * MOST_CHARACTERS_PER_TOKEN
        if len(text) > most or not is_encodable(text):
            return None
        encoding = self._tokenizer.encode(text)
        return encoding if len(encoding.ids) <= self._window else None

    def _rows(self, encodings: Sequence[Encoding]) -> Rows:
        length = max(len(encoding.ids) for encoding in encodings)
        ids = np.zeros((len(encodings), length), np.int64)
        mask = np.zeros_like(ids)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        output = self._session.run(None, {"ids": ids, "mask": mask})[0]
        rows: Rows = np.asarray(output, np.float32)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.maximum(norms, 1e-12), np.float32)
