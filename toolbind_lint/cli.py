"""The command: argv -> settings -> a report -> exit status.

Exit status: 0 nothing at or above ``--fail-on``; 1 findings; 2 a crash of ours, an input that vanished, wrong usage or
configuration; 130 interrupted. A run that did not see everything is never 0.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn, TextIO, cast

from toolbind_lint import __version__
from toolbind_lint.baseline import (
    FILE_NAME,
    Baseline,
    BaselineError,
    accept,
    apply,
    read,
    refresh,
    told,
    written,
)
from toolbind_lint.config import (
    KEYS,
    ConfigError,
    Settings,
    displayed,
    load_settings,
    nearest_config_folder,
    read_from_disk,
)
from toolbind_lint.discover import LINTED, READ, DiscoveryError, Found, Root, absolute, discover, find_root, relative_to
from toolbind_lint.findings import SEVERITIES, Crash, Report, Severity
from toolbind_lint.git import GitError, Repository
from toolbind_lint.report.plain import visible
from toolbind_lint.selection import nearest

if TYPE_CHECKING:
    from toolbind_lint.pull import Proposed
    from toolbind_lint.report import Options
    from toolbind_lint.revision import Commit, Compared
    from toolbind_lint.snapshot import Snapshot

PROGRAM = "toolbind-lint"
OK, FOUND, BROKEN, INTERRUPTED = 0, 1, 2, 130

PATIENCE_SECONDS = 1.0
"""A run on a terminal that takes longer says what it is doing."""

OVERVIEW = """\
commands (the first word; `./rules` is a path, `rules` a command):
  check [PATH ...]         lint; the default command, of the working directory
  gates [PATH|FILE:LINE]   one card per loop, run and dispatcher: the evidence of each gate, or what is missing
  explain CODE|NAME        a rule's page
  rules                    the table of rules
  config [PATH]            the settings that hold for a path, and where each came from
  baseline [PATH ...]      write or refresh the baseline: findings that are there and shall not fail the check
  evidence FILE ...        verify evidence logs of the reference dispatcher
  dispatcher --write PATH  copy the reference dispatcher into a project

