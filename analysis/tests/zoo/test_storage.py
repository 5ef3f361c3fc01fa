"""Old raw streams are deleted first; tables stay."""

import os

from zoo.storage import make_room


def test_raw_streams_of_the_oldest_go_until_there_is_room(tmp_path):
    for age, name in enumerate(["newest", "middle", "oldest"]):
        folder = tmp_path / name
        (folder / "tables").mkdir(parents=True)
        (folder / "runtime.nettrace").write_bytes(b"x" * 1000)
        (folder / "tables" / "work_items.npz").write_bytes(b"x" * 10)
        os.utime(folder, (1000 - age, 1000 - age))
    make_room(tmp_path, most=2100)
    assert not (tmp_path / "oldest" / "runtime.nettrace").exists()
    assert (tmp_path / "middle" / "runtime.nettrace").exists() and (tmp_path / "newest" / "runtime.nettrace").exists()
    assert (tmp_path / "oldest" / "tables" / "work_items.npz").exists()
