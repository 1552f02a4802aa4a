"""The build hook of the compiled wheel: mypyc makes C of the packages named in pyproject.toml.

Off unless `HATCH_BUILD_HOOK_ENABLE_CUSTOM` is `true`, so that no other build needs a C compiler.
"""

from __future__ import annotations

import ast
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from mypyc.build import mypycify
from setuptools import Distribution


class Compiling(BuildHookInterface[Any]):
    """Adds extension modules to the wheel, beside the sources they were made from."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, unless the wheel is one that only points at the sources."""
        if version == "editable":
            return
        self._folder = TemporaryDirectory(prefix="hutch-compiling-")  # goes when the hook does
        folder = Path(self._folder.name)
        os.chdir(self.root)  # where mypy finds its settings
        packages = [self._package(name) for name in self.config["packages"]]
        extensions = mypycify(
            [f"--cache-dir={folder / 'types'}", *(path for paths, _ in packages for path in paths)],
            separate=packages,
            opt_level="1",
            debug_level="0",
            target_dir=str(folder / "c"),
        )
        build = Distribution({"ext_modules": extensions}).get_command_obj("build_ext")
        build.build_temp = str(folder / "objects")
        build.build_lib = str(folder / "made")
        build.parallel = os.cpu_count()
        build.ensure_finalized()
        build.run()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        for made in (folder / "made").rglob("*.*"):
            build_data["force_include"][str(made)] = str(made.relative_to(folder / "made"))

    def _package(self, name: str) -> tuple[list[str], str | None]:
        """The modules of a package that are to be compiled, and the name of their library."""
        modules = [
            str(path) for path in Path("services", *name.split(".")).rglob("*.py") if _fits(path)
        ]
        return sorted(set(modules) - set(self.config["interpreted"])), name.replace(".", "_")


def _fits(module: Path) -> bool:
    """Whether mypyc keeps what a module means.

    It drops the keywords of classes in silence, so that frozen structs would no longer be frozen,
    and makes other dataclasses of dataclasses.
    """
    classes = [one for one in ast.walk(ast.parse(module.read_bytes())) if type(one) is ast.ClassDef]
    return module.name != "__init__.py" and not any(
        one.keywords or one.decorator_list for one in classes
    )
