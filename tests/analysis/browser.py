"""A headless Chromium, spoken to over two pipes in its DevTools protocol: what the tests of the page need of it, and no more."""
import base64
import json
import os
import select
import shutil
import subprocess
import time

import pytest

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SOFTWARE_GL = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")
CODES = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowRight": 39, "Tab": 9, " ": 32}
PATIENCE = 20  # seconds, for one answer of the browser


def program():
    return next((found for found in map(shutil.which, NAMES) if found), None)


def require():
    """Skips the file of tests that calls it where a part is missing of what draws the page, or of what shows it."""
    for module in ("h5py", "numpy", "pandas", "matplotlib", "plotly"):
        pytest.importorskip(module, reason=f"SKIP: python3-{module} is not installed")
    if not program():
        pytest.skip("SKIP: no Chromium is installed (Debian: apt install chromium-headless-shell)", allow_module_level=True)


class Browser:
    """One page of a browser of its own, which ends with it."""

    def __init__(self, folder, width=1280, height=900):
        from_us, to_browser = os.pipe()
        self.answers, to_us = os.pipe()
        self.orders = to_browser
        words = [program(), "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--remote-debugging-pipe", f"--user-data-dir={folder}/profile",
                 *SOFTWARE_GL, "about:blank"]
        self.process = subprocess.Popen(["bash", "-c", f'exec "$@" 3<&{from_us} 4>&{to_us}', "bash", *words], pass_fds=(from_us, to_us),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(from_us), os.close(to_us)
        self.rest, self.number, self.session, self.events = b"", 0, None, []
        page = next(one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self.call(f"{domain}.enable")
        self.folder = str(folder)
        self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=self.folder)
        self.resize(width, height)

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.orders), os.close(self.answers)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.orders, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self.number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self.events.append(answer)

    def _next(self):
        until = time.monotonic() + PATIENCE
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.answers], [], [], max(0.0, until - time.monotonic()))
            part = os.read(self.answers, 1 << 20) if ready else b""
            assert part, "the browser does not answer"
            self.rest += part
        line, _, self.rest = self.rest.partition(b"\0")
        return json.loads(line)

    def resize(self, width, height=900, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def look(self, media="", scheme="light"):
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path, ready="document.documentElement?.dataset.ready"):
        self.events.clear()
        self.call("Page.navigate", url=f"file://{path}")
        self.wait(ready)

    def run(self, script):
        """The value of a piece of JavaScript, awaited."""
        done = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, (script, done["exceptionDetails"])
        return done["result"].get("value")

    def wait(self, script):
        until = time.monotonic() + PATIENCE
        while not (value := self.run(script)):
            assert time.monotonic() < until, f"never true: {script}"
            time.sleep(0.02)
        return value

    def troubles(self):
        """A list of what scripts threw, and of each address that the page asked for besides itself."""
        self.run("1")
        thrown = [one["params"]["exceptionDetails"] for one in self.events if one.get("method") == "Runtime.exceptionThrown"]
        asked = [one["params"]["request"]["url"] for one in self.events if one.get("method") == "Network.requestWillBeSent"]
        return thrown + [url for url in asked if not url.startswith(("file:", "data:", "blob:"))]

    def press(self, key):
        text = {"text": "\r" if key == "Enter" else key} if key == "Enter" or len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=CODES.get(key, ord(key[0])),
                      **(text if kind == "keyDown" else {}))

    def move(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x, y):
        self.move(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self, path, whole=True):
        """A screenshot as PNG."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def downloaded(self, name):
        """The text of a file that the page saved."""
        path, until = os.path.join(self.folder, name), time.monotonic() + PATIENCE
        while not os.path.exists(path):
            assert time.monotonic() < until, f"{name} was never saved; there are {os.listdir(self.folder)}"
            time.sleep(0.02)
        time.sleep(0.05)
        with open(path, encoding="utf-8") as file:
            return file.read()
