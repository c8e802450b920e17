"""A stand-in for llama-server that says seeded Markdown at a chosen pace: `python -m tests.bench.stream_server`.

Every answer is the same text in the same tokens, one event each, framed as llama-server b11434 frames them. The
bytes are made ahead, so that a core beside the measured program is enough. Prints `READY` and its address.
"""

from __future__ import annotations

import argparse
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.bench.markdown_texts import answer_tokens, cut_tokens

MODEL = "bench"
SEED = 7
_ROOT = Path(__file__).resolve().parent.parent.parent
_GET = {
    "/health": {"status": "ok"},
    "/v1/models": {"object": "list", "data": [{"id": MODEL, "object": "model"}]},
    "/props": {
        "default_generation_settings": {"n_ctx": 1_000_000},
        "total_slots": 1,
        "model_alias": MODEL,
        "build_info": "b11434",
        "chat_template_caps": {"supports_tools": False},
    },
}


class AnswerHandler(BaseHTTPRequestHandler):
    """Tells what the server is, and streams the answer to every question."""

    protocol_version = "HTTP/1.1"
    server: StreamServer

    def log_message(self, *_: object) -> None:
        """Say nothing on stderr."""

    def do_GET(self) -> None:
        """Properties and models."""
        self._tell(_GET.get(self.path.partition("?")[0]))

    def _tell(self, told: object) -> None:
        """What was asked for; None where there is no such thing."""
        body = json.dumps(told or {"error": {"code": 404, "message": "not found"}}).encode()
        self.send_response(200 if told else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        """The answer; a listener that goes away ends it."""
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if not self.path.endswith("/chat/completions"):
            self._tell(None)
            return
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            self._stream()
        except OSError:
            self.close_connection = True

    def _stream(self) -> None:
        opening, tokens, closing = self.server.parts
        write, rate = self.wfile.write, self.server.rate
        write(opening)
        began = time.perf_counter()
        for number, token in enumerate(tokens):
            early = began + number / rate - time.perf_counter() if rate else 0.0
            if early > 0:
                time.sleep(early)
            write(token)
        write(closing)


class StreamServer(ThreadingHTTPServer):
    """Listens on a free port of the loopback address. `rate` is tokens a second, 0 as fast as they are taken."""

    daemon_threads = True

    def __init__(self, port: int, tokens: Sequence[str], rate: float) -> None:
        super().__init__(("127.0.0.1", port), AnswerHandler)
        self.rate = rate
        timings = {"prompt_n": 10, "prompt_ms": 1.0, "predicted_n": len(tokens), "predicted_ms": 1000.0}
        usage = {"prompt_tokens": 10, "completion_tokens": len(tokens), "total_tokens": 10 + len(tokens)}
        self.parts = (
            _event({"role": "assistant", "content": None}),
            [_event({"content": token}) for token in tokens],
            _event({}, finish="stop", timings=timings) + _chunk({"choices": [], "usage": usage}) + _LAST,
        )

    def handle_error(self, *_: object) -> None:
        """Say nothing: a listener went away in the middle of an answer."""


_FORM = {"system_fingerprint": "b11434-bench", "object": "chat.completion.chunk"}
_LAST = b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"


def _event(delta: dict[str, str | None], *, finish: str | None = None, **more: object) -> bytes:
    return _chunk({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more})


def _chunk(fields: dict[str, object]) -> bytes:
    known = {"created": 1764500000, "id": "chatcmpl-0123456789abcdef", "model": MODEL, **_FORM}
    data = f"data: {json.dumps(fields | known, separators=(',', ':'))}\n\n".encode()
    return b"%x\r\n%s\r\n" % (len(data), data)


@contextmanager
def running_server(*, rate: float, tokens: int, text: Path | None = None) -> Iterator[str]:
    """Run one as a process of its own; yields its address. `text` is said instead of the seeded text."""
    command = [sys.executable, "-m", "tests.bench.stream_server", "--rate", str(rate), "--tokens", str(tokens)]
    if text:
        command += ["--text", str(text)]
    with subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[1]
        finally:
            process.kill()


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--rate", type=float, default=100, help="tokens a second; 0: as fast as they are taken")
    parser.add_argument("--tokens", type=int, default=20_000)
    parser.add_argument("--text", type=Path, help="a file to say instead of the seeded text")
    options = parser.parse_args()
    if options.text:
        tokens = cut_tokens(options.text.read_text(encoding="utf-8"))[: options.tokens]
    else:
        tokens = answer_tokens(options.tokens, SEED)
    server = StreamServer(options.port, tokens, options.rate)
    print(f"READY http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
