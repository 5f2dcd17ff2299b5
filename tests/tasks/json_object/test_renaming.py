"""A key is renamed only where nothing but the style of writing changed."""

import pytest

from stepcache_proxy.tasks.json_object.renaming import renamed, renames, words_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("firstName", "first_name"),
        ("FirstName", "first-name"),
        ("FIRST_NAME", "first name"),
        ("userID", "user_id"),
        ("HTTPStatus", "http_status"),
        ("line2", "line_2"),
    ],
)
def test_styles_of_one_name_are_the_same(one: str, other: str) -> None:
    assert renames([one, "x"], [other, "x"]) == {one: other}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("name", "title"),
        ("firstname", "first_name"),
        ("c", "c++"),
        ("price", "prices"),
        ("prénom", "prenom"),
        ("line1", "line2"),
    ],
)
def test_other_words_are_other_names(one: str, other: str) -> None:
    assert renames([one], [other]) == {}


def test_a_key_that_could_be_two_is_not_renamed() -> None:
    assert renames(["firstName", "first-name"], ["first_name"]) == {}


def test_a_key_that_stays_is_not_renamed() -> None:
    assert renames(["a_b", "aB"], ["aB", "A_B"]) == {"a_b": "A_B"}
    assert renames(["aB"], ["aB", "a_b"]) == {}


def test_renaming_keeps_order_and_values() -> None:
    assert list(renamed({"a": 1, "bC": 2}, {"bC": "b_c"}).items()) == [
        ("a", 1),
        ("b_c", 2),
    ]


def test_signs_are_not_words() -> None:
    assert words_of("c++") == ()
