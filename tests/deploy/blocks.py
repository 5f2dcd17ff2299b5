"""The code blocks of the documents."""

import re
from dataclasses import dataclass

from tests.deploy.tools import ROOT

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: where it is, its language and its text."""

    page: str
    number: int
    language: str
    text: str

    @property
    def id(self) -> str:
        return f"{self.page}-{self.number}-{self.language}"


def blocks(*languages: str) -> list[Block]:
    """Every block in one of ``languages``, of the README and of docs/."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [
        Block(str(page.relative_to(ROOT)), number, language, text)
        for page in pages
        for number, (language, text) in enumerate(
            _BLOCK.findall(page.read_text("utf-8"))
        )
        if language in languages
    ]


def block(page: str, language: str) -> str:
    """The text of the first block in ``language`` on ``page``."""
    found = [one for one in blocks(language) if one.page == page]
    return found[0].text
