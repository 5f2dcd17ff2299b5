"""The response to a generation -> deltas and one finish."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from stepcache_proxy.adapters.upstream.joint import Joint
from stepcache_proxy.adapters.upstream.response import UpstreamResponse
from stepcache_proxy.errors import UpstreamError, UpstreamStatusError
from stepcache_proxy.reuse.protocols import Delta, Finish, GeneratedAnswer
from stepcache_proxy.wire.answer import Answer
from stepcache_proxy.wire.assemble import StreamAssembler, read_whole
from stepcache_proxy.wire.headers import is_event_stream
from stepcache_proxy.wire.sse import Frame, FrameSplitter

_MAX_ERROR_BYTES = 1024 * 1024
_REASONING = ("reasoning", "reasoning_content")


async def read_parts(
    response: UpstreamResponse, endpoint: str, joint: Joint
) -> AsyncGenerator[Delta | Finish]:
    """The new text behind ``joint``'s prefix, then the Finish.

    Raises UpstreamStatusError for an error status, UpstreamError for an answer that
    is not complete.
    """
    if not 200 <= response.status < 300:
        body = await response.read(_MAX_ERROR_BYTES)
        raise UpstreamStatusError(response.status, response.headers, body)
    if is_event_stream(response.headers):
        parts = _streamed(response, StreamAssembler(endpoint), joint)
    else:
        parts = _whole(response, endpoint, joint)
    async with aclosing(parts):
        async for part in parts:
            yield part


async def _streamed(
    response: UpstreamResponse, assembler: StreamAssembler, joint: Joint
) -> AsyncGenerator[Delta | Finish]:
    has_text = False
    async with aclosing(_frames(response)) as frames:
        async for frame in frames:
            text = joint.push(assembler.push(frame))
            if text:
                has_text = True
                yield Delta(text)
    answer = assembler.finish()
    if answer is None:
        raise _broken(assembler)
    rest = joint.flush()
    if not has_text and not rest and joint.stem:
        rest, answer = _misfiled(answer, joint)
    if rest:
        yield Delta(rest)
    yield _finish(answer)


async def _whole(
    response: UpstreamResponse, endpoint: str, joint: Joint
) -> AsyncGenerator[Delta | Finish]:
    answer = read_whole(endpoint, await response.read())
    if answer is None:
        msg = "The upstream's answer cannot be read"
        raise UpstreamError(msg)
    text = joint.push(answer.content or "") + joint.flush()
    if text:
        yield Delta(text)
    yield _finish(answer)


async def _frames(response: UpstreamResponse) -> AsyncGenerator[Frame]:
    splitter = FrameSplitter()
    async with aclosing(response.chunks()) as chunks:
        async for chunk in chunks:
            for frame in splitter.push(chunk):
                yield frame
    for frame in splitter.flush():
        yield frame


def _misfiled(answer: Answer, joint: Joint) -> tuple[str, Answer]:
    """Text that a reasoning parser took for thought: some begin inside thinking."""
    for name in _REASONING:
        thought = answer.message.get(name)
        if isinstance(thought, str) and thought and "think>" not in thought:
            return joint.push(thought) + joint.flush(), _without_thought(answer)
    return "", answer


def _without_thought(answer: Answer) -> Answer:
    message = {k: v for k, v in answer.message.items() if k not in _REASONING}
    return replace(answer, message=message)


def _finish(answer: Answer) -> Finish:
    return Finish(
        GeneratedAnswer(
            finish_reason=answer.finish_reason,
            model=answer.model,
            usage=answer.usage,
            message=answer.message,
            choice=answer.choice,
            envelope=answer.envelope,
        )
    )


def _broken(assembler: StreamAssembler) -> UpstreamError:
    if assembler.error is not None:
        return UpstreamError("The upstream reported an error inside its answer")
    return UpstreamError("The upstream broke off its answer")
