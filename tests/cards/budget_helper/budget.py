"""What one run may use. The loop asks before each turn, the dispatcher before each call."""

import time
from dataclasses import dataclass, field


class BudgetExceeded(Exception):
    """The run must stop."""


@dataclass
class RunBudget:
    max_turns: int = 10
    max_calls: int = 25
    wall_s: float = 120.0
    started: float = field(default_factory=time.monotonic)
    turns: int = 0
    calls: int = 0

    def take_turn(self):
        self.turns += 1
        if self.turns > self.max_turns:
            raise BudgetExceeded("turns")
        self._check_clock()

    def take_call(self):
        self.calls += 1
        if self.calls > self.max_calls:
            raise BudgetExceeded("calls")
        self._check_clock()

    def _check_clock(self):
        if time.monotonic() - self.started > self.wall_s:
            raise BudgetExceeded("wall")
