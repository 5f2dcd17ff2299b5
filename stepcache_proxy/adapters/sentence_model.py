"""A sentence-transformers model as a function from texts to unit vectors.

Importing this module imports torch, which takes seconds: only the embedder's own
thread does, and only where the model cannot be run as an export.
"""

import os
import threading
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from sentence_transformers import SentenceTransformer
from transformers.utils import logging

from stepcache_proxy.adapters.model_files import find_model
from stepcache_proxy.adapters.sentences import (
    MOST_CHARACTERS_PER_TOKEN,
    is_encodable,
    vector_of,
)
from stepcache_proxy.reuse.protocols import Vector


class SentenceModel:
    """A loaded model; threads that use it wait for each other."""

    def __init__(self, model: str) -> None:
        """Load ``model``. Raises whatever its code raises."""
        self._network = open_network(model)
        self._window = int(self._network.max_seq_length or 512)
        self._lock = threading.Lock()

    def encode(self, texts: Sequence[str]) -> list[Vector | None]:
        """A unit vector for each text; None where a text overflows the window.

        A cut text would be compared without its end.
        """
        with self._lock:
            kept = [text for text in texts if self._fits(text)]
            if not kept:
                return [None] * len(texts)
            rows = rows_of(self._network, kept)
        vectors = {text: vector_of(row) for text, row in zip(kept, rows, strict=True)}
        return [vectors.get(text) for text in texts]

    def _fits(self, text: str) -> bool:
        most = self._window * MOST_CHARACTERS_PER_TOKEN
        if len(text) > most or not is_encodable(text):
            return False
        tokens = self._network.tokenizer(text, truncation=False, verbose=False)
        return len(tokens["input_ids"]) <= self._window


def open_network(model: str) -> SentenceTransformer:
    """The network of ``model``, for one thread of the processor."""
    folder = find_model(model)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    torch.set_num_threads(1)
    name = str(folder or model)
    network = SentenceTransformer(
        name, device="cpu", local_files_only=folder is not None
    )
    network.eval()
    return network


def rows_of(network: SentenceTransformer, texts: list[str]) -> npt.NDArray[np.float32]:
    """The unit vectors of ``texts``, one a row."""
    with torch.inference_mode():
        output = network(network.preprocess(texts))["sentence_embedding"].float()
        rows: npt.NDArray[np.float32] = torch.nn.functional.normalize(output).numpy()
        return rows
