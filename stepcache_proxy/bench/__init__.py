"""Workloads and measurements that anybody can run: demo, bench, eval."""
