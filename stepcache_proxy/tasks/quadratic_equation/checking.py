"""Steps and whole answers, proved, refused or left open for one asked equation."""

from collections.abc import Sequence

from stepcache_proxy.reuse.model import Accept, Reject, Unknown, Verdict
from stepcache_proxy.tasks.quadratic_equation.asking import Asked, Form
from stepcache_proxy.tasks.quadratic_equation.judging import Judged, read_through
from stepcache_proxy.tasks.quadratic_equation.reading import normalised

_STATED = frozenset({"solution", "root"})
_NO_WORK = _STATED | {"given", "pair", "zero"}


def check_step(asked: Asked, text: str) -> Verdict:
    """Accept only a step that is right on its own, whatever stood before it."""
    judged = read_through(asked.problem, normalised(text))
    if judged is None:
        return Unknown("too long to be read")
    return _worst(judged)


def check_answer(asked: Asked, text: str) -> Verdict:
    """Accept only an answer that is right from its first word to its last.

    Reject where something in it is wrong, or where all was read and what it ends with
    is not every root.
    """
    judged = read_through(asked.problem, normalised(text))
    if judged is None:
        return Unknown("too long to be read")
    worst = _worst(judged)
    if not isinstance(worst, Accept):
        return worst
    if _last_stated(judged) != frozenset(asked.problem.roots):
        return _incomplete(asked, judged)
    if not _is_in_form(asked.form, judged):
        return Unknown("not the form that was asked for")
    return Accept()


def _worst(judged: Sequence[Judged]) -> Verdict:
    """Wrong where anything is, else open where anything is."""
    refused = [j.verdict for j in judged if isinstance(j.verdict, Reject)]
    unread = [j.verdict for j in judged if isinstance(j.verdict, Unknown)]
    return (refused or unread or [Accept()])[0]


def _last_stated(judged: Sequence[Judged]) -> frozenset[object]:
    """The roots of the last run of statements; words like "answer" begin a new run."""
    held: frozenset[object] = frozenset()
    is_open = False
    for one in judged:
        if one.is_check:
            is_open = False
        elif one.roots:
            goes_on = is_open and not one.is_final and not held & one.roots
            held = held | one.roots if goes_on else one.roots
            is_open = True
        elif one.roles or one.is_final:
            is_open = one.is_final and not one.roles
            if is_open:
                held = frozenset()
    return held


def _incomplete(asked: Asked, judged: Sequence[Judged]) -> Verdict:
    """Wrong where a root is nowhere; ``x = 6/2`` is only not simplified."""
    roles = {role for one in judged for role in one.roles}
    named = {f"solution {at}" for at in range(len(asked.problem.roots))}
    if "both" in roles or named <= roles:
        return Unknown("solutions that are not stated together")
    return Reject("not all solutions are stated")


def _is_in_form(form: Form, judged: Sequence[Judged]) -> bool:
    roles = [role.split()[0] for one in judged for role in one.roles]
    match form:
        case Form.PLAIN:
            return True
        case Form.STEPS:
            return not _NO_WORK.issuperset(roles)
        case Form.ANSWER:
            return _STATED.issuperset(roles) or roles == ["both"]
