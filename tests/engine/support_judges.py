"""Judges for the tests of the pool: harmless ones, and all the ways to be a nuisance."""

from __future__ import annotations

import atexit
import builtins
import ctypes
import decimal
import faulthandler
import gc
import json
import locale
import mmap
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings

SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)"]


def good(case: str) -> str:
    return f"good {case}"


def say(case: str) -> bool:
    print(f"hello from {case}")
    os.write(1, b"raw one\n")
    print("to stderr", file=sys.stderr)
    subprocess.run([sys.executable, "-c", "print('from a child')"], check=True)
    sys.stdout.buffer.write("bytes \u00fc\n".encode())
    return True


def surrogate(case: str) -> str:
    return "\ud800"


# What runs too long


def endless(case: str) -> None:
    print("before the loop")
    while True:
        pass


def endless_except(case: str) -> None:
    while True:
        try:
            time.sleep(60)
        except BaseException:
            pass


def endless_c(case: str) -> None:
    re.match(r"(a+)+$", "a" * 60 + "b")


def endless_deaf(case: str) -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    while True:
        pass


def stops_itself(case: str) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def endless_stopped_child(case: str) -> None:
    subprocess.run(SLEEPER, check=False)


# What ends the process


def exits_0(case: str) -> None:
    os._exit(0)


def exits_3(case: str) -> None:
    print("last words")
    os._exit(3)


def segfault(case: str) -> None:
    ctypes.string_at(0)


def aborts(case: str) -> None:
    os.abort()


def terminates(case: str) -> None:
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)


def kills_itself(case: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def closes_all(case: str) -> None:
    os.closerange(0, 256)


def closes_and_sleeps(case: str) -> None:
    os.closerange(3, 256)
    time.sleep(60)


def writes_everywhere(case: str) -> None:
    for fd in range(3, 64):
        try:
            os.write(fd, b"A" * 64)
        except OSError:
            pass


def kills_group(case: str) -> None:
    os.killpg(os.getpgid(0), signal.SIGKILL)


# What kills processes above it


def kills_parent(case: str) -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)


def kills_grandparent(case: str) -> None:
    with open(f"/proc/{os.getppid()}/stat", "rb") as file:
        grandparent = int(file.read().rpartition(b")")[2].split()[1])
    os.kill(grandparent, signal.SIGKILL)
    time.sleep(60)


# What is an exception like any other


def leaves(case: str) -> None:
    sys.exit(2)


def interrupts(case: str) -> None:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)


def raises_interrupt(case: str) -> None:
    raise KeyboardInterrupt


def recursion(case: str) -> None:
    recursion(case)


def eats_memory(case: str) -> int:
    return len(bytearray(30 << 30))


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")

    def __reduce__(self) -> str:
        raise RuntimeError("no pickling")


def unprintable(case: str) -> None:
    raise Unprintable


def reads_stdin(case: str) -> str:
    return sys.stdin.read() + os.read(0, 10).decode()


# What stays behind


def thread_stays(case: str) -> bool:
    threading.Thread(target=time.sleep, args=(600,), name="lingerer").start()
    return True


def thread_kills_later(case: str) -> bool:
    threading.Timer(0.2, os._exit, (7,)).start()
    return True


def alarm_armed(case: str) -> bool:
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    return True


def handler_changed(case: str) -> bool:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return True


def changes_folder(case: str) -> bool:
    os.chdir("/")
    return True


def deletes_folder(case: str) -> bool:
    os.chdir(tempfile.mkdtemp())
    os.rmdir(os.getcwd())
    return True


def changes_environ(case: str) -> bool:
    os.environ["LEFT_BY_A_JUDGE"] = "1"
    os.environ.pop("LANG", None)
    return True


def sees_environ(case: str) -> list[str]:
    return [os.environ.get("LEFT_BY_A_JUDGE", "-"), os.environ.get("LANG", "-"), os.getcwd()]


def replaces_stdout(case: str) -> bool:
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    return True


def closes_stdout(case: str) -> bool:
    sys.stdout.close()
    os.close(1)
    os.close(2)
    return True


def traces(case: str) -> bool:
    sys.settrace(lambda *_: None)
    return True


def low_recursion(case: str) -> bool:
    sys.setrecursionlimit(200)
    return True


def adds_to_path(case: str) -> int:
    sys.path.insert(0, "/added/by/a/judge")
    return sys.path.count("/added/by/a/judge")


def child_stays(case: str) -> int:
    return subprocess.Popen(SLEEPER).pid


