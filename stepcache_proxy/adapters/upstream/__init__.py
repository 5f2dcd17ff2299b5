"""The model server behind the proxy: raw relays, generation, continuation."""

from stepcache_proxy.adapters.upstream.client import HttpUpstream
from stepcache_proxy.adapters.upstream.response import UpstreamResponse

__all__ = ["HttpUpstream", "UpstreamResponse"]
