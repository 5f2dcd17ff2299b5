"""Words of requests and worked answers about systems; all others are unread."""

import re

from stepcache_proxy.tasks.linear_equation import wording as one


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SYSTEM_OF = re.compile(
    r"\b(?:(?:system|pair|set) of (?:(?:these|the|following|two|linear|simultaneous) )*"
    r"equations|(?:linear )?system|simultaneous (?:linear )?equations)\b"
)
BOTH_OF_TWO = re.compile(
    r"\b(?:two|both)(?: the)?(?: unknown)?"
    r" (?=(?:linear )?(?:equations?|variables|unknowns)\b)"
    r"|\bboth (?=VALUE and VALUE\b)"
)

ASKING_WORDS = one.ASKING_WORDS | _words("simultaneously variables unknowns together")
SCOPE_WORDS = one.SCOPE_WORDS
GIVEN_WORDS = _words("start starting begin beginning given")

ANSWER_WORDS = (
    one.ANSWER_WORDS
    - one.PART_WORDS
    - one.GONE_WORDS
    - _words("""
    fraction fractions denominator denominators decimal decimals parentheses parenthesis
    brackets bracket coefficients constants like
    """)
) | _words("""
    system systems pair two variables unknowns simultaneous simultaneously unique
    substitution elimination method express expressed expressing rearrange rearranging
    rearranged expression put puts putting into standard form back eliminates
    eliminated together new resulting known use using them
    """)

SUBSTITUTE_WORDS = _words("""
    substitute substituting substituted substitutes plug plugging put putting insert
    inserting
    """)
CHECK_WORDS = _words("check checking verify verifying verification verified")
FINAL_WORDS = _words("answer solution value result")
SOLVE_WORDS = _words(
    "solve solving find finding isolate isolating express expressing get for"
)
ELIMINATE_WORDS = _words(
    "eliminate eliminates eliminating eliminated cancel cancels cancelling remove"
    " removing"
)
