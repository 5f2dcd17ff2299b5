"""Families of requests whose answers can be checked, one module or folder each."""
