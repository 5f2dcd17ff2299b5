"""What the model server itself counts; the proxy has no part in it."""

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx

_PREDICTED = re.compile(r"^llamacpp:tokens_predicted_total (\d+)", re.MULTILINE)
_PROMPT = re.compile(r"^llamacpp:prompt_tokens_total (\d+)", re.MULTILINE)


@dataclass(slots=True)
class Spent:
    """Tokens that the model server has processed meanwhile."""

    prompt: int = 0
    predicted: int = 0


@dataclass(frozen=True, slots=True)
class Model:
    """The model server, asked directly."""

    client: httpx.Client

    @property
    def url(self) -> str:
        """Its root address."""
        return str(self.client.base_url).rstrip("/")

    @contextmanager
    def spent(self) -> Generator[Spent]:
        """What the model server does inside the ``with``, known at its end."""
        before = self._counts()
        told = Spent()
        yield told
        after = self._counts()
        told.prompt = after[0] - before[0]
        told.predicted = after[1] - before[1]

    def _counts(self) -> tuple[int, int]:
        text = self.client.get("/metrics").text
        prompt, predicted = _PROMPT.search(text), _PREDICTED.search(text)
        assert prompt is not None
        assert predicted is not None
        return int(prompt[1]), int(predicted[1])
