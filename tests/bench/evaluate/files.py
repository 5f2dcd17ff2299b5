"""Small labelled files of our own, one row or two of each kind."""

from pathlib import Path

import orjson

from stepcache_proxy.bench.evaluate.machine import Machine
from stepcache_proxy.bench.evaluate.offline import real_tasks
from stepcache_proxy.bench.evaluate.rows import Row
from stepcache_proxy.wire.jsonvalue import Json, JsonObject
from tests.fakes import WordEmbedder


def said(*texts: str) -> list[Json]:
    """Messages of user and assistant in turn."""
    roles = ("user", "assistant")
    return [{"role": roles[i % 2], "content": t} for i, t in enumerate(texts)]


def pair(cached: str, new: str, *, may_share: bool, category: str) -> JsonObject:
    """One labelled pair of questions."""
    return {
        "id": f"{category}-{new}",
        "cached": said(cached),
        "new": said(new),
        "may_share": may_share,
        "category": category,
        "kind": "question",
    }


PAIRS = [
    pair(
        "How do I bake bread?", "How do I bake bread", may_share=True, category="same"
    ),
    pair("How do I bake bread?", "How do I bake rolls?", may_share=False, category="x"),
    pair("Take 2 pills?", "Take 3 pills?", may_share=False, category="number"),
]
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"age": {"type": "integer"}},
    "required": ["age"],
}
STEPS: JsonObject = {
    "problem": "How many?",
    "steps": ["2 + 2 = 4", "4 + 4 = 9", "9 is many", "So 9"],
    "step_labels": [1, 0, 1, None],
    "subset": "sums",
}


def rows(*fields: JsonObject) -> list[Row]:
    """Rows as they are read from a file."""
    return [Row(f"f:{i}", row) for i, row in enumerate(fields, 1)]


def write(path: Path, *fields: JsonObject) -> Path:
    """A file of these rows."""
    path.write_bytes(b"\n".join(orjson.dumps(row) for row in fields))
    return path


def machine() -> Machine:
    """The real tasks with an embedder of words."""
    return Machine(WordEmbedder(), real_tasks(), 0.1)
