"""Settings -> YAML for people, without a secret in it."""

import re

import yaml

from stepcache_proxy.config.tree import Settings

# From the first colon after the user to the last '@': a password may hold any sign.
_PASSWORD_BEFORE_HOST = re.compile(r"(://[^:@/]*):.*@", re.DOTALL)
_PASSWORD_IN_QUERY = re.compile(r"(?<=password=)[^&#]*", re.IGNORECASE)
_MASK = "********"


def mask(url: str) -> str:
    """``url`` with every password in it replaced by stars."""
    without = _PASSWORD_BEFORE_HOST.sub(rf"\1:{_MASK}@", url)
    return _PASSWORD_IN_QUERY.sub(_MASK, without)


def show(settings: Settings) -> str:
    """The effective settings as YAML; secrets and passwords are masked."""
    tree = settings.model_dump(mode="json", by_alias=True)
    for section in ("upstream", "store"):
        tree[section]["url"] = mask(tree[section]["url"])
    return yaml.safe_dump(tree, sort_keys=False, allow_unicode=True)
