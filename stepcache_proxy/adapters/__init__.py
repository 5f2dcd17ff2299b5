"""The outside world behind the seams of ``reuse/protocols.py``."""
