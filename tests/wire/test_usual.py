"""Whether frames are parsed or recognised, the answer is the same."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.wire import assemble
from stepcache_proxy.wire.answer import Answer
from stepcache_proxy.wire.assemble import StreamAssembler
from stepcache_proxy.wire.sse import Frame
from stepcache_proxy.wire.usual import usual

Chunk = Mapping[str, Any]


def chat(text: str, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None, **more}
    return {"id": "c", "created": 1, "model": "m", "choices": [choice]}


def completion(text: str, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "text": text, "finish_reason": None, **more}
    return {"id": "c", "created": 1, "model": "m", "choices": [choice]}


def frame(chunk: Chunk) -> Frame:
    return Frame(b"data: " + orjson.dumps(chunk) + b"\n\n")


def spaced(chunk: Chunk) -> Frame:
    return Frame(b"data: " + json.dumps(chunk).encode() + b"\n\n")


def read(
    endpoint: str, frames: Sequence[Frame], *, is_parsed: bool
) -> tuple[list[str], Answer | None]:
    with pytest.MonkeyPatch.context() as patch:
        if is_parsed:
            patch.setattr(assemble, "usual", lambda *_args, **_more: None)
        assembler = StreamAssembler(endpoint)
        texts = [assembler.push(each) for each in frames]
        return texts, assembler.finish()


_LAST = [
    frame(
        {"choices": [{"index": 0, "delta": {}, "text": "", "finish_reason": "stop"}]}
    ),
    Frame(b"data: [DONE]\n\n"),
]
TEXTS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(['"', "\\", '\\"', '","', "\n", "\x7f", "\u2028", "é", "}]}", ""]),
)
MORE: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "logprobs": st.sampled_from([None, {"content": []}]),
        "token_ids": st.sampled_from([None, [1]]),
    },
)
ENVELOPES: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "system_fingerprint": st.sampled_from([None, "a", "b"]),
        "usage": st.sampled_from([None, {}, {"completion_tokens": 3}]),
        "timings": st.just({"n": 1}),
        "error": st.none(),
    },
)


@st.composite
def chunks(draw: st.DrawFn) -> list[Chunk]:
    """Runs of like frames with now and then another."""
    made: list[Chunk] = []
    for _ in range(draw(st.integers(1, 4))):
        make = draw(st.sampled_from([chat, completion]))
        more, envelope = draw(MORE), draw(ENVELOPES)
        made += [
            make(text, **more) | envelope for text in draw(st.lists(TEXTS, max_size=4))
        ]
        if draw(st.booleans()):
            delta = draw(
                st.sampled_from(
                    [
                        {"role": "assistant"},
                        {"reasoning_content": "hm"},
                        {"content": "x", "refusal": "no"},
                        {"tool_calls": [{"index": 0, "id": "t"}]},
                    ]
                )
            )
            made.append({"choices": [{"index": 0, "delta": delta, "text": "y"}]})
    return made


@given(chunks(), st.sampled_from(["chat", "completions"]), st.booleans())
def test_recognised_frames_add_up_to_the_same_answer(
    made: list[Chunk], endpoint: str, is_spaced: bool
) -> None:
    frames = [spaced(chunk) if is_spaced else frame(chunk) for chunk in made] + _LAST
    assert read(endpoint, frames, is_parsed=False) == read(
        endpoint, frames, is_parsed=True
    )


@given(st.lists(st.tuples(TEXTS, st.binary(max_size=6)), max_size=5))
def test_damaged_frames_are_not_taken_for_usual_ones(
    damage: list[tuple[str, bytes]],
) -> None:
    first = frame(chat("Hello"))
    at = first.raw.index(b"Hello")
    frames = [first]
    for text, raw in damage:
        frames.append(frame(chat(text)))
        frames.append(Frame(first.raw[:at] + raw + first.raw[at + 5 :]))
    frames += _LAST
    assert read("chat", frames, is_parsed=False) == read("chat", frames, is_parsed=True)


def test_a_plain_frame_is_recognised_but_for_its_text() -> None:
    first = chat("Hello")
    found = usual(frame(first).raw, first["choices"][0], is_chat=True)
    assert found is not None
    assert found.text_in(frame(chat(' wor"ld\n')).raw) == ' wor"ld\n'
    assert found.text_in(frame(chat("x") | {"model": "n"}).raw) is None
    assert found.text_in(b"") is None


@pytest.mark.parametrize(
    "choice",
    [
        pytest.param({"delta": {"content": "a", "role": "x"}}, id="a role too"),
        pytest.param({"delta": {"content": "a"}, "logprobs": {"a": 1}}, id="logprobs"),
        pytest.param({"delta": {"content": "a"}, "finish_reason": "stop"}, id="an end"),
        pytest.param({"delta": {"content": None}}, id="no text"),
        pytest.param({"delta": {"content": "a"}, "x": {"text": "b"}}, id="two texts"),
        pytest.param({"text": "a"}, id="of the other endpoint"),
    ],
)
def test_a_frame_that_says_more_is_not_usual(choice: Chunk) -> None:
    raw = frame({"choices": [choice]}).raw
    assert usual(raw, choice, is_chat=True) is None


def test_a_frame_cut_at_its_text_is_not_recognised() -> None:
    whole, cut = frame(chat("a")), frame(chat("a")).raw.replace(b'"a"', b'"')
    choice = chat("a")["choices"][0]
    found = usual(whole.raw, choice, is_chat=True)
    assert found is not None
    assert found.text_in(whole.raw) == "a"
    assert found.text_in(cut) is None
