"""Where settings come from, and one clear line for every fault in them."""

import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import EnvSettingsSource, SettingsError

from stepcache_proxy.config.tree import (
    BUILT_IN_TASKS,
    DELIMITER,
    PREFIX,
    Settings,
)
from stepcache_proxy.errors import ConfigError
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

_NEEDED = (
    "upstream.url: is required; give --upstream URL, set"
    f" {PREFIX}UPSTREAM{DELIMITER}URL, or write it in the file named by --config"
)
_MAX_SHOWN = 60


def load(
    cli_overrides: Mapping[str, Json],
    config_path: Path | None = None,
    *,
    needs_upstream: bool = True,
) -> Settings:
    """The settings in force: command line over environment over file over default.

    Keys of ``cli_overrides`` are dotted (``server.port``); a value of None is unset,
    as are an empty environment variable and a null in the file. Raises ConfigError
    with one line for every fault found, each naming its setting and the mend.
    """
    overrides = _nested(cli_overrides)
    environment = _environment()
    file = _file(config_path) if config_path is not None else {}
    merged = _merge(_merge(file, environment), overrides)
    origins = (
        (overrides, "the command line"),
        (environment, "the environment"),
        (file, str(config_path)),
    )
    faults = [*_unknown_sections(), *_unknown_tasks(merged)]
    if needs_upstream and not _has(merged, ("upstream", "url")):
        faults.append(_NEEDED)
    try:
        settings = Settings.model_validate(merged)
    except ValidationError as error:
        faults += [_fault(one, origins) for one in error.errors()]
    else:
        if not faults:
            return settings
    raise ConfigError(*dict.fromkeys(faults))


def _unknown_tasks(merged: JsonObject) -> Iterator[str]:
    points = entry_points(group="stepcache_proxy.tasks")
    known = sorted({point.name for point in points} | set(BUILT_IN_TASKS))
    tasks = merged.get("tasks")
    for name in tasks if isinstance(tasks, Mapping) else ():
        if name not in known:
            yield f"tasks.{name}: there is no such task{_near(name, known)}"


def _nested(dotted: Mapping[str, Json]) -> JsonObject:
    tree: JsonObject = {}
    for name, value in dotted.items():
        branch: Json = value
        for part in reversed(name.split(".")):
            branch = {part: branch}
        assert isinstance(branch, Mapping)
        tree = _merge(tree, branch)
    return tree


def _merge(below: JsonObject, above: JsonObject) -> JsonObject:
    merged = dict(below)
    for name, value in above.items():
        under = merged.get(name)
        if isinstance(value, Mapping) and isinstance(under, Mapping | None):
            merged[name] = _merge(under or {}, value)
        elif value is not None:
            merged[name] = value
    return merged


def _environment() -> JsonObject:
    try:
        return EnvSettingsSource(Settings)()
    except SettingsError as error:
        section = str(error).split('"')[1]
        example = f"{PREFIX}{section.upper()}{DELIMITER}NAME"
        msg = f"{section}: set its members one by one, as {example}"
        raise ConfigError(msg) from None


def _unknown_sections() -> Iterator[str]:
    """A misspelt section would go unnoticed: pydantic looks for known names only.

    Names without the delimiter are left alone: Kubernetes sets STEPCACHE_PORT and
    the like for a service that is called stepcache.
    """
    for variable in sorted(os.environ):
        upper = variable.upper()
        section, delimiter, rest = (
            upper.removeprefix(PREFIX).lower().partition(DELIMITER)
        )
        if not upper.startswith(PREFIX) or not delimiter or not os.environ[variable]:
            continue
        if section not in Settings.model_fields:
            dotted = f"{section}.{rest.replace(DELIMITER, '.')}"
            yield f"{dotted}: unknown setting{_near(section, Settings.model_fields)}"


def _file(path: Path) -> JsonObject:
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        msg = f"--config: cannot read {path}: {error.strerror}"
        raise ConfigError(msg) from None
    except UnicodeDecodeError:
        msg = f"--config: {path} is not UTF-8 text"
        raise ConfigError(msg) from None
    except yaml.YAMLError as error:
        msg = f"--config: {path} is not YAML{_place(error)}"
        raise ConfigError(msg) from None
    if content is None:
        return {}
    if not isinstance(content, dict):
        msg = f"--config: {path} must hold sections such as 'upstream:'"
        raise ConfigError(msg)
    return _merge({}, {str(name): value for name, value in content.items()})


def _place(error: yaml.YAMLError) -> str:
    mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
    return f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""


def _fault(error: ErrorDetails, origins: Sequence[tuple[JsonObject, str]]) -> str:
    path = tuple(str(part) for part in error["loc"])
    where = next((f" (from {name})" for tree, name in origins if _has(tree, path)), "")
    return f"{'.'.join(path)}: {_mend(error, path)}{where}"


def _has(tree: Json, path: Sequence[str]) -> bool:
    for part in path:
        if not isinstance(tree, Mapping) or part not in tree:
            return False
        tree = tree[part]
    return True


def _mend(error: ErrorDetails, path: Sequence[str]) -> str:
    if error["type"] == "extra_forbidden":
        return f"unknown setting{_near(path[-1], _siblings(path))}"
    if error["type"] in {"model_type", "model_attributes_type", "mapping_type"}:
        return "is a section; write its settings indented below it"
    if error["type"] == "value_error":
        return error["msg"].removeprefix("Value error, ")
    if error["type"] in {"too_short", "string_too_short"}:
        return "must not be empty"
    said = error["msg"].removeprefix("Input ")
    return said + _shown(error, path)


def _shown(error: ErrorDetails, path: Sequence[str]) -> str:
    value = error["input"]
    if path[-1] in {"url", "token"} or not isinstance(value, str | int | float):
        return ""
    text = repr(value)
    return f", not {text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + '…'}"


def _siblings(path: Sequence[str]) -> Sequence[str]:
    section = Settings.model_fields.get(path[0])
    if len(path) == 1 or section is None:
        return tuple(Settings.model_fields)
    if path[0] == "tasks":
        return ("enabled", "correct")
    fields = type(section.default).model_fields
    return tuple(field.alias or name for name, field in fields.items())


def _near(name: str, known: Sequence[str] | Mapping[str, object]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    if near:
        return f"; did you mean {near[0]}?"
    return "; known here: " + ", ".join(known)
