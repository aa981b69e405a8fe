from __future__ import annotations

from tilescope.tiler.indexing.priorities import Priorities


def test_without_wishes_the_first_that_waits_comes_first() -> None:
    assert Priorities().choose([2, 0, 1]) == 2


def test_wishes_come_first_in_their_order_and_replace_each_other() -> None:
    priorities = Priorities()
    priorities.want([3, 0])
    assert priorities.choose([0, 1, 2, 3]) == 3
    assert priorities.choose([0, 1, 2]) == 0
    assert priorities.choose([1, 2]) == 1
    priorities.want([2])
    assert priorities.choose([0, 1, 2, 3]) == 2


def test_wishes_for_blocks_that_do_not_exist_are_of_no_effect() -> None:
    priorities = Priorities()
    priorities.want([99, 99, 2])
    assert priorities.wanted == (99, 2)
    assert priorities.choose([1, 2]) == 2
