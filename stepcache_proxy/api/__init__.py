"""HTTP in and out: the cached endpoints, the pass-through and the admin API."""
