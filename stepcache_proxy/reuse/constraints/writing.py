"""Where the very letters count: case, indentation, requests about the text itself.

Words are compared without their case and their layout, since people write "How do I"
and "how do i". That is wrong where the answer depends on the letters: the base64 of
ABC is not that of abc, and code means something else when it is indented otherwise.
"""

import re
from collections.abc import Mapping

from stepcache_proxy.reuse.constraints.lists import words
from stepcache_proxy.reuse.constraints.spelling import EVERYDAY
from stepcache_proxy.reuse.constraints.tables import FUNCTION_WORDS

_ABOUT_WRITING = words("""
    acronym alphabet alphabetical alphabetically anagram ascii autocorrect base32 base64
    bold byte bytes capitalise capitalize capitalised capitalized
    character characters checksum cipher convert-case crc32 decode decoded decodes
    decrypt encode encoded encodes encoding encrypt escape grammar hash hashed hex
    hexadecimal hyphenate italic letter letters lowercase md5 misspelled morse output
    palindrome paraphrase parse pig-latin print printed prints pronounce proofread
    punctuate punctuation regex rephrase reverse reversed rewrite rhyme rhymes rot13
    sha1 sha256 slug sort sorted spell spelled spelling spelt string substring syllable
    syllables titlecase token tokens transcribe translate translated translates
    translation transliterate typo typos unicode uppercase url-encode utf-8 vowel vowels
    whitespace word words
""")
# Written small they are still the same, for no other word is written so.
_ACRONYMS = words("""
    uk usa eu nhs vat atm gp tv pdf usb faq dvla hmrc bbc mot gcse ucas dvd gps sms diy
    cctv dna faqs html css sql url http json xml csv api cpu gpu ssd ip vpn dns isbn
    iban pdfs kpi roi crm hr ceo cfo cto phd mba gdpr rsvp asap
""")
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_INDENTED = re.compile(r"^[ \t]+\S", re.MULTILINE)
_BEFORE_WORDS = " \"'(*_"
_SENTENCE_END = ".?!:\n"
# In the middle of a clause small words are names: The Who, It, Up.
_CLAUSE_END = _SENTENCE_END + ",;-–—/"

# Word in small letters -> the ways it is written.
Forms = Mapping[str, set[str]]


def is_literal(text: str) -> bool:
    """Whether only the identical text may share the answer to this one."""
    if _INDENTED.search(text):
        return True
    return any(word.lower() in _ABOUT_WRITING for word in _WORD.findall(text))


def are_alike(a: Forms, b: Forms) -> bool:
    """Whether words in both texts are written alike, where case may mean something.

    It does not in everyday words or at the beginning of a sentence.
    """
    return all(
        b[word] == forms
        for word, forms in a.items()
        if word in b and not _is_the_same_in_capitals(word)
    )


def _is_the_same_in_capitals(word: str) -> bool:
    is_i = word[:2] in {"i", "i'", "i’"}
    return is_i or word in EVERYDAY or word in _ACRONYMS


def forms_of(text: str) -> Forms:
    """How each word is written; a capital that a sentence begins with is no sign."""
    forms: dict[str, set[str]] = {}
    for found in _WORD.finditer(text):
        word = found.group()
        at = found.start()
        while at and text[at - 1] in _BEFORE_WORDS:
            at -= 1
        before = text[at - 1] if at else ""
        ends = _CLAUSE_END if word.lower() in FUNCTION_WORDS else _SENTENCE_END
        begins = not before or before in ends
        shown = word.lower() if begins and word[1:].islower() else word
        forms.setdefault(word.lower(), set()).add(shown)
    return forms
