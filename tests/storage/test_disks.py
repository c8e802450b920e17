"""Which disks are another machine's, from the text of /proc/mounts."""

from __future__ import annotations

from pathlib import Path

import pytest

from llamachat.storage.disks import disk_type, is_on_network_disk, is_writable

MOUNTS = r"""rootfs / rootfs rw 0 0
/dev/sda1 / ext4 rw,relatime 0 0
proc /proc proc rw 0 0
server:/home /mnt/home nfs4 rw,vers=4.2 0 0
/dev/sdb1 /mnt/home/local xfs rw 0 0
//nas/share /mnt/my\040share cifs rw 0 0
user@host: /mnt/ssh fuse.sshfs rw 0 0
broken
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/srv/llamachat.db", "ext4"),
        ("/mnt/home/me/llamachat.db", "nfs4"),
        ("/mnt/homes/me/llamachat.db", "ext4"),
        ("/mnt/home/local/llamachat.db", "xfs"),
        ("/mnt/my share/llamachat.db", "cifs"),
        ("/mnt/ssh/llamachat.db", "fuse.sshfs"),
    ],
)
def test_the_innermost_mount_counts(path: str, kind: str) -> None:
    assert disk_type(Path(path), MOUNTS) == kind


def test_without_mounts_nothing_is_known() -> None:
    assert disk_type(Path("/srv/x"), "") == ""


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/mnt/home/me")
    assert disk_type(tmp_path / "link" / "llamachat.db", MOUNTS) == "nfs4"


def test_the_folder_for_temporary_files_is_on_this_machine(tmp_path: Path) -> None:
    assert not is_on_network_disk(tmp_path / "llamachat.db")


def test_what_does_not_exist_may_be_writable(tmp_path: Path) -> None:
    assert is_writable(tmp_path / "new.db")
    (tmp_path / "there.db").touch()
    assert is_writable(tmp_path / "there.db")
