"""What a process holds: memory and file descriptors, read from /proc."""

import re
from dataclasses import dataclass
from pathlib import Path
from statistics import median

_RSS = re.compile(r"^VmRSS:\s+(\d+) kB", re.MULTILINE)
_MOST_GROWTH = 1.08
_SLACK_MIB = 12
_SLACK_DESCRIPTORS = 16


@dataclass(frozen=True, slots=True)
class Sample:
    """One look at a process, at ``at`` seconds of the run."""

    at: float
    rss_mib: float
    descriptors: int


def look(pid: int, at: float) -> Sample:
    """A sample of a live process."""
    process = Path("/proc") / str(pid)
    found = _RSS.search((process / "status").read_text())
    rss = int(found[1]) / 1024 if found else 0.0
    return Sample(at, rss, len(list((process / "fd").iterdir())))


def summary(samples: list[Sample]) -> dict[str, dict[str, float]]:
    """Medians at the start (after warm-up), in the middle and at the end."""
    third = max(1, len(samples) // 6)
    warm = samples[len(samples) // 3 :]
    middle = len(warm) // 2
    parts = {
        "start": warm[:third],
        "middle": warm[middle : middle + third],
        "end": warm[-third:],
    }
    return {name: _medians(part) for name, part in parts.items()}


def faults(figures: dict[str, dict[str, float]]) -> list[str]:
    """What has grown between the start and the end of the run."""
    start, end = figures["start"], figures["end"]
    found: list[str] = []
    if end["rss_mib"] > start["rss_mib"] * _MOST_GROWTH + _SLACK_MIB:
        found.append(f"memory grew: {start['rss_mib']} -> {end['rss_mib']} MiB")
    if end["descriptors"] > start["descriptors"] + _SLACK_DESCRIPTORS:
        found.append(
            f"descriptors grew: {start['descriptors']:g} -> {end['descriptors']:g}"
        )
    return found


def _medians(part: list[Sample]) -> dict[str, float]:
    return {
        "at_s": round(median(s.at for s in part)),
        "rss_mib": round(median(s.rss_mib for s in part), 1),
        "descriptors": median(s.descriptors for s in part),
    }
