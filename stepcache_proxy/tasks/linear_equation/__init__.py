"""The task family of linear equations in one unknown."""

from stepcache_proxy.tasks.linear_equation.task import LinearEquation

__all__ = ["LinearEquation"]
