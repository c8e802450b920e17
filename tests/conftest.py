"""For every test: an unexpected log record of WARNING or above fails it, and nothing but loopback is reached."""

from __future__ import annotations

import ipaddress
import logging
import os
import signal
import socket
import sys
from collections.abc import Iterator

import pytest

pytest_plugins = [
    "tests.integration.llama_server",
    "tests.integration.llama_router",
    "tests.integration.searxng_server",
]


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Where Qt is missing its plugin is off: declare the settings in pyproject.toml that are its own."""
    if not pluginmanager.has_plugin("pytest-qt"):
        parser.addini("qt_api", "unused without pytest-qt")
        parser.addini("qt_log_level_fail", "unused without pytest-qt")
        parser.addini("qt_log_ignore", "unused without pytest-qt")


def pytest_configure() -> None:
    """Hear the signals that a shell has its background jobs ignore: the program under test would inherit that.

    It inherits a keyring that keeps nothing too: that of who runs the tests is not for them.
    """
    os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


def pytest_sessionfinish() -> None:
    """Empty the clipboard: where Qt draws into memory it outlives Python, and what Python made may not."""
    gui = sys.modules.get("PySide6.QtGui")
    if gui is not None and gui.QGuiApplication.instance() is not None:
        gui.QGuiApplication.clipboard().clear()


class _Records(logging.Handler):
    """Collects what was logged at WARNING or above."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.name}: {record.levelname}: {record.getMessage()}")


@pytest.fixture(autouse=True)
def _no_unexpected_log(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that logs a warning, unless it asks for `caplog` and so looks at the records itself."""
    handler = _Records()
    logging.getLogger().addHandler(handler)
    yield
    logging.getLogger().removeHandler(handler)
    if "caplog" not in request.fixturenames:
        assert handler.lines == []


_connect = socket.socket.connect


def _guarded_connect(self: socket.socket, address: object) -> None:
    host = address[0] if isinstance(address, tuple) else None
    if isinstance(host, str) and not _is_local(host):
        raise AssertionError(f"a test connects to {host}")
    _connect(self, address)  # type: ignore[arg-type]  # the address is handed on as it came


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True, scope="session")
def _loopback_only() -> Iterator[None]:
    """No test opens a connection to another machine."""
    socket.socket.connect = _guarded_connect  # type: ignore[method-assign, assignment]  # the guard
    yield
    socket.socket.connect = _connect  # type: ignore[method-assign]
