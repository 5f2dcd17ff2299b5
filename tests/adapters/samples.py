"""Records, requests and clocks for tests of the adapters."""

import hashlib
from dataclasses import dataclass, replace

from stepcache_proxy.reuse.model import (
    Answer,
    CanonicalRequest,
    PartitionKey,
    Provenance,
    QuestionKey,
    Record,
    RecordId,
    TaskName,
    TemplateKey,
)

NOW = 1_700_000_000.0


@dataclass
class Clock:
    """A clock that stands still until it is set."""

    now: float = NOW

    def __call__(self) -> float:
        return self.now


def hashed(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def record_id(name: str, partition: str = "p") -> RecordId:
    return RecordId(f"{hashed(partition)}.{hashed(name)}")


def record(
    name: str = "r",
    *,
    partition: str = "p",
    template: str = "t",
    question: str = "q",
    created: float = NOW,
    ttl_seconds: int = 600,
    kin: str | None = None,
) -> Record:
    return Record(
        id=record_id(name, partition),
        partition=PartitionKey(hashed(partition)),
        template=TemplateKey(hashed(template)),
        question=QuestionKey(hashed(question)),
        parameters={"temperature": "aa"},
        endpoint="chat",
        model="m",
        namespace="n",
        text=f"Describe {name}.",
        format={"response_format": {"type": "text"}},
        answer=Answer(
            content="One. Two.",
            finish_reason="stop",
            model="m-1",
            usage={"completion_tokens": 4},
            message={"role": "assistant", "refusal": None},
            choice={"logprobs": None},
            envelope={"object": "chat.completion"},
        ),
        steps=("One. ", "Two."),
        task=TaskName("verbatim"),
        is_proved=True,
        is_exact_only=False,
        provenance=Provenance.FRESH,
        created=created,
        ttl_seconds=ttl_seconds,
        kin=None if kin is None else TemplateKey(hashed(kin)),
    )


def request(of: Record, **parameters: str) -> CanonicalRequest:
    """A request with the same partition, template and question as ``of``."""
    return CanonicalRequest(
        endpoint=of.endpoint,
        body={},
        model=of.model,
        tenant="tenant",
        namespace=of.namespace,
        partition=of.partition,
        id=of.id,
        template=of.template,
        kin=of.kin,
        question=of.question,
        parameters=parameters or of.parameters,
        text=of.text,
        format=of.format,
    )


def again(of: Record, text: str) -> Record:
    """The same record with another answer."""
    return replace(of, answer=replace(of.answer, content=text), steps=(text,))
