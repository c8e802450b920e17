"""`llamachat search --try-router`: how well the user's model decides which messages need a search."""

from __future__ import annotations

import argparse
import json
from contextlib import closing
from pathlib import Path

from llamachat.app import build_app
from llamachat.chat.router_trial import Trial, read_samples, try_router
from llamachat.cli.ask import interrupt_stops
from llamachat.cli.output import write, write_json
from llamachat.config.paths import resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr


def judge(options: argparse.Namespace) -> int:
    """Ask the model about every message of the file, and print each with its share of right ones at the end."""
    samples = read_samples(_text(options.try_router))
    cancel = CancelToken()
    trials = []
    with (
        closing(build_app(resolve_paths(options.config, options.data_dir))) as app,
        interrupt_stops(cancel),
        app.models.aside(cancel) as aside,
    ):
        for trial in try_router(aside, samples, cancel):
            trials.append(trial)
            _show(trial, as_json=options.json)
    right = sum(trial.right for trial in trials)
    if options.json:
        write_json(json.dumps({"right": right, "of": len(trials)}) + "\n")
    else:
        share = tr("{right} of {count} right ({share:.0%})")
        write(share.format(right=right, count=len(trials), share=right / len(trials)) + "\n")
    return 0


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        reason = error.strerror or str(error)
        raise UserFacingError(tr("{file} cannot be read: {reason}.").format(file=path, reason=reason)) from error


def _show(trial: Trial, *, as_json: bool) -> None:
    sample = trial.sample
    if as_json:
        row = {"message": sample.message, "search": sample.search, "said": trial.searches}
        write_json(json.dumps(row, ensure_ascii=False) + "\n")
        return
    mark = tr("right") if trial.right else tr("WRONG")
    said = tr("search") if trial.searches else tr("no search")
    write(f"[{mark}] {said}: {' '.join(sample.message.split())}\n")
