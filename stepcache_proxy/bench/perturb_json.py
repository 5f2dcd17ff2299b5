"""Ten JSON objects to write, and how each request is changed.

All keys are named in the words. Four bases also carry a JSON schema, three ask for
``json_object``, three rely on the words alone.
"""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from stepcache_proxy.bench.workload import Ask
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

MAX_TOKENS = 200
_MODEL = "SmolLM2-135M-Instruct"
_INTEGERS = frozenset({"stars", "rooms", "year", "pages", "minutes", "legs", "floors"})

_ASK = "Describe {thing}."
_OUTPUT = "Return only a JSON object with the keys {keys}."
_PARAPHRASES = (
    "Please describe {thing}.",
    "Give me a description of {thing}.",
    "I would like a description of {thing}.",
    "Could you describe {thing}?",
    "Provide a description of {thing}.",
    "I need a description of {thing}.",
    "Write a description of {thing}.",
)
_OUTPUT_WORDINGS = (
    "Respond with only a JSON object with the keys {keys}.",
    "Answer with a single JSON object that has the keys {keys}.",
    "Output only JSON with the keys {keys}.",
    "Reply with nothing but a JSON object containing the keys {keys}.",
    "Give the answer as a JSON object with exactly these keys: {keys}.",
    "Only return a JSON object, with the keys {keys}.",
    "Return a JSON object with the keys {keys} and no other text.",
)


@dataclass(frozen=True, slots=True)
class Thing:
    """One base: what to describe, under which keys, in which format.

    ``mark`` is the word that tells it from the others.
    """

    name: str
    thing: str
    mark: str
    keys: tuple[str, ...]
    more: tuple[str, ...] = ()
    format: str = "words"

    def ask(self, words: str = _ASK, output: str = _OUTPUT) -> Ask:
        """The request in these words, with the check of its answer."""
        text = f"{words} {output}".format(thing=self.thing, keys=_listed(self.keys))
        body: JsonObject = {
            "model": _MODEL,
            "messages": [{"role": "user", "content": text}],
            "temperature": 0,
            "max_tokens": MAX_TOKENS,
            "stream": True,
            "stream_options": {"include_usage": True},
            **self._format(),
        }
        return Ask(text, body, _Right(self.keys, self.mark).check)

    def _format(self) -> JsonObject:
        if self.format == "words":
            return {}
        if self.format == "object":
            return {"response_format": {"type": "json_object"}}
        schema: JsonObject = {
            "type": "object",
            "properties": {key: _type_of(key) for key in self.keys},
            "required": list(self.keys),
            "additionalProperties": False,
        }
        wrapped: JsonObject = {"name": "thing", "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": wrapped}}


Change = Callable[[Thing, random.Random, int], Sequence[Ask]]

BASES = (
    Thing(
        "hotel",
        "a hotel in Lisbon",
        "Lisbon",
        ("name", "city", "stars"),
        ("rooms", "owner", "view"),
        "schema",
    ),
    Thing(
        "novel",
        "a novel about Greenland",
        "Greenland",
        ("title", "author", "year"),
        ("pages", "genre", "publisher"),
        "schema",
    ),
    Thing(
        "soup",
        "a soup from Marseille",
        "Marseille",
        ("name", "minutes", "taste"),
        format="schema",
    ),
    Thing(
        "museum",
        "a museum in Cairo",
        "Cairo",
        ("name", "city", "floors"),
        format="schema",
    ),
    Thing(
        "bird",
        "a bird of Madagascar",
        "Madagascar",
        ("name", "colour", "food"),
        ("legs", "voice", "nest"),
        "object",
    ),
    Thing(
        "train",
        "a night train to Vienna",
        "Vienna",
        ("name", "start", "end"),
        format="object",
    ),
    Thing(
        "lake",
        "a lake in Finland",
        "Finland",
        ("name", "colour", "fish"),
        format="object",
    ),
    Thing(
        "festival",
        "a music festival in Havana",
        "Havana",
        ("name", "month", "place"),
        ("organizer", "price", "year"),
    ),
    Thing("bridge", "a bridge in Prague", "Prague", ("name", "river", "material")),
    Thing("tea", "a tea from Darjeeling", "Darjeeling", ("name", "taste", "colour")),
)


def bases_of(change: str) -> tuple[Thing, ...]:
    """The bases that a kind of change applies to."""
    if change != "key added":
        return BASES
    return tuple(base for base in BASES if base.more)


def _in_words(base: Thing, dice: random.Random, count: int) -> Sequence[Ask]:
    return [base.ask(words=words) for words in dice.sample(_PARAPHRASES, count)]


def _in_output(base: Thing, dice: random.Random, count: int) -> Sequence[Ask]:
    return [base.ask(output=words) for words in dice.sample(_OUTPUT_WORDINGS, count)]


def _in_order(base: Thing, dice: random.Random, count: int) -> Sequence[Ask]:
    orders: list[tuple[str, ...]] = []
    while len(orders) < count:
        order = tuple(dice.sample(base.keys, len(base.keys)))
        if order != base.keys and order not in orders:
            orders.append(order)
    return [replace(base, keys=order).ask() for order in orders]


def _with_key(base: Thing, dice: random.Random, count: int) -> Sequence[Ask]:
    added = dice.sample(base.more, count)
    return [replace(base, keys=(*base.keys, key)).ask() for key in added]


CHANGES: Mapping[str, Change] = {
    "paraphrase": _in_words,
    "output wording": _in_output,
    "key order": _in_order,
    "key added": _with_key,
}


def is_whole_number(key: str) -> bool:
    """Whether the value of a key is a whole number in this workload."""
    return key in _INTEGERS


def _type_of(key: str) -> JsonObject:
    if is_whole_number(key):
        return {"type": "integer"}
    return {"type": "string", "maxLength": 40}


def _listed(keys: Sequence[str]) -> str:
    return f"{', '.join(keys[:-1])} and {keys[-1]}"


@dataclass(frozen=True, slots=True)
class _Right:
    """The check of one answer: one bare object, every key, nobody else's subject."""

    keys: tuple[str, ...]
    mark: str

    def check(self, answer: str) -> bool:
        try:
            value: Json = json.loads(answer)
        except (ValueError, RecursionError):
            return False
        if not isinstance(value, dict):
            return False
        if any(value.get(key) is None for key in self.keys):
            return False
        foreign = (base.mark for base in BASES if base.mark != self.mark)
        return not any(mark in answer for mark in foreign)