exit status: 0 nothing at or above --fail-on, 1 findings, 2 a crash, a vanished input, wrong usage or configuration
"""


class UsageError(Exception):
    """The command line asks for something that does not fit together."""


class OutputError(Exception):
    """What was found could not be written."""


class Run(NamedTuple):
    """One prepared run: where, with what settings, on which files, from which bytes."""

    root: Root
    cwd: str
    settings: Settings
    found: Found
    snapshot: Snapshot
    compared: Compared | None = None
    proposed: Proposed | None = None
    baseline: Baseline | None = None

    def value(self, key: str) -> object:
        """A setting of the run as a whole: as it holds in the working directory."""
        return _here(self.settings, self.root, self.cwd, key)


def entry() -> NoReturn:
    """The console script."""
    sys.exit(main(sys.argv[1:]))


def main(argv: Sequence[str]) -> int:
    """Run one command and return its exit status. Raises nothing but what the interpreter itself may raise."""
    if sys.stdout is None:  # closed by the caller: nobody would learn what was found
        _tell(f"{PROGRAM}: error: standard output is closed")
        return BROKEN
    try:
        return _dispatch(list(argv))
    except (BaselineError, ConfigError, DiscoveryError, GitError, UsageError, OutputError) as error:
        _tell(f"{PROGRAM}: error: {visible(str(error))}")
    except KeyboardInterrupt:
        _tell(f"{PROGRAM}: interrupted")
        return INTERRUPTED
    except SystemExit as end:  # argparse: 0 after help and version, 2 after an error
        return end.code if isinstance(end.code, int) else BROKEN
    except Exception as error:
        import traceback

        _tell("\n".join(f"  {visible(line)}" for line in traceback.format_exc().splitlines()))
        said = visible(f"{type(error).__name__}: {error}")
        _tell(f"{PROGRAM}: internal error: {said}. Nothing was proved by this run.")
    return BROKEN


def _dispatch(argv: list[str]) -> int:
    name = argv.pop(0) if argv and argv[0] in COMMANDS else ""
    parser, run = _parser(name), COMMANDS[name or "check"]
    return run(_parse(parser, argv))


# The command line


class _Parser(argparse.ArgumentParser):
    """Says what an unknown option was meant to be."""

    def error(self, message: str) -> NoReturn:
        self.exit(BROKEN, f"{self.prog}: error: {message}\n")

    def options(self) -> list[str]:
        return [name for action in self._actions for name in action.option_strings if name.startswith("--")]


def _parse(parser: _Parser, argv: list[str]) -> argparse.Namespace:
    args, rest = parser.parse_known_intermixed_args(argv)
    for word in rest:
        name = word.partition("=")[0]
        parser.error(
            f"unknown option {name}{nearest(name, parser.options())}" if name[:1] == "-" else f"what is {word}?"
        )
    return args


def _parser(command: str) -> _Parser:
    prog = f"{PROGRAM} {command}".strip()
    overview = OVERVIEW if not command else ""
    usage = f"{PROGRAM} [command] [options] [PATH ...]" if not command else None
    about = "Finds every loop in which a model calls tools, and demands evidence of each gate that bounds it."
    parser = _Parser(
        prog=prog,
        usage=usage,
        allow_abbrev=False,
        description=about,
        epilog=overview,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if not command:
        parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    _OPTIONS[command or "check"](parser)
    return parser


def _check_options(parser: _Parser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders; `-` reads standard input")
    parser.add_argument("--stdin-filename", metavar="NAME", help="the path that standard input stands for")
    _selection_options(parser)
    parser.add_argument("--base", metavar="REV", help="report what is new against the merge base of this revision")
    parser.add_argument("--fail-on", metavar="LEVEL", help="error, warning, advice or never (default: warning)")
    parser.add_argument(
        "--output-format", metavar="FORMAT", help="text, concise, json, jsonl, sarif, github, gitlab, junit or markdown"
    )
    parser.add_argument(
        "--report", action="append", default=[], metavar="FORMAT=PATH", help="write a further report of this run"
    )
    _baseline_options(parser)
    parser.add_argument("--no-baseline", action="store_true", help="show what is in the baseline, too")
    _presentation_options(parser)
    _discovery_options(parser)
    _config_options(parser)


def _baseline_options(parser: _Parser) -> None:
    parser.add_argument("--baseline", metavar="PATH", help=f"the baseline (default: {FILE_NAME} in the project root)")


def _baseline_command_options(parser: _Parser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders (default: here)")
    _baseline_options(parser)
    _selection_options(parser)
    _discovery_options(parser)
    _config_options(parser)


def _gates_options(parser: _Parser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH|FILE:LINE", help="what to show the cards of (default: here)")
    _selection_options(parser)
    _presentation_options(parser)
    _discovery_options(parser)
    _config_options(parser)


def _selection_options(parser: _Parser) -> None:
    group = parser.add_argument_group("which rules")
    codes = "codes, prefixes, names or ALL, with commas"
    group.add_argument("--select", action="append", metavar="CODES", help=f"{codes}: only these, at any severity")
    group.add_argument("--extend-select", action="append", metavar="CODES", help="these too")
    group.add_argument("--ignore", action="append", metavar="CODES", help="not these")
    group.add_argument("--profile", metavar="PROFILE", help="core (errors), default (and warnings) or strict (all)")
    group.add_argument("--preview", action="store_true", default=None, help="rules without measured precision too")


def _presentation_options(parser: _Parser) -> None:
    group = _page_presentation_options(parser)
    group.add_argument("--show-gates", action="store_true", default=None, help="the cards of loops that hold, too")
    group.add_argument("--statistics", action="store_true", default=None, help="how often each rule speaks")
    group.add_argument("-q", "--quiet", action="store_true", help="findings only")


def _page_presentation_options(parser: _Parser) -> argparse._ArgumentGroup:
    group = parser.add_argument_group("presentation")
    colour = "as NO_COLOR in the environment; FORCE_COLOR asks for it"
    group.add_argument("-v", "--verbose", action="store_true", help="code frames and examples for all")
    group.add_argument("--no-color", action="store_true", help=colour)
    return group


def _discovery_options(parser: _Parser) -> None:
    group = parser.add_argument_group("which files")
    group.add_argument("--exclude", action="append", metavar="GLOBS", help="leave out these instead of the defaults")
    group.add_argument("--extend-exclude", action="append", metavar="GLOBS", help="leave out these too")
    group.add_argument("--no-respect-gitignore", action="store_true", help="read what git ignores, too")
    group.add_argument(
        "--force-exclude", action="store_true", default=None, help="leave out excluded files even when given by name"
    )


def _jobs(text: str) -> int:
    count = int(text)
    if count < 1:
        raise ValueError
    return count


_jobs.__name__ = "number of processes"  # what argparse calls it in its complaint


def _config_options(parser: _Parser) -> None:
    group = parser.add_argument_group("configuration")
    group.add_argument("--jobs", type=_jobs, metavar="N", help="processes that may work (default: as many as can)")
    only = group.add_mutually_exclusive_group()
    only.add_argument("--config", metavar="PATH", help="this configuration alone")
    only.add_argument("--isolated", action="store_true", help="no configuration")


def _explain_options(parser: _Parser) -> None:
    parser.add_argument("rule", metavar="CODE|NAME")
    _page_presentation_options(parser)


def _rules_options(parser: _Parser) -> None:
    parser.add_argument("--output-format", choices=("text", "json"), default="text")
    _page_presentation_options(parser)


def _config_command_options(parser: _Parser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the file or folder to ask about (default: here)")
    parser.add_argument("--suggest", action="store_true", help="lint it, and print tables that answer unknown calls")
    _selection_options(parser)
    _discovery_options(parser)
    _config_options(parser)


def _evidence_options(parser: _Parser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="logs, oldest first; `-` reads standard input")
    parser.add_argument("--against", metavar="PATH", help="compare with the limits committed in this file or folder")
    parser.add_argument("--output-format", choices=("text", "json"), default="text")


def _dispatcher_options(parser: _Parser) -> None:
    from toolbind_lint.runtime.vendor import BESIDE

    parser.add_argument("--write", metavar="PATH", required=True, help="a file, or a folder for dispatcher.py")
    parser.add_argument("--tests", action="store_true", help="also the six acceptance tests, beside it")
    parser.add_argument(
        "--with",
        dest="beside",
        action="append",
        choices=BESIDE,
        default=[],
        help="also this module, beside it; repeatable",
    )


_LISTS = ("select", "extend-select", "ignore", "exclude", "extend-exclude")
_SINGLE = ("profile", "preview", "fail-on", "output-format", "show-gates", "statistics", "force-exclude", "jobs")


def _values(args: argparse.Namespace) -> dict[str, object]:
    """The options of the command line as configuration keys."""
    given = {key.replace("_", "-"): value for key, value in vars(args).items() if value is not None}
    values: dict[str, object] = {key: given[key] for key in _SINGLE if key in given}
    for key in _LISTS:
        if key in given:
            values[key] = [item for text in given[key] for part in text.split(",") if (item := part.strip())]
    if given.get("no-respect-gitignore"):
        values["respect-gitignore"] = False
    return values


# Preparing


def _prepare(args: argparse.Namespace, paths: Sequence[str], stdin: bytes | None = None) -> Run:
    """Settings, files and bytes for a run over ``paths`` (as given); with ``stdin`` its bytes stand at the one path."""
    from toolbind_lint.snapshot import Overlay, WorkingTree

    cwd = str(Path.cwd())
    given = [absolute(path, cwd) for path in paths]
    if stdin is None:
        _must_exist(given)
    root, settings = _settings(args, given, cwd)
    forced = _here(settings, root, cwd, "force-exclude") is True
    found = discover(
        [] if stdin is not None else given,
        root,
        excluded=settings.excluded,
        excluded_outside=_lenient(settings),
        respect_gitignore=_here(settings, root, cwd, "respect-gitignore") is True,
        force_exclude=forced,
    )
    if stdin is None:
        return Run(root, cwd, settings, found, WorkingTree(root.path, found.read))
    name = relative_to(given[0], root.path)
    left_out = name.endswith(".pyi") or (forced and settings.excluded(name, folder=False, whole=True))
    targets = () if left_out else (name,)
    around = tuple(path for path in found.read if path != name)
    snapshot = Overlay(WorkingTree(root.path, around), {name: stdin})
    return Run(root, cwd, settings, found._replace(targets=targets), snapshot)


def _prepare_change(args: argparse.Namespace, paths: Sequence[str], root: Root, repository: Repository) -> Run:
    """As ``_prepare``, with the settings of the base, and with all that is tracked, ignored or not."""
    from toolbind_lint.revision import Checkout, Commit, compare

    cwd = str(Path.cwd())
    given = [absolute(path, cwd) for path in paths]
    commit = Commit(repository, repository.merge_base(args.base))
    settings, notes = _base_settings(args, root, cwd, commit)
    found = discover(
        given,
        root,
        excluded=settings.excluded,
        excluded_outside=_lenient(settings),
        respect_gitignore=_here(settings, root, cwd, "respect-gitignore") is True,
        force_exclude=_here(settings, root, cwd, "force-exclude") is True,
    )

    def left_out(path: str) -> bool:
        return settings.excluded(path, folder=False, whole=True)

    here = Checkout(repository, found.read, left_out)
    compared = compare(commit, repository, here, left_out=left_out, read_data=here.data)
    targets = {*found.targets, *here.tracked_under([relative_to(path, root.path) for path in given])}
    found = Found(tuple(sorted(targets)), tuple(here.paths()), (*notes, *found.notes), found.failed)
    return Run(root, cwd, settings, found, here, compared, _proposed(args, root, cwd))


def _proposed(args: argparse.Namespace, root: Root, cwd: str) -> Proposed:
    """The settings of the working tree, which do not count yet."""
    from toolbind_lint.loosened import Sources
    from toolbind_lint.pull import Proposed

    def text(shown: str) -> str:
        data = read_from_disk(absolute(shown, cwd))
        return "" if data is None else data.decode("utf-8-sig", "replace").replace("\r\n", "\n")

    settings = load_settings(_values(args), root=root.path, cwd=cwd, isolated=args.isolated, config=args.config)
    return Proposed(settings, Sources(lambda shown: relative_to(absolute(shown, cwd), root.path), text))


def _base_settings(args: argparse.Namespace, root: Root, cwd: str, commit: Commit) -> tuple[Settings, tuple[str, ...]]:
    """The settings as the base has them. Where they are broken there, a change that mends them can still pass."""

    def read(path: str) -> bytes | None:
        inside = path.startswith(root.path.rstrip(os.sep) + os.sep)
        name = relative_to(path, root.path)
        if not inside:
            return read_from_disk(path)
        return commit.read(name) if commit.holds(name) else None

    values = _values(args)
    try:
        settings = load_settings(values, root=root.path, cwd=cwd, isolated=args.isolated, config=args.config, read=read)
        for folder in sorted({path.rpartition("/")[0] for path in commit.paths()}):
            settings.config_for(folder)
    except ConfigError as error:
        defaults = load_settings(values, root=root.path, cwd=cwd, isolated=True)
        return defaults, (f"the configuration of the base is wrong, and the defaults hold: {error}",)
    return settings, ()


def _here(settings: Settings, root: Root, cwd: str, key: str) -> object:
    """A setting as it holds in the working directory, or in the root where that is elsewhere."""
    inside = cwd == root.path or cwd.startswith(root.path.rstrip(os.sep) + os.sep)
    return settings.value(key, relative_to(cwd, root.path) if inside else "").value


def _must_exist(paths: Sequence[str]) -> None:
    for path in paths:
        if not os.path.lexists(path):
            name = Path(path).name
            hint = f" (`{name}` is a command: it comes first)" if name in COMMANDS else nearest(name, COMMANDS)
            raise DiscoveryError(f"{displayed(path)}: no such file or folder{hint}")


def _settings(args: argparse.Namespace, paths: Sequence[str], cwd: str) -> tuple[Root, Settings]:
    alone = args.isolated or args.config is not None
    root = find_root(paths, cwd, configured=(lambda folder: None) if alone else nearest_config_folder)
    settings = load_settings(_values(args), root=root.path, cwd=cwd, isolated=args.isolated, config=args.config)
    return root, settings


def _lenient(settings: Settings) -> Callable[..., bool]:
    """For files that are only read: a broken configuration beside the linted files is not this run's matter."""

    def excluded(path: str, *, folder: bool, whole: bool = False) -> bool:
        try:
            return settings.excluded(path, folder=folder, whole=whole)
        except ConfigError:
            return False

    return excluded


