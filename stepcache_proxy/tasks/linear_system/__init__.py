"""The task family of systems of two linear equations in two unknowns."""

from stepcache_proxy.tasks.linear_system.task import LinearSystem

__all__ = ["LinearSystem"]
