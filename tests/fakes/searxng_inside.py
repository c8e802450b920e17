"""The process that is the SearXNG of the tests: runs in SearXNG's environment, serves the made-up web beside it.

Started by `tests.fakes.searxng`. It ends on SIGTERM, or when its standard input is closed, so that it never
outlives the test run that holds the other end.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import secrets
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

from tests.fakes.searxng_world import BROKEN, serve_world

_HOST = "127.0.0.1"


def json_engine(name: str, shortcut: str, address: str, *, category: str, **more: object) -> dict[str, object]:
    """An engine of SearXNG's own `json_engine` kind that asks one service of the made-up web."""
    return {
        "name": name,
        "engine": "json_engine",
        "shortcut": shortcut,
        "categories": [category],
        "enable_http": True,
        "search_url": address,
        "results_query": "hits",
        "title_query": "t",
        "url_query": "u",
        "content_query": "c",
        **more,
    }


def make_engines(world: str) -> list[dict[str, object]]:
    """Working engines in `general`; a category each for broken, slow, hostile, empty and answering ones."""
    query = "?q={query}&lang={lang}"
    broken = [
        json_engine(f"{kind} engine", f"b{number}", f"{world}/{kind}{query}", category="broken")
        for number, kind in enumerate(BROKEN)
    ]
    return [
        json_engine("pages", "pa", f"{world}/pages{query}", category="general", lang_all="all", weight=1.2),
        json_engine("archive", "ar", f"{world}/archive{query}", category="general", lang_all="all", weight=0.8),
        {"name": "wikipedia", "engine": "wikipedia", "shortcut": "wp", "categories": ["general"], "enable_http": True,
         "rest_v1_summary_url": world + "/wiki/{title}"},
        {"name": "instant", "engine": "duckduckgo_definitions", "shortcut": "in", "categories": ["answers"],
         "enable_http": True, "URL": world + "/instant?{query}&format=json"},
        json_engine("empty engine", "em", f"{world}/empty{query}", category="empty"),
        json_engine("slow engine", "sl", f"{world}/slow{query}", category="slow", timeout=20.0),
        json_engine("hostile engine", "ho", f"{world}/hostile{query}", category="hostile"),
        json_engine("closed engine", "cl", f"http://{_HOST}:1/{query}", category="broken"),
        *broken,
    ]  # fmt: skip


def make_settings(*, world: str, port: int, with_json: bool) -> dict[str, object]:
    """SearXNG's settings.yml. Failing engines are not suspended, so that each search sees the same."""
    errors = ("SearxEngineAccessDenied", "SearxEngineCaptcha", "SearxEngineTooManyRequests",
              "cf_SearxEngineCaptcha", "cf_SearxEngineAccessDenied", "recaptcha_SearxEngineCaptcha")  # fmt: skip
    return {
        "use_default_settings": {"engines": {"keep_only": []}},
        "general": {"instance_name": "llamachat tests"},
        "ui": {"default_locale": "de"},  # so that English reasons have to be asked for
        "search": {
            "formats": ["html", "json"] if with_json else ["html"],
            "autocomplete": "",
            "suspended_times": dict.fromkeys(errors, 0),
            "ban_time_on_fail": 0,
            "max_ban_time_on_fail": 0,
        },
        "server": {"bind_address": _HOST, "port": port, "secret_key": secrets.token_hex(16), "limiter": False},
        "outgoing": {"request_timeout": 3.0, "enable_http2": False, "retries": 0},
        "plugins": {"searx.plugins.unit_converter.SXNGPlugin": {"active": True}},
        "engines": make_engines(world),
    }


def announce(address: str, world: str) -> None:
    """Print READY once a search finds something; engines are set up in the background."""
    probe = f"{address}/search?q=lighthouse"
    while True:
        try:
            with urllib.request.urlopen(probe, timeout=5) as reply:
                if b"encyclopedia.example" in reply.read():
                    break
        except urllib.error.HTTPError as error:
            error.close()
        except OSError:
            pass
        time.sleep(0.05)
    print(f"READY {address} {world}", flush=True)


def main() -> None:
    """Run until told to stop."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--no-json", action="store_true")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="searxng-"))

    def stop(*_: object) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)

    def watch_input() -> None:
        sys.stdin.buffer.read()
        stop()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    threading.Thread(target=watch_input, daemon=True).start()
    port = options.port or free_port()
    world = serve_world()
    settings = make_settings(world=world, port=port, with_json=not options.no_json)
    (folder / "settings.yml").write_text(json.dumps(settings), encoding="utf-8")  # JSON is YAML
    os.environ.update(SEARXNG_SETTINGS_PATH=str(folder / "settings.yml"), TMPDIR=str(folder))
    tempfile.tempdir = str(folder)  # SearXNG keeps its caches there
    threading.Thread(target=announce, args=(f"http://{_HOST}:{port}", world), daemon=True).start()
    runpy.run_module("searx.webapp", run_name="__main__")


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        port = probe.getsockname()[1]
    return int(port)


if __name__ == "__main__":
    main()
