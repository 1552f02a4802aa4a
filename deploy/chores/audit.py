"""Audit what the locks pin: write it down as a bill of materials, and ask what is known against it.

    python deploy/chores/audit.py     as `make audit` does, with the tools of audit-tools.lock

The status is 1 where something is known against a release, and 2 where nobody could say: no advice
is not good advice.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
#: What runs, and what it is made and tested with; by the name of its bill.
LOCKS: Final = {"hutch": "requirements-server.lock", "hutch-dev": "requirements.lock"}
SCRIPTS: Final = Path(sys.executable).parent
#: What pip-audit says where something is known against a release.
_KNOWN: Final = 1


def pinned(lock: Path) -> int:
    """How many releases a lock pins."""
    return sum("==" in line for line in lock.read_text().splitlines())


def bill(lock: Path, into: Path) -> None:
    """Write a CycloneDX bill of what a lock pins. Raises `SystemExit` where it is not whole."""
    command = [SCRIPTS / "cyclonedx-py", "requirements", lock, "--of", "JSON", "-o", into]
    project = ["--pyproject", ROOT / "pyproject.toml", "--output-reproducible"]
    subprocess.run([*command, *project], check=True, stderr=subprocess.DEVNULL)
    listed = len(json.loads(into.read_text())["components"])
    if listed != pinned(lock):
        sys.exit(f"{into} lists {listed} of the {pinned(lock)} releases of {lock.name}")
    print(f"{into.relative_to(ROOT)}: {listed} releases of {lock.name}")


def advice(lock: Path) -> list[dict[str, Any]]:
    """What pip-audit says of each release in a lock. Raises `SystemExit` where it says nothing."""
    command = [SCRIPTS / "pip-audit", "--requirement", lock, "--require-hashes", "--disable-pip"]
    more = ["--progress-spinner", "off", "--format", "json"]
    done = subprocess.run([*command, *more], capture_output=True, text=True, check=False)
    if done.returncode not in (0, _KNOWN) or not done.stdout:
        print(f"{lock.name} was NOT audited:\n{done.stderr.strip()[-1000:]}")
        sys.exit(2)
    said: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    return said


def verdict(name: str, said: list[dict[str, Any]], expected: int) -> int:
    """Print what came out for a lock; the status."""
    unknown = [one for one in said if "skip_reason" in one]
    known = [(one, flaw) for one in said for flaw in one.get("vulns", ())]
    for one, flaw in known:
        fixed = ", ".join(flaw["fix_versions"]) or "nothing yet"
        print(f"{name}: {one['name']} {one['version']}: {flaw['id']}; mended in {fixed}")
    if unknown or len(said) < expected:
        told = len(said) - len(unknown)
        print(f"{name} was NOT audited: advice came for {told} of {expected} releases.")
        for one in unknown[:1]:
            print(f"    {one['skip_reason']}")
    elif not known:
        print(f"{name}: nothing is known against its {expected} releases")
    return 1 if known else 2 if unknown or len(said) < expected else 0


def main() -> int:
    """Audit all locks; the worst status."""
    out = ROOT / "dist"
    out.mkdir(exist_ok=True)
    for name, lock in LOCKS.items():
        bill(ROOT / lock, out / f"{name}.cdx.json")
    statuses = [verdict(lock, advice(ROOT / lock), pinned(ROOT / lock)) for lock in LOCKS.values()]
    return 1 if 1 in statuses else max(statuses)


if __name__ == "__main__":
    sys.exit(main())
