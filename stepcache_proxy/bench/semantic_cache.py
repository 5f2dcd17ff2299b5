"""The common practice to compare with: the nearest answer above 0.85, served whole.

No verification, no partition: it is what a plain semantic cache does, in process and
without a network hop of its own.
"""

import asyncio
import time
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from stepcache_proxy.adapters.embedders import SentenceTransformerEmbedder
from stepcache_proxy.bench.client import ChatClient, Reply, send
from stepcache_proxy.bench.workload import Ask

THRESHOLD = 0.85


@dataclass(slots=True)
class SemanticCache:
    """Answers by embedding; ``runner`` is the loop that the embedder lives in."""

    embedder: SentenceTransformerEmbedder
    runner: asyncio.Runner
    _vectors: list[npt.NDArray[np.float32]] = field(
        default_factory=list[npt.NDArray[np.float32]]
    )
    _texts: list[str] = field(default_factory=list[str])

    def ask(self, client: ChatClient, ask: Ask) -> Reply:
        """The nearest earlier answer, else the upstream's, which is kept."""
        started = time.perf_counter()
        vector = self._embed(ask.name)
        nearest = self._nearest(vector)
        if nearest is not None:
            took = time.perf_counter() - started
            reused = len(nearest.split())
            return Reply(nearest, took, took, 0, reused, "reuse", "similarity")
        spent = time.perf_counter() - started
        reply = send(client, ask)
        self._keep(vector, reply.text)
        return replace(
            reply,
            latency_s=reply.latency_s + spent,
            ttft_s=reply.ttft_s + spent,
            outcome="miss",
        )

    def remember(self, text: str, answer: str) -> None:
        """Keep an answer of an earlier run."""
        self._keep(self._embed(text), answer)

    def _embed(self, text: str) -> npt.NDArray[np.float32]:
        vector = self.runner.run(self.embedder.embed(text))
        assert vector is not None  # the workload's prompts are short
        return np.asarray(vector, dtype=np.float32)

    def _nearest(self, vector: npt.NDArray[np.float32]) -> str | None:
        if not self._vectors:
            return None
        cosines = np.stack(self._vectors) @ vector
        best = int(np.argmax(cosines))
        return self._texts[best] if cosines[best] >= THRESHOLD else None

    def _keep(self, vector: npt.NDArray[np.float32], text: str) -> None:
        self._vectors.append(vector)
        self._texts.append(text)
