"""What ends a piece of code after a time, and what only ends the wait for it."""

from __future__ import annotations

import pytest
from recognising import world

from toolbind_lint.recognise.limits import Limit

HEAD = """\
import asyncio
import signal
import threading
import multiprocessing
from concurrent.futures import ThreadPoolExecutor, as_completed

"""


def around(body: str, callee: str = "work") -> tuple[Limit, ...]:
    """The limits around the first call of ``callee``."""
    found = world(HEAD + body)
    call, function = found.call(callee)
    return found.tools.limits.around(call, function)


HELD = {
    "a block": "async def f():\n    async with asyncio.timeout(9):\n        await work()\n",
    "a timed call": "async def f():\n    await asyncio.wait_for(work(), 9)\n",
    "a timed call, by keyword": "async def f():\n    await asyncio.wait_for(work(), timeout=9)\n",
    "a task made before": (
        "async def f():\n    t = asyncio.create_task(work())\n    g()\n    await asyncio.wait_for(t, 9)\n"
    ),
    "a coroutine made before": "async def f():\n    c = work()\n    await asyncio.wait_for(c, 9)\n",
    "gathered": "async def f():\n    await asyncio.wait_for(asyncio.gather(*[work() for _ in x]), 9)\n",
    "tasks in a list": (
        "async def f():\n    ts = []\n    for i in x:\n        ts.append(asyncio.create_task(work(i)))\n"
        "    await asyncio.wait_for(asyncio.gather(*ts), 9)\n"
    ),
    "an alarm": "def f():\n    signal.alarm(9)\n    work()\n    signal.alarm(0)\n",
    "a context manager of the project": (
        "from contextlib import asynccontextmanager\n@asynccontextmanager\nasync def limited():\n"
        "    async with asyncio.timeout(9):\n        yield\n\nasync def f():\n    async with limited():\n"
        "        await work()\n"
    ),
}
GRACE = {
    "asked whether it is done": (
        "async def f():\n    t = asyncio.create_task(work())\n    await asyncio.sleep(0)\n    if t.done():\n"
        "        return await t\n    await asyncio.wait_for(t, 9)\n"
    ),
    "without a number none": (
        "async def f(s=9):\n    t = asyncio.create_task(work())\n    if s is None:\n        return await t\n"
        "    return await asyncio.wait_for(t, s)\n"
    ),
    "another task of that name": (
        "async def f(y):\n    if y:\n        t = asyncio.create_task(g())\n        await t\n    else:\n"
        "        t = asyncio.create_task(work())\n        await asyncio.wait_for(t, 9)\n"
    ),
    "a clean-up behind the limit": (
        "async def f():\n    t = asyncio.create_task(work())\n    try:\n        await asyncio.wait_for(t, 9)\n"
        "    finally:\n        await t\n"
    ),
}
WAITED = {
    "a future": "def f(pool):\n    fut = pool.submit(run, work())\n    return fut.result(timeout=9)\n",
    "in place": "def f(pool):\n    fut = pool.submit(work())\n    fut.result(9)\n",
    "as they complete": (
        "def f():\n    with ThreadPoolExecutor() as pool:\n        fs = [pool.submit(work(i)) for i in x]\n"
        "        for fut in as_completed(fs, timeout=9):\n            fut.result()\n"
    ),
    "a thread": "def f():\n    t = threading.Thread(target=work())\n    t.start()\n    t.join(9)\n",
    "a thread under a timed call": "async def f():\n    await asyncio.wait_for(asyncio.to_thread(g, work()), 9)\n",
}
BARE = {
    "nothing": "def f():\n    work()\n",
    "None": "async def f():\n    await asyncio.wait_for(work(), None)\n",
    "beside": "async def f():\n    await asyncio.wait_for(other(), 9)\n    await work()\n",
    "a result that is waited for later": (
        "async def f():\n    r = await work()\n    await asyncio.wait_for(send(r), 9)\n"
    ),
    "an alarm that is lifted": "def f():\n    signal.alarm(0)\n    work()\n",
    "a wait without a limit": "def f(pool):\n    fut = pool.submit(work())\n    fut.result()\n",
    "a grace wait behind a wait without a limit": (
        "async def f():\n    t = asyncio.create_task(work())\n    try:\n        await asyncio.wait({t})\n"
        "    finally:\n        t.cancel()\n        await asyncio.wait({t}, timeout=9)\n"
    ),
    "a grace wait behind the work itself": (
        "async def f():\n    t = asyncio.create_task(work())\n    try:\n        return await t\n"
        "    finally:\n        await asyncio.wait_for(t, 9)\n"
    ),
    "results of what is done": (
        "def f(pool):\n    fs = [pool.submit(work(i)) for i in x]\n    for fut in as_completed(fs):\n"
        "        fut.result(timeout=9)\n"
    ),
    "a thread that is joined twice": (
        "def f():\n    t = threading.Thread(target=work())\n    t.start()\n    t.join()\n    t.join(9)\n"
    ),
    "a helper that waits in its clean-up": (
        "async def ended(c):\n    t = asyncio.ensure_future(c)\n    await asyncio.wait({t})\n"
        "    await asyncio.wait({t}, timeout=9)\n\nasync def f():\n    await ended(work())\n"
    ),
    "a string joined": "def f():\n    name = work()\n    return ', '.join(name, 9)\n",
}


