"""What kind of disk a file lies on: SQLite's write-ahead log needs one that this machine alone writes to."""

from __future__ import annotations

import os
import re
from pathlib import Path

_NETWORK = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "lustre", "ocfs2", "gfs2", "gpfs", "glusterfs"}
    | {
        "davfs",
        "davfs2",
        "fuse.sshfs",
        "fuse.glusterfs",
        "fuse.cephfs",
        "fuse.rclone",
        "fuse.smbnetfs",
        "fuse.davfs2",
    }
)
_MOUNTS = Path("/proc/mounts")


def is_on_network_disk(path: Path) -> bool:
    """True where the folder of `path` is known to lie on another machine."""
    try:
        mounts = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return False
    return disk_type(path, mounts) in _NETWORK


def disk_type(path: Path, mounts: str) -> str:
    """The file system of the innermost mount that holds `path`; `mounts` is the text of /proc/mounts, see proc(5)."""
    place, best, found = path.resolve(), 0, ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) > 2:
            point = Path(_unescaped(fields[1]))
            if place.is_relative_to(point) and len(point.parts) >= best:
                best, found = len(point.parts), fields[2]
    return found


def is_readable(path: Path) -> bool:
    """True where the file can be read, or is not there."""
    return not path.exists() or os.access(path, os.R_OK)


def is_writable(path: Path) -> bool:
    """True where the file and its folder (SQLite puts files beside it) can be written to, or made."""
    if not path.exists():
        return True  # the try tells more than a guess
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _unescaped(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)
