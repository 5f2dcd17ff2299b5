"""The command line: arguments only; every command hands over to its module."""

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence

from stepcache_proxy.cli.arguments import PROGRAM, parser
from stepcache_proxy.config import Settings, load, show
from stepcache_proxy.errors import ConfigError, StepcacheError
from stepcache_proxy.wire.jsonvalue import Json


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 0 fine, 2 wrong usage or settings, 1 anything else.

    A failure is one line per fault on standard error, never a traceback.
    """
    try:
        return _run(parser().parse_args(argv))
    except ConfigError as error:
        _complain(error.faults)
        return 2
    except ImportError as error:
        _complain([f"{error}; ./scripts/setup installs what is missing"])
    except (StepcacheError, OSError) as error:
        _complain([str(error) or type(error).__name__])
    except KeyboardInterrupt:
        return 130
    return 1


def _complain(lines: Sequence[str]) -> None:
    for line in lines:
        sys.stderr.write(f"{PROGRAM}: {' '.join(line.split())}\n")


def _run(args: argparse.Namespace) -> int:
    match args.command:
        case "serve":
            settings = _settings(args)
            from stepcache_proxy.app import serve

            return serve(settings)
        case "check-config":
            sys.stdout.write(show(_settings(args)))
            return 0
        case "demo":
            from stepcache_proxy.bench import demo

            return demo.main(args)
        case "bench":
            from stepcache_proxy.bench import runner

            return runner.main(args)
        case "eval":
            from stepcache_proxy.bench import evaluate

            return evaluate.main(args)
        case _:
            return asyncio.run(_change_store(args))


async def _change_store(args: argparse.Namespace) -> int:
    if args.command == "purge" and not _names_records(args):
        msg = "purge: name what to remove: --namespace, --model, --record or --all"
        raise ConfigError(msg)
    settings = _settings(args, needs_upstream=False)
    from stepcache_proxy import app

    if args.command == "export":
        count = await app.export_records(settings, args.file)
        said = f"{count} records written to {args.file}"
    elif args.command == "import":
        count = await app.import_records(settings, args.file)
        said = f"{count} records read from {args.file}"
    else:
        counts = await app.purge_records(
            settings,
            namespace=args.namespace,
            model=args.model,
            record=args.record,
            all_records=args.all,
            dry_run=args.dry_run,
        )
        said = f"{counts['matched']} matched, {counts['removed']} removed"
    sys.stdout.write(said + "\n")
    return 0


def _names_records(args: argparse.Namespace) -> bool:
    return bool(args.namespace or args.model or args.record or args.all)


def _settings(args: argparse.Namespace, *, needs_upstream: bool = True) -> Settings:
    return load(_overrides(args), args.config, needs_upstream=needs_upstream)


def _overrides(args: argparse.Namespace) -> Mapping[str, Json]:
    """The options whose ``dest`` is the dotted name of a setting."""
    return {name: value for name, value in vars(args).items() if "." in name}
