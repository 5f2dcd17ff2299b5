"""What the model server itself counts; the proxy has no part in it."""

import re
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx

_PREDICTED = re.compile(r"^llamacpp:tokens_predicted_total (\d+)", re.MULTILINE)
_PROCESSING = re.compile(r"^llamacpp:requests_processing (\d+)", re.MULTILINE)
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
        text = self._metrics_at_rest()
        prompt, predicted = _PROMPT.search(text), _PREDICTED.search(text)
        assert prompt is not None
        assert predicted is not None
        return int(prompt[1]), int(predicted[1])

    def _metrics_at_rest(self) -> str:
        """The counters when nothing is generated: tokens are counted at the end.

        A generation that was broken off ends a moment after its client has gone.
        """
        for _ in range(1200):
            text = self.client.get("/metrics").text
            processing = _PROCESSING.search(text)
            assert processing is not None
            if processing[1] == "0":
                return text
            time.sleep(0.05)
        message = "the model server does not come to rest"
        raise RuntimeError(message)
