"""The task family of arithmetic expressions, and the check of stated equalities."""

from stepcache_proxy.tasks.arithmetic.equalities import check_equalities
from stepcache_proxy.tasks.arithmetic.task import Arithmetic

__all__ = ["Arithmetic", "check_equalities"]
