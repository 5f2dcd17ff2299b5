"""``stepcache-proxy eval``: labelled files through the real pipeline, offline."""

from stepcache_proxy.bench.evaluate.command import main

__all__ = ["main"]
