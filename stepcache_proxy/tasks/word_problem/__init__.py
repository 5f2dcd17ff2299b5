"""The task family of word problems: a worked answer, worked anew for other numbers."""

from stepcache_proxy.tasks.word_problem.task import WordProblem

__all__ = ["WordProblem"]
