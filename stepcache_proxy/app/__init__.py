"""The one place that knows every concrete class: parts, application, server."""

from stepcache_proxy.app.records import (
    export_records,
    import_records,
    purge_records,
)
from stepcache_proxy.app.server import serve

__all__ = ["export_records", "import_records", "purge_records", "serve"]