def _lint(run: Run) -> Report:
    """The report of a run; folders that could not be listed are crashes, so that the run is no success."""
    from toolbind_lint.lint import lint
    from toolbind_lint.pull import check_change

    targets, baseline = run.found.targets, run.baseline
    with _progress(len(targets)):
        if run.compared is not None:
            report = check_change(run.snapshot, targets, run.settings, run.compared, run.proposed, baseline)
        else:
            report = lint(run.snapshot, targets, run.settings)
            if baseline is not None:
                applied = apply(baseline.entries, report.findings, targets, run.snapshot.paths())
                stale = told(applied.stale, baseline.shown)
                notes = (*report.notes, *([stale] if stale else ()))
                report = report._replace(findings=applied.findings, notes=notes)
    failed = tuple(Crash(path, "discover", error) for path, error in run.found.failed)
    root = os.path.relpath(run.root.path, run.cwd).replace(os.sep, "/")
    return report._replace(root=root, crashes=(*report.crashes, *failed), notes=(*run.found.notes, *report.notes))


# Commands


def _check(args: argparse.Namespace) -> int:
    paths, stdin = _inputs(args)
    if args.base is None:
        return _checked(args, _prepare(args, paths, stdin))
    if stdin is not None:
        raise UsageError("`-` has no base to compare with")
    cwd = str(Path.cwd())
    given = [absolute(path, cwd) for path in paths]
    _must_exist(given)
    root = find_root(given, cwd, configured=lambda folder: None)
    with Repository(root.path) as repository:
        return _checked(args, _prepare_change(args, paths, root, repository))


