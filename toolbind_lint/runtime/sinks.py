"""Where evidence goes. A sink takes one record; it returns when the record is kept, and raises when it is not."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Mapping
from typing import Any


def as_line(record: Mapping[str, Any]) -> str:
    """A record as one line of JSON, without its newline; ASCII, so that no reader sees a second line in it."""
    return json.dumps(record, ensure_ascii=True, separators=(", ", ": "))


class FileSink:
    """Appends to a file, one write a record, done before the next step starts; several processes may share it.

    A line that a killed process left unfinished is closed first, so that it spoils no other. With ``fsync=True`` a
    record also survives a loss of power, at the price of a disk's answer each.
    """

    def __init__(self, path: str | os.PathLike[str], *, fsync: bool = False) -> None:
        self._fsync, self._lock = fsync, threading.Lock()
        self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)

    def __call__(self, record: Mapping[str, Any]) -> None:
        """Write one record. OSError when the file does not take all of it."""
        data = as_line(record).encode() + b"\n"
        with self._lock:
            self._hold(True)
            try:
                size = os.fstat(self._file).st_size
                if size and hasattr(os, "pread") and os.pread(self._file, 1, size - 1) != b"\n":
                    data = b"\n" + data
                if os.write(self._file, data) != len(data):
                    raise OSError("the file did not take the whole record")
                if self._fsync:
                    os.fsync(self._file)
            finally:
                self._hold(False)

    def _hold(self, hold: bool) -> None:
        # Without it a writer that looks at the last byte may see half of another's line, and add an empty one.
        if os.name == "posix":
            import fcntl

            fcntl.flock(self._file, fcntl.LOCK_EX if hold else fcntl.LOCK_UN)  # a lock of each sink, not each process

    def close(self) -> None:
        """Close the file; the sink then raises."""
        with self._lock:
            if self._file >= 0:
                os.close(self._file)
            self._file = -1

    def __enter__(self) -> FileSink:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class LoggingSink:
    """Logs each record as a line of JSON, refusals one level higher. A handler's own failure is logging's to report."""

    def __init__(self, logger: logging.Logger, level: int = logging.INFO) -> None:
        self._logger, self._level = logger, level

    def __call__(self, record: Mapping[str, Any]) -> None:
        """Log one record. RuntimeError when the logger would drop it."""
        if not self._logger.isEnabledFor(self._level):
            raise RuntimeError(f"the logger {self._logger.name} drops this level")
        self._logger.log(self._level + 10 * bool(record["code"]), "%s", as_line(record))


class OpenTelemetrySink:
    """One span without length a record, named after its gate, with the fields as attributes ``toolbind.*``."""

    def __init__(self, tracer: Any) -> None:
        self._tracer = tracer

    def __call__(self, record: Mapping[str, Any]) -> None:
        """Record one span. RuntimeError when tracing drops it (no SDK installed, or not sampled)."""
        plain = {key: json.dumps(value) if isinstance(value, dict) else value for key, value in record.items()}
        attributes = {f"toolbind.{key}": value for key, value in plain.items() if value is not None}
        span = self._tracer.start_span(f"gate {record['gate']}", attributes=attributes)
        recorded = span.is_recording()
        span.end()
        if not recorded:
            raise RuntimeError("the span was not recorded")


def both(*sinks: Any) -> Any:
    """A sink that is several, in order; the first that raises ends it."""

    def sink(record: Mapping[str, Any]) -> None:
        for each in sinks:
            each(record)

    return sink