@pytest.mark.parametrize("body", [*HELD.values(), *GRACE.values()], ids=[*HELD, *GRACE])
def test_a_limit_that_ends_the_work(body: str) -> None:
    (found,) = around(body)
    assert (found.kills, found.seconds, found.off) == (True, 9, False)


@pytest.mark.parametrize("body", WAITED.values(), ids=WAITED)
def test_a_limit_that_ends_the_wait_only(body: str) -> None:
    found = around(body)
    assert [(limit.kills, limit.seconds) for limit in found[:1]] == [(False, 9)]


@pytest.mark.parametrize("body", BARE.values(), ids=BARE)
def test_no_limit(body: str) -> None:
    assert around(body) == ()


def test_a_process_that_is_killed_ends() -> None:
    body = "def f():\n    p = multiprocessing.Process(target=work())\n    p.start()\n    p.join(9)\n    p.{}()\n"
    assert [limit.kills for limit in around(body.format("kill"))] == [True]
    assert [limit.kills for limit in around(body.format("close"))] == [False]


def test_a_number_that_is_none_by_default_is_off() -> None:
    (found,) = around("async def f(limit=None):\n    await asyncio.wait_for(work(), limit)\n")
    assert found.off


def enclosing(body: str) -> tuple[Limit, ...]:
    found = world(HEAD + body)
    call, function = found.call("work")
    return found.tools.limits.enclosing(function, call)


def test_a_caller_that_waits_so_long_is_a_limit() -> None:
    (found,) = enclosing("async def f():\n    await work()\n\nasync def g():\n    await asyncio.wait_for(f(), 9)\n")
    assert found.seconds == 9


def test_of_two_callers_both_must() -> None:
    callers = "async def g():\n    await asyncio.wait_for(f(), 9)\n\nasync def h():\n    await f()\n"
    assert enclosing("async def f():\n    await work()\n\n" + callers) == ()


def test_the_other_side_of_a_switch_is_no_other_caller() -> None:
    body = (
        "def f():\n    work()\n\ndef g(limit=None):\n    if limit is not None:\n"
        "        with ThreadPoolExecutor() as pool:\n"
        "            fut = pool.submit(f)\n            return fut.result(timeout=limit)\n    return f()\n"
    )
    (found,) = enclosing(body)
    assert (found.off, found.kills) == (True, False)


def test_a_decorator_of_the_project_is_a_limit() -> None:
    body = (
        "def limited(seconds):\n    def decorate(fn):\n        async def inner(*a):\n"
        "            return await asyncio.wait_for(fn(*a), seconds)\n        return inner\n    return decorate\n\n"
        "@limited(9)\nasync def f():\n    await work()\n"
    )
    assert len(enclosing(body)) == 1


def test_a_decorator_that_limits_nothing_is_none() -> None:
    body = (
        "def logged(fn):\n    async def inner(*a):\n        return await fn(*a)\n    return inner\n\n"
        "@logged\nasync def f():\n    await work()\n"
    )
    assert enclosing(body) == ()


def test_the_switch_may_stand_a_call_above() -> None:
    body = (
        "class Agent:\n    budget = None\n    def run(self):\n        if self.budget is not None:\n"
        "            return self.timed(self.budget)\n        else:\n            return self.plain()\n"
        "    def timed(self, seconds):\n        pool = ThreadPoolExecutor()\n        fut = pool.submit(self.plain)\n"
        "        return fut.result(timeout=seconds)\n    def plain(self):\n        work()\n"
    )
    (found,) = enclosing(body)
    assert found.off


JOBS = {
    "celery": "from celery import shared_task\n\n@shared_task(time_limit=9)\n",
    "dramatiq": "import dramatiq\n\n@dramatiq.actor\n",
    "prefect": "from prefect import flow\n\n@flow(timeout_seconds=9)\n",
    "temporal": "from temporalio import activity\n\n@activity.defn\n",
    "airflow": "from datetime import timedelta\nfrom airflow.decorators import task\n\n"
    "@task(execution_timeout=timedelta(minutes=5))\n",
    "dagster": "from dagster import op\n\n@op(tags={'dagster/max_runtime': 9})\n",
    "rq": "from rq.decorators import job\n\n@job('default')\n",
}
NO_JOBS = {
    "celery": "from celery import shared_task\n\n@shared_task\n",
    "prefect": "from prefect import flow\n\n@flow(timeout_seconds=None)\n",
    "airflow": "from airflow.decorators import task\n\n@task(retries=3)\n",
    "dagster": "from dagster import op\n\n@op(tags={'kind': 'agent'})\n",
}


@pytest.mark.parametrize("text", JOBS.values(), ids=JOBS)
def test_a_job_system_limits_what_it_runs(text: str) -> None:
    assert len(enclosing(text + "def f():\n    work()\n")) == 1


@pytest.mark.parametrize("text", NO_JOBS.values(), ids=NO_JOBS)
def test_a_job_without_a_limit_has_none(text: str) -> None:
    assert enclosing(text + "def f():\n    work()\n") == ()


@pytest.mark.parametrize(
    "run",
    [
        "from rq import Queue\n\ndef g():\n    Queue().enqueue(f)\n",
        "from airflow.operators.python import PythonOperator\n\ndef g():\n"
        "    PythonOperator(task_id='x', python_callable=f, execution_timeout=9)\n",
        "from func_timeout import func_timeout\n\ndef g():\n    func_timeout(9, f)\n",
    ],
)
def test_a_call_that_runs_a_function_may_limit_it(run: str) -> None:
    assert len(enclosing("def f():\n    work()\n\n" + run)) == 1