def _read_baseline(args: argparse.Namespace, run: Run, *, must: bool) -> Baseline:
    """The baseline of a run, empty where there is none. One that the command line names ``must`` be there."""
    value = run.value("baseline")
    folder = run.root.path
    if args.baseline is not None:
        name, folder = str(args.baseline), run.cwd
    elif value is not None:
        name = str(value)
    else:
        name = FILE_NAME
    path = absolute(name, folder)
    inside = path.startswith(run.root.path.rstrip(os.sep) + os.sep)
    relative = relative_to(path, run.root.path) if inside else path
    try:
        data = read_from_disk(path)
    except OSError as error:
        raise BaselineError(f"{displayed(path)}: {error.strerror or error}") from error
    if data is None:
        if must and args.baseline is not None:
            raise BaselineError(f"{displayed(path)}: there is no baseline here; `{PROGRAM} baseline` writes one")
        return Baseline(relative, displayed(path))
    return Baseline(relative, displayed(path), data.decode("utf-8", "replace"), read(data, displayed(path)))


def _baseline(args: argparse.Namespace) -> int:
    run = _prepare(args, args.paths or ["."])
    old = _read_baseline(args, run, must=False)
    report = _lint(run)
    _notes(report, run)
    if report.crashes:
        return _told_crashes(report)
    linted, there = run.found.targets, run.snapshot.paths()
    entries = refresh(old.entries, accept(report.findings), linted, there)
    _write_file(str(Path(run.root.path, old.path)), written(entries), "baseline")
    came, went = len(set(entries) - set(old.entries)), len(set(old.entries) - set(entries))
    word = "finding" if len(entries) == 1 else "findings"
    _print(f"{visible(old.shown)}: {len(entries):,} {word}, {came:,} added, {went:,} removed\n")
    return OK


