"""Random edits: afterwards every path that differs was told, and nothing else is known."""

import os
import random
import shutil
from pathlib import Path

import pytest

from tests.watch.support import Watching, watching


def snapshot(root: Path) -> dict[str, tuple[int, int, int, int]]:
    found: dict[str, tuple[int, int, int, int]] = {}
    for folder, _, files in os.walk(root):
        for name in files:
            path = os.path.join(folder, name)
            status = os.stat(path)
            found[path] = (
                status.st_size,
                status.st_mtime_ns,
                status.st_ctime_ns,
                status.st_ino,
            )
    return found


def edit(root: Path, random_: random.Random) -> None:
    """One random change somewhere below `root`."""
    folders = [Path(folder) for folder, _, _ in os.walk(root)]
    files = [Path(path) for path in snapshot(root)]
    folder = random_.choice(folders)
    name = random_.choice("abcde")
    match random_.randrange(7):
        case 0 | 1 if not (folder / name).is_dir():
            (folder / name).write_text("x" * random_.randrange(5))
        case 2:
            (folder / f"d{name}" / "deep").mkdir(parents=True, exist_ok=True)
            (folder / f"d{name}" / "deep" / name).write_text("new")
        case 3 if files:
            random_.choice(files).unlink()
        case 4 if folder != root:
            shutil.rmtree(folder)
        case 5 if folder != root:
            target = random_.choice(folders) / f"m{random_.randrange(4)}"
            if not target.exists() and folder not in (target, *target.parents):
                folder.rename(target)
        case 6 if len(files) > 1:
            random_.choice(files).replace(random_.choice(files))
        case _:
            pass


async def check(w: Watching, root: Path, random_: random.Random) -> None:
    for _ in range(8):
        before = snapshot(root)
        w.told.clear()
        for _ in range(random_.randrange(1, 25)):
            edit(root, random_)
            if random_.random() < 0.2:
                await w.settle()
        await w.settle()
        after = snapshot(root)
        differs = {p for p in before.keys() | after.keys() if before.get(p) != after.get(p)}
        assert differs <= w.seen()
        index = w.watcher._index
        known = {
            os.path.join(path, name)
            for path, folder in index.folders.items()
            if folder.kind is not None and path.startswith(str(root))
            for name in folder.files
        }
        assert known == set(after)


@pytest.mark.parametrize("seed", range(3))
async def test_any_sequence_of_edits(project: Path, probe: Path, seed: int) -> None:
    random_ = random.Random(seed)
    async with watching(probe, whole=[project]) as w:
        await check(w, project, random_)
