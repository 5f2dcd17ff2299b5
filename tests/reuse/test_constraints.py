"""Two requests pass the verbatim gate only if they ask for the same answer."""

import pytest

from stepcache_proxy.reuse.constraints import (
    ConstraintReason,
    describe,
    difference,
    read,
)
from stepcache_proxy.reuse.constraints.read import MAX_READ_CHARS

R = ConstraintReason


def pair(reason: ConstraintReason, first: str, second: str) -> object:
    return pytest.param(reason, first, second, id=f"{first} / {second}")


@pytest.mark.parametrize(
    ("reason", "first", "second"),
    [
        pair(R.NUMBER, "What is 7+2?", "What is 7+4?"),
        pair(R.NUMBER, "Can I rest after 3 laps?", "Can I rest after five laps?"),
        pair(R.NUMBER, "What is new in Python 3.10?", "What is new in Python 3.1?"),
        pair(R.NUMBER, "Who has locker 0123?", "Who has locker 123?"),
        pair(R.NUMBER, "Who was the 1st pilot?", "Who was the third pilot?"),
        pair(R.NUMBER, "Give me one rhyme", "Give me two rhymes"),
        pair(R.UNIT, "How far is 6 km?", "How far is 6 miles?"),
        pair(R.UNIT, "What does £9 buy?", "What does $9 buy?"),
        pair(R.UNIT, "A dose for a 7kg dog", "A dose for a 7lb dog"),
        pair(R.UNIT, "How many hours are left?", "How many minutes are left?"),
        pair(R.POLARITY, "May my cat come?", "May my cat not come?"),
        pair(R.POLARITY, "Delete my account", "Don't delete my account"),
        pair(R.POLARITY, "The price for guests", "The price for non-guests"),
        pair(R.POLARITY, "How do I lock the door?", "How do I unlock the door?"),
        pair(R.POLARITY, "Is my ticket valid?", "Is my ticket invalid?"),
        pair(R.POLARITY, "Bake it with yeast", "Bake it without yeast"),
        pair(R.COMPARISON, "Is a fox faster?", "Is a fox slower?"),
        pair(R.COMPARISON, "The highest peak?", "The lowest peak?"),
        pair(R.QUANTIFIER, "Is it shut on Sundays?", "Is it only shut on Sundays?"),
        pair(R.QUANTIFIER, "Do all snakes bite?", "Do some snakes bite?"),
        pair(R.NAME, "Can I pay Olga?", "Can I pay Ivan?"),
        pair(R.NAME, "Is Peru in the tropics?", "Is Iran in the tropics?"),
        pair(R.NAME, "Who directed Alien?", "Who directed Aliens?"),
        pair(R.NAME, "Is William in?", "Is Williams in?"),
        pair(R.NAME, "Who was Adam?", "who was adams?"),
        pair(R.NAME, "How old is Queen?", "How old is Queens?"),
        pair(R.NAME, "Is it far to Spring?", "Is it far to Springs?"),
        pair(R.IDENTIFIER, "what does --max-age do", "what does --max-rss do"),
        pair(R.IDENTIFIER, "what does -q do", "what does -Q do"),
        pair(R.IDENTIFIER, "Explain error E0412", "Explain error E0421"),
        pair(R.IDENTIFIER, "What is in /etc/fstab?", "What is in /etc/mtab?"),
        pair(R.IDENTIFIER, "Is 3 < 4 so?", "Is 3 > 4 so?"),
        pair(R.IDENTIFIER, "What is 5! then", "What is 5 then"),
        pair(R.IDENTIFIER, "What is getUser for?", "What is getuser for?"),
        pair(R.IDENTIFIER, "Does it help the US?", "Does it help us?"),
        pair(R.IDENTIFIER, "Is Java nice?", "Is java nice?"),
        pair(R.QUOTED, "Translate 'bread'", "Translate 'salt'"),
        pair(R.QUESTION, "Why is it green?", "Is it green?"),
        pair(R.QUESTION, "Who pays?", "When pays?"),
        pair(R.QUESTION, "You take cards.", "You take cards?"),
        pair(R.FORMAT, "Explain tides briefly", "Explain tides in detail"),
        pair(R.FORMAT, "Colours as a table", "Colours as JSON"),
        pair(R.LANGUAGE, "Wie kann ich das machen", "How can I do that"),
        pair(R.LANGUAGE, "Что это такое", "What is that"),
        pair(R.WORDS, "Wie kann ich das machen", "Wie kann ich das essen"),
        pair(R.TIME, "What is the weather today?", "What's the weather today?"),
        pair(R.TIME, "Who won last week?", "Who won last week"),
        pair(R.TIME, "The current record?", "The record?"),
        pair(R.ORDER, "Fly from Bonn to Graz", "Fly from Graz to Bonn"),
        pair(R.ORDER, "Turn 5 km to miles", "Turn 5 miles to km"),
        pair(R.ORDER, "Is tea better than milk?", "Is milk better than tea?"),
        pair(
            R.ORDER, "Move it from my desk to my bag", "Move it from my bag to my desk"
        ),
        pair(R.ORDER, "Get 2 red and 3 blue", "Get 3 red and 2 blue"),
        pair(R.ORDER, "What is (2+3)*4?", "What is 2+(3*4)?"),
        pair(R.ORDER, "Remind me to call Bea", "Remind Bea to call me"),
        pair(R.PERSONAL, "Can I see it?", "Can you see it?"),
        pair(R.PERSONAL, "What is my name?", "What is a name?"),
        pair(R.PERSONAL, "A gift for him", "A gift for her"),
        pair(R.WORDS, "How do I draw a horse?", "How do I draw a cow?"),
        pair(R.WORDS, "who directed alien", "who directed aliens"),
        pair(R.WORDS, "I saw alien. Who wrote it?", "I saw aliens. Who wrote it?"),
        pair(R.WORDS, "Adam wrote what?", "Adams wrote what?"),
        pair(R.WORDS, "Is it William's car?", "Is it Williams' car?"),
        pair(R.WORDS, "Is the guide free?", "Is the long guide free?"),
        pair(R.WORDS, "What is vitamin a for?", "What is vitamin for?"),
        pair(R.WORDS, "When did it open?", "When does it open?"),
        pair(R.WORDS, "Should I sell it?", "Can I sell it?"),
    ],
)
def test_another_question_is_refused(
    reason: ConstraintReason, first: str, second: str
) -> None:
    assert difference(first, second) == reason
    assert difference(second, first) == reason


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("Hello", "Thanks", id="courtesies"),
        pytest.param("Hello world", "world", id="greeted"),
        pytest.param(",", ";", id="nothing-said"),
        pytest.param("How do I get to Bath?", "How to Bath?", id="how-to-get-to"),
        pytest.param("How do you feel?", "How do I feel?", id="how-do-you"),
        pytest.param("Do you need sleep?", "Do I need sleep?", id="need"),
        pytest.param("Can you swim?", "Swim", id="ability"),
        pytest.param("Where is the ER?", "Where is the?", id="acronym-like-a-filler"),
        pytest.param('Is it 5"?', "Is it 5'?", id="inches-and-feet"),
        pytest.param("How do I pick a lock?", "How do I choose a lock?", id="pick"),
        pytest.param("Unlock my phone", "Unfreeze my phone", id="unfreeze-a-phone"),
        pytest.param("How do I update my cat?", "How do I change my cat?", id="update"),
        pytest.param("Is 10:30 fine?", "Is 10:03 fine?", id="times"),
        pytest.param("Is the shop close?", "Is the shop closed?", id="close"),
        pytest.param("See the manager", "See the manger", id="manger"),
        pytest.param("How is it prescribed?", "How is it proscribed?", id="proscribed"),
        pytest.param("My name is Bill", "My name is bill", id="bill"),
        pytest.param("Are tablets sold here?", "Are tables sold here?", id="tables"),
        pytest.param("I lost my contacts", "I lost my contracts", id="contracts"),
        pytest.param("Do you sell trainers?", "Do you sell trailers?", id="trailers"),
        pytest.param("How do I wash paints?", "How do I wash pants?", id="pants"),
        pytest.param("What is infection?", "What is inflection?", id="inflection"),
        pytest.param("When is swimming?", "When is slimming?", id="slimming"),
        pytest.param(
            "What is the value of eta?", "What is the value of ETA?", id="eta"
        ),
        pytest.param(
            "Is it up by 5 percentage points?", "Is it up by 5 percent?", id="points"
        ),
        pytest.param(
            "Is a company required to register?",
            "Do I need a company to register?",
            id="whose-duty",
        ),
        pytest.param("Is 5 under .5?", "Is 5 under 5?", id="point-five"),
        pytest.param("```\na = 1\n```", "```\na = 2\n```", id="code"),
        pytest.param("f() works", "f() works!", id="code-as-it-stands"),
    ],
)
def test_a_lookalike_is_refused(first: str, second: str) -> None:
    assert difference(first, second) is not None


