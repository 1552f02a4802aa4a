"""A process that was started for another one ends with it."""

import os
import signal

from tests.runtime.programs import is_running, started, wait_until


def test_a_child_ends_when_its_parent_is_killed() -> None:
    with started("parent", "serve") as parent:
        child = int(str(parent.said()["pid"]))
        os.kill(parent.pid, signal.SIGKILL)
        wait_until(lambda: not is_running(child), "the child ends")


def test_a_child_that_will_not_drain_is_gone_all_the_same() -> None:
    with started("parent", "stubborn", HUTCH_DRAIN_GRACE_SECONDS="0.1") as parent:
        child = int(str(parent.said()["pid"]))
        os.kill(parent.pid, signal.SIGKILL)
        assert parent.said() == {"stopping": True}
        wait_until(lambda: not is_running(child), "the child is gone")


def test_a_parent_that_died_before_the_child_looked_is_noticed() -> None:
    with started("serve", HUTCH_DIE_WITH_PARENT=str(2**22 + 1)) as child:
        assert child.ended() in (0, -signal.SIGTERM)


def test_a_child_stays_while_its_parent_does() -> None:
    with started("serve", HUTCH_DIE_WITH_PARENT=str(os.getpid())) as child:
        child.said()
        os.kill(child.pid, signal.SIGTERM)
        assert [line["event"] for line in child.logged()] == ["starting", "stopping", "stopped"]
