"""The user's own SearXNG: a child process on a loopback port, started when it is first needed."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled, EngineError
from llamachat.core.text import tr
from llamachat.engines.only_one import one_thread
from llamachat.engines.process import ChildProcess
from llamachat.engines.searxng_package import SearxngPackage

_CHILD = Path(__file__).with_name("searxng_child.py")
_START_S = 60.0
_ENGINES = (
    *("brave", "duckduckgo", "google cse", "startpage", "wikipedia"),
    *("bing news", "brave.news", "duckduckgo news", "google news", "reuters", "wikinews"),
    *("arch linux wiki", "github", "mdn", "stackoverflow"),
    *("arxiv", "google scholar", "pubmed", "semantic scholar"),
)
# In place of what SearXNG is shipped with: JSON, no limiter, engines for text alone, nothing that is fetched
# without a search, and no counting. The secret comes by the environment.
SETTINGS: Mapping[str, object] = {
    "use_default_settings": {"engines": {"keep_only": list(_ENGINES)}},
    "general": {"instance_name": "llamachat", "enable_metrics": False},
    "search": {"formats": ["html", "json"], "autocomplete": "", "favicon_resolver": ""},
    "server": {"bind_address": "127.0.0.1", "limiter": False, "public_instance": False, "image_proxy": False},
    "plugins": {"searx.plugins.unit_converter.SXNGPlugin": {"active": True}},
}


class LocalSearxng:
    """At most one process for each object; for all threads.

    folder: for its settings and caches. settings: what its settings file says; tests have other engines.
    """

    def __init__(
        self, folder: Path, *, package: SearxngPackage | None = None, settings: Mapping[str, object] = SETTINGS
    ) -> None:
        self.package = package or SearxngPackage(folder)
        self._folder, self._settings = folder, settings
        self._child: ChildProcess | None = None
        self._caches: Path | None = None
        self._base_url = ""
        self._starting = threading.Lock()
        self._stops = 0  # how often it was stopped: a start that began before is given up

    @property
    def running(self) -> bool:
        """Whether its process is there: from the beginning of `start` to `stop`, or until it dies."""
        return self._child is not None and self._child.exit_code is None

    @property
    def pid(self) -> int | None:
        """The number of the process started last, or None."""
        return self._child.pid if self._child else None

    def log(self) -> tuple[str, ...]:
        """What it printed until it was ready."""
        return self._child.log() if self._child else ()

    def start(self, cancel: CancelToken) -> str:
        """Its base URL, once it answers. Blocks for some seconds where it has to be started.

        Raises EngineError, or Cancelled, also after `stop`.
        """
        if self._answering:
            return self._base_url
        stops = self._stops
        with one_thread(self._starting, cancel):
            try:
                if not self._answering:
                    self._start(cancel)
            except EngineError:
                if stops == self._stops:
                    raise
            if stops != self._stops:
                self._end()
                raise Cancelled
            return self._base_url

    @property
    def _answering(self) -> bool:
        """Whether it runs and has told its address, which a start that is under way has not."""
        return bool(self._base_url) and self.running

    def stop(self) -> None:
        """End it; the next search starts it again. Blocks for up to some seconds."""
        self._stops += 1
        self._end()

    def _start(self, cancel: CancelToken) -> None:
        if not self.package.installed():
            raise EngineError(
                tr("Your own SearXNG is not installed."),
                tr("Install it with: {command}").format(command="llamachat search --install-searxng"),
            )
        self._end()
        self._base_url = ""
        settings_file, self._caches = self._write_files()
        self._child = ChildProcess(
            str(_CHILD),
            [str(settings_file), str(self._caches)],
            environment={"SEARXNG_SECRET": secrets.token_hex(32), "TMPDIR": str(self._caches)},
            python=self.package.python,
        )
        try:
            base_url = self._child.wait_ready(timeout_s=_START_S, cancel=cancel)
            cancel.raise_if_cancelled()
            if base_url is None:
                words = " | ".join(self.log()[-3:])
                raise EngineError(
                    tr("Your own SearXNG did not start. It said: {words}").format(words=words),
                    tr(
                        "Install it anew: llamachat search --remove-searxng, then llamachat search --install-searxng."
                    ),
                )
            self._base_url = base_url
        except BaseException:
            self._end()
            raise

    def _write_files(self) -> tuple[Path, Path]:
        """The settings, anew and for the user's eyes alone, and an empty folder for caches."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            settings_file = self._folder / "settings.yml"
            new = self._folder / f"settings.{os.getpid()}"
            new.unlink(missing_ok=True)
            new.touch(mode=0o600)
            new.write_text(json.dumps(dict(self._settings), indent=1), encoding="utf-8")  # JSON is YAML
            new.replace(settings_file)
            self._throw_old_caches_away()
            return settings_file, Path(tempfile.mkdtemp(prefix=f"cache-{os.getpid()}-", dir=self._folder))
        except OSError as error:
            sentence = tr("The files of your own SearXNG cannot be written: {reason}.")
            raise EngineError(sentence.format(reason=error.strerror or error)) from error

    def _throw_old_caches_away(self) -> None:
        """Those of processes that are no more: they were killed before they could do it."""
        for path in self._folder.glob("cache-*-*"):
            try:
                os.kill(int(path.name.split("-")[1]), 0)
            except (ValueError, ProcessLookupError):
                shutil.rmtree(path, ignore_errors=True)
            except OSError:  # another user's
                pass

    def _end(self) -> None:
        if self._child:
            self._child.stop()
        if self._caches:
            shutil.rmtree(self._caches, ignore_errors=True)
