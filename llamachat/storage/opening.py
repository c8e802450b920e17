"""Opening the file: pragmas, the schema, and what to do when something is wrong with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from llamachat.core.errors import StorageError
from llamachat.core.seams import Clock
from llamachat.core.text import tr
from llamachat.storage.backup import all_copies, copy_before_migrating
from llamachat.storage.disks import is_readable, is_writable
from llamachat.storage.failures import is_busy, is_damage
from llamachat.storage.index_health import sample_is_found
from llamachat.storage.index_tables import make_index_anew
from llamachat.storage.migrations import APPLICATION_ID, LATEST, migrate, schema_version
from llamachat.storage.open_report import OpenReport, empty_report, read_only_report, rescue_report
from llamachat.storage.rescue import finish_interrupted_rescue, rescue
from llamachat.storage.start_lock import alone
from llamachat.storage.transactions import immediate

BUSY_TIMEOUT_S = 5.0
IN_MEMORY = Path(":memory:")  # the path of a database that has no file


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What opening takes from outside."""

    clock: Clock
    on_network_disk: Callable[[Path], bool]
    busy_timeout_s: float


@dataclass(frozen=True, slots=True)
class Opened:
    """A connection that is ready for use."""

    connection: sqlite3.Connection
    read_only: bool = False
    report: OpenReport = field(default_factory=OpenReport)


def open_connection(path: Path, around: Surroundings, *, check: bool) -> Opened:
    """Open the database at `path`, creating it and its folder where they do not exist.

    Raises StorageError and sqlite3.Error. Processes that start at once wait for each other while one of them creates,
    updates or rescues.
    """
    try:
        if not check and (current := _open_current(path, around)):
            return Opened(current)
        path.parent.mkdir(parents=True, exist_ok=True)
        _refuse_what_cannot_be_read(path)
        if not is_writable(path):
            return _open_read_only(path, around)
        with alone(path):
            report = _mend(path, around, check=check)
            return _open_and_update(path, around, report, check=check)
    except OSError as error:
        raise _folder_error(path.parent, error) from error


