"""The commands and their options; an option for a setting carries its dotted name."""

import argparse
from pathlib import Path
from typing import NoReturn

from stepcache_proxy import __version__

PROGRAM = "stepcache-proxy"

_DEMO = "start a small real model, the store and the proxy, and show what it does"


class _OneLineParser(argparse.ArgumentParser):
    """A parser that complains in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{PROGRAM}: {message} (see {self.prog} --help)\n")


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; ``command`` names what was chosen."""
    root = _OneLineParser(
        prog=PROGRAM,
        description="A step-level cache in front of any OpenAI-compatible server.",
        allow_abbrev=False,
    )
    root.add_argument("--version", action="version", version=__version__)
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, about: str) -> argparse.ArgumentParser:
        return commands.add_parser(
            name, help=about, description=about, allow_abbrev=False
        )

    _add_settings(command("serve", "run the proxy"))
    _add_settings(command("check-config", "print the settings in force"))
    _add_demo(command("demo", _DEMO))
    _add_bench(command("bench", "measure the cache on a perturbed workload"))
    _add_eval(command("eval", "run labelled data through the pipeline"))
    _add_records(command("export", "write all records as JSON lines"))
    _add_records(command("import", "read records from JSON lines"))
    _add_purge(command("purge", "remove records"))
    return root


def _add_settings(to: argparse.ArgumentParser) -> None:
    for option, setting, metavar, about in (
        ("--upstream", "upstream.url", "URL", "root of an OpenAI-compatible server"),
        ("--host", "server.host", "H", "address to listen on"),
        ("--port", "server.port", "P", "port to listen on"),
        ("--redis-url", "store.url", "URL", "a Redis or Valkey server as store"),
        ("--data-dir", "store.data_dir", "DIR", "folder of the embedded store"),
        ("--workers", "server.workers", "N", "number of server processes"),
    ):
        to.add_argument(option, dest=setting, metavar=metavar, help=about)
    _add_config(to)


def _add_config(to: argparse.ArgumentParser) -> None:
    to.add_argument("--config", type=Path, metavar="FILE", help="settings as YAML")


def _add_json(to: argparse.ArgumentParser) -> None:
    to.add_argument(
        "--json", type=Path, metavar="FILE", help="also write the result as JSON"
    )


def _add_demo(to: argparse.ArgumentParser) -> None:
    to.add_argument(
        "--keep", action="store_true", help="leave everything running until Ctrl-C"
    )
    _add_json(to)


def _add_bench(to: argparse.ArgumentParser) -> None:
    to.add_argument(
        "--upstream",
        metavar="URL",
        help="instead of the bundled model; scripted for a scripted server",
    )
    to.add_argument("--seeds", default="42,43,44", metavar="N,N", help="%(default)s")
    to.add_argument("--arms", metavar="NAME,NAME", help="instead of all arms")
    to.add_argument(
        "--requests", type=int, metavar="N", help="only the first N of each seed"
    )
    to.add_argument("--out", type=Path, metavar="DIR", help="folder for the reports")
    # Makes the scripted upstream faster, for tests; never for published figures.
    to.add_argument("--speed", type=float, default=1.0, help=argparse.SUPPRESS)
    _add_json(to)


def _add_eval(to: argparse.ArgumentParser) -> None:
    to.add_argument("files", nargs="+", type=Path, metavar="FILE.jsonl")
    _add_json(to)


def _add_records(to: argparse.ArgumentParser) -> None:
    to.add_argument("file", type=Path, metavar="FILE")
    _add_store(to)


def _add_store(to: argparse.ArgumentParser) -> None:
    to.add_argument("--redis-url", dest="store.url", metavar="URL")
    to.add_argument("--data-dir", dest="store.data_dir", metavar="DIR")
    _add_config(to)


def _add_purge(to: argparse.ArgumentParser) -> None:
    what = to.add_argument_group("what to remove (at least one)")
    what.add_argument("--namespace", metavar="N", help="records of this namespace")
    what.add_argument("--model", metavar="M", help="records of this model")
    what.add_argument("--record", metavar="ID", help="one record")
    what.add_argument("--all", action="store_true", help="every record")
    to.add_argument("--dry-run", action="store_true", help="count, remove nothing")
    _add_store(to)
