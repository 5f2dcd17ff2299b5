"""A step-level cache in front of any OpenAI-compatible server (StepCache).

The words used everywhere in this package:

step          ordered unit of an answer; the steps of an answer join to its text
partition     who may share steps with whom: tenant, upstream, model, parameters
constraints   what the last message demands of an answer
record        a cached canonical request with its answer as verified steps
candidate     a record that may fit a new request, with its similarity
task          a family of requests; a *verifier* is a task bound to one request
verdict       Accept, Reject or Unknown, for one step or one answer
decision      Reuse, Patch(region) or SkipReuse(reason)
region        contiguous run of steps that are not accepted
repair        one attempt to regenerate a region or the members of an object
fallback      the deterministic right answer, where a task has one
stitch        steps -> answer, followed by the integrity check of the whole
outcome       exact, reuse, patch, skip, miss, coalesced or bypass

Start reading at ``stepcache_proxy/reuse/pipeline.py``.
"""

__version__ = "1.2.0"
