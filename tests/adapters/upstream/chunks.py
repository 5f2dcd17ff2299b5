"""Streams as model servers write them."""

from stepcache_proxy.wire.jsonvalue import Json
from stepcache_proxy.wire.sse import DONE, encode
from tests.http_servers import Answering, event_stream


def chat_chunk(delta: dict[str, Json], finish: str | None = None) -> bytes:
    choice: Json = {"index": 0, "delta": delta, "finish_reason": finish}
    return encode({"id": "c", "object": "o", "model": "m", "choices": [choice]})


def chat_stream(*texts: str, **message: str) -> Answering:
    usage: Json = {"prompt_tokens": 5, "completion_tokens": len(texts)}
    return event_stream(
        chat_chunk({"role": "assistant", "content": None}),
        *(chat_chunk({name: text}) for name, text in message.items()),
        *(chat_chunk({"content": text}) for text in texts),
        chat_chunk({}, "stop"),
        encode({"id": "c", "model": "m", "choices": [], "usage": usage}),
        DONE,
    )
