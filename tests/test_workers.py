"""Forks that answer: every question once, in order, whatever the jobs; a killed one is told, and nothing hangs."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from toolbind_lint.recognise.workers import WorkerError, Workers, can_fork

pytestmark = pytest.mark.skipif(not can_fork(), reason="processes are forked on Linux only")

SHARES = [[0, 3], [1], [2, 4]]


def test_only_linux_forks() -> None:
    assert can_fork() == (sys.platform == "linux")


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_answers_come_in_the_order_of_the_questions(jobs: int) -> None:
    def first(number: int) -> tuple[int, int]:
        return number * number, os.getpid()

    def second(number: int, note: int) -> tuple[int, int]:
        return number + note, os.getpid()

    with Workers(SHARES, jobs, first, second) as workers:
        squares = workers.first()
        sums = workers.second(sum(square for square, _ in squares))
    assert [square for square, _ in squares] == [0, 1, 4, 9, 16]
    assert [each for each, _ in sums] == [30, 31, 32, 33, 34]
    assert len({process for _, process in squares}) == len(SHARES)
    assert [p for _, p in squares] == [p for _, p in sums], "a fork keeps its share, and what it knows of it"
    assert os.getpid() not in {process for _, process in squares}


def test_an_answer_larger_than_a_pipe_comes_whole() -> None:
    with Workers(SHARES, 2, lambda number: str(number) * 500_000, lambda number, note: note) as workers:
        assert [len(answer) for answer in workers.first()] == [500_000] * 5
        assert workers.second("x" * 300_000) == ["x" * 300_000] * 5


def test_a_killed_worker_is_told_and_the_others_end() -> None:
    def first(number: int) -> int:
        if number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return os.getpid()

    workers: Workers[int, None] = Workers(SHARES, 2, first, lambda number, note: number)
    with pytest.raises(WorkerError, match="ended before it was done"), workers:
        workers.first()
    for child in workers._children:
        with pytest.raises(ChildProcessError):
            os.waitpid(child.process.pid or 0, os.WNOHANG)
