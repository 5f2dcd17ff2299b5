"""Another wording of the same request passes the verbatim gate."""

import pytest

from stepcache_proxy.reuse.constraints import difference


def same(first: str, second: str) -> object:
    return pytest.param(first, second, id=f"{first} / {second}")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        same("How do I dye wool?", "how do i dye wool"),
        same("How do I dye wool?", "HOW DO I DYE WOOL?"),
        same("How do I dye wool?", "How do I dye wool ??"),
        same("How do I dye wool?", "Hi there, how do I dye wool?"),
        same("How do I dye wool?", "Hello! How do I dye wool? Many thanks."),
        same("How do I dye wool?", "so um how do i dye wool, please"),
        same("How do I dye wool?", "How do I dye wool? Thanks!"),
        same("How do I dye wool?", "Sorry, silly question, but how do I dye wool?"),
        same("How do I dye wool?", "yeah how do i um dye wool"),
        same("Is VAT due on wool in the UK?", "is vat due on wool in the uk"),
        same("Why are the evenings cold?", "Why are the evenigns cold?"),
        same(
            "How do two wools have a difference?", "How do two wools have a diffrence?"
        ),
        same("What are the drawbacks of wool?", "What are the downsides of wool?"),
        same("How do I dye wool?", "How do I dye wool, many thanks?"),
        same("How do I dye wool?", "How can I dye wool?"),
        same("How do I dye wool?", "How do I go about dyeing wool?"),
        same("How do I make soap?", "What's the method for making soap?"),
        same("How do I stop a leak?", "What are the steps for stopping a leak?"),
        same("How do I run a race?", "What's the procedure for running a race?"),
        same("How do I dye wool?", "Can you tell me how to dye wool?"),
        same("How do I dye wool?", "Could you please tell me, how do I dye wool?"),
        same("How do I dye wool?", "I want to know how to dye wool"),
        same("How do I dye wool?", "I want to dye wool. How do I do that?"),
        same("What is the fee?", "What's the fee?"),
        same("What is the fee?", "Do you know what the fee is?"),
        same("Where is the exit?", "Tell me where the exit is"),
        same("Where is the exit?", "Where can I find the exit?"),
        same("Can I leave early?", "Is it possible to leave early?"),
        same("I can't sleep, why?", "I cannot sleep, why?"),
        same("He doesn't eat", "he does not eat"),
        same("How do I get rid of moss?", "How do I remove moss?"),
        same("How do I purchase a car?", "How do I buy an automobile?"),
        same("How do I reserve a seat?", "How do I book a seat?"),
        same("How do I change my email?", "How can I update my e-mail?"),
        same("How do I freeze my card?", "How do I lock my card?"),
        same("How do I turn on the lamp?", "How do I switch the lamp on?"),
        same("Can I move £20 out?", "Can I transfer twenty pounds out?"),
        same("What does the plan cover?", "What's covered by the plan?"),
        same("Is tea included in the fare?", "Does the fare include tea?"),
        same("Can I pay with Foopay?", "Do you accept Foopay?"),
        same("How much does a lamp cost?", "What is the price of a lamp?"),
        same("How much is it to mend a pan?", "What does it cost to repair a pan?"),
        same("How long does baking take?", "How long will baking take?"),
        same("Do I need a hat to fish?", "Is a hat necessary to fish?"),
        same("What do I do if it rains?", "What should I do if it rains?"),
        same("Which hats do I need?", "What hats do I need?"),
        same("What is 15% of 80?", "Calculate fifteen percent of 80"),
        same("How wide are 1,200 beads?", "How wide are 1200 beads?"),
        same("What does a 15-year-old eat?", "What does a 15 year old eat?"),
        same("How old must I be to vote?", "What's the minimum age to vote?"),
        same("Is there a bus to Ely on Monday?", "On Monday, is there a bus to Ely?"),
        same("For a visa, what do I pay?", "What do I pay for a visa?"),
        same("For a long visa what do I pay?", "What do I pay for a long visa?"),
        same("If I quit, can I return?", "Can I return if I quit?"),
        same("Solve 3x + 1 = 7, step by step", "Solve 3x+1=7 and show your steps."),
        same("Solve 3x + 1 = 7", "Can you solve 3x + 1 = 7?"),
        same("Who wrote Dune?", "Who is the author of Dune?"),
        same("How tall is the tower?", "What is the height of the tower?"),
        same("the dogs' bowls", "the dogs bowl"),
        same("Is there a call-out fee?", "Is there a callout fee?"),
        same("my favourite colour", "my favorite color"),
        same("How do I how do i sew?", "How do I how do I sew?"),
        same("What is is a crane?", "What is a crane?"),
        same("Do you have any rooms?", "Have you got any rooms?"),
        same("How do I run away?", "hwo do i run away"),
        same("I can’t sew, why?", "I can't sew, why?"),
        same("You're late, so we'd wait", "You are late, so we would wait"),
        same("Isn't he ill?", "is not he ill?"),
        same("What's in https://a.example/b?", "What is in https://a.example/b?"),
        same("Is two hundred enough?", "Is 200 enough?"),
        same("Is thirty thousand enough?", "Is 30000 enough?"),
        same("Are the berries ripe?", "Are berries ripe?"),
        same("How many boxes for a berry?", "How many box for berries?"),
        same("What is the way to fencing?", "How do I fencing?"),
        same("Yes, how do I sew, by hand?", "How do I sew, by hand?"),
        same("In May, in Rome, is it hot?", "In May in Rome is it hot?"),
        same("Tell me, please.", "tell me"),
    ],
)
def test_the_same_question_in_other_words_is_the_same(first: str, second: str) -> None:
    assert difference(first, second) is None
    assert difference(second, first) is None


@pytest.mark.parametrize(
    "typed",
    [
        pytest.param("Where is my perscription from the hospital?", id="swapped"),
        pytest.param("Where is my prescripton from the hospital?", id="left-out"),
        pytest.param("Where is my prescripttion from the hospital?", id="doubled"),
        pytest.param("Where is my prescribtion from the hospital?", id="changed"),
        pytest.param("Where is my perscription from the hosiptal?", id="two-slips"),
    ],
)
def test_a_slip_of_the_keyboard_changes_nothing(typed: str) -> None:
    assert difference("Where is my prescription from the hospital?", typed) is None


@pytest.mark.parametrize(
    "typed",
    [
        pytest.param("Where is my proscription from the hospital?", id="another-word"),
        pytest.param("Where is my rescription from the hospital?", id="first-letter"),
        pytest.param("Where is my Prescripton from the hospital?", id="like-a-name"),
        pytest.param("Whree is my perscription from the hosiptla?", id="too-many"),
        pytest.param("Where is my prescri tion from the hospital?", id="in-two"),
    ],
)
def test_what_may_be_another_word_is_not_a_slip(typed: str) -> None:
    assert difference("Where is my prescription from the hospital?", typed) is not None
