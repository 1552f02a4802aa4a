"""Write all playthroughs anew: `python -m tests.playthroughs.rewrite`, or `make playthroughs`."""

from __future__ import annotations

from tests.playthroughs.declared import all_declared, orphans
from tests.playthroughs.playthrough import FOLDER, tell


def main() -> None:
    """Write what changed, remove what is no longer declared, and say which."""
    for playthrough in all_declared():
        text = tell(playthrough)
        if playthrough.path.exists() and playthrough.path.read_text() == text:
            continue
        playthrough.path.parent.mkdir(exist_ok=True)
        playthrough.path.write_text(text)
        print(f"written: {playthrough.path.relative_to(FOLDER)}")
    for orphan in orphans():
        (FOLDER / orphan).unlink()
        print(f"removed: {orphan}")


if __name__ == "__main__":
    main()
