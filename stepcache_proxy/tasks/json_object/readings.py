"""Requests that were read lately: each is asked about thrice, its donors for ever."""

from functools import lru_cache

import orjson

from stepcache_proxy.reuse.constraints import ConstraintReason, Reader
from stepcache_proxy.reuse.model import Reject, Unknown, Verdict
from stepcache_proxy.tasks.json_object.asking import Asked, asked
from stepcache_proxy.tasks.json_object.reading import Document, read
from stepcache_proxy.tasks.json_object.schema import CompiledSchema
from stepcache_proxy.wire.jsonvalue import JsonObject, read_object

_MOST = 128
# What is longer is read anew rather than kept; a text of brackets is a large tree.
LONGEST_TEXT, LONGEST_FORMAT, LONGEST_ANSWER = 8_000, 4_000, 2_000


class Readings:
    """What the last requests and answers say: 128 of each, some megabytes at most."""

    def __init__(self) -> None:
        self._asked = lru_cache(_MOST)(_asked)
        self._reader = Reader(_MOST)
        self._read = lru_cache(_MOST)(read)
        self._judged = lru_cache(_MOST)(self._check)

    def asked(self, text: str, format: JsonObject) -> Asked | None:
        """The same as the function ``asked``."""
        # Written, 1 is not 1.0 and not true. (NaN is null; no request holds it.)
        try:
            written = orjson.dumps(format)
        except orjson.JSONEncodeError:
            return asked(text, format)
        if len(text) > LONGEST_TEXT or len(written) > LONGEST_FORMAT:
            return asked(text, format)
        return self._asked(text, written)

    def wording(self, ask: Asked) -> str | None:
        """What the words have in common with others that ask for the same."""
        return self._reader.wording(ask.words)

    def difference(self, one: Asked, other: Asked) -> ConstraintReason | None:
        """The first respect in which their words ask for something else."""
        return self._reader.difference(one.words, other.words)

    def read(self, answer: str) -> Document | Reject | Unknown:
        """The same as the function ``read``."""
        return self._read(answer) if len(answer) <= LONGEST_ANSWER else read(answer)

    def judged(
        self, answer: str, document: Document, schema: CompiledSchema
    ) -> Verdict:
        """The verdict of ``schema`` on the document that ``answer`` reads as."""
        if len(answer) > LONGEST_ANSWER or schema.size > LONGEST_FORMAT:
            return schema.check(document.value, len(answer))
        return self._judged(answer, schema)

    def _check(self, answer: str, schema: CompiledSchema) -> Verdict:
        document = self._read(answer)
        assert isinstance(document, Document)
        return schema.check(document.value, len(answer))


def _asked(text: str, written: bytes) -> Asked | None:
    """What is asked, from nothing but what it is kept under."""
    format = read_object(written)
    return None if format is None else asked(text, format)
