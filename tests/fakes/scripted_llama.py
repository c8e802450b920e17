"""A server that speaks like llama-server and answers chats with prepared pieces, held back where a test wants it.

For pictures and for states that no real server can be held in. Whole turns are tested on a real one.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import TypeAlias
from urllib.parse import parse_qs

JsonObject: TypeAlias = dict[str, object]
# A piece of an answer: the delta of an event, a threading.Event to wait for, or (status, message): as the first piece
# that refuses the request, later it breaks the stream off.
Piece: TypeAlias = JsonObject | threading.Event | tuple[int, str]
Answer: TypeAlias = Sequence[Piece]

WAIT_S = 20.0


def thinks(text: str) -> list[JsonObject]:
    """Reasoning, word by word."""
    return [{"reasoning_content": word} for word in _words(text)]


def says(text: str) -> list[JsonObject]:
    """An answer, word by word."""
    return [{"content": word} for word in _words(text)]


def searches(query: str) -> list[JsonObject]:
    """A call of the search tool."""
    function = {"name": "web_search", "arguments": json.dumps({"query": query})}
    return [{"tool_calls": [{"index": 0, "id": "call0", "type": "function", "function": function}]}]


def _words(text: str) -> list[str]:
    return re.findall(r"\S+\s*|\s+", text)


class ScriptedLlama:
    """Use it in a `with` block. The answers are given in order, the last one again when they run out."""

    def __init__(
        self, *answers: Answer, models: Sequence[tuple[str, str]] = (("Qwen3-8B-Q4_K_M", "loaded"),)
    ) -> None:
        """`models`: name and state; more than one makes it a router."""
        self.answers = list(answers)
        self.models = list(models)
        self.n_ctx: int | None = 8192  # None: it does not say
        self.slots = 1
        self.asked: list[JsonObject] = []  # bodies of the chat requests
        self.names: list[str | None] = []  # under which each of them is to be kept
        self.keeps_streams = False  # whether it says that it does
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    @property
    def base_url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> ScriptedLlama:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def listed(self) -> JsonObject:
        """What `/v1/models` says."""
        data: list[JsonObject] = []
        for name, state in self.models:
            failed = {"failed": True, "exit_code": 1} if state == "failed" else {}
            status = {"value": "unloaded" if failed else state, **failed}
            data.append({"id": name, "object": "model"} | ({"status": status} if len(self.models) > 1 else {}))
        return {"object": "list", "data": data}

    def props(self, query: str) -> JsonObject | None:
        """What `/props` says. A router has no slots of its own, and tells nothing of a model that is not loaded."""
        name = "".join(parse_qs(query).get("model", []))
        if len(self.models) > 1 and not name:
            return {"role": "router", "model_alias": "llama-server", "build_info": "b1-scripted"}
        if len(self.models) > 1 and dict(self.models).get(name) != "loaded":
            return None
        settings = {} if self.n_ctx is None else {"n_ctx": self.n_ctx}
        return {"build_info": "b1-scripted", "total_slots": self.slots, "default_generation_settings": settings}

    def next_answer(self, body: JsonObject) -> Answer:
        """The answer to this request."""
        self.asked.append(body)
        return self.answers[min(len(self.asked), len(self.answers)) - 1]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        llama = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
                return None

            def do_GET(self) -> None:
                path, _, query = self.path.partition("?")
                known = {
                    "/v1/models": llama.listed(),
                    "/models": llama.listed(),
                    "/props": llama.props(query),
                    "/health": {"status": "ok"},
                }
                body = known.get(path)
                self._send(200 if body else 404, body or {"error": {"code": 404, "message": "not found"}})

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if "conversation_ids" in body and llama.keeps_streams:
                    self._send(200, [])
                    return
                if not self.path.endswith("/chat/completions"):  # it does not know what is asked
                    self._send(404, {"error": {"code": 404, "message": "not found"}})
                    return
                llama.names.append(self.headers["X-Conversation-Id"])
                answer = llama.next_answer(body)
                if answer and isinstance(answer[0], tuple):
                    status, message = answer[0]
                    self._send(status, {"error": {"code": status, "message": message}})
                    return
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                with suppress(OSError):  # hung up
                    for event in _events(answer):
                        self.wfile.write(b"data: " + event.encode() + b"\n\n")
                        self.wfile.flush()

            def _send(self, status: int, body: object) -> None:
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                with suppress(OSError):  # hung up
                    self.end_headers()
                    self.wfile.write(data)

        return Handler


def _events(answer: Answer) -> Iterator[str]:
    """The events of a whole stream, or of one that breaks off."""
    count, called = 0, False
    for piece in answer:
        if isinstance(piece, tuple):
            return
        if isinstance(piece, threading.Event):
            piece.wait(WAIT_S)
        else:
            count += 1
            called = called or "tool_calls" in piece
            yield json.dumps({"choices": [{"index": 0, "delta": piece, "finish_reason": None}]})
    reason = "tool_calls" if called else "stop"
    yield json.dumps({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    usage = {"prompt_tokens": 212, "completion_tokens": count, "total_tokens": 212 + count}
    timings = {"cache_n": 180, "prompt_n": 32, "prompt_ms": 95.0, "predicted_n": count, "predicted_ms": count * 21.0}
    yield json.dumps({"choices": [], "usage": usage, "timings": timings})
    yield "[DONE]"