def _checked(args: argparse.Namespace, run: Run) -> int:
    """Lint a prepared run and report on it."""
    if not args.no_baseline:
        run = run._replace(baseline=_read_baseline(args, run, must=True))
    chosen = str(run.value("output-format"))
    extra = [_report_option(text) for text in args.report]
    report = _lint(run)
    if not args.quiet:
        _notes(report, run)
    options = _options(args, report, run)
    from toolbind_lint.report import render

    for name, path in extra:
        _write_file(path, render(report, name, options._replace(colour=False)))
    _print(render(report, chosen, options))
    return exit_status(report, run.settings)


def exit_status(report: Report, settings: Settings) -> int:
    """What the run means to a script: each finding is held against the ``fail-on`` of its own file."""
    if report.crashes:
        return BROKEN
    for finding in report.shown:
        if finding.severity == "review":
            folder = finding.place.path.rpartition("/")[0]
            if settings.value("fail-on-review", folder).value is True:
                return FOUND
            continue
        least = settings.for_file(finding.place.path).fail_on
        if least != "never" and SEVERITIES.index(finding.severity) >= SEVERITIES.index(cast(Severity, least)):
            return FOUND
    return OK


def _inputs(args: argparse.Namespace) -> tuple[list[str], bytes | None]:
    if "-" not in args.paths:
        if args.stdin_filename is not None:
            raise UsageError("--stdin-filename needs `-`, standard input, as the path")
        return args.paths or ["."], None
    if len(args.paths) > 1:
        raise UsageError("`-` reads standard input and cannot stand beside other paths")
    name = args.stdin_filename or "stdin.py"
    if Path(name).suffix and not name.endswith(READ):
        raise UsageError(f"--stdin-filename: {name} is no name of a Python file")
    return [name], sys.stdin.buffer.read()


