"""Steps and whole answers, proved, refused or left open for one asked system."""

from stepcache_proxy.reuse.model import Accept, Reject, Unknown, Verdict
from stepcache_proxy.tasks.linear_equation.asking import Form
from stepcache_proxy.tasks.linear_system.asking import Asked
from stepcache_proxy.tasks.linear_system.judging import Judged, judge, verdict_of
from stepcache_proxy.tasks.linear_system.sentences import read_sentences
from stepcache_proxy.tasks.linear_system.state import State, beginning


def check_step(asked: Asked, text: str) -> Verdict:
    """Accept only a step that is right on its own, whatever stood before it."""
    judged = judge_text(asked, text, beginning(asked.system))
    if judged is None:
        return Unknown("too long to be read")
    if isinstance(judged.verdict, Accept) and judged.state.pending:
        return Unknown("an action without its result")
    return judged.verdict


def check_answer(asked: Asked, text: str) -> Verdict:
    """Accept only an answer that is right from its first word to its last.

    Reject where something in it is wrong, or where a wanted value is not stated.
    """
    judged = judge_text(asked, text, beginning(asked.system))
    if judged is None:
        return Reject("too long to be read")
    if isinstance(judged.verdict, Reject):
        return judged.verdict
    stated = dict(judged.state.final)
    if any(name not in stated for name in asked.wanted):
        return Reject("no solution is stated")
    return verdict_of([judged.verdict, _finish(asked, judged.state)])


def judge_text(asked: Asked, text: str, state: State) -> Judged | None:
    """Every sentence in turn; None where the text is too long."""
    sentences = read_sentences(text, asked.system.names)
    if sentences is None:
        return None
    verdicts: list[Verdict] = []
    for sentence in sentences:
        judged = judge(asked.system, asked.wanted, sentence, state)
        if isinstance(judged.verdict, Reject):
            return judged
        verdicts.append(judged.verdict)
        state = judged.state
    return Judged(verdict_of(verdicts), state)


def _finish(asked: Asked, state: State) -> Verdict:
    """Whether the end is an end and the form is the one that was asked for."""
    stated = dict(state.final)
    if state.pending:
        return Unknown("an action without its result")
    if not all(stated[name] for name in asked.wanted):
        return Unknown("the solution is not simplified")
    if not state.ending & set(asked.wanted):
        return Unknown("the end is about another unknown")
    if not _is_in_form(asked, state):
        return Unknown("not the form that was asked for")
    return Accept()


def _is_in_form(asked: Asked, state: State) -> bool:
    count = len(asked.wanted)
    match asked.form:
        case Form.PLAIN:
            return True
        case Form.STEPS:
            return state.equations > count
        case Form.ANSWER:
            return state.equations <= count and set(asked.wanted) == set(
                dict(state.final)
            )
        case Form.NUMBER:
            return state.equations == 0
