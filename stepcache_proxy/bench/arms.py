"""The ways to the model that the benchmark compares, each a set of switches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from stepcache_proxy.errors import ConfigError

DIRECT = "direct"
SEMANTIC = "semantic"


@dataclass(frozen=True, slots=True)
class Arm:
    """One way to the model; ``settings`` are those of its proxy, if it has one."""

    name: str
    about: str
    settings: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def has_proxy(self) -> bool:
        """Whether a proxy of ours stands in between."""
        return self.name not in {DIRECT, SEMANTIC}


ARMS = (
    Arm(DIRECT, "straight to the upstream"),
    Arm("full", "the proxy with its defaults"),
    Arm(
        "exact",
        "identical requests only, answers as they come",
        {
            "reuse.mode": "exact",
            "tasks.linear_equation.correct": "false",
            "tasks.json_object.correct": "false",
        },
    ),
    Arm(SEMANTIC, "the nearest answer from cosine 0.85 on, whole and unverified"),
    Arm("no-derive", "without exact derivation", {"reuse.derive": "false"}),
    Arm("no-patch", "without patching", {"reuse.patch": "false"}),
)


def chosen(names: str | None) -> tuple[Arm, ...]:
    """The arms named in a comma-separated list, all for None; may raise ConfigError."""
    if names is None:
        return ARMS
    by_name = {arm.name: arm for arm in ARMS}
    wanted: Sequence[str] = [name.strip() for name in names.split(",") if name.strip()]
    for name in wanted:
        if name not in by_name:
            msg = f"bench: --arms: {name} is none of {', '.join(by_name)}"
            raise ConfigError(msg)
    return tuple(by_name[name] for name in dict.fromkeys(wanted))
