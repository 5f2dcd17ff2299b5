"""The task ``json_object``: structured output, checked, mended, asked for in parts."""

from stepcache_proxy.tasks.json_object.task import JsonObjectTask

__all__ = ["JsonObjectTask"]
