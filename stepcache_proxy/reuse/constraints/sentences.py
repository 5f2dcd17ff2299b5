"""Whole sentences that ask for the same thing, as patterns with gaps.

A pattern is read on canonical marks (see ``rewrite.py``): ``is`` for are, ``do`` for
does, singular nouns, no articles, no "do" behind a question word. ``*`` takes one
mark or more; ``{1}`` and ``{2}`` put the gaps back, in the order their roles need.
"""

from stepcache_proxy.reuse.constraints.lexer import BOUNDARIES, COMMA
from stepcache_proxy.reuse.constraints.tables import plain_words

_Pattern = tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]


def _table(lines: str) -> dict[str, list[_Pattern]]:
    """Patterns by their first word, in the order they are tried."""
    table: dict[str, list[_Pattern]] = {}
    for line in filter(str.strip, lines.splitlines()):
        left, _, right = line.partition("=")
        for wording in left.split("|"):
            parts = tuple(plain_words(part) for part in wording.split("*"))
            table.setdefault(parts[0][0], []).append((parts, plain_words(right)))
    return table


SENTENCES = _table("""
    what is covered by * | what is covered under * = what {1} cover
    what is covered in * | what is covered with * = what {1} cover
    what is included in * | what is included with * = what {1} include
    what come with * | what is part of * = what {1} include
    is * included in * | is * included with * = do {2} include {1}
    do * come with * = do {1} include {2}
    is * covered by * | is * covered under * | is * covered with * = do {2} cover {1}
    can i pay with * | can i pay by * | can i pay using * = do you accept {1}
    can i pay via * | can i pay through * | do you take * = do you accept {1}
    can i use * to pay | is * accepted | do you accept payment by * = do you accept {1}
    do you accept * payment | do you accept payment with * = do you accept {1}
    do you allow * in * | is * permitted in * = is {1} allowed in {2}
    do you permit * in * = is {1} allowed in {2}
    do you allow * at * | is * permitted at * = is {1} allowed at {2}
    do you allow * on * | is * permitted on * = is {1} allowed on {2}
    do you allow * | is * permitted = is {1} allowed
    how long will * take | how long would * take = how long {1} take
    how long should * take | how many day * take = how long {1} take
    how many day will * take | how long do it take for * = how long {1} take
    how long is * going to take = how long {1} take
    how much will it cost to * | how much would it cost to * = how much to {1}
    how much it cost to * | what it cost to * | how much is it to * = how much to {1}
    what will it cost to * | what would it cost to * = how much to {1}
    how much you charge to * | what you charge to * = how much you charge to {1}
    how much you charge for * | what you charge for * = how much you charge for {1}
    how much will you charge to * = how much you charge to {1}
    how much would you charge to * = how much you charge to {1}
    what is your charge for * | what is your fee for * = how much you charge for {1}
    how much will * cost | how much would * cost | how much * cost = price of {1}
    what will * cost | what would * cost | what * cost = price of {1}
    how much is * going to cost | how much is it for * = price of {1}
    how much it cost for * = price of {1}
    what is price of * | what is price for * | what is cost of * = price of {1}
    what is cost for * | price for * = price of {1}
    how much do i pay for * | how much do you pay for * = price of {1}
    is * needed to * | is * necessary to * = do i need {1} to {2}
    is * required for * | is * needed for * = do i need {1} for {2}
    is * necessary for * = do i need {1} for {2}
    do i require * | do i have-to have * | must i have * = do i need {1}
    is it necessary to * | must i * = do i have-to {1}
    is it compulsory to * | is it mandatory to * = do i have-to {1}
    is it required to * = do i have-to {1}
    am i required to * | will i have-to * | am i obliged to * = do i have-to {1}
    where can i find * | where i find * | where could i find * = where is {1}
    where is * located | where is * situated = where is {1}
    where can i * | where could i * = where i {1}
    who can i contact * | who should i contact * = who i contact {1}
    who can i talk to * | who should i talk to * = who i talk to {1}
    who can i call * | who should i call * = who i call {1}
    what should i do if * | what i do if * | what to do if * = what i do if {1}
    what should i do when * | what i do when * | what to do when * = what i do if {1}
    what happen if * | what will happen if * | what would happen if * = what if {1}
    how-to tell if * | how-to know if * | how-to tell whether * = how-to tell if {1}
    how-to know whether * | how-to know that * | how-to tell that * = how-to tell if {1}
    i want to * how-to do that | i want to * how-to do this = how-to {1}
    i would like to * how-to do that | i would like to * how-to do this = how-to {1}
    i have-to * how-to do that | i have-to * how-to do this = how-to {1}
    i am trying to * how-to do that | i am trying to * how-to do this = how-to {1}
    i want to * how | i have-to * how | i would like to * how = how-to {1}
    i want to * what i do | i have-to * what i do = how-to {1}
    is there charge for * | do you charge for * = is there fee for {1}
    do you charge fee for * = is there fee for {1}
    is there charge to * | do you charge to * = is there fee to {1}
    do you charge fee to * = is there fee to {1}
    who founded * | who is founder of * | who was founder of * = founder of {1}
    who invented * | who is inventor of * | who was inventor of * = inventor of {1}
    is there any * | is there * available | is * available = is there {1}
    do you have any * | do you have * available = do you have {1}
    do you provide * | can you provide * | can you offer * = do you offer {1}
    can you deliver * | will you deliver * = do you deliver {1}
    how old i have-to be to * | how old must i be to * = minimum-age to {1}
    how old should i be to * | how old you have-to be to * = minimum-age to {1}
    what age i have-to be to * | what age must i be to * = minimum-age to {1}
    what is minimum age to * | what is minimum age for * = minimum-age to {1}
    what * mean | what is meaning of * | what is meant by * = meaning of {1}
    what is definition of * = what is {1}
    who wrote * | who is author of * | who was * written by = author of {1}
    how many person live in * | what is population of * = population of {1}
    how tall is * | how high is * | what is height of * = height of {1}
    how old is * | what is age of * = age of {1}
    how heavy is * | what is weight of * | how much * weigh = weight of {1}
    how deep is * | what is depth of * = depth of {1}
    how far is it from * to * | what is distance from * to * = distance {1} to {2}
    what is distance between * and * | how far is * from * = distance {1} to {2}
    how is * different from * | how * and * differ = difference {1} from {2}
    what is difference between * and * = difference {1} from {2}
    how do * differ from * | how * differ from * = difference {1} from {2}
    how many * is there in * | how many * is in * = how many {1} in {2}
    what time is it possible to * | what time can i * = what time can i {1}
    can i safely * | would it be safe to * = is it safe to {1}
    is it possible for * to * = can {1} {2}
    would it be possible for * to * = can {1} {2}
    when is * open | what is opening hour of * | what is * opening hour = hours of {1}
    what is opening time of * | what is * opening time = hours of {1}
    what hour is * open = hours of {1}
    what is opening hour for * | what is opening time for * = hours of {1}
    how-to make * larger | how-to make * bigger = how-to enlarge {1}
    how-to increase size of * = how-to enlarge {1}
    how-to increase * size | how-to make * size larger = how-to enlarge {1}
    how-to make * size bigger = how-to enlarge {1}
    how-to make * smaller | how-to decrease size of * = how-to shrink {1}
    how-to decrease * size = how-to shrink {1}
    how-to turn * on | how-to switch on * | how-to switch * on = how-to turn on {1}
    how-to enable * | how-to activate * = how-to turn on {1}
    how-to turn * off | how-to switch off * | how-to switch * off = how-to turn off {1}
    how-to disable * | how-to deactivate * = how-to turn off {1}
    how-to make application for * = how-to apply for {1}
    how-to put in application for * = how-to apply for {1}
    how-to ask for * = how-to request {1}
    how-to call off * = how-to cancel {1}
""")