def open_to_look(path: Path) -> sqlite3.Connection:
    """Open an existing database of this program for reading, of any version. Raises StorageError, sqlite3.Error."""
    _refuse_what_cannot_be_read(path)
    connection = _connect_to_read(path, BUSY_TIMEOUT_S)
    try:
        _refuse_others(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def open_memory(name: str = "") -> sqlite3.Connection:
    """Open a database that has no file: a new one, or the one of this process that has the name, made where needed.

    SQLite's `memdb` is a file system in memory (shared since 3.36): connections lock and wait as on a disk, which
    those with a shared cache do not.
    """
    address = f"file:/{name}?vfs=memdb" if name else str(IN_MEMORY)
    connection = sqlite3.connect(address, uri=bool(name), timeout=BUSY_TIMEOUT_S, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    migrate(connection)
    return connection


def _open_current(path: Path, around: Surroundings) -> sqlite3.Connection | None:
    """The quick way, for each further connection of a program that runs; None unless all is as it should be."""
    if not path.is_file() or not path.stat().st_size or not is_writable(path):
        return None
    connection = _connect(path, around.busy_timeout_s)
    try:
        if _application_id(connection) == APPLICATION_ID and schema_version(connection) == LATEST:
            _set_pragmas(connection, on_network_disk=around.on_network_disk(path))
            return connection
    except sqlite3.Error as error:
        if is_busy(error):
            raise
    connection.close()
    return None


def _mend(path: Path, around: Surroundings, *, check: bool) -> OpenReport:
    rescued = finish_interrupted_rescue(path, now=around.clock.now())
    if rescued is None and path.exists() and _is_damaged(path, around, check=check):
        rescued = rescue(path, now=around.clock.now())
    if rescued is not None:
        return rescue_report(rescued, all_copies(path))
    is_empty = path.exists() and not path.stat().st_size
    return empty_report(all_copies(path)) if is_empty else OpenReport()


def _is_damaged(path: Path, around: Surroundings, *, check: bool) -> bool:
    """Look without changing anything; what is no damage shows itself when the file is opened for good."""
    log = Path(f"{path}-wal")
    if not path.stat().st_size:
        return log.exists() and log.stat().st_size > 0  # SQLite would delete what stands in the log
    try:
        with closing(_connect(path, around.busy_timeout_s, "mode=ro")) as connection:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            ours = _application_id(connection) == APPLICATION_ID and schema_version(connection) <= LATEST
            return ours and check and connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok"
    except sqlite3.Error as error:
        if is_busy(error):
            raise
        return is_damage(error)


def _open_and_update(path: Path, around: Surroundings, report: OpenReport, *, check: bool) -> Opened:
    if not path.exists():
        path.touch(mode=0o600)  # what is said here is nobody else's business; the files beside it get the same mode
    connection = _connect(path, around.busy_timeout_s)
    try:
        _refuse_others(connection, path)
        copy = copy_before_migrating(connection, path)
        _set_pragmas(connection, on_network_disk=around.on_network_disk(path))
        migrate(connection)
        if check and not sample_is_found(connection):
            with immediate(connection):
                make_index_anew(connection)
    except BaseException:
        connection.close()
        raise
    return Opened(connection, report=replace(report, copy=copy))


def _open_read_only(path: Path, around: Surroundings) -> Opened:
    connection = _connect_to_read(path, around.busy_timeout_s)
    try:
        _refuse_others(connection, path)
        _refuse_older(connection, path)
    except BaseException:
        connection.close()
        raise
    return Opened(connection, read_only=True, report=read_only_report(path))


def _connect_to_read(path: Path, busy_timeout_s: float) -> sqlite3.Connection:
    connection = _connect(path, busy_timeout_s, "mode=ro")
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        if is_busy(error):
            raise
        return _connect(path, busy_timeout_s, "mode=ro&immutable=1")  # the log's index cannot be made beside it
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def _connect(path: Path, busy_timeout_s: float, options: str = "mode=rwc") -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?{options}"
    connection = sqlite3.connect(address, uri=True, timeout=busy_timeout_s, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.text_factory = _text
    return connection


def _text(raw: bytes) -> str:
    """SQLite's own check does not find a broken character; one must not keep a whole chat from being read."""
    return raw.decode("utf-8", "replace")


def _set_pragmas(connection: sqlite3.Connection, *, on_network_disk: bool) -> None:
    """The log that lets readers and a writer work at once needs memory that all of them share: no network disk."""
    journal, synchronous = ("TRUNCATE", "FULL") if on_network_disk else ("WAL", "NORMAL")
    for pragma in (f"journal_mode = {journal}", f"synchronous = {synchronous}", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _application_id(connection: sqlite3.Connection) -> int:
    number: int = connection.execute("PRAGMA application_id").fetchone()[0]
    return number


def _refuse_what_cannot_be_read(path: Path) -> None:
    if path.exists() and not path.is_file():
        raise StorageError(
            tr("{path} is not a file: no history can be kept there.").format(path=path),
            tr("Move it away, or choose another folder with --data-dir."),
        )
    if not is_readable(path):
        raise StorageError(
            tr("The history ({path}) may not be read.").format(path=path),
            tr("Check the permissions of the file, or choose another folder with --data-dir."),
        )


def _refuse_others(connection: sqlite3.Connection, path: Path) -> None:
    is_new = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0
    if not is_new and _application_id(connection) != APPLICATION_ID:
        raise StorageError(
            tr("{path} is a database of another program.").format(path=path),
            tr("Choose another folder with --data-dir."),
        )
    if schema_version(connection) > LATEST:
        raise StorageError(
            tr("The history ({path}) was written by a newer version of this program.").format(path=path),
            tr("Update the program, or choose another folder with --data-dir."),
        )


def _refuse_older(connection: sqlite3.Connection, path: Path) -> None:
    if schema_version(connection) < LATEST:
        raise StorageError(
            tr("The history ({path}) is of an older version and cannot be written to.").format(path=path),
            tr("Check the permissions of the file and its folder."),
        )


def _folder_error(folder: Path, error: OSError) -> StorageError:
    return StorageError(
        tr("The folder {path} cannot be used: {reason}.").format(path=folder, reason=error.strerror),
        tr("Check the disk and the permissions, or choose another folder with --data-dir."),
    )
