"""A headless browser for tests: Debian's chromium, driven through a pipe by its DevTools protocol.

    browser = Browser(folder)          folder: for its profile
    browser.open(path)                 loads a file and waits until it is complete
    browser.open(path, fragment, folders)  the same with #fragment; files of these folders are loaded too
    browser.value(expression)          evaluates JavaScript
    browser.click(x, y); browser.type(text); browser.screenshot(file)
    browser.problems                   console errors, exceptions, and requests for anything else
"""
import base64
import json
import os
import subprocess
import time


class Browser:
    def __init__(self, folder, width=1280, height=800):
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()

        def connect():
            os.dup2(to_browser, 13)
            os.dup2(from_browser, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self._process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-dev-shm-usage", "--remote-debugging-pipe", "--enable-unsafe-swiftshader",
             "--user-data-dir=" + os.path.join(folder, "profile"),
             "--window-size=%d,%d" % (width, height), "about:blank"],
            preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._number = 0
        self._bytes = b""
        self._session = None
        self._loaded = False
        self._page = None
        self._folders = ()
        self.problems = []
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self._session = self.call("Target.attachToTarget",
                                  {"targetId": target["targetId"], "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def _message(self):
        while b"\0" not in self._bytes:
            data = os.read(self._read, 1 << 20)
            if not data:
                raise RuntimeError("the browser has ended")
            self._bytes += data
        text, self._bytes = self._bytes.split(b"\0", 1)
        message = json.loads(text)
        method, of = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.problems.append("exception: " + json.dumps(of["exceptionDetails"])[:500])
        elif method == "Runtime.consoleAPICalled" and of["type"] in ("error", "warning", "assert"):
            self.problems.append("console: " + json.dumps(of["args"])[:500])
        elif method == "Log.entryAdded" and of["entry"]["level"] in ("error", "warning"):
            self.problems.append("log: " + of["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            url = of["request"]["url"]
            allowed = ("data:",) + tuple(self._folders)
            if url != self._page and not url.startswith(allowed):
                self.problems.append("request: " + url)
        elif method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Page.javascriptDialogOpening":
            self.problems.append("dialog: " + of["message"])
            self._send("Page.handleJavaScriptDialog", {"accept": True})
        return message

    def _send(self, method, params):
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        return self._number

    def call(self, method, params={}):
        number = self._send(method, params)
        while True:
            message = self._message()
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(method + ": " + message["error"]["message"])
                return message["result"]

    def open(self, path, fragment="", folders=()):
        self._page = "file://" + os.path.abspath(path)
        self._folders = ["file://" + os.path.abspath(folder) + "/" for folder in folders]
        self._loaded = False
        start = time.monotonic()
        self.call("Page.navigate", {"url": self._page + fragment})
        while not self._loaded:
            self._message()
        return time.monotonic() - start

    def value(self, expression):
        result = self.call("Runtime.evaluate",
                           {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:800])
        return result["result"].get("value")

    def settle(self):
        """Waits until what is due has been drawn."""
        self.value("new Promise(r=>requestAnimationFrame(()=>requestAnimationFrame(()=>r(1))))")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", dict(type=kind, x=x, y=y, **more))

    def click(self, x, y, count=1):
        for number in range(1, count + 1):
            self.mouse("mousePressed", x, y, button="left", clickCount=number)
            self.mouse("mouseReleased", x, y, button="left", clickCount=number)
        self.settle()

    def click_on(self, selector):
        """Clicks on the middle of the first element."""
        x, y = self.value("(()=>{const b=document.querySelector(%s).getBoundingClientRect();"
                          "return[b.x+b.width/2,b.y+b.height/2]})()" % json.dumps(selector))
        self.click(x, y)

    def type(self, text):
        self.call("Input.insertText", {"text": text})
        self.settle()

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", {"type": kind, "key": key, "text": key if len(key) == 1 and kind == "keyDown" else ""})
        self.settle()

    def screenshot(self, file):
        with open(file, "wb") as output:
            output.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def close(self):
        self._session = None
        try:
            self._send("Browser.close", {})
        except OSError:
            pass
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
