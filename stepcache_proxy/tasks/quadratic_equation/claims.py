"""Claims in prose: "is", "are" and "has" only where we know what they say.

Every word of "the roots are equal" or "all values are solutions" is a word of right
answers, too. So a sentence may say that something *is* something only in one of these
ways; a formula beside the verb is judged for itself.
"""

import re

from stepcache_proxy.reuse.constraints.lists import words

_THIS = r"(?:(?:the|this|it|our|given|original|quadratic) )*(?:equation )?"
_ROOTS = r"(?:solutions?|roots?|zeros|answers?|values?)"
_KIND = r"(?:(?:distinct|different|real|rational) )*"
_OF = r"(?: (?:of|to|for) (?:(?:the|this|given|original|quadratic) )*equation)?"

_KNOWN = tuple(
    re.compile(rf"\b{pattern}(?!\S)")
    for pattern in (
        r"equal to (?:zero|MATH)",
        r"(?:must|can) be(?: equal to)? (?:zero|MATH)",
        rf"{_THIS}has (?:exactly )?two {_KIND}(?:solutions|roots)",
        rf"{_THIS}has a (?:double|repeated) (?:root|solution)",
        rf"{_THIS}is (?:a quadratic equation|in standard form)",
        rf"(?:both|these|the) {_ROOTS} (?:are correct|satisfy {_THIS[:-1]}"
        r"|work|works|check)",
        rf"MATH (?:is|are)(?: indeed)? (?:(?:both|the|a|two|final|double|repeated"
        rf"|{_KIND[3:-2].rstrip()}) )*{_ROOTS}{_OF}",
        rf"has (?:(?:the|two|distinct|real) )*{_ROOTS} MATH",
        rf"{_ROOTS}{_OF} (?:is|are)(?: given by| then| therefore)? (?:, )*(?:MATH|$)",
        r"(?:discriminant|product|sum|numbers|factors|form|equation|root|here|this|that"
        r"|it|which|VALUE|pair|these) (?:is|are|equals|becomes)(?: then)? (?:, )*MATH",
        r"(?:these|the|two)(?: two)? (?:numbers|factors) are (?:, )*$",
        r"which is (?:true|correct)",
        r"zero product property",
    )
)
_CLAIMING = words("""
    is are be been being was equal equals has become becomes hold holds works satisfy
    satisfies true correct product sum zero
""")
_ROLE = re.compile(r"\b(?:product|sum|multiply|multiplies|add|adds)\b[^,]{0,30}MATH")


def claims_unknown(spelled: str) -> bool:
    """Whether a sentence says that something is something in a way not known here.

    ``spelled`` has MATH for every formula, VALUE for the unknown's name, a comma for a
    pause.
    """
    rest = f"{spelled} "
    for known in _KNOWN:
        rest = known.sub("MATH", rest)
    rest = _ROLE.sub("MATH", rest)
    return not _CLAIMING.isdisjoint(rest.split())
