"""Judges for the tests of the pool: harmless ones, and all the ways to be a nuisance."""

from __future__ import annotations

import ctypes
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

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


def takes_300_mb(case: str) -> int:
    return len(bytearray(300 << 20))


def breaks_the_library(case: str) -> bool:
    os.getpid = None  # type: ignore[assignment]
    return True
