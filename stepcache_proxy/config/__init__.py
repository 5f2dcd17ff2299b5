"""Command line, environment and YAML -> one frozen tree of settings."""

from stepcache_proxy.config.load import load
from stepcache_proxy.config.show import show
from stepcache_proxy.config.tree import Settings

__all__ = ["Settings", "load", "show"]
