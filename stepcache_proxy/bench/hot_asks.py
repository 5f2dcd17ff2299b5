"""The requests of the hot-path table, each row in a different place of the cache."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice, product

import orjson

from stepcache_proxy.bench.hot_servers import PACED, SLOW
from stepcache_proxy.bench.hot_words import unlike_questions
from stepcache_proxy.wire.jsonvalue import Json

CHAT = "/v1/chat/completions"
EXACT = "Why does a lighthouse turn?"
SEMANTIC = "What is the colour of the old lighthouse?"
EQUATION = "Solve 3x + 4 = 19 for x. Show your steps."
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Ask:
    """A request: a path, a body for a POST, and one more header line."""

    path: str
    body: bytes = b""
    header: str = ""


def chat(text: str, **more: Json) -> Ask:
    """A greedy chat request."""
    messages: Json = [{"role": "user", "content": text}]
    body = {"model": "m", "temperature": 0, "messages": messages, **more}
    return Ask(CHAT, orjson.dumps(body))


class Asks:
    """Endless requests of each kind; new ones are never the same twice."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._equations = _equations()
        self._unlike = unlike_questions()
        self._rewordings = tuple(_rewordings())

    def warm_up(self) -> Sequence[Ask]:
        """What has to be in the cache before anything is measured."""
        return chat(EXACT), chat(SEMANTIC), chat(EQUATION)

    def passthrough(self, number: int) -> list[Ask]:
        """Requests outside the cached endpoints."""
        return [Ask("/v1/models")] * number

    def exact(self, number: int) -> list[Ask]:
        """The same request again."""
        return [chat(EXACT)] * number

    def miss(self, number: int) -> list[Ask]:
        """Questions that nothing in the cache is like: it is searched, in vain."""
        return [chat(text) for text in islice(self._unlike, number)]

    def skip(self, number: int) -> list[Ask]:
        """Questions that are alike but for a name: near ones are judged and refused."""
        return [chat(f"Tell me of the wreck {self._word()}.") for _ in range(number)]

    def template(self, number: int) -> list[Ask]:
        """The same equation with other constants, each new."""
        return [chat(next(self._equations)) for _ in range(number)]

    def semantic(self, number: int) -> list[Ask]:
        """The same question in other words."""
        # Not stored: else the second time would be an exact hit.
        known = self._rewordings
        texts = [known[next(self._numbers) % len(known)] for _ in range(number)]
        return [replace(chat(text), header="cache-control: no-store") for text in texts]

    def stream(self, number: int) -> list[Ask]:
        """New questions whose answers are streamed; exact keys only.

        What a stream costs is measured, not the search before it (see ``miss``).
        """
        said = "Tell me slowly of the wreck"
        asks = [chat(f"{said} {self._word()}.", stream=True) for _ in range(number)]
        return [replace(ask, header="x-stepcache-mode: exact") for ask in asks]

    def first_byte(self, number: int) -> list[Ask]:
        """New questions, answered event by event at a model's pace; exact keys only."""
        said = f"Tell me {PACED.decode()} of the wreck"
        asks = [chat(f"{said} {self._word()}.", stream=True) for _ in range(number)]
        return [replace(ask, header="x-stepcache-mode: exact") for ask in asks]

    def slow_stream(self, number: int) -> list[Ask]:
        """Streams that last several seconds."""
        said = f"Please {SLOW.decode()} with the wreck"
        return [chat(f"{said} {self._word()}.", stream=True) for _ in range(number)]

    def _word(self) -> str:
        number, word = next(self._numbers), ""
        while number:
            number, digit = divmod(number, len(_LETTERS))
            word += _LETTERS[digit]
        return f"v{word}w"


def _equations() -> Iterator[str]:
    for s, b, a in product(range(2, 90), range(1, 60), range(2, 40)):
        yield f"Solve {a}x + {b} = {a * s + b} for x. Show your steps."


def _rewordings() -> Iterator[str]:
    openings = ("", "Hi, ", "Hello, ", "Please, ", "Excuse me, ", "Quick question, ")
    questions = (
        "what is the colour of the old lighthouse?",
        "tell me what the colour of the old lighthouse is.",
        "could you tell me what the colour of the old lighthouse is?",
        "do you know what the colour of the old lighthouse is?",
    )
    closings = ("", " Thanks.", " Thank you.", " Cheers.")
    for opening, question, closing in product(openings, questions, closings):
        text = f"{opening}{question}{closing}"
        text = text[0].upper() + text[1:]
        if text != SEMANTIC:
            yield text
