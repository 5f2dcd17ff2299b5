"""The upstream's own count of tokens, read before and after a request."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import httpx

# llama.cpp (and the scripted upstream) and vLLM name the same figures differently.
_NAMES = (
    ("llamacpp:prompt_tokens_total", "llamacpp:tokens_predicted_total"),
    ("vllm:prompt_tokens_total", "vllm:generation_tokens_total"),
)


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens that an upstream has read and written since it started."""

    prompt: int
    completion: int

    def since(self, before: "Tokens") -> "Tokens":
        """What has come on top of ``before``."""
        return Tokens(self.prompt - before.prompt, self.completion - before.completion)


@dataclass(frozen=True, slots=True)
class UpstreamCounters:
    """The counters under ``/metrics`` of the server at ``url``."""

    client: httpx.Client
    url: str

    def read(self) -> Tokens | None:
        """The counts of now; None where the server does not publish any."""
        try:
            response = self.client.get(f"{self.url}/metrics")
        except httpx.HTTPError:
            return None
        return parse(response.text) if response.is_success else None


def parse(text: str) -> Tokens | None:
    """The two counts in a page of Prometheus series."""
    for prompt, completion in _NAMES:
        counts = (_total(text, prompt), _total(text, completion))
        if counts[0] is not None and counts[1] is not None:
            return Tokens(counts[0], counts[1])
    return None


def _total(text: str, name: str) -> int | None:
    """The sum over all labels, None if the series is missing."""
    found: Sequence[str] = re.findall(
        rf"^{re.escape(name)}(?:\{{[^}}\n]*\}})? (\S+)", text, re.MULTILINE
    )
    return int(sum(map(float, found))) if found else None
