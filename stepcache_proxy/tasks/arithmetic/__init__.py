"""The task family of arithmetic expressions, and the check of stated equalities."""

from stepcache_proxy.tasks.arithmetic.equalities import check_equalities

__all__ = ["check_equalities"]