def _report_option(text: str) -> tuple[str, str]:
    from toolbind_lint.report import FORMATS

    name, separator, path = text.partition("=")
    if not separator or not path:
        raise UsageError(f"--report wants FORMAT=PATH, not `{text}`")
    if name not in FORMATS:
        raise UsageError(
            f"--report: there is no format `{name}`{nearest(name, FORMATS)}; there are {', '.join(FORMATS)}"
        )
    return name, path


def _notes(report: Report, run: Run) -> None:
    for note in report.notes:
        _tell(f"{PROGRAM}: {visible(note)}")
    if not run.found.targets:
        _tell(f"{PROGRAM}: no Python files to check under the given paths")


def _options(args: argparse.Namespace, report: Report, run: Run) -> Options:
    from toolbind_lint.check import load_rules
    from toolbind_lint.report import working_directory

    return _page_options(args)._replace(
        rules=load_rules(),
        show_gates=run.value("show-gates") is True,
        statistics=run.value("statistics") is True,
        quiet=args.quiet,
        working_directory=working_directory(report.root, run.cwd),
    )


def _gates(args: argparse.Namespace) -> int:
    from toolbind_lint.report import cards

    path, line = _file_and_line(args.path or ".")
    run = _prepare(args, [path])
    name = relative_to(absolute(path, run.cwd), run.root.path)
    if line is not None:
        # What holds a line may be a loop of any file: all that is read is asked.
        run = run._replace(found=run.found._replace(targets=tuple(p for p in run.found.read if p.endswith(LINTED))))
    report = _lint(run)
    options = _options(args, report, run)
    if not args.quiet:
        _notes(report, run)
    if line is None:
        _print(cards.render(report, options, name))
    else:
        from toolbind_lint.check import load_rules

        _print(cards.why_silent(report, name, line, load_rules(), options))
    return _told_crashes(report)


def _file_and_line(text: str) -> tuple[str, int | None]:
    """``agent.py:12`` where that is no file itself."""
    path, separator, number = text.rpartition(":")
    if separator and number.isdigit() and not os.path.lexists(text):
        if int(number) < 1:
            raise UsageError(f"{text}: lines count from 1")
        return path, int(number)
    return text, None


def _told_crashes(report: Report) -> int:
    """For commands whose output shows no crashes: say them, and fail."""
    for crash in report.crashes:
        _tell(f"{PROGRAM}: {visible(f'{crash.stage} crashed on {crash.path}: {crash.error}')}")
    return BROKEN if report.crashes else OK


def _explain(args: argparse.Namespace) -> int:
    from toolbind_lint.check import load_rules
    from toolbind_lint.report import explain

    rules = load_rules()
    wanted = args.rule.strip()
    for rule in rules:
        if wanted.upper() == rule.code or wanted.lower().replace("_", "-") == rule.name:
            _print(explain.render(rule, _page_options(args)))
            return OK
    guess = nearest(wanted, [word for rule in rules for word in (rule.code, rule.name)])
    raise UsageError(f"there is no rule `{wanted}`{guess}; `{PROGRAM} rules` lists them")


def _rules(args: argparse.Namespace) -> int:
    from toolbind_lint.check import load_rules
    from toolbind_lint.report import rules_table

    _print(rules_table.render(load_rules(), args.output_format, _page_options(args)))
    return OK


def _page_options(args: argparse.Namespace) -> Options:
    """Options for pages that are no report."""
    from toolbind_lint.report import Options, terminal

    colour, width = terminal(sys.stdout, os.environ, no_color=args.no_color)
    return Options(colour=colour, width=width, verbose=args.verbose)


def _suggest(args: argparse.Namespace) -> int:
    from toolbind_lint.report import Options, suggest, working_directory

    run = _prepare(args, [args.path or "."])
    report = _lint(run)
    _notes(report, run)
    _print(suggest.render(report, Options(working_directory=working_directory(report.root, run.cwd))))
    return _told_crashes(report)


