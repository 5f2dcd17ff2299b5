"""Steps and whole answers, proved, refused or left open for one asked equation."""

from collections.abc import Callable, Sequence

from stepcache_proxy.reuse.model import Accept, Reject, Unknown, Verdict
from stepcache_proxy.tasks.linear_equation.asking import Asked, Form
from stepcache_proxy.tasks.linear_equation.deriving import Derived
from stepcache_proxy.tasks.linear_equation.judging import (
    Judged,
    State,
    judge,
    verdict_of,
)
from stepcache_proxy.tasks.linear_equation.operating import is_natural
from stepcache_proxy.tasks.linear_equation.problem import Problem
from stepcache_proxy.tasks.linear_equation.sentences import Sentence

Says = Callable[[str, str, Sequence[Sentence]], bool]


def check_step(problem: Problem, text: str) -> Verdict:
    """Accept only a step that is right on its own, whatever stood before it."""
    judged = _judge_text(problem, text, State())
    if judged is None:
        return Unknown("too long to be read")
    if not isinstance(judged.verdict, Accept):
        return judged.verdict
    if not is_natural(problem, judged.state.pending):
        return Unknown("an operation that does not belong here")
    return judged.verdict


def check_answer(asked: Asked, text: str) -> Verdict:
    """Accept only an answer that is right from its first word to its last.

    Reject where something in it is wrong, or where its last stated solution is
    wrong or missing.
    """
    start = State(latest=asked.problem.balance)
    judged = _judge_text(asked.problem, text, start)
    if judged is None:
        return Reject("too long to be read")
    if isinstance(judged.verdict, Reject):
        return judged.verdict
    return verdict_of([judged.verdict, _conclude(asked, judged.state)])


def check_derived(asked: Asked, derived: Derived, says: Says) -> Verdict | None:
    """The verdict of ``check_answer`` on its text; None if it has to be asked.

    ``says`` reads the text as anybody's. Only where it says, sentence by sentence, what
    has been accepted while it was written, what was known then is known now.
    """
    if not says(derived.text, asked.problem.unknown, derived.sentences):
        return None
    return _conclude(asked, derived.state)


def _judge_text(problem: Problem, text: str, state: State) -> Judged | None:
    sentences = problem.read(text, problem.unknown)
    if sentences is None:
        return None
    verdicts: list[Verdict] = []
    for sentence in sentences:
        judged = judge(problem, sentence, state)
        if isinstance(judged.verdict, Reject):
            return judged
        verdicts.append(judged.verdict)
        state = judged.state
    return Judged(verdict_of(verdicts), state)


def _conclude(asked: Asked, state: State) -> Verdict:
    """Whether the solution is stated and right, at the end and in the asked form."""
    if state.final is None:
        return Reject("no solution is stated")
    if state.final != asked.problem.solved:
        return Reject("wrong solution")
    return _finish(asked, state)


def _finish(asked: Asked, state: State) -> Verdict:
    """Whether the end is an end and the form is the one that was asked for."""
    if state.pending:
        return Unknown("an operation without its result")
    if not state.is_final_reduced:
        return Unknown("the solution is not simplified")
    if not _is_in_form(asked.form, state):
        return Unknown("not the form that was asked for")
    return Accept()


def _is_in_form(form: Form, state: State) -> bool:
    match form:
        case Form.PLAIN:
            return True
        case Form.STEPS:
            return state.equations > 1
        case Form.ANSWER:
            return state.equations <= 1
        case Form.NUMBER:
            return state.equations == 0