def test_identical_texts_are_the_same_even_where_the_moment_counts() -> None:
    assert difference("What is new today?", " What is new today?\n") is None


def test_a_long_text_is_only_equal_to_itself() -> None:
    long = "word " * (MAX_READ_CHARS // 5 + 1) + "end"
    assert difference(long, long) is None
    assert difference(long, long + ".") is R.WORDS
    assert difference(long, "word") is R.WORDS


def test_a_current_account_is_not_bound_to_the_moment() -> None:
    first = "How do I open a current account?"
    assert difference(first, "What's the way to open a current account?") is None
    assert difference("Is direct current safe?", "Is direct current safe") is None


def test_the_respects_of_a_text_are_told_apart() -> None:
    text = 'Please tell me why Ann pays £30 for "tea", not 5 km --fast in one sentence?'
    told = describe(read(text))
    assert told["numbers"] == ["#30", "#5"]
    assert told["units"] == ["pound", "km"]
    assert told["polarity"] == ["not"]
    assert told["names"] == ["ann"]
    assert told["identifiers"] == ["@--fast"]
    assert told["quoted"] == ['"tea']
    assert told["question"] == ["?", "why"]
    assert "%one-sentence" in told["format"]
    assert "time_words" not in told


def test_what_cannot_be_read_is_described_as_it_stands() -> None:
    constraints = read("привет")
    assert not constraints.is_readable
    assert describe(constraints)["order"] == ["привет"]
    assert describe(constraints)["language"] == ["other"]
