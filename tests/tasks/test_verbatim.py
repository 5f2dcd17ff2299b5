"""The verbatim task proves nothing and lets only the same request through."""

from stepcache_proxy.reuse.model import (
    CanonicalRequest,
    Donor,
    PartitionKey,
    QuestionKey,
    RecordId,
    Step,
    TemplateKey,
    Unknown,
)
from stepcache_proxy.reuse.protocols import Task, Verifier
from stepcache_proxy.tasks.verbatim import Verbatim
from stepcache_proxy.wire.jsonvalue import JsonObject


def request(
    text: str, *, format: JsonObject | None = None, is_exact_only: bool = False
) -> CanonicalRequest:
    return CanonicalRequest(
        endpoint="chat",
        body={},
        model="m",
        tenant="t",
        namespace="default",
        partition=PartitionKey("p"),
        id=RecordId("r"),
        template=TemplateKey("t"),
        question=QuestionKey("q"),
        parameters={},
        text=text,
        format=format or {},
        is_exact_only=is_exact_only,
    )


def donor(text: str, *, format: JsonObject | None = None) -> Donor:
    return Donor(text=text, format=format or {}, answer="Rinse it twice.")


def bound(text: str) -> Verifier:
    task: Task = Verbatim()
    verifier = task.bind(request(text))
    assert verifier is not None
    return verifier


def test_it_binds_plain_text() -> None:
    assert bound("How do I dye wool?").task == Verbatim().name == "verbatim"


def test_it_leaves_alone_what_it_must_not_judge() -> None:
    task = Verbatim()
    assert task.bind(request(" \n")) is None
    assert task.bind(request("How?", is_exact_only=True)) is None
    assert task.bind(request("How?", format={"type": "json_object"})) is None


def test_the_same_request_in_other_words_passes() -> None:
    asked = request("How do I dye wool?")
    assert Verbatim().compare(asked, donor("how can i dye wool")) is None


def test_another_request_is_refused_with_its_reason() -> None:
    asked = request("How do I dye 2 hats?")
    reason = Verbatim().compare(asked, donor("How do I dye 3 hats?"))
    assert reason == "constraint:number"


def test_another_format_is_refused() -> None:
    asked = request("How do I dye wool?")
    reason = Verbatim().compare(asked, donor(asked.text, format={"type": "text"}))
    assert reason == "constraint:format"


def test_nothing_is_proved_and_nothing_is_made_up() -> None:
    verifier = bound("How do I dye wool?")
    assert verifier.check_step(Step(0, "Rinse it.")) == Unknown()
    assert verifier.check_answer("Rinse it.") == Unknown()
    assert verifier.derive(donor("How do I dye silk?")) is None
    assert verifier.repair([], "Rinse it.", "why") is None
    assert verifier.fallback() is None
