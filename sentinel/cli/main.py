"""The `sentinel` command: mounts the command groups and turns errors into exit codes.

0 is success, 1 a failed run, 2 bad usage or configuration. Machine output goes to stdout, everything
else to stderr, and an error is one line without a traceback. Of an unexpected one the line has type and
place, not the message, which may quote an answer.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import typer

from sentinel import __version__
from sentinel.cli.interruption import Interruption, interruptible
from sentinel.cli.registry import register
from sentinel.errors import ConfigurationError, SentinelError
from sentinel.telemetry.logs import LogParams, configure_logging, get_logger, log_uncaught_exceptions

try:  # typer brings its own copy of click from 0.27 on
    from typer._click import exceptions as click
except ImportError:
    from click import exceptions as click  # type: ignore[no-redef]

app = typer.Typer(
    name="sentinel",
    help="Samples and monitors the answers of an LLM application, and estimates how many of all its "
    "answers are hallucinated, with an honest interval.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sentinel {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and end."
    ),
) -> None:
    pass


register(app)


def main() -> NoReturn:
    """Run the command line and end the process with its exit code; what nobody caught is logged and 1."""
    # Until a command has read how logs are wanted, and for those that log nothing of their own.
    configure_logging(LogParams(format="console", level="warning"))
    log_uncaught_exceptions()
    code = 1
    with interruptible() as interruption:
        code = _run(sys.argv[1:], interruption)
    sys.exit(code if interruption.exit_code is None else interruption.exit_code)


def _run(arguments: list[str], interruption: Interruption) -> int:
    try:
        outcome = app(arguments, prog_name="sentinel", standalone_mode=False)
    except click.NoArgsIsHelpError as error:
        typer.echo(error.format_message())
        return 2
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        hint = f" (see `{context.command_path} --help`)" if context else ""
        _complain(f"{error.format_message()}{hint}")
        return 2
    except typer.Abort:
        return 130
    except ConfigurationError as error:
        _complain(str(error))
        return 2
    except SentinelError as error:
        _complain(str(error))
        return 1
    except Exception:
        # Not left to the interpreter: typer puts a hook of its own in place that prints the message.
        if interruption.exit_code is None:
            get_logger("process").critical("uncaught exception", exc_info=True)
        return 1
    except SystemExit as ending:
        # typer ends the process with 1 when the reader of a pipeline leaves (`| head`): no failure.
        if not isinstance(ending.__context__, BrokenPipeError):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return outcome if isinstance(outcome, int) else 0


def _complain(message: str) -> None:
    typer.echo(f"sentinel: {' '.join(message.split())}", err=True)
