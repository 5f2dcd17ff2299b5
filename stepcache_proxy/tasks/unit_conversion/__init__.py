"""The task family of unit conversions by exactly defined factors."""

from stepcache_proxy.tasks.unit_conversion.task import UnitConversion

__all__ = ["UnitConversion"]
