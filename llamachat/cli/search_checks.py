"""`llamachat search --doctor` and `--status`: whether searching works, and how often it was done."""

from __future__ import annotations

import argparse
import json
from contextlib import closing
from dataclasses import asdict

from llamachat.app import build_app
from llamachat.cli.ask import interrupt_stops
from llamachat.cli.output import day, write, write_json
from llamachat.config.paths import resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.core.check_step import CheckStep
from llamachat.core.clock import SystemClock
from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr
from llamachat.websearch.guard import GuardStatus, spoken_time


def examine(options: argparse.Namespace) -> int:
    """Print the doctor's steps as they come; raises UserFacingError where searching does not work."""
    cancel, failed = CancelToken(), 0
    with closing(build_app(resolve_paths(options.config, options.data_dir))) as app, interrupt_stops(cancel):
        for step in app.search.examine(cancel, options.provider):
            failed += not (step.ok or step.minor)
            if options.json:
                write_json(json.dumps(asdict(step), ensure_ascii=False) + "\n")
            else:
                write(_line(step))
    if failed:
        raise UserFacingError(tr("The web search does not work."))
    return 0


def show_status(options: argparse.Namespace) -> int:
    """Print what the guard has let out and held back, over all of a person's processes."""
    with closing(build_app(resolve_paths(options.config, options.data_dir))) as app:
        status = app.search.guard.status(options.provider or app.config.search_provider)
        if options.json:
            write_json(json.dumps(asdict(status), ensure_ascii=False) + "\n")
        else:
            write(_told(status, now=SystemClock().now()))
    return 0


def _line(step: CheckStep) -> str:
    mark = tr("ok") if step.ok else tr("note") if step.minor else tr("FAILED")
    return f"[{mark}] {step.name}\n" + (f"    {step.detail}\n" if step.detail else "")


def _told(status: GuardStatus, *, now: float) -> str:
    lines = [
        tr("sent: {count}").format(count=status.sent),
        tr("answered from memory: {count}").format(count=status.cached),
        tr("refused, too many in a short time: {count}").format(count=status.paced),
        tr("refused while paused: {count}").format(count=status.paused),
    ]
    if status.since:
        lines.insert(0, tr("since: {time}").format(time=day(status.since)))
    if status.paused_s:
        until = day(now + status.paused_s)
        words = tr("paused until {time}, for {left} more: {reason}")
        lines.append(words.format(time=until, left=spoken_time(status.paused_s), reason=status.reason))
    else:
        lines.append(tr("not paused; {count} may go out at once").format(count=status.free))
    return "\n".join(lines) + "\n"
