"""Ten equations to solve, and how each is changed."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from stepcache_proxy.bench.workload import Ask, solves
from stepcache_proxy.wire.jsonvalue import JsonObject

MAX_TOKENS = 200
_MODEL = "SmolLM2-135M-Instruct"
_LETTERS = "abckmnpqrstuwyz"

_BASE_WORDS = "Solve the equation {eq} for {v}. Show your steps."
_PARAPHRASES = (
    "Please solve {eq} for {v} and show your steps.",
    "Find the value of {v} in the equation {eq}. Show your steps.",
    "What is {v} if {eq}? Show your steps.",
    "Can you solve this equation for {v}: {eq}? Show your steps.",
    "I need to solve {eq} for {v}. Please show the steps.",
    "Determine {v} such that {eq}. Show your steps.",
    "Given {eq}, what is the value of {v}? Show your steps.",
    "Work out {v} from {eq} and show your steps.",
    "Help me solve {eq} for {v}, showing your steps.",
    "Which value of {v} satisfies {eq}? Show your steps.",
)
_OUTPUT_WORDINGS = (
    "Solve the equation {eq} for {v}. Explain each step.",
    "Solve the equation {eq} for {v}. Give a step-by-step solution.",
    "Solve the equation {eq} for {v}. Show all of your work.",
    "Solve the equation {eq} for {v}. Write out every step of the solution.",
    "Solve the equation {eq} for {v}. Work through it step by step.",
    "Solve the equation {eq} for {v}. Show each step and then the final answer.",
    "Solve the equation {eq} for {v}. Include all steps.",
)


@dataclass(frozen=True, slots=True)
class Equation:
    """One base: ``shape`` with coefficients ``a`` and ``b`` and the solution."""

    name: str
    shape: str
    unknown: str
    a: int
    b: int
    solution: int

    def ask(self, words: str = _BASE_WORDS) -> Ask:
        """The request in these words, with the check of its solution."""
        shown = _SHAPES[self.shape](self.a, self.b, self.solution)
        text = words.format(eq=shown.replace("@", self.unknown), v=self.unknown)
        body: JsonObject = {
            "model": _MODEL,
            "messages": [{"role": "user", "content": text}],
            "temperature": 0,
            "max_tokens": MAX_TOKENS,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        return Ask(text, body, solves(self.unknown, Fraction(self.solution)))


Change = Callable[[Equation, random.Random, int], Sequence[Ask]]
Shape = Callable[[int, int, int], str]

_SHAPES: Mapping[str, Shape] = {
    "sum": lambda a, b, s: f"{a}@ + {b} = {a * s + b}",
    "difference": lambda a, b, s: f"{a}@ - {b} = {a * s - b}",
    "product": lambda a, b, s: f"{a}(@ + {b}) = {a * (s + b)}",
    "both sides": lambda a, b, s: f"{a + 2}@ - {b} = 2@ + {a * s - b}",
    "quotient": lambda a, b, s: f"@/{a} + {b} = {Fraction(s, a) + b}",
    "negative": lambda a, b, s: f"{b} - {a}@ = {b - a * s}",
    "swapped": lambda a, b, s: f"{a * s + b} = {a}@ + {b}",
}

BASES = (
    Equation("sum", "sum", "x", 2, 3, 5),
    Equation("difference", "difference", "x", 5, 7, 5),
    Equation("larger sum", "sum", "x", 4, 6, 5),
    Equation("another letter", "difference", "n", 7, 2, 3),
    Equation("product", "product", "x", 3, 2, 5),
    Equation("both sides", "both sides", "y", 4, 4, 4),
    Equation("quotient", "quotient", "x", 4, 3, 20),
    Equation("negative", "negative", "x", 2, 9, 3),
    Equation("large", "sum", "m", 8, 5, 7),
    Equation("swapped", "swapped", "t", 6, 1, 4),
)


def _in_words(choices: Sequence[str]) -> Change:
    def change(base: Equation, dice: random.Random, count: int) -> Sequence[Ask]:
        return [base.ask(words) for words in dice.sample(choices, count)]

    return change


def _renamed(base: Equation, dice: random.Random, count: int) -> Sequence[Ask]:
    letters = dice.sample([c for c in _LETTERS if c != base.unknown], count)
    return [replace(base, unknown=letter).ask() for letter in letters]


def _with_constants(base: Equation, dice: random.Random, count: int) -> Sequence[Ask]:
    made: dict[tuple[int, int, int], Ask] = {}
    while len(made) < count:
        a, b, s = dice.randrange(2, 13), dice.randrange(1, 20), dice.randrange(2, 16)
        s = s * a if base.shape == "quotient" else s
        if (a, b, s) != (base.a, base.b, base.solution):
            made[a, b, s] = replace(base, a=a, b=b, solution=s).ask()
    return list(made.values())


CHANGES: Mapping[str, Change] = {
    "paraphrase": _in_words(_PARAPHRASES),
    "output wording": _in_words(_OUTPUT_WORDINGS),
    "variable renamed": _renamed,
    "constants changed": _with_constants,
}