def _config(args: argparse.Namespace) -> int:
    if args.suggest:
        return _suggest(args)
    cwd = str(Path.cwd())
    path = absolute(args.path or ".", cwd)
    _must_exist([path])
    root, settings = _settings(args, [path], cwd)
    folder = relative_to(path if Path(path).is_dir() else str(Path(path).parent), root.path)
    config = settings.config_for(folder)
    lines = [f"# root: {displayed(root.path)}", f"# configuration: {config.path or 'none'}"]
    rows = [(key, settings.value(key, folder)) for key in KEYS if key != "extend"]
    texts = [(f"{key} = {_toml(value.value)}", value.origin) for key, value in rows]
    lines += [f"{text:<40} # {origin}" for text, origin in texts]
    for table in config.tables:
        for name, entries in table.items():
            lines.append(f"# [[{name}]]: {len(entries) if isinstance(entries, list) else 0} in-house entries")
    _print("".join(f"{line}\n" for line in lines))
    return OK


def _evidence(args: argparse.Namespace) -> int:
    from toolbind_lint.runtime import evidence

    try:
        held, report = evidence.verify(args.files, args.against, args.output_format)
    except evidence.UnreadableError as error:
        raise UsageError(str(error)) from error
    _print(report)
    return OK if held else FOUND


def _dispatcher(args: argparse.Namespace) -> int:
    from toolbind_lint.runtime import vendor

    try:
        written = vendor.write(args.write, args.tests, args.beside)
    except OSError as error:
        raise UsageError(str(error)) from error
    _print("".join(f"{path}\n" for path in written))
    return OK


def _toml(value: object) -> str:
    """A value as TOML writes it; what is unset is shown as no TOML value at all."""
    if value is None:
        return "(unset)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        import json

        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_toml(key)} = {_toml(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return str(value)


_OPTIONS: Mapping[str, Callable[[_Parser], None]] = {
    "check": _check_options,
    "gates": _gates_options,
    "explain": _explain_options,
    "rules": _rules_options,
    "config": _config_command_options,
    "baseline": _baseline_command_options,
    "evidence": _evidence_options,
    "dispatcher": _dispatcher_options,
}

COMMANDS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "check": _check,
    "gates": _gates,
    "explain": _explain,
    "rules": _rules,
    "config": _config,
    "baseline": _baseline,
    "evidence": _evidence,
    "dispatcher": _dispatcher,
}


# Output


def _print(text: str) -> None:
    """Write to standard output; a reader that has gone is no error of ours."""
    try:
        sys.stdout.flush()
        _emit(sys.stdout, text)
    except BrokenPipeError:
        _to_nowhere(sys.stdout)
    except OSError as error:
        _to_nowhere(sys.stdout)
        raise OutputError(f"standard output: {error.strerror or error}") from error


def _tell(text: str) -> None:
    """Write a line to standard error, if there is one."""
    if sys.stderr is None:
        return
    try:
        _emit(sys.stderr, text.rstrip("\n") + "\n")
    except OSError:
        _to_nowhere(sys.stderr)


def _to_nowhere(stream: TextIO) -> None:
    """The interpreter flushes a stream once more at exit, and would complain again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _emit(stream: TextIO, text: str) -> None:
    """Write text whose lone surrogates are bytes of file names, to a stream that may not know every character."""
    encoding = stream.encoding or "utf-8"
    try:
        data = text.encode(encoding, "surrogateescape")
    except UnicodeEncodeError:
        data = text.encode(encoding, "backslashreplace")
    buffer = getattr(stream, "buffer", None)
    if buffer is None:
        stream.write(data.decode(encoding, "replace"))
    else:
        buffer.write(data)
    stream.flush()


@contextmanager
def _progress(number: int) -> Iterator[None]:
    """Say on a terminal, after a while, what takes so long; the line is gone when the work is done."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    import threading

    said = threading.Event()

    def say() -> None:
        said.set()
        _emit(sys.stderr, f"{PROGRAM}: checking {number:,} {'file' if number == 1 else 'files'} ...")

    timer = threading.Timer(PATIENCE_SECONDS, say)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        if said.is_set():
            _emit(sys.stderr, "\r\x1b[K")


def _write_file(path: str, text: str, what: str = "--report") -> None:
    try:
        Path(path).write_bytes(text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise OutputError(f"{what}: {path}: {error.strerror or error}") from error
