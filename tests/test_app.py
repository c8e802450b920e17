"""The program without its window: settings in force, what may be searched, which server and model are asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from llamachat.app import App, build_app
from llamachat.chat.web_search_tool import tool_text
from llamachat.config.paths import resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.core.errors import ConfigError
from llamachat.core.events import Finish, Phase, PhaseName
from llamachat.core.messages import Role, Status, StoredMessage, WireMessage
from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.storage.conversations import create_conversation
from llamachat.storage.database import Database
from llamachat.storage.messages import add_message, load_branch
from llamachat.turn_rows import TurnRequest
from tests.fakes.sse_server import DONE, SseServer, content, event, finish, http, stream_head
from tests.recorder_parts import finish_of


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the files, with nothing in the environment that counts."""
    monkeypatch.delenv("SEARXNG_URL", raising=False)
    return tmp_path


def app_with(folder: Path, text: str) -> App:
    """The program with this config.toml."""
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return build_app(resolve_paths(folder / "config.toml", folder / "data"))


def test_the_first_start_writes_the_settings_and_searches_nothing(folder: Path) -> None:
    app = build_app(resolve_paths(folder / "new" / "config.toml", folder / "data"))
    assert (folder / "new" / "config.toml").exists()
    assert app.problems == ()
    assert not app.search_permission().ready


@pytest.mark.claim("LC-022")
@pytest.mark.parametrize(
    ("text", "ready", "known"),
    [
        ('search_url = "http://127.0.0.1:1"', False, True),
        ("search_enabled = true", False, False),
        ('search_enabled = true\nsearch_url = "http://127.0.0.1:1"', True, True),
    ],
)
def test_searching_needs_a_permission_and_an_address(folder: Path, text: str, *, ready: bool, known: bool) -> None:
    permission = app_with(folder, text).search_permission()
    assert (permission.ready, permission.configured) == (ready, known)


@pytest.mark.claim("AD-020")
def test_the_address_in_the_environment_counts_only_where_search_is_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEARXNG_URL", "http://127.0.0.1:1")
    assert app_with(folder, "search_enabled = true").search_permission().ready
    assert not app_with(folder, "").search_permission().ready


def test_an_edit_is_in_force_after_reload(folder: Path) -> None:
    app = app_with(folder, 'base_url = "127.0.0.1:1/v1"')
    assert app.models.endpoint().base_url == "http://127.0.0.1:1"
    (folder / "config.toml").write_text('base_url = "http://127.0.0.1:2"', encoding="utf-8")
    assert app.reload().changed == ("base_url",)
    assert app.models.endpoint().base_url == "http://127.0.0.1:2"


def test_a_broken_edit_keeps_the_settings_and_blocks_saving(folder: Path) -> None:
    app = app_with(folder, "temperature = 0.5\n")
    (folder / "config.toml").write_text("temperature = \n", encoding="utf-8")
    app.reload()
    assert app.config.temperature == 0.5
    assert not app.savable
    assert app.problems[0].line == 1
    with pytest.raises(ConfigError, match="Line 1, temperature: "):
        app.set_setting("theme", "dark")
    assert (folder / "config.toml").read_text(encoding="utf-8") == "temperature = \n"


def test_a_setting_is_written_and_in_force(folder: Path) -> None:
    app = app_with(folder, "# mine\n")
    app.set_setting("search_enabled", value=True)
    assert app.config.search_enabled
    assert (folder / "config.toml").read_text(encoding="utf-8").startswith("# mine\n")


def test_a_certificate_that_is_not_there_is_named(folder: Path) -> None:
    app = app_with(folder, f'search_ca_file = "{folder}/none.pem"\n')
    assert [problem.key for problem in app.problems] == ["search_ca_file"]
    assert app.savable


def test_the_key_comes_from_the_environment_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = app_with(folder, 'api_key_env = "LLAMACHAT_TEST_KEY"')
    assert app.models.endpoint().api_key == ""
    monkeypatch.setenv("LLAMACHAT_TEST_KEY", "sesame")
    assert app.models.endpoint().api_key == "sesame"


def test_a_named_server_is_asked_with_its_own_key_and_model(folder: Path) -> None:
    app = app_with(folder, 'server = "big"\nmodel = "small"\n[servers.big]\nbase_url = "http://127.0.0.1:7"\n')
    assert app.models.endpoint().base_url == "http://127.0.0.1:7"


def test_an_address_that_cannot_be_used_is_named_by_its_key(folder: Path) -> None:
    address = r"'http://me:s3cret\x@box'"
    plain = app_with(folder, f"base_url = {address}")
    named = app_with(folder, f'server = "my box"\n[servers."my box"]\nbase_url = {address}')
    assert [problem.key for problem in (*plain.problems, *named.problems)] == [
        "base_url",
        'servers."my box".base_url',
    ]
    assert "s3cret" not in "".join(map(str, plain.problems))


ANSWER = [stream_head(), content("Noon."), finish(), DONE]


def props(model: str, *, tools: bool = True) -> list[bytes]:
    """What a llama-server says of itself."""
    caps = {"supports_tools": tools, "supports_preserve_reasoning": False}
    return [http(json.dumps({"model_alias": model, "build_info": "b1", "chat_template_caps": caps}))]


