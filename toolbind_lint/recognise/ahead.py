"""What lies ahead of each point of a graph within one pass: reachability, found once and kept as bits."""

from __future__ import annotations

from collections.abc import Iterable

from toolbind_lint.recognise.paths import Graph, Point


class Ahead:
    """Sets of points as integers, one bit for each point by its number.

    The head ends a pass: nothing leads on through it. ``raising`` follows exceptions.
    """

    def __init__(self, graph: Graph, *, raising: bool) -> None:
        self._graph = graph
        self._raising = raising
        self._bits = self._closures()

    def bits(self, starts: Iterable[Point]) -> int:
        """The points that can be reached from some points, these among them."""
        found = 0
        for point in starts:
            found |= self._bits[point.number]
        return found

    def points(self, starts: Iterable[Point]) -> list[Point]:
        """``bits`` as points, in the order of the graph."""
        found = self.bits(starts)
        return [p for p in self._graph.points if found >> p.number & 1]

    def _closures(self) -> list[int]:
        """The closure of each point. Points that reach each other (an inner loop) share one."""
        points, head = self._graph.points, self._graph.head
        count = len(points)
        onward = [
            []
            if p is head
            else [t.number for label, t in p.to if t is not head and (self._raising or label != "raise")]
            for p in points
        ]
        closed = [0] * count
        order = [-1] * count
        low = [0] * count
        open_: list[int] = []
        met = 0
        for root in range(count):
            if order[root] >= 0:
                continue
            work = [(root, 0)]
            while work:
                at, next_ = work.pop()
                if next_ == 0:
                    order[at] = low[at] = met
                    met += 1
                    open_.append(at)
                ways = onward[at]
                while next_ < len(ways):
                    to = ways[next_]
                    next_ += 1
                    if order[to] < 0:
                        work += [(at, next_), (to, 0)]
                        break
                    if not closed[to]:
                        low[at] = min(low[at], order[to])
                else:
                    if low[at] == order[at]:
                        self._close(at, open_, onward, closed)
                    if work:
                        above = work[-1][0]
                        low[above] = min(low[above], low[at])
        if head is not None:
            closed[head.number] = 0  # no way leads to it within the pass
        return closed

    @staticmethod
    def _close(first: int, open_: list[int], onward: list[list[int]], closed: list[int]) -> None:
        """Closes the points that reach each other, which stand on the stack from ``first`` on."""
        members = []
        while True:
            at = open_.pop()
            members.append(at)
            if at == first:
                break
        found = 0
        for at in members:
            found |= 1 << at
            for to in onward[at]:
                found |= closed[to]
        for at in members:
            closed[at] = found
