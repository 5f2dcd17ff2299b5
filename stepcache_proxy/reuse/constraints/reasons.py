"""Why two requests do not ask for the same answer: tokens of the contract."""

from enum import StrEnum


class ConstraintReason(StrEnum):
    """The first respect in which two requests differ."""

    NUMBER = "constraint:number"
    UNIT = "constraint:unit"
    POLARITY = "constraint:polarity"
    COMPARISON = "constraint:comparison"
    QUANTIFIER = "constraint:quantifier"
    NAME = "constraint:name"
    IDENTIFIER = "constraint:identifier"
    QUOTED = "constraint:quoted"
    QUESTION = "constraint:question"
    FORMAT = "constraint:format"
    LANGUAGE = "constraint:language"
    TIME = "constraint:time"
    ORDER = "constraint:order"
    WORDS = "constraint:words"
    PERSONAL = "constraint:personal"
