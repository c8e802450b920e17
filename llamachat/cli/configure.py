"""`llamachat config`: where the settings lie, whether they are right, what is in force, changing one, and keys."""

from __future__ import annotations

import argparse
import getpass
import sys

from llamachat.app import App, build_app
from llamachat.cli.commands import Commands
from llamachat.cli.output import remark, write
from llamachat.config.keys import effective, value_from_text
from llamachat.config.literal import one_line
from llamachat.config.paths import resolve_paths
from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr
from llamachat.websearch.registry import KEY_VARIABLES


def add_command(commands: Commands) -> None:
    """Declare the command, its actions and their arguments."""
    parser = commands.add_parser("config", help=tr("show, check or change the settings"))
    actions = parser.add_subparsers(title=tr("actions"), metavar="ACTION", required=True)
    for name, run, text in (
        ("path", _path, tr("print where the files lie")),
        ("check", _check, tr("look for mistakes in config.toml")),
        ("show", _show, tr("print every setting in force")),
        ("set", _set, tr("change one setting in config.toml")),
        ("set-key", _set_key, tr("keep the API key of a search service in the system's keyring")),
        ("forget-key", _forget_key, tr("drop the API key of a search service from the system's keyring")),
    ):
        child = actions.add_parser(name, help=text)
        child.set_defaults(run=run)
        if name == "set":
            child.add_argument("key", metavar="KEY", help=tr("such as search_url or prompts.NAME.text"))
            child.add_argument("value", metavar="VALUE")
        if name in ("set-key", "forget-key"):
            child.add_argument("provider", choices=KEY_VARIABLES, metavar="NAME", help=", ".join(KEY_VARIABLES))


def _path(options: argparse.Namespace) -> int:
    paths = resolve_paths(options.config, options.data_dir)
    for path in (paths.config_file, paths.database, paths.cache_dir):
        write(f"{path}\n")
    return 0


def _check(options: argparse.Namespace) -> int:
    app = build_app(resolve_paths(options.config, options.data_dir))
    for problem in app.problems:
        write(f"{problem}\n")
    if not app.savable:
        raise UserFacingError(tr("{path} holds a mistake.").format(path=app.paths.config_file))
    if not app.problems:
        remark(tr("{path}: no mistakes.").format(path=app.paths.config_file))
    return 0


def _show(options: argparse.Namespace) -> int:
    app = build_app(resolve_paths(options.config, options.data_dir))
    for problem in app.problems:
        remark(str(problem))
    for key, value, is_default in effective(app.config):
        line = tr("{key} is not set").format(key=key) if value is None else f"{key} = {one_line(value)}"
        write(f"{'# ' if is_default else ''}{line}\n")
    return 0


def _set(options: argparse.Namespace) -> int:
    app = build_app(resolve_paths(options.config, options.data_dir))
    app.set_setting(options.key, value_from_text(options.key, options.value))
    return 0


def _set_key(options: argparse.Namespace) -> int:
    """Read the key unseen, or from a pipe: as an argument it would stand in the shell's history."""
    app = build_app(resolve_paths(options.config, options.data_dir))
    prompt = tr("API key for {name}: ").format(name=options.provider)
    app.search.keys.set(options.provider, getpass.getpass(prompt) if sys.stdin.isatty() else sys.stdin.readline())
    remark(tr("The key for {name} is in the keyring.").format(name=options.provider))
    _remark_environment(app, options.provider)
    return 0


def _forget_key(options: argparse.Namespace) -> int:
    app = build_app(resolve_paths(options.config, options.data_dir))
    there = app.search.keys.forget(options.provider)
    text = tr("The key for {name} is forgotten.") if there else tr("There was no key for {name} in the keyring.")
    remark(text.format(name=options.provider))
    _remark_environment(app, options.provider)
    return 0


def _remark_environment(app: App, provider: str) -> None:
    if app.search.keys.in_environment(provider):
        remark(
            tr("{variable} is set in the environment and goes before it.").format(variable=KEY_VARIABLES[provider])
        )
