"""The command `hutch`."""

from __future__ import annotations

import sys

#: The exit status of a program that Ctrl-C ended.
_INTERRUPTED = 130


def main() -> None:
    """Run the command that the arguments name."""
    try:
        # Here, for it takes most of a second, in which Ctrl-C may come too.
        from hutch.cli.commands import run

        run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
