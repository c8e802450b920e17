"""The process that is the user's own SearXNG: runs in SearXNG's environment and knows no module of this program.

    PYTHON -I -u leash.py searxng_child.py SETTINGS_FILE FOLDER

The secret comes in the environment, as SEARXNG_SECRET. FOLDER is for SearXNG's caches. Prints `READY ADDRESS`, and
after that nothing any more: what engines say when they fail may hold queries.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile

_HOST = "127.0.0.1"


def main() -> None:
    """Serve until killed."""
    settings_file, folder = sys.argv[1:3]
    os.environ["SEARXNG_SETTINGS_PATH"] = settings_file
    tempfile.tempdir = folder
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))

    from searx import webapp
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Quiet(WSGIRequestHandler):  # type: ignore[misc]  # of a library that is not installed here
        """No access log."""

        def log(self, *_: object) -> None:
            """Say nothing."""

    server = make_server(_HOST, 0, webapp.app, threaded=True, request_handler=Quiet)
    print(f"READY http://{_HOST}:{server.server_port}", flush=True)  # noqa: T201 - this is how the parent is told
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    server.serve_forever()


if __name__ == "__main__":
    main()
