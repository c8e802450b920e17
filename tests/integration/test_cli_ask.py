"""`llamachat ask` and `history` as processes, against a real llama-server and a real SearXNG."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.integration.cli_process import Cli
from tests.integration.llama_server import ParrotServer, script, thinking
from tests.integration.searxng_server import Searxng

TOPIC = "Brasswick Bridge"


@pytest.fixture
def cli(tmp_path: Path, parrot_server: ParrotServer) -> Cli:
    """A command line that knows the model server."""
    cli = Cli(tmp_path)
    cli.config.write_text(f'base_url = "{parrot_server.base_url}"\n', encoding="utf-8")
    return cli


@pytest.fixture
def searching(cli: Cli, searxng: Searxng) -> Cli:
    """The same with web search switched on."""
    with cli.config.open("a", encoding="utf-8") as file:
        file.write(f'search_enabled = true\nsearch_url = "{searxng.url}"\n')
    return cli


def test_ask_prints_the_answer(cli: Cli) -> None:
    done = cli.run("ask", thinking("Let me see.") + "Salt **and** pepper.")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Salt **and** pepper.\n", "")


@pytest.mark.slow
def test_ask_reads_stdin(cli: Cli) -> None:
    assert cli.run("ask", "-", stdin="Read from a pipe.").stdout == "Read from a pipe.\n"


@pytest.mark.slow
def test_a_turn_that_thinks_searches_and_answers(
    searching: Cli, parrot_server: ParrotServer, searxng: Searxng
) -> None:
    call = thinking("I should look.") + parrot_server.call("web_search", query=TOPIC)
    events = searching.events("--search", "auto", script(call, "The answer is in [1]."))
    kinds = [event["kind"] for event in events]
    for kind in ("reasoning", "search_start", "search_done", "content", "usage", "finish"):
        assert kind in kinds, kind
    assert (
        kinds.index("reasoning") < kinds.index("search_start") < kinds.index("search_done") < kinds.index("content")
    )
    record = next(event["data"] for event in events if event["kind"] == "search_done")
    assert record["query"] == TOPIC
    assert record["error"] == ""
    assert 1 <= len(record["results"]) <= 5
    assert "".join(event["data"] for event in events if event["kind"] == "content") == "The answer is in [1]."
    assert events[-1]["data"]["reason"] == "stop"

    shown = searching.run("history", "show", "1", "--format", "json", "--reasoning")
    stored = json.loads(shown.stdout)
    answer = stored["messages"][-1]
    assert answer["content"] == "The answer is in [1]."
    assert answer["reasoning"].strip() == "I should look."
    assert [search["query"] for search in answer["searches"]] == [TOPIC]
    for kept, found in zip(answer["searches"][0]["results"], record["results"], strict=True):
        assert {name: kept[name] for name in found} == found


@pytest.mark.slow
def test_what_was_sent_and_the_sources_are_told_once_each(searching: Cli, parrot_server: ParrotServer) -> None:
    call = parrot_server.call("web_search", query=f"!g {TOPIC}")
    done = searching.run("ask", script(call, call, "It is [1]."))
    answer, _, sources = done.stdout.partition("\n\n")
    assert answer == "It is [1]."
    head, *lines = sources.splitlines()
    assert head == "Sources (SearXNG):"
    assert [line.split()[0] for line in lines] == [f"[{number}]" for number in range(1, len(lines) + 1)]
    assert len(done.stderr.splitlines()) == 2  # the second one was answered from memory
    assert f"searched: !g {TOPIC}, sent as “g {TOPIC}” (" in done.stderr


@pytest.mark.slow
def test_search_off_sends_nothing(searching: Cli, parrot_server: ParrotServer, searxng: Searxng) -> None:
    call = parrot_server.call("web_search", query="never sent")
    done = searching.run("ask", "--json", "--search", "off", call)
    assert done.returncode == 1  # the model says nothing but the call
    assert "search_start" not in done.stdout
    assert "no answer" in done.stderr
    assert searxng.searches("never sent") == 0


@pytest.mark.slow
def test_a_conversation_goes_on_and_is_found(cli: Cli) -> None:
    cli.run("ask", "The first word is zygote.")
    assert cli.run("ask", "--conversation", "1", "The second one.").returncode == 0
    listing = cli.run("history", "list").stdout.splitlines()
    assert len(listing) == 1
    shown = cli.run("history", "show", "1").stdout
    assert shown.index("zygote") < shown.index("The second one.")
    assert "[zygote]" in cli.run("history", "search", "zygote").stdout
    assert cli.run("history", "delete", "1").returncode == 0
    assert cli.run("history", "list").stdout == ""
    assert cli.run("history", "show", "1").returncode == 1


@pytest.mark.slow
def test_no_save_leaves_no_trace(cli: Cli) -> None:
    assert cli.run("ask", "--no-save", "Nothing is kept.").stdout == "Nothing is kept.\n"
    assert not any(b"Nothing is kept" in path.read_bytes() for path in cli.folder.rglob("*") if path.is_file())


def test_a_server_that_is_away_is_one_sentence(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    cli.config.write_text('base_url = "http://127.0.0.1:9"\n', encoding="utf-8")
    done = cli.run("ask", "Hello?")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "http://127.0.0.1:9" in done.stderr
    assert "llama-server" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.endswith(" The question was not stored.\n")
    assert cli.run("history", "list").stdout == ""


@pytest.mark.slow
def test_an_unknown_conversation_is_one_sentence(cli: Cli) -> None:
    done = cli.run("ask", "--conversation", "77", "Hello?")
    assert done.returncode == 1
    assert "77" in done.stderr


@pytest.mark.slow
def test_an_export_into_a_pipe_or_a_file_leaves_nothing_out(cli: Cli) -> None:
    said = "right \u200fto left \u202eand back"
    events = cli.events(said)
    assert "".join(event["data"] for event in events if event["kind"] == "content") == said
    for arguments in (["export", "1", "--format", "json"], ["show", "1", "--format", "json"]):
        stored = json.loads(cli.run("history", *arguments).stdout)
        assert stored["messages"][-1]["content"] == said
    exported = cli.run("history", "export", "1").stdout
    assert f"\n{said}\n" in exported
    assert cli.run("history", "export", "1", "--output", str(cli.folder / "chat.md")).returncode == 0
    assert (cli.folder / "chat.md").read_text(encoding="utf-8") == exported
    assert "\u202e" not in cli.run("history", "show", "1").stdout


@pytest.mark.slow
def test_an_interrupt_keeps_what_came(cli: Cli) -> None:
    endless = "An answer without end. " * 200
    process = subprocess.Popen(
        cli.command("ask", endless), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=cli.whole_environment()
    )
    assert process.stdout is not None
    first = process.stdout.read(40)
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (1, b"llamachat: Stopped.\n")
    shown = cli.run("history", "show", "1", "--format", "json")
    answer = json.loads(shown.stdout)["messages"][-1]
    assert answer["status"] == "stopped"
    assert answer["content"].encode().startswith(first)
    assert len(answer["content"].encode()) >= len((first + rest).rstrip())


@pytest.mark.slow
def test_usage_errors_exit_with_two(cli: Cli) -> None:
    assert cli.run("ask").returncode == 2
    assert cli.run("ask", "--search", "sometimes", "x").returncode == 2
    assert cli.run("nonsense").returncode == 2
    assert cli.run("--demo", "ask", "x").returncode == 2
    assert cli.run("ask", "  ").returncode == 1


@pytest.mark.slow
def test_version_and_help_need_no_display(cli: Cli) -> None:
    bare = Cli(cli.folder, {"DISPLAY": "", "WAYLAND_DISPLAY": "", "QT_QPA_PLATFORM": ""})
    assert bare.run("--version").stdout.startswith("llamachat ")
    assert "ask" in bare.run("--help").stdout
