"""How a run and the constructor behind it are joined, whatever lies between them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from textwrap import dedent

import pytest

from toolbind_lint.config import Settings
from toolbind_lint.findings import Finding
from toolbind_lint.lint import lint
from toolbind_lint.snapshot import Memory
from toolbind_lint.verdicts import Subject

EXPECTED = re.compile(r"#\s*expect:\s*(TB\d{3})")


def report(files: str | Mapping[str, str], code: str = "TB107") -> tuple[list[Finding], tuple[Subject, ...]]:
    texts = {"agent.py": files} if isinstance(files, str) else dict(files)
    data = {path: dedent(text).encode() for path, text in texts.items()}
    targets = [path for path in data if path.endswith((".py", ".ipynb"))]
    found = lint(Memory(data), targets, Settings())
    assert found.crashes == ()
    return [f for f in found.findings if f.code == code], found.subjects


def check(files: str | Mapping[str, str], code: str = "TB107") -> None:
    """The findings of one rule stand on the marked lines and nowhere else."""
    texts = {"agent.py": files} if isinstance(files, str) else dict(files)
    expected = sorted(
        (path, number)
        for path, text in texts.items()
        for number, line in enumerate(dedent(text).splitlines(), 1)
        if (match := EXPECTED.search(line)) and match[1] == code
    )
    found, _ = report(files, code)
    assert sorted((f.place.path, f.place.line) for f in found) == expected


AGNO = "from agno.agent import Agent\n"
TOOLED = "Agent(tools=[print])"
PLAIN = "Agent()"

JOINED = {
    "a name": "agent = {make}\nagent.run('hi')",
    "a chain": "{make}.run('hi')",
    "another name": "first = {make}\nagent = first\nagent.run('hi')",
    "a global in a function": "agent = {make}\ndef ask():\n    agent.run('hi')",
    "a return": "def build():\n    return {make}\ndef ask():\n    build().run('hi')",
    "an awaited return": (
        "async def build():\n    return {make}\nasync def ask():\n    agent = await build()\n    agent.run('hi')"
    ),
    "a tuple": "def build():\n    return 1, {make}\ndef ask():\n    _, agent = build()\n    agent.run('hi')",
    "a tuple through a runner": (
        "import asyncio\nasync def build():\n    return 1, {make}\ndef ask():\n"
        "    n, agent = asyncio.run(build())\n    agent.run('hi')"
    ),
    "a parameter": "def ask(agent):\n    agent.run('hi')\nask({make})",
    "a parameter by keyword": "def ask(question, agent=None):\n    agent.run(question)\nask('hi', agent={make})",
    "a parameter of a constructor": (
        "class Desk:\n    def __init__(self, agent):\n        self.agent = agent\n"
        "    def ask(self):\n        self.agent.run('hi')\n"
        "Desk({make})"
    ),
    "an attribute": (
        "class Desk:\n    def __init__(self):\n        self.agent = {make}\n    def ask(self):\n"
        "        self.agent.run('hi')"
    ),
    "a class attribute": "class Desk:\n    agent = {make}\n    def ask(self):\n        self.agent.run('hi')",
    "a property": (
        "class Desk:\n    @property\n    def agent(self):\n        return {make}\n"
        "    def ask(self):\n        self.agent.run('hi')"
    ),
    "a field of a data class": (
        "from dataclasses import dataclass\n@dataclass\nclass Bundle:\n    agent: object\ndef ask(bundle: Bundle):\n"
        "    bundle.agent.run('hi')\nask(Bundle(agent={make}))"
    ),
    "a conditional expression": "import os\nagent = {make} if os.getenv('KEY') else None\nagent.run('hi')",
    "an or": "def ask(agent=None):\n    agent = agent or {make}\n    agent.run('hi')",
    "a branch": "import os\nif os.getenv('KEY'):\n    agent = {make}\nelse:\n    agent = None\nagent.run('hi')",
    "a dict": "agents = {{'a': {make}}}\nagents['a'].run('hi')",
    "a dict by get": "agents = {{'a': {make}}}\nagents.get('a').run('hi')",
    "a dict filled later": "agents = {{}}\nagents['a'] = {make}\nagents['a'].run('hi')",
    "a list": "agents = [{make}]\nagents[0].run('hi')",
    "a loop over a list": "agents = [{make}]\nfor agent in agents:\n    agent.run('hi')",
    "a loop over a dict": "agents = {{'a': {make}}}\nfor name, agent in agents.items():\n    agent.run(name)",
    "a list that is appended to": "agents = []\nagents.append({make})\nfor agent in agents:\n    agent.run('hi')",
    "a comprehension": "agents = [{make} for _ in range(3)]\nfor agent in agents:\n    agent.run('hi')",
    "session state": (
        "import streamlit as st\nst.session_state.agent = {make}\ndef ask():\n    st.session_state.agent.run('hi')"
    ),
    "session state by key": (
        "import streamlit as st\nst.session_state['agent'] = {make}\ndef ask():\n"
        "    st.session_state['agent'].run('hi')"
    ),
    "a cached factory": (
        "import streamlit as st\n@st.cache_resource\ndef build():\n    return {make}\nbuild().run('hi')"
    ),
    "a context manager": "with {make} as agent:\n    agent.run('hi')",
    "a global that a function sets": (
        "agent = None\ndef setup():\n    global agent\n    agent = {make}\ndef ask():\n    agent.run('hi')"
    ),
    "a walrus": "if agent := {make}:\n    agent.run('hi')",
    "a stream": "agent = {make}\nfor chunk in agent.run('hi', stream=True):\n    print(chunk)",
}


@pytest.mark.parametrize("shape", JOINED)
@pytest.mark.parametrize("make", [TOOLED, PLAIN])
def test_a_run_is_joined_to_its_constructor(shape: str, make: str) -> None:
    found, _ = report(AGNO + JOINED[shape].format(make=make))
    assert len(found) == (make == TOOLED)


def test_files_are_joined_by_imports() -> None:
    check(
        {
            "team/agents.py": "from agno.agent import Agent\nresearcher = Agent(tools=[print])\nwriter = Agent()\n",
            "team/__init__.py": "from team.agents import researcher, writer\n",
            "main.py": """
            from team import researcher, writer
            researcher.run("hi")  # expect: TB107
            writer.run("hi")
            """,
        }
    )


def test_a_helper_that_imports_no_framework_runs_what_it_is_given() -> None:
    check(
        {
            "helper.py": "def ask(agent):\n    return agent.run('hi')  # expect: TB107\n",
            "main.py": "from agno.agent import Agent\nfrom helper import ask\nask(Agent(tools=[print]))\n",
        }
    )


def test_the_cells_of_a_notebook_are_one_program() -> None:
    cells = ["from agno.agent import Agent", "agent = Agent(tools=[print])", "%time 1", "agent.run('hi')"]
    book = {
        "cells": [{"cell_type": "code", "source": [c], "metadata": {}, "outputs": []} for c in cells],
        "nbformat": 4,
    }
    found, _ = report({"book.ipynb": json.dumps(book)})
    assert [(f.place.cell, f.place.line) for f in found] == [(3, 1)]


def test_the_last_assignment_before_a_run_counts() -> None:
    check(
        """
        from agno.agent import Agent
        agent = Agent(tools=[print])
        agent.run("one")  # expect: TB107
        agent = Agent()
        agent.run("two")
        """
    )


def test_two_frameworks_with_a_class_of_the_same_name_are_told_apart() -> None:
    check(
        """
        from agno.agent import Agent
        from agents import Agent as Worker, Runner

        def browse():
            from browser_use import Agent
            return Agent(task="x").run(max_steps=5)

        async def ask():
            Agent(tools=[print]).run("hi")  # expect: TB107
            await Runner.run(Worker(name="w", tools=[print]), "hi")
        """
    )


def test_a_class_of_the_project_is_no_framework() -> None:
    check(
        {
            "agno_like.py": "class Agent:\n    def run(self, q): return q\n",
            "a.py": "from agno_like import Agent\nAgent(tools=[print]).run('x')\n",
        }
    )


def test_a_folder_of_the_project_may_bear_the_name_of_a_package() -> None:
    files = {
        "app/agents/__init__.py": "",
        "app/agents/writer.py": "x = 1\n",
        "demo/main.py": """
        from agents import Agent, Runner
        Runner.run_sync(Agent(name="a", tools=[print]), "hi", max_turns=None)  # expect: TB107
        """,
    }
    check(files)


def test_the_librarys_own_project_is_judged_like_any_other() -> None:
    source = "from strands import Agent\nagent = Agent(tools=[print])\nagent('hi')\n"
    own = "class Agent:\n    def __call__(self, prompt):\n        return prompt\n"
    files = {"src/strands/__init__.py": own, "tests/test_a.py": source}
    assert report(files)[0] == []
    assert len(report({**files, "pyproject.toml": '[project]\nname = "strands-agents"\n'})[0]) == 1


# ---- what makes an agent able to loop


@pytest.mark.parametrize(
    ("given", "loops"),
    [
        ("tools=[]", False),
        ("tools=None", False),
        ("tools=[print]", True),
        ("tools=TOOLS", True),
        ("tools=NONE", False),
        ("tools=make()", True),
        ("tools=[*TOOLS]", True),
        ("tools=[*NONE]", False),
        ("knowledge=make()", True),
        ("read_chat_history=False", False),
        ("**{'tools': TOOLS}", True),
        ("**{'tools': NONE}", False),
        ("**OPTIONS", True),
        ("**load()", True),
        ("model='x'", False),
    ],
)
def test_an_agent_without_anything_to_call_cannot_loop(given: str, loops: bool) -> None:
    head = (
        "from agno.agent import Agent\nfrom elsewhere import make, load\nTOOLS = [print]\n"
        "NONE = []\nOPTIONS = dict(tools=TOOLS)\n"
    )
    found, subjects = report(f"{head}Agent({given}).run('hi')\n")
    assert len(found) == loops
    assert bool([s for s in subjects if s.kind == "agent-run"]) is loops


@pytest.mark.parametrize(
    "later",
    [
        "agent.tools = [print]",
        "agent.tools.append(print)",
        "agent.add_tool(print)",
        "def more():\n    agent.tools = [print]",
    ],
)
def test_tools_may_be_given_later(later: str) -> None:
    found, _ = report(f"from agno.agent import Agent\nagent = Agent()\n{later}\nagent.run('hi')\n")
    assert len(found) == 1


@pytest.mark.parametrize("how", ["@agent.tool", "@agent.tool_plain", "@agent.tool(retries=2)"])
def test_tools_may_be_given_by_a_decorator(how: str) -> None:
    text = (
        "from pydantic_ai import Agent\nagent = Agent('x')\n{how}\ndef look(name: str) -> str:\n"
        "    return name\nagent.run_sync('hi')\n"
    )
    assert [s.kind for s in report(text.format(how=how))[1]] == ["agent-run"]
    assert report(text.format(how="@print"))[1] == ()


def test_members_make_a_crew_loop() -> None:
    text = """
    from crewai import Agent, Crew, Task
    idle = Agent(role="a", goal="b", backstory="c")
    busy = Agent(role="a", goal="b", backstory="c", tools=[print])
    talk = Task(description="d", expected_output="e")
    work = Task(description="d", expected_output="e", tools=[print])
    {crew}.kickoff()
    """

    def runs(crew: str) -> int:
        return len(report(text.format(crew=crew))[1])

    assert runs("Crew(agents=[idle], tasks=[talk])") == 0
    assert runs("Crew(agents=[idle, busy], tasks=[talk])") == 1
    assert runs("Crew(agents=[idle], tasks=[work])") == 1
    assert runs("Crew(agents=unknown(), tasks=[talk])") == 1


# ---- where a bound is given

LANGGRAPH = "from langgraph.prebuilt import create_react_agent\nagent = create_react_agent('m', [print])\n"

GIVEN = {
    "in the call": "agent.invoke({{}}, config={{'recursion_limit': {n}}})",
    "at its position": "agent.invoke({{}}, {{'recursion_limit': {n}}})",
    "in a dict": "config = {{'recursion_limit': {n}}}\nagent.invoke({{}}, config)",
    "in a dict that grows": "config = {{}}\nconfig['recursion_limit'] = {n}\nagent.invoke({{}}, config)",
    "in a call of dict": "config = dict(recursion_limit={n})\nagent.invoke({{}}, config)",
    "in a typed config": (
        "from langchain_core.runnables import RunnableConfig\nagent.invoke({{}}, RunnableConfig(recursion_limit={n}))"
    ),
    "in a merged dict": "base = {{'recursion_limit': {n}}}\nagent.invoke({{}}, {{**base, 'tags': []}})",
    "in options": "options = {{'config': {{'recursion_limit': {n}}}}}\nagent.invoke({{}}, **options)",
    "by with_config": "agent.with_config(recursion_limit={n}).invoke({{}})",
    "by with_config and a dict": "agent.with_config({{'recursion_limit': {n}}}).invoke({{}})",
    "by a wrapped name": "bound = agent.with_config(recursion_limit={n})\nbound.invoke({{}})",
    "as a constant": "LIMIT = {n}\nagent.invoke({{}}, {{'recursion_limit': LIMIT}})",
    "by arithmetic": "agent.invoke({{}}, {{'recursion_limit': 2 * {n} + 1}})",
    "by a parameter": "def ask(limit={n}):\n    agent.invoke({{}}, {{'recursion_limit': limit}})",
    "by a helper": "def config():\n    return {{'recursion_limit': {n}}}\nagent.invoke({{}}, config())",
    "by a field": (
        "class Desk:\n    def __init__(self):\n        self.config = {{'recursion_limit': {n}}}\n"
        "    def ask(self):\n        agent.invoke({{}}, self.config)"
    ),
}


@pytest.mark.parametrize("shape", GIVEN)
def test_a_bound_is_found_where_it_is_given(shape: str) -> None:
    bounded, _ = report(LANGGRAPH + GIVEN[shape].format(n=20))
    assert bounded == []
    unbounded, _ = report(LANGGRAPH + GIVEN[shape].format(n=20_000))
    assert len(unbounded) == 1


def test_a_subclass_may_set_the_bound() -> None:
    check(
        """
        from langchain.agents import AgentExecutor
        from google.adk.agents import LoopAgent

        class Patient(AgentExecutor):
            max_iterations = None

        class Quick(AgentExecutor):
            def __init__(self, tools):
                super().__init__(agent=print, tools=tools, max_iterations=4)

        Patient(agent=print, tools=[print]).invoke({})  # expect: TB107
        Quick([print]).invoke({})
        """
    )


def test_a_bound_set_on_the_object_counts() -> None:
    check(
        """
        from langchain.agents import AgentExecutor
        executor = AgentExecutor(agent=print, tools=[print])
        executor.max_iterations = None
        executor.invoke({})  # expect: TB107
        """
    )


@pytest.mark.parametrize(
    ("condition", "fires"),
    [
        ("TextMentionTermination('x')", True),
        ("MaxMessageTermination(5)", False),
        ("MaxMessageTermination(max_messages=5)", False),
        ("TextMentionTermination('x') | MaxMessageTermination(5)", False),
        ("MaxMessageTermination(5) | TextMentionTermination('x')", False),
        ("TextMentionTermination('x') & MaxMessageTermination(5)", True),
        ("MaxMessageTermination(5) & MaxMessageTermination(9)", False),
        ("None", True),
        ("either", False),
        ("text | limit", False),
        ("build()", False),
        ("joined()", False),
    ],
)
def test_terminations_are_combined(condition: str, fires: bool) -> None:
    text = f"""
    from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
    from autogen_agentchat.teams import RoundRobinGroupChat
    text, limit = TextMentionTermination("x"), MaxMessageTermination(5)
    either = text | limit
    def build():
        return either
    def joined():
        whole = text
        for part in [limit, text]:
            whole = whole | part
        return whole
    async def main():
        await RoundRobinGroupChat([], termination_condition={condition}).run(task="x")
    """
    assert len(report(text)[0]) == fires


# ---- numbers


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("os.getenv('TURNS')", "TB102"),
        ("int(os.environ.get('TURNS', '8'))", "TB102"),
        ("min(int(os.environ['TURNS']), 12)", None),
        ("8", None),
        ("101", "TB109"),
        ("100", None),
        ("float('inf')", "TB107"),
        ("None", "TB107"),
        ("unknown()", None),
    ],
)
def test_the_number_of_a_bound_is_judged(value: str, code: str | None) -> None:
    text = (
        f"import os\nfrom agents import Agent, Runner\n"
        f"Runner.run_sync(Agent(name='a', tools=[print]), 'hi', max_turns={value})\n"
    )
    found = {rule: report(text, rule)[0] for rule in ("TB102", "TB107", "TB109")}
    assert [rule for rule, several in found.items() if several] == ([code] if code else [])


def test_a_parameter_that_is_off_by_default_is_told_as_that() -> None:
    text = """
    from agents import Agent, Runner
    agent = Agent(name="a", tools=[print])
    def ask(turns=None):
        return Runner.run_sync(agent, "hi", max_turns=turns)
    ask(8)
    """
    assert [f.how for f in report(text, "TB102")[0]] == ["off-by-default"]
    assert report(text)[0] == []


# ---- versions


@pytest.mark.parametrize(
    ("requirement", "fires"),
    [
        ("langgraph==1.0.5", False),
        ("langgraph<1.0.6", False),
        ("langgraph==0.2.74", False),
        ("langgraph==1.0.6", True),
        ("langgraph>=0.2", True),
        ("langgraph", True),
        ("other", True),
    ],
)
def test_the_worst_admitted_version_decides(requirement: str, fires: bool) -> None:
    files = {"agent.py": LANGGRAPH + "agent.invoke({})\n", "requirements.txt": requirement + "\n"}
    found, _ = report(files)
    assert len(found) == fires
    if fires:
        assert ">=1.0.6" in found[0].message


def test_a_message_says_from_which_version_on_and_where_it_is_admitted() -> None:
    found, _ = report({"agent.py": LANGGRAPH + "agent.invoke({})\n", "requirements.txt": "langgraph>=0.6\n"})
    assert "langgraph >=1.0.6: `recursion_limit` is 10007 by default; your pin admits it" in found[0].message
    assert ("requirements.txt", 1) in {(step.place.path, step.place.line) for step in found[0].related}


# ---- time


@pytest.mark.parametrize(
    ("run", "held"),
    [
        ("agent.run('hi')", False),
        ("asyncio.run(asyncio.wait_for(agent.arun('hi'), timeout=60))", True),
        ("asyncio.run(asyncio.wait_for(agent.arun('hi'), timeout=None))", False),
    ],
)
def test_a_limit_around_a_run_holds_its_wall_clock(run: str, held: bool) -> None:
    found, _ = report(f"import asyncio\nfrom agno.agent import Agent\nagent = Agent(tools=[print])\n{run}\n", "TB201")
    assert bool(found) is not held


def test_a_frameworks_own_time_limit_holds_the_wall_clock() -> None:
    check(
        """
        from crewai import Agent, Crew, Task
        slow = Agent(role="a", goal="b", backstory="c", tools=[print])
        quick = Agent(role="a", goal="b", backstory="c", tools=[print], max_execution_time=60)
        Crew(agents=[quick], tasks=[]).kickoff()
        Crew(agents=[quick, slow], tasks=[]).kickoff()  # expect: TB201
        """,
        "TB201",
    )


# ---- gates that only some frameworks have


def test_a_token_limit_is_missed_where_the_framework_has_one() -> None:
    check(
        """
        from pydantic_ai import Agent
        from pydantic_ai.usage import UsageLimits
        agent = Agent("x", tools=[print])
        agent.run_sync("one")  # expect: TB604
        agent.run_sync("two", usage_limits=UsageLimits(total_tokens_limit=9000))
        """,
        "TB604",
    )
    found, _ = report("from pydantic_ai import Agent\nAgent('x', tools=[print]).run_sync('one')\n", "TB604")
    assert [f.severity for f in found] == ["advice"]


@pytest.mark.parametrize(("version", "fires"), [("1.20.0", False), ("1.40.0", True)])
def test_a_tool_timeout_is_missed_where_the_version_has_one(version: str, fires: bool) -> None:
    text = "from pydantic_ai import Agent\nAgent('x', tools=[print]).run_sync('one')\n"
    found, _ = report({"a.py": text, "requirements.txt": f"pydantic-ai=={version}\n"}, "TB301")
    assert len(found) == fires


# ---- crews that a class describes, and what is handed on in another guise

CREW = """
    from crewai import Agent, Crew, Task
    from crewai.project import CrewBase, agent, crew, task

    @CrewBase
    class Desk:
        @agent
        def first(self) -> Agent:
            return Agent(config=self.agents_config["first"], {tools})

        @task
        def work(self) -> Task:
            return Task(config=self.tasks_config["work"], agent=self.first())

        @crew
        def crew(self) -> Crew:
            return Crew(agents=self.agents, tasks=self.tasks)

    Desk().crew().kickoff()
    """


@pytest.mark.parametrize(("tools", "bound"), [("tools=[print]", "25"), ("tools=[print], max_iter=7", "7"), ("", None)])
def test_a_class_gathers_the_members_that_its_methods_make(tools: str, bound: str | None) -> None:
    found, subjects = report(CREW.format(tools=tools))
    assert found == []
    assert [s.verdict("cap").evidence[0].value for s in subjects] == ([bound] if bound else [])


def test_members_that_nobody_knows_may_be_bounded() -> None:
    found, (subject,) = report("from crewai import Crew\nfrom elsewhere import team\nCrew(agents=team()).kickoff()\n")
    assert (found, subject.verdict("cap").state, subject.verdict("wall").state) == ([], "unknown", "missing")


def test_an_executor_with_a_memory_around_it_is_the_executor() -> None:
    text = """
    from langchain.agents import AgentExecutor
    from langchain_core.runnables.history import RunnableWithMessageHistory
    from elsewhere import chain, history
    executor = AgentExecutor(agent=print, tools=[print], max_iterations=None)
    RunnableWithMessageHistory(executor, history).invoke({})  # expect: TB107
    RunnableWithMessageHistory(runnable=executor, get_session_history=history).invoke({})  # expect: TB107
    RunnableWithMessageHistory(chain, history).invoke({})
    """
    check(text)


# ---- graphs whose nodes say where to go, and workflows of steps

JUMPING = """
    from langchain_openai import ChatOpenAI
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import Command, Send
    llm = ChatOpenAI()
    def plan(state){returns}:
        reply = llm.invoke(state["messages"])
        return Command(goto={first}, update={{"messages": [reply]}})
    def act(state):
        llm.invoke(state["messages"])
        return Command(goto={second})
    graph = StateGraph(dict).add_node("plan", plan).add_node("act", act).add_edge(START, "plan").compile()
    graph.invoke({{}})
    """


@pytest.mark.parametrize(
    ("first", "second", "returns", "rings"),
    [
        ("'act'", "'plan'", "", True),
        ("'act'", "END", "", False),
        ("'plan'", "END", "", True),
        ("'act' if state['go'] else 'plan'", "END", "", True),
        ("state['next']", "END", "", True),
        ("state['next']", "END", " -> 'Command[Literal[\"act\"]]'", False),
        ("state['next']", "END", " -> Command[Literal['act']]", False),
        ("['act', 'plan']", "END", "", True),
    ],
)
def test_nodes_that_say_where_to_go_close_a_ring(first: str, second: str, returns: str, rings: bool) -> None:
    found, _ = report(JUMPING.format(first=first, second=second, returns=returns))
    assert len(found) == rings


@pytest.mark.parametrize(("target", "rings"), [("'write'", False), ("'plan'", True), ("node", True)])
def test_a_branch_may_send_several_copies(target: str, rings: bool) -> None:
    text = f"""
    from langchain_openai import ChatOpenAI
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import Send
    llm = ChatOpenAI()
    def plan(state):
        return {{"parts": llm.invoke(state["messages"])}}
    def write(state):
        return {{"texts": llm.invoke(state["part"])}}
    def spread(state, node="plan"):
        return [Send({target}, {{"part": part}}) for part in state["parts"]]
    graph = StateGraph(dict)
    graph.add_node("plan", plan)
    graph.add_node("write", write)
    graph.add_edge(START, "plan")
    graph.add_conditional_edges("plan", spread)
    graph.add_edge("write", END)
    graph.compile().invoke({{}})
    """
    assert len(report(text)[0]) == rings


def test_a_workflow_loops_with_its_steps() -> None:
    text = """
    from agno.agent import Agent
    from agno.workflow import Loop, Step, Workflow
    busy, idle = Agent(tools=[print]), Agent()
    def tidy(text):
        return text
    Workflow(steps=[busy]).run("hi")  # expect: TB107
    Workflow(steps=[Step(name="a", agent=busy)]).run("hi")  # expect: TB107
    Workflow(steps=[Loop(steps=[Step(agent=busy)], max_iterations=3)]).run("hi")  # expect: TB107
    Workflow(steps=[idle, tidy]).run("hi")
    Workflow(steps=[Step(agent=idle)]).run("hi")
    """
    check(text)


def test_a_method_of_the_projects_own_is_no_run() -> None:
    text = """
    from agno.agent import Agent
    from agno.workflow import Workflow

    class Own(Workflow):
        def run(self, question):
            return question

    class Wrapped(Agent):
        def run(self, question):
            return super().run(question)

    Own(steps=unknown()).run("hi")
    Wrapped(tools=[print]).run("hi")  # expect: TB107
    """
    check(text)


def test_an_executor_is_called_however_it_was_made() -> None:
    text = """
    from langchain.agents import AgentExecutor
    executor = AgentExecutor.from_agent_and_tools(agent=print, tools=[print], max_iterations=None)
    executor("hi")  # expect: TB107
    """
    check(text)


def test_servers_of_the_programs_own_functions_are_no_whole_server() -> None:
    text = """
    from claude_agent_sdk import ClaudeAgentOptions, create_sdk_mcp_server, tool
    @tool("add", "adds", {"a": int})
    async def add(args):
        return {}
    own = create_sdk_mcp_server(name="own", tools=[add])
    ClaudeAgentOptions(mcp_servers={"own": own}, max_turns=4)
    ClaudeAgentOptions(mcp_servers={"own": own, "files": {"command": "npx"}})  # expect: TB311
    ClaudeAgentOptions(mcp_servers={"files": {"command": "npx"}}, allowed_tools=["mcp__files__read"])  # expect: TB311
    ClaudeAgentOptions(mcp_servers={})
    """
    check(text, "TB311")


CELERY = """
    from agno.agent import Agent
    from jobs.app import app
    @app.task{options}
    def ask(question):
        return Agent(tools=[print]).run(question)
    """


@pytest.mark.parametrize(
    ("setting", "options", "held"),
    [
        ("", "", False),
        ("", "(time_limit=60)", True),
        ("app.conf.update(task_track_started=True, task_time_limit=600)", "(bind=True)", True),
        ("app.conf.task_soft_time_limit = 600", "", True),
        ("app.conf['task_time_limit'] = 600", "", True),
        ("app.conf.task_time_limit = None", "", False),
        ("app.conf.update(result_expires=600)", "", False),
    ],
)
def test_a_limit_may_be_set_for_all_jobs(setting: str, options: str, held: bool) -> None:
    files = {
        "jobs/__init__.py": "",
        "jobs/app.py": f"from celery import Celery\napp = Celery('desk')\n{setting}\n",
        "jobs/tasks.py": CELERY.format(options=options),
    }
    assert bool(report(files, "TB201")[0]) is not held
