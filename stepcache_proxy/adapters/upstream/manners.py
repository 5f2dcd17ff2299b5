"""How a model is asked to go on writing: found once, corrected by what it refuses."""

from collections import OrderedDict

import orjson

from stepcache_proxy.adapters.upstream.continuation import (
    Manner,
    continuing,
    messages_of,
)
from stepcache_proxy.adapters.upstream.kinds import Kind
from stepcache_proxy.adapters.upstream.link import Link
from stepcache_proxy.errors import UpstreamError, UpstreamStatusError
from stepcache_proxy.reuse.protocols import Prompt
from stepcache_proxy.wire.assemble import CHAT
from stepcache_proxy.wire.headers import RawHeaders
from stepcache_proxy.wire.jsonvalue import JsonObject, read_object

_ASK_SECONDS = 2.0
_MAX_MODELS = 1024
_REFUSALS = frozenset({400, 422, 500})
_REFUSED_WORDS = (
    b"continue_final_message",
    b"add_generation_prompt",
    b"prefill",
    b"assistant message",
)


class Manners:
    """Remembers by model whether the server really continues a message."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._known: OrderedDict[str, Manner] = OrderedDict()

    async def choose(self, prompt: Prompt, kind: Kind, stem: str) -> Manner:
        """The manner for ``prompt``; may ask the server once per model, no tokens."""
        if not stem:
            return Manner.FULL
        if prompt.endpoint != CHAT:
            return Manner.CONTINUE
        if kind == "openai":
            return Manner.INSTRUCT
        model = str(prompt.body.get("model"))
        known = self._known.get(model)
        return known or await self._find(prompt, kind, stem, model)

    def remember(self, prompt: Prompt, manner: Manner) -> None:
        """What use has taught."""
        self._keep(str(prompt.body.get("model")), manner)

    def forget(self) -> None:
        """After a failure another server may answer under this address."""
        self._known.clear()

    async def _find(self, prompt: Prompt, kind: Kind, stem: str, model: str) -> Manner:
        try:
            rendered = await self._rendered(prompt, kind, stem)
        except UpstreamError:
            return Manner.CONTINUE
        # A server that cannot show its prompt is tried; it refuses if it must.
        is_continued = rendered is None or rendered.rstrip().endswith(stem)
        manner = Manner.CONTINUE if is_continued else Manner.INSTRUCT
        self._keep(model, manner)
        return manner

    def _keep(self, model: str, manner: Manner) -> None:
        self._known[model] = manner
        self._known.move_to_end(model)
        if len(self._known) > _MAX_MODELS:
            self._known.popitem(last=False)

    async def _rendered(self, prompt: Prompt, kind: Kind, stem: str) -> str | None:
        """The prompt as the server's template writes it; None if it does not tell."""
        asked: JsonObject = {
            "model": prompt.body.get("model"),
            **continuing(messages_of(prompt), stem),
        }
        if kind == "llamacpp":
            shown = await self._ask(b"/apply-template", prompt.headers, asked)
        else:
            shown = await self._detokenized(prompt, asked)
        text = shown.get("prompt")
        return text if isinstance(text, str) else None

    async def _detokenized(self, prompt: Prompt, asked: JsonObject) -> JsonObject:
        counted = await self._ask(b"/tokenize", prompt.headers, asked)
        if not isinstance(counted.get("tokens"), list):
            return {}
        tokens: JsonObject = {"model": asked["model"], "tokens": counted["tokens"]}
        return await self._ask(b"/detokenize", prompt.headers, tokens)

    async def _ask(
        self, target: bytes, headers: RawHeaders, body: JsonObject
    ) -> JsonObject:
        status, answer = await self._link.ask(
            "POST", target, headers, orjson.dumps(body), within_s=_ASK_SECONDS
        )
        return (read_object(answer) or {}) if status == 200 else {}


def names_continuation(refused: UpstreamStatusError) -> bool:
    """Whether the server refused because of how it was asked to go on."""
    body = refused.body.lower()
    return refused.upstream_status in _REFUSALS and any(
        word in body for word in _REFUSED_WORDS
    )