def said_plainly(marks: list[str]) -> list[str]:
    """A sentence in the canonical one of its wordings, its last boundary kept."""
    end = len(marks) - bool(marks and marks[-1] in BOUNDARIES)
    for _ in range(2):
        body = [mark for mark in marks[:end] if mark != COMMA]
        for parts, template in SENTENCES.get(body[0], ()) if body else ():
            gaps = _gaps(body, parts)
            if gaps:
                marks = [*_filled(template, gaps), *marks[end:]]
                end = len(marks) - (marks[-1] in BOUNDARIES)
                break
        else:
            break
    return marks


def _gaps(body: list[str], parts: tuple[tuple[str, ...], ...]) -> list[list[str]]:
    """What the gaps of a pattern take, the first as little as it can; [] if none."""
    first, last = parts[0], parts[-1]
    start, end = len(first), len(body) - len(last)
    if tuple(body[:start]) != first or end <= start or tuple(body[end:]) != last:
        return []
    if len(parts) == 2:
        return [body[start:end]]
    size = len(parts[1])
    for at in range(start + 1, end - size):
        if tuple(body[at : at + size]) == parts[1]:
            return [body[start:at], body[at + size : end]]
    return []


def _filled(template: tuple[str, ...], gaps: list[list[str]]) -> list[str]:
    out: list[str] = []
    for word in template:
        if word[0] == "{":
            out += gaps[int(word[1]) - 1]
        else:
            out.append(word)
    return out
