"""Text -> one key for all its wordings, so that they are found without a model."""

from stepcache_proxy.reuse.constraints.read import read_mended


def wording(text: str) -> str | None:
    """What texts that ask for the same answer have in common; None: unreadable.

    Nearly all texts between which ``difference`` sees none have it in common. It
    proposes only: texts that share it may differ.
    """
    found = read_mended(text)
    # Together: one may join words that another writes apart.
    return "".join(found.order) if found.is_readable else None
