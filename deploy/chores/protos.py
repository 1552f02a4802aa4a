"""Generate the stubs from protos/, or with --check show that the committed ones are up to date.

Public packages go to the SDK (clients/python/src), internal ones to the server (services). Both are
namespace packages below `hutch`, so the generated imports fit as they are.
"""

from __future__ import annotations

import filecmp
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROTOS = ROOT / "protos"
PUBLIC = ROOT / "clients" / "python" / "src"
INTERNAL = ROOT / "services"
SCRIPTS = Path(sys.executable).parent


def generate(public: Path, internal: Path) -> None:
    """Write all stubs below those two folders."""
    wells = Path(sysconfig.get_paths()["purelib"]) / "grpc_tools" / "_proto"
    for target in (public, internal):
        sources = sorted(
            str(path.relative_to(PROTOS))
            for path in PROTOS.rglob("*.proto")
            if ("internal" in path.parts) == (target is internal)
        )
        services = [name for name in sources if name.endswith("_service.proto")]
        common = [sys.executable, "-m", "grpc_tools.protoc", f"-I{PROTOS}", f"-I{wells}"]
        mypy = f"--plugin=protoc-gen-mypy={SCRIPTS / 'protoc-gen-mypy'}"
        mypy_grpc = f"--plugin=protoc-gen-mypy_grpc={SCRIPTS / 'protoc-gen-mypy_grpc'}"
        subprocess.run(
            [*common, mypy, f"--python_out={target}", f"--mypy_out=quiet:{target}", *sources],
            check=True,
        )
        subprocess.run(
            [
                *common,
                mypy_grpc,
                f"--grpc_python_out={target}",
                f"--mypy_grpc_out=quiet:{target}",
                *services,
            ],
            check=True,
        )


def differences(fresh: Path, committed: Path) -> list[str]:
    """Stubs that are missing, stale or left over in `committed`."""
    new = {path.relative_to(fresh) for path in fresh.rglob("*_pb2*.py*") if path.is_file()}
    old = {path.relative_to(committed) for path in committed.rglob("*_pb2*.py*")}
    old = {path for path in old if "__pycache__" not in path.parts}
    stale = {
        path for path in new & old if not filecmp.cmp(fresh / path, committed / path, shallow=False)
    }
    return sorted(str(path) for path in (new ^ old) | stale)


def check() -> int:
    """Lint the protos and compare the stubs: the number of findings."""
    buf = str(SCRIPTS / "buf")
    findings = subprocess.run([buf, "lint", "protos"], cwd=ROOT).returncode
    findings += subprocess.run(
        [buf, "format", "--diff", "--exit-code", "protos"], cwd=ROOT
    ).returncode
    baseline = PROTOS / "baseline.binpb"
    if baseline.exists():
        findings += subprocess.run(
            [buf, "breaking", "protos", "--against", str(baseline)], cwd=ROOT
        ).returncode
    with tempfile.TemporaryDirectory() as folder:
        public, internal = Path(folder, "public"), Path(folder, "internal")
        public.mkdir()
        internal.mkdir()
        generate(public, internal)
        stale = differences(public, PUBLIC) + differences(internal, INTERNAL)
    for path in stale:
        print(f"stale stub: {path}; run `make protos`")
    return findings + len(stale)


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(1 if check() else 0)
    generate(PUBLIC, INTERNAL)