def child_in_session(case: str) -> int:
    return subprocess.Popen(SLEEPER, start_new_session=True).pid


def child_twice_removed(case: str) -> int:
    code = (
        "import os, subprocess, sys;"
        f"print(subprocess.Popen({SLEEPER!r}, start_new_session=True,"
        " stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(done.stdout)


def child_unreaped(case: str) -> bool:
    child = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    return True


def forks_and_returns(case: str) -> str:
    os.fork()
    return "both"


def fork_loop(case: str) -> None:
    """A chain of processes, each of which starts the next and ends."""
    if os.fork() == 0:
        os.setsid()
        while True:
            if os.fork():
                os._exit(0)
            time.sleep(0.001)
    time.sleep(60)


def many_children(case: str) -> None:
    for _ in range(20):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.setsid()
            time.sleep(600)
    time.sleep(60)


def bad_audit_hook(case: str) -> bool:
    def hook(event: str, args: object) -> None:
        raise RuntimeError("no")

    sys.addaudithook(hook)
    return True


# Much text


def prints_50_mb(case: str) -> bool:
    print("begin")
    print("x" * (50 << 20))
    print("end")
    return True


def prints_many_lines(case: str) -> bool:
    print("first line")
    for number in range(300_000):
        print("a line of quite usual length", number)
    print("last line")
    return True


def floods_fd(case: str) -> None:
    block = b"y" * (1 << 20)
    while True:
        os.write(1, block)


def core_limit(case: str) -> list[int]:
    return list(resource.getrlimit(resource.RLIMIT_CORE))


def environment(case: str) -> dict[str, str]:
    return dict(os.environ)


def interpreter(case: str) -> list[object]:
    import yaml

    return [list(sys.version_info[:2]), yaml.safe_load("[1, 2]"), sys.prefix, sys.path]


def wait_for_file(case: str) -> str:
    """Runs until the file that its case names exists."""
    while not os.path.exists(case):
        time.sleep(0.002)
    return "seen"


def hash_of_text(case: str) -> int:
    return hash("some text")


def writes_pid_and_waits(case: str) -> None:
    """Starts a child in a session of its own, tells both ids in the file of its case, and waits."""
    child = subprocess.Popen(SLEEPER, start_new_session=True)
    with open(case + ".part", "w") as file:
        file.write(f"{os.getpid()} {child.pid}")
    os.rename(case + ".part", case)
    time.sleep(600)


def spins(case: str) -> None:
    with open(case, "w") as file:
        file.write(f"{os.getpid()} {os.getpid()}")
    while True:
        pass


def spins_in_c(case: str) -> None:
    with open(case, "w") as file:
        file.write(f"{os.getpid()} {os.getpid()}")
    re.match(r"(a+)+$", "a" * 60 + "b")


def takes_300_mb(case: str) -> int:
    return len(bytearray(300 << 20))


def breaks_the_library(case: str) -> bool:
    os.getpid = None  # type: ignore[assignment]
    return True


# What a judge changes in the Python that the next one runs in


def patches_open(case: str) -> bool:
    def refuse(*args: object, **kwargs: object) -> None:
        raise RuntimeError("no files today")

    builtins.open = refuse  # type: ignore[assignment]
    return True


def patches_json(case: str) -> bool:
    json.dumps = lambda *args, **kwargs: "{}"  # type: ignore[assignment]
    json.loads = lambda *args, **kwargs: {}  # type: ignore[assignment]
    json.JSONEncoder.encode = lambda self, value: "{}"  # type: ignore[assignment,method-assign]
    return True


def patches_time(case: str) -> bool:
    time.time = time.monotonic = time.perf_counter = lambda: 0.0  # type: ignore[assignment]
    return True


def patches_stat(case: str) -> bool:
    def missing(*args: object, **kwargs: object) -> None:
        raise FileNotFoundError("gone")

    os.stat = os.lstat = os.path.exists = missing  # type: ignore[assignment]
    return True


def patches_threading(case: str) -> bool:
    threading.enumerate = threading.Lock = None  # type: ignore[assignment]
    return True


def shadows_builtins(case: str) -> bool:
    builtins.len = lambda value: 0  # type: ignore[assignment]
    builtins.sorted = builtins.isinstance = None  # type: ignore[assignment]
    return True


def deletes_modules(case: str) -> bool:
    for name in [*sys.modules]:
        if name.startswith("eval_tui") or name in ("json", "os"):
            del sys.modules[name]
    return True


def clears_import_system(case: str) -> bool:
    sys.meta_path.clear()
    sys.path_hooks.clear()
    sys.path.clear()
    return True


def collector_off(case: str) -> bool:
    gc.disable()
    sys.setswitchinterval(5.0)
    return True


def other_locale(case: str) -> bool:
    locale.setlocale(locale.LC_ALL, "C")
    os.environ["TZ"] = "Asia/Tokyo"
    time.tzset()
    return True


def other_umask(case: str) -> bool:
    os.umask(0o777)
    return True


def few_files(case: str) -> bool:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (4, hard))
    return True


