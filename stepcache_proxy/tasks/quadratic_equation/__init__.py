"""The task family of quadratic equations in one unknown with rational roots."""

from stepcache_proxy.tasks.quadratic_equation.task import QuadraticEquation

__all__ = ["QuadraticEquation"]
