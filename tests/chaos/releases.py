"""Releases: what another commit built, installed as a user installs it."""

from __future__ import annotations

import argparse
import io
import subprocess
import sys
import tarfile
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).parents[2]


class Release(Struct, frozen=True):
    """A commit, and the Python of the environment that has its two wheels and what they need."""

    commit: str
    subject: str
    python: Path

    def __str__(self) -> str:
        return f"{self.commit} ({self.subject})"


def revision(text: str) -> str:
    """That text, if git knows a commit by it; for argparse."""
    found = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", f"{text}^{{commit}}"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        check=False,
    )
    if found.returncode:
        raise argparse.ArgumentTypeError(f"git knows no commit {text!r}; `git log` lists them")
    return text


def installed(commit_ish: str, folder: Path) -> Release:
    """The wheels of that commit (as git calls it) in an environment of their own below `folder`,
    with the versions that it was locked to, unless it is there already."""
    commit, subject = _git("log", "-1", "--format=%h%n%s", commit_ish).decode().splitlines()
    parts = ("tree", "wheels", "environment")
    tree, wheels, environment = (folder / commit / name for name in parts)
    release = Release(commit, subject, environment / "bin/python")
    if (environment / "bin/hutch").exists():  # comes last
        return release
    with tarfile.open(fileobj=io.BytesIO(_git("archive", commit))) as archive:
        archive.extractall(tree, filter="data")
    build = [sys.executable, "-m", "pip", "wheel", "-qq", "--no-deps", "--no-build-isolation"]
    _run(*build, "--wheel-dir", str(wheels), str(tree / "clients/python"), str(tree))
    _run(sys.executable, "-m", "venv", str(environment))
    install = [str(release.python), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    _run(*install, "--require-hashes", "-r", str(tree / "requirements-server.lock"))
    _run(*install, "--no-deps", *map(str, wheels.glob("*.whl")))
    return release


def _git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout


def _run(*words: str) -> None:
    subprocess.run(words, check=True)