def small_files(case: str) -> bool:
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
    return True


def nicer(case: str) -> bool:
    os.nice(5)
    return True


def dies_later(case: str) -> bool:
    faulthandler.dump_traceback_later(0.3, exit=True)
    return True


def strict_warnings(case: str) -> bool:
    warnings.simplefilter("error")
    return True


def impatient_sockets(case: str) -> bool:
    socket.setdefaulttimeout(0.001)
    return True


def rounds(case: str) -> bool:
    decimal.getcontext().prec = 2
    return True


_kept: list[object] = []


def leaks_files(case: str) -> bool:
    _kept.extend(os.open(os.devnull, os.O_RDONLY) for _ in range(600))
    return True


def leaks_memory(case: str) -> bool:
    _kept.append(bytearray(600 << 20))
    return True


def _private_memory(megabytes: int) -> mmap.mmap:
    """Memory that counts, and takes no time as nobody touches it."""
    return mmap.mmap(-1, megabytes << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def daemon_stays(case: str) -> bool:
    threading.Thread(target=time.sleep, args=(600,), name="demon", daemon=True).start()
    return True


def says_goodbye(case: str) -> bool:
    atexit.register(print, "goodbye")
    return True


def asks(case: str) -> str:
    return input("y or n? ")


def opens_terminal(case: str) -> bool:
    with open("/dev/tty", "w") as terminal:
        terminal.write("\033[?1049h")
    return True


def deep_recursion(case: str) -> object:
    sys.setrecursionlimit(10**9)

    def down(n: int) -> object:
        return [*map(down, [n + 1])]

    return down(0)


def group_signals(case: str) -> bool:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGUSR1})
    return True


def _priority(pid: int) -> int:
    return os.getpriority(os.PRIO_PROCESS, pid)


def sound(case: str) -> list[str]:
    """What is not as it should be in this process; nothing, after whatever another judge did."""
    wrong: list[str] = []

    def holds(what: str, condition: object) -> None:
        if not condition:
            wrong.append(what)

    holds("json", json.loads(json.dumps({"a": [1, None]})) == {"a": [1, None]})
    holds("time", time.time() > 1e9 and time.localtime(0)[3] == 0)
    holds("stat", os.stat("/").st_mode and os.path.exists("/"))
    holds("threads", threading.active_count() == 1)
    holds("builtins", len("abc") == 3 and isinstance(1, int) and sorted("ba") == ["a", "b"])
    holds("modules", sys.modules["os"] is os and "eval_tui.engine.worker" in sys.modules)
    holds("imports", __import__("colorsys").rgb_to_hsv(0, 0, 0) == (0.0, 0.0, 0))
    holds("collector", gc.isenabled() and sys.getswitchinterval() < 1)
    holds("locale", locale.setlocale(locale.LC_CTYPE) == "C.UTF-8")
    old = os.umask(0o22)
    os.umask(old)
    holds("umask", old != 0o777)
    holds("files", resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 100)
    holds("file size", resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY)
    holds("priority", _priority(0) == _priority(os.getppid()))
    holds("warnings", not any(action == "error" for action, *_ in warnings.filters))
    holds("sockets", socket.getdefaulttimeout() is None)
    holds("precision", decimal.getcontext().prec == 28)
    holds("descriptors", os.dup(0) < 64)
    holds("memory", len(_private_memory(700)))
    holds("folder", os.path.isdir(os.getcwd()) and os.getcwd() != "/")
    holds("streams", sys.stdout is sys.__stdout__ and os.fstat(1).st_mode)
    holds("handlers", signal.getsignal(signal.SIGTERM) == signal.SIG_DFL)
    holds("mask", not signal.pthread_sigmask(signal.SIG_BLOCK, []))
    holds("recursion", sys.getrecursionlimit() == 1000)
    holds("environment", "LEFT_BY_A_JUDGE" not in os.environ)
    return wrong
