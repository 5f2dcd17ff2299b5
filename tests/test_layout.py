"""The limits of style that no linter knows."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "stepcache_proxy"
TESTS = ROOT / "tests"

MAX_PACKAGE_LINES = 400
MAX_TEST_LINES = 600
MAX_FUNCTION_LINES = 50

FORBIDDEN_WORDS = frozenset(
    {"util", "utils", "helper", "helpers", "manager", "handler", "common", "misc"}
    | {"base", "data", "info", "process", "do", "impl", "v2"}
)
ALLOWED_NAMES = frozenset(
    # Overridden: the framework's names.
    {"get_route_handler", "process_redirect", "data_received"}
    | {"common_denominator", "common_factor"}  # words of arithmetic
    | {"data", "_is_data"}  # the field of a server-sent event
)
# "eval" as a method is a model's or a store's own; as a function it runs text.
FORBIDDEN_FUNCTIONS = frozenset({"eval", "exec"})
FORBIDDEN_CALLS = frozenset({"sympify", "parse_expr", "parse_latex"})

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
# Written so that this very file does not match.
_MACHINE = re.compile(
    r"(?<![\w.])/(?:work|farm|root|tmp)/[A-Za-z0-9._-]+"
    r"|py" + r"pi\.org|python" + r"hosted|registry\.npm" + r"js|deb\.debian" + r"\.org"
)


def modules(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def named(paths: list[Path]) -> list[object]:
    return [pytest.param(path, id=str(path.relative_to(ROOT))) for path in paths]


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def tracked() -> list[Path]:
    """Files that git knows or would add; where there is no git, the sources."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    names = [ROOT / name for name in listed.stdout.splitlines()]
    found = names or [*ROOT.glob("*.*"), *PACKAGE.rglob("*.py"), *TESTS.rglob("*.py")]
    return [path for path in found if path.is_file()]


@pytest.mark.parametrize("path", named(modules(PACKAGE)))
def test_a_module_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_PACKAGE_LINES


@pytest.mark.parametrize("path", named(modules(TESTS)))
def test_a_test_module_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_TEST_LINES


@pytest.mark.parametrize("path", named(modules(PACKAGE) + modules(TESTS)))
def test_a_function_is_short(path: Path) -> None:
    long = [
        f"{function.name}: {lines} lines"
        for function in functions(path)
        if (lines := (function.end_lineno or 0) - function.lineno + 1)
        > MAX_FUNCTION_LINES
    ]
    assert long == []


@pytest.mark.parametrize("path", named(modules(PACKAGE)))
def test_a_module_begins_with_what_it_is(path: Path) -> None:
    if path.stat().st_size:
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


def declares_only(module: Path) -> bool:
    """Whether there is nothing to run: names, fields and protocols."""
    bodies = [function.body for function in functions(module)]
    return all(
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        for body in bodies
        for statement in body
    )


def has_test(module: Path) -> bool:
    """A test file of its name, or of its folder's, or one beside that imports it."""
    inside = module.relative_to(PACKAGE)
    mirrored = TESTS / inside.with_name(f"test_{inside.name}")
    folders = [TESTS / parent for parent in inside.parents if parent != Path()]
    named_after = [folder.with_name(f"test_{folder.name}.py") for folder in folders]
    if any(path.is_file() for path in [mirrored, *named_after]):
        return True
    dotted = ".".join(("stepcache_proxy", *inside.with_suffix("").parts))
    imports = re.compile(rf"^(?:from|import) {re.escape(dotted)}\b", re.MULTILINE)
    beside = modules(mirrored.parent) if folders else sorted(TESTS.glob("*.py"))
    return any(imports.search(path.read_text("utf-8")) for path in beside)


@pytest.mark.parametrize(
    "path",
    named([path for path in modules(PACKAGE) if not path.name.startswith("__")]),
)
def test_a_module_has_a_test_module(path: Path) -> None:
    assert declares_only(path) or has_test(path)


def forbidden(name: str) -> bool:
    words = {word.lower() for word in _WORDS.findall(name)}
    return name not in ALLOWED_NAMES and not words.isdisjoint(FORBIDDEN_WORDS)


def defined(path: Path) -> Iterator[str]:
    yield path.stem
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


@pytest.mark.parametrize("path", named(modules(PACKAGE)))
def test_names_say_what_is_meant(path: Path) -> None:
    assert [name for name in defined(path) if forbidden(name)] == []


def runs_text(call: ast.Call) -> bool:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr in FORBIDDEN_CALLS
    return isinstance(function, ast.Name) and function.id in (
        FORBIDDEN_CALLS | FORBIDDEN_FUNCTIONS
    )


@pytest.mark.parametrize("path", named(modules(PACKAGE)))
def test_no_text_is_run_as_code(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert [ast.unparse(call) for call in calls if runs_text(call)] == []


def test_no_file_names_a_machine_or_a_registry() -> None:
    files = tracked()
    assert Path(__file__) in files
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in files
        for match in _MACHINE.finditer(path.read_text("utf-8", errors="replace"))
    ]
    assert found == []


def test_scripts_can_be_run() -> None:
    scripts = [*(ROOT / "scripts").iterdir(), ROOT / ".ci" / "run"]
    files = [path for path in scripts if path.is_file()]
    assert files
    assert [path.name for path in files if not path.stat().st_mode & 0o111] == []
