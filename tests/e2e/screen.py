"""A terminal for tests: runs a command on a pseudo-terminal and keeps what the screen shows, as a
vt100 does it. Any other sequence of controls than those that vt100 has is an error.

    with Screen(["vmtap", "top"], rows=24, columns=100) as screen:
        screen.wait(lambda lines: any("METHOD" in line for line in lines))
        screen.type("q")
        assert screen.end() == 0
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

SEQUENCE = re.compile(rb"\x1b(?:\[([?0-9;]*)([A-Za-z@`])|[()][A-B0-2]|[78=>DEMHc]|#[0-9])")
LIMIT = 120  # seconds, only for failures


class Screen:
    def __init__(self, command, rows=24, columns=100, environment=()):
        self.rows, self.columns = rows, columns
        self.cells = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.saved = (0, 0)
        self.region = (0, rows - 1)
        self.rest = b""
        self.raw = b""
        self.status = None
        self.pid, self.terminal = pty.fork()
        if not self.pid:
            os.environ.update({"TERM": "vt100", "LC_ALL": "C.UTF-8", **dict(environment)})
            os.environ.pop("COLUMNS", None)
            os.environ.pop("LINES", None)
            time.sleep(0)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execvp(command[0], command)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.terminal)

    def lines(self):
        return ["".join(row).rstrip() for row in self.cells]

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cells = [[" "] * columns for _ in range(rows)]
        self.region = (0, rows - 1)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys):
        os.write(self.terminal, keys.encode() if isinstance(keys, str) else keys)

    def read(self, seconds):
        """False: the program has closed the terminal."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.terminal, 65536)
        except OSError:
            return False
        self.raw += data
        self.feed(data)
        return bool(data)

    def wait(self, condition, what="the screen does not become as expected"):
        end = time.monotonic() + LIMIT
        while not condition(self.lines()):
            if time.monotonic() > end or not self.read(1):
                raise AssertionError(f"{what}:\n" + "\n".join(self.lines()))

    def end(self):
        """The exit status, after all output; -N: signal N."""
        end = time.monotonic() + LIMIT
        while self.read(0.1):
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                self.status = os.waitstatus_to_exitcode(status)
                while select.select([self.terminal], [], [], 0)[0] and self.read(0):
                    pass
                return self.status
            assert time.monotonic() < end, "the program does not end"
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.status

    # ---- the terminal ----

    def feed(self, data):
        data = self.rest + data
        self.rest = b""
        at = 0
        while at < len(data):
            byte = data[at]
            if byte == 0x1b:
                match = SEQUENCE.match(data, at)
                if not match:
                    if len(data) - at < 12:
                        self.rest = data[at:]
                        return
                    raise AssertionError(f"not a sequence of vt100: {data[at:at + 12]!r}")
                self.control(match)
                at = match.end()
                continue
            size = 1 if byte < 0x80 else 2 if byte < 0xe0 else 3 if byte < 0xf0 else 4
            if at + size > len(data):
                self.rest = data[at:]
                return
            self.character(data[at:at + size].decode())
            at += size

    def character(self, text):
        if text == "\r":
            self.column = 0
        elif text == "\n":
            self.line_down()
        elif text == "\b":
            self.column = max(0, self.column - 1)
        elif text == "\t":
            self.column = min(self.columns - 1, (self.column // 8 + 1) * 8)
        elif text in "\x0e\x0f\x07\0":
            pass
        else:
            assert text >= " ", f"the control {text!r} reaches the terminal"
            if self.column >= self.columns:
                self.column = 0
                self.line_down()
            self.cells[self.row][self.column] = text
            self.column += 1

    def line_down(self):
        if self.row == self.region[1]:
            del self.cells[self.region[0]]
            self.cells.insert(self.region[1], [" "] * self.columns)
        else:
            self.row = min(self.row + 1, self.rows - 1)

    def line_up(self):
        if self.row == self.region[0]:
            del self.cells[self.region[1]]
            self.cells.insert(self.region[0], [" "] * self.columns)
        else:
            self.row = max(self.row - 1, 0)

    def erase(self, begin, end):
        for place in range(begin, end):
            if place < self.rows * self.columns:
                self.cells[place // self.columns][place % self.columns] = " "

    def control(self, match):
        text = match[0]
        # after its last column, a line goes on only with the next character
        self.column = min(self.column, self.columns - 1)
        if text in (b"\x1b7", b"\x1b8"):
            if text == b"\x1b7":
                self.saved = (self.row, self.column)
            else:
                self.row, self.column = self.saved
        elif text == b"\x1bM":
            self.line_up()
        elif text == b"\x1bD":
            self.line_down()
        if match[2] is None or match[1].startswith(b"?"):
            return
        numbers = [int(n) if n else 0 for n in match[1].split(b";")]
        count = max(1, numbers[0])
        here = self.row * self.columns + self.column
        begin = self.row * self.columns
        letter = match[2].decode()
        if letter in "Hf":
            self.row = min(count - 1, self.rows - 1)
            self.column = min(max(1, numbers[1] if len(numbers) > 1 else 1) - 1, self.columns - 1)
        elif letter == "A":
            self.row = max(0, self.row - count)
        elif letter == "B":
            self.row = min(self.rows - 1, self.row + count)
        elif letter == "C":
            self.column = min(self.columns - 1, self.column + count)
        elif letter == "D":
            self.column = max(0, self.column - count)
        elif letter == "J":
            total = self.rows * self.columns
            self.erase(*((here, total), (0, here + 1), (0, total))[numbers[0]])
        elif letter == "K":
            self.erase(*((here, begin + self.columns), (begin, here + 1),
                         (begin, begin + self.columns))[numbers[0]])
        elif letter == "r":
            top, bottom = (numbers + [0, 0])[:2]
            self.region = (min(max(1, top), self.rows) - 1, min(bottom or self.rows, self.rows) - 1)
            self.row = self.column = 0
        elif letter not in "mhl":
            raise AssertionError(f"not a sequence of vt100: {text!r}")
