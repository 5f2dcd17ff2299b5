"""Texts that wait for their vectors, encoded together by one thread."""

import queue
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from time import sleep

from stepcache_proxy.errors import EmbedderUnavailableError
from stepcache_proxy.reuse.protocols import Vector

_BATCH = 8  # texts encoded together; more would keep the first one waiting

Encode = Callable[[Sequence[str]], list[Vector | None]]


@dataclass(frozen=True, slots=True)
class _Job:
    """A text that waits for its vector."""

    text: str
    future: Future[Vector | None]


@dataclass(frozen=True, slots=True)
class EncodingQueue:
    """Any thread may ``ask``; one runs ``serve``, which returns after ``close``.

    The first text that waits is kept waiting ``gather_seconds`` for others to be
    encoded with it, which takes less of a processor than one by one.
    """

    gather_seconds: float = 0.0
    _jobs: "queue.SimpleQueue[_Job | None]" = field(
        default_factory=queue.SimpleQueue["_Job | None"]
    )

    def ask(self, text: str) -> Future[Vector | None]:
        """The vector of ``text`` when it is made; one that is cancelled is not."""
        job = _Job(text, Future())
        self._jobs.put(job)
        return job.future

    def close(self) -> None:
        """End the serving thread after the work it has."""
        self._jobs.put(None)

    def serve(self, encode: Encode) -> None:
        """Encode what is asked for, texts that wait together, until the end."""
        while jobs := self._next_jobs():
            _encode_jobs(encode, jobs)

    def _next_jobs(self) -> list[_Job]:
        """The job that waits, with those behind it; empty at the end."""
        job = self._jobs.get()
        jobs: list[_Job] = []
        while job is not None:
            if job.future.set_running_or_notify_cancel():
                jobs.append(job)
                if len(jobs) == 1 and self.gather_seconds:
                    sleep(self.gather_seconds)
            if len(jobs) == _BATCH:
                return jobs
            try:
                job = self._jobs.get(block=not jobs)
            except queue.Empty:
                return jobs
        if jobs:
            self._jobs.put(None)
        return jobs


def _encode_jobs(encode: Encode, jobs: Sequence[_Job]) -> None:
    try:
        vectors = encode([job.text for job in jobs])
    except Exception as error:  # noqa: BLE001 -- a foreign model may raise anything
        failure = EmbedderUnavailableError(first_line(error))
        failure.__cause__ = error
        for job in jobs:
            job.future.set_exception(failure)
        return
    for job, vector in zip(jobs, vectors, strict=True):
        job.future.set_result(vector)


def first_line(error: Exception) -> str:
    """What went wrong in a foreign model, in one line."""
    lines = str(error).strip().splitlines() or [""]
    line = lines[0][:120]
    if isinstance(error, EmbedderUnavailableError):  # already says what went wrong
        return line
    return f"{type(error).__name__}: {line}"
