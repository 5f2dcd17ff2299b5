r"""How often may a record be wrong? Its observations -> whether it may still serve.

Some answers are served unproved: no verifier could check them, the gate found no
difference between the two questions. Each such record carries its own history: shadow
checks and feedback observe that a served answer was right or wrong. This module says
whether that history still supports the claim "wrong at most ``max_error`` of the time".

Let the record be wrong with probability e at each use, independently. Of n observations
w were wrong. The one-sided 95 % upper confidence bound of e (Clopper and Pearson,
Biometrika 26, 1934) is the e at which seeing w or fewer wrong ones has become as
unlikely as 5 %:

    P(X <= w | n, e) = \sum_{k<=w} C(n, k) e^k (1 - e)^{n-k} = 0.05

This is the 0.95 quantile of Beta(w + 1, n - w). The left side falls as e grows, so
"the bound is at most ``max_error``" is "the left side at ``max_error`` is at most
0.05", and no quantile is needed to decide.

A new record has no observations, and without any nothing could ever be served. It
starts with PRIOR_RIGHT pseudo-observations, none wrong: a bound of 1 - 0.05^{1/300} =
0.00994, just under the default. One wrong observation raises it to 0.0157; 172 right
ones bring it below 0.01 again.

How many to start with is a choice, and more than has been measured. A use is an answer
that was served, and of those the gate has 50 on public pairs, none wrong: by itself a
bound of 0.058. That it served none of many more traps speaks of another share (served
of traps, not wrong of served); it gives 0.7 % to 5.7 % wrong of served where traps and
rewordings are equally frequent, by which traps are counted (``docs/safety.md``). An
operator who trusts only measured answers sets ``max_error`` lower: below 0.00994 no
unproved answer is served from a record until it has been found right often enough.

That a bound may be learned per record is the idea of vCache (arXiv 2502.03771); its
statistics (a logistic curve over the similarity, per embedding) are others. Similarity
takes no part here: it retrieves and never decides.
"""

import math

from stepcache_proxy.reuse.model import Observations

CONFIDENCE = 0.95
PRIOR_RIGHT = 300
MOST_WRONG = 1_000
"""With more wrong observations a record is refused without a calculation."""


def may_serve(seen: Observations, max_error: float) -> bool:
    """Whether the upper bound of the error is at most ``max_error``.

    Falls with every wrong observation, rises with every right one, and with
    ``max_error``. 0 or less serves nothing, 1 or more everything.
    """
    if max_error >= 1 or max_error <= 0:
        return max_error >= 1
    wrong, count = max(0, seen.wrong), _count(seen)
    # At its mean and above, the distribution function is far from 5 %.
    if wrong > MOST_WRONG or wrong >= count * max_error:
        return False
    return _at_most(wrong, count, max_error) <= 1 - CONFIDENCE


def upper_bound(seen: Observations) -> float:
    """The bound itself, to nine digits, for people; ``may_serve`` does not need it."""
    wrong, count = min(max(0, seen.wrong), MOST_WRONG), _count(seen)
    low, high = 0.0, 1.0
    for _ in range(32):
        middle = (low + high) / 2
        if _at_most(wrong, count, middle) <= 1 - CONFIDENCE:
            high = middle
        else:
            low = middle
    return high


def _count(seen: Observations) -> int:
    return PRIOR_RIGHT + max(0, seen.right) + max(0, seen.wrong)


def _at_most(wrong: int, count: int, error: float) -> float:
    """P(X <= wrong) for X binomial(count, error), 0 < error < 1."""
    yes, no = math.log(error), math.log1p(-error)
    whole = math.lgamma(count + 1)
    total = 0.0
    for k in range(wrong + 1):
        ways = whole - math.lgamma(k + 1) - math.lgamma(count - k + 1)
        total += math.exp(ways + k * yes + (count - k) * no)
    return min(total, 1.0)