def ask(app: App) -> tuple[StoredMessage, Finish]:
    """Ask something; the answer as it is stored, and how the turn ended."""
    with app.database() as db:
        turn = app.start_turn(db, TurnRequest("send", text="When?"), CancelToken())
        ended = finish_of(list(turn.events()))
        return turn.stored_answer(), ended


def test_a_server_that_was_started_anew_is_asked_anew_what_it_is(folder: Path) -> None:
    loading = [http('{"error": {"message": "Loading model"}}', status=503)]
    template, no = [http(json.dumps({"prompt": "?"}))], [stream_head(), content("no"), finish(), DONE]
    routed = [template, no, ANSWER]  # a model without tools is asked aside first
    keeps_none = [http("{}", status=404)]  # asked once: whether it keeps answers of lost connections
    replies = [props("small"), keeps_none, ANSWER, props("large", tools=False), *routed, loading, *routed]
    with SseServer(*replies) as server:
        text = f'base_url = "{server.base_url}"\nsearch_enabled = true\nsearch_url = "http://127.0.0.1:9"\n'
        app = app_with(folder, text)
        assert [ask(app)[0].model for _ in range(3)] == ["small", "large", ""]
        bodies = [json.loads(request.body) for request in server.requests if request.method == "POST"]
    assert ["tools" in body for body in bodies if "stream" in body] == [True, False, False, False, False]


def test_a_router_that_loads_the_model_first_is_told_as_loading(folder: Path) -> None:
    not_loaded = [http('{"error": {"code": 400, "message": "model is not loaded"}}', status=400)]
    states = [{"id": "qwen", "status": {"value": "unloaded"}}, {"id": "other", "status": {"value": "loaded"}}]
    models = [http(json.dumps({"data": states}))]
    with SseServer(not_loaded, models, ANSWER, props("qwen"), ANSWER) as server:
        app = app_with(folder, f'base_url = "{server.base_url}"\nmodel = "qwen"\n')
        phases = []
        for _ in range(2):
            with app.database() as db:
                turn = app.start_turn(db, TurnRequest("send", text="When?"), CancelToken())
                events = [event.data for event in turn.events()]
            phases.append([data.name for data in events if isinstance(data, Phase)][-1])
    assert phases == [PhaseName.LOADING, PhaseName.WAITING]


def test_a_server_that_says_only_in_its_answers_what_the_model_is_called(folder: Path) -> None:
    named = [
        stream_head(),
        event(model="qwen", choices=[{"index": 0, "delta": {"content": "Noon."}}]),
        finish(),
        DONE,
    ]
    with SseServer([http("{}")], named, [http("{}")], named[:2]) as server:
        app = app_with(folder, f'base_url = "{server.base_url}"\n')
        whole, cut_off = (ask(app)[0] for _ in range(2))
    assert (whole.model, whole.status) == ("qwen", Status.COMPLETE)
    assert (cut_off.model, cut_off.status) == ("qwen", Status.INTERRUPTED)
    with app.database() as db:
        stored = load_branch(db, whole.conversation_id)[-1]
    assert stored.model == "qwen"


def test_a_server_that_is_not_there_ends_the_turn_with_its_cause(folder: Path) -> None:
    stored, ended = ask(app_with(folder, 'base_url = "http://127.0.0.1:9"'))
    assert (stored.status, stored.finish_reason) == (Status.FAILED, "unreachable")
    assert "llama-server -m model.gguf --port 9" in stored.error
    assert ended.cause == "unreachable"


def add_searched_turn(db: Database, chat: int, parent: int | None, number: int) -> int:
    """Store a question and its answer, for which a search found one page; the answer's id."""
    found = SearchResult("T", f"https://a.example/{number}", f"snippet {number}")
    record = SearchRecord(query="tides", results=(found,))
    wire: tuple[WireMessage, ...] = (
        {"role": "assistant", "content": "", "tool_calls": [{"id": "t1"}]},
        {"role": "tool", "tool_call_id": "t1", "content": tool_text(record)},
        {"role": "assistant", "content": "Noon."},
    )
    asked = add_message(db, conversation_id=chat, parent_id=parent, role=Role.USER, content="When?")
    answered = add_message(
        db,
        conversation_id=chat,
        parent_id=asked.id,
        role=Role.ASSISTANT,
        content="Noon.",
        wire=wire,
        searches=(record,),
    )
    return answered.id


@pytest.mark.parametrize(("setting", "whole"), [("", [0, 1, 2]), ("search_keep_turns = 1\n", [2])])
def test_older_results_are_shortened_in_the_prompt_where_that_is_set_and_stay_in_the_chat(
    folder: Path, setting: str, whole: list[int]
) -> None:
    with SseServer(props("small"), ANSWER) as server:
        app = app_with(folder, f'base_url = "{server.base_url}"\n{setting}')
        with app.database() as db:
            chat, parent = create_conversation(db).id, None
            for number in range(3):
                parent = add_searched_turn(db, chat, parent, number)
            turn = app.start_turn(db, TurnRequest("send", chat, text="And now?"), CancelToken())
            assert finish_of(list(turn.events())).reason == "stop"
            stored = [row.searches[0].results[0].content for row in load_branch(db, chat) if row.searches]
        body = server.requests[-1].body.decode()
    assert [number for number in range(3) if f"snippet {number}" in body] == whole
    assert all(f"https://a.example/{number}" in body for number in range(3))
    assert stored == ["snippet 0", "snippet 1", "snippet 2"]
