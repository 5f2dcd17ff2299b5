"""``python -m stepcache_proxy`` is ``stepcache-proxy``."""

import sys

from stepcache_proxy.cli import main

if __name__ == "__main__":
    sys.exit(main())
