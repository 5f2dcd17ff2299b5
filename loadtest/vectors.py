"""Vectors to search and to search with: made up in clusters, or of real questions."""

import asyncio
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from stepcache_proxy.adapters.embedders import SentenceTransformerEmbedder

Floats = npt.NDArray[np.float32]

DIMENSION = 384
_CLUSTER = 100  # vectors about one centre
_SPREAD = 0.6  # of a vector about its centre: two of a cluster have a cosine of 0.74
_NEAR = 0.3  # of a query about its vector: a cosine of 0.96, as with other numbers
_FIELDS = ("question", "cached_prompt", "new_prompt", "prompt", "problem")
_OPENINGS = ("Please answer: {}", "{} Explain briefly.", "I would like to know: {}")
_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Vectors:
    """Unit vectors of records, one a row, and of queries near some of them."""

    name: str
    records: Floats
    queries: Floats


def clustered(count: int, queries: int, seed: int) -> Vectors:
    """``count`` vectors in clusters of a hundred, and queries near some of them."""
    rng = np.random.default_rng(seed)
    centres = _directions(rng, max(1, count // _CLUSTER))
    of = rng.integers(len(centres), size=count)
    records = _unit(centres[of] + _SPREAD * _directions(rng, count))
    asked = records[rng.integers(count, size=queries)]
    near = _unit(asked + _NEAR * _directions(rng, queries))
    return Vectors(f"{count:,} clustered vectors", records, near)


async def of_questions(
    files: Sequence[Path], queries: int, seed: int, variants: int = 1
) -> Vectors:
    """The questions of JSONL files, variants of each, and other variants to ask."""
    luck = random.Random(seed)
    texts = sorted({text for path in files for text in _questions(path)})
    changed = [_other_numbers(text, luck) for text in texts * variants]
    known = list(dict.fromkeys([*texts, *changed]))
    asked = [_reworded(luck.choice(known), luck) for _ in range(queries)]
    embedder = SentenceTransformerEmbedder("all-MiniLM-L6-v2")
    await embedder.load()
    try:
        records, near = [await _embed(embedder, some) for some in (known, asked)]
    finally:
        embedder.close()
    return Vectors(f"{len(records):,} questions (all-MiniLM-L6-v2)", records, near)


def exact(vectors: Vectors, k: int) -> npt.NDArray[np.int64]:
    """The numbers of the ``k`` nearest records of each query, by comparing them all."""
    found = []
    for at in range(0, len(vectors.queries), 100):
        cosines = vectors.queries[at : at + 100] @ vectors.records.T
        best = np.argpartition(cosines, -k, axis=1)[:, -k:]
        order = np.argsort(-np.take_along_axis(cosines, best, axis=1), axis=1)
        found.append(np.take_along_axis(best, order, axis=1))
    return np.concatenate(found)


def _questions(path: Path) -> Iterator[str]:
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for field in _FIELDS:
            text = row.get(field)
            if isinstance(text, str) and 20 <= len(text) <= 800:
                yield text


def _other_numbers(text: str, luck: random.Random) -> str:
    changed = re.sub(r"\d+", lambda _: str(luck.randint(2, 99)), text)
    return changed if changed != text else f"Again: {text}"


def _reworded(text: str, luck: random.Random) -> str:
    return luck.choice(_OPENINGS).format(_other_numbers(text, luck))


async def _embed(embedder: SentenceTransformerEmbedder, texts: Sequence[str]) -> Floats:
    rows = []
    for at in range(0, len(texts), _AT_ONCE):
        some = texts[at : at + _AT_ONCE]
        made = await asyncio.gather(*(embedder.embed(text) for text in some))
        rows += [np.asarray(one, np.float32) for one in made if one is not None]
    return np.stack(rows)


def _directions(rng: np.random.Generator, count: int) -> Floats:
    return _unit(rng.normal(size=(count, DIMENSION)).astype(np.float32))


def _unit(rows: Floats) -> Floats:
    made: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return made.astype(np.float32)
