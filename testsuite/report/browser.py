#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A browser to test pages with: Chromium without a window, driven through pipes (Chrome DevTools Protocol).

  browser.py [--width N] [--height N] [--dark] [--js EXPRESSION] URL PNG    make a picture of a page"""
import argparse
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
KEYS = {"Enter": ("Enter", 13, "\r"), "ArrowDown": ("ArrowDown", 40, ""), "ArrowUp": ("ArrowUp", 38, ""), "Escape": ("Escape", 27, ""),
        "Tab": ("Tab", 9, "")}


def find():
    return next((p for p in map(shutil.which, NAMES) if p), None)


class Browser:
    """One page.  errors: what the page wrote to its console as an error, and exceptions."""

    def __init__(self, width=1280, height=900, timeout=30):
        self.errors, self.number, self.data, self.timeout = [], 0, b"", timeout
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.to = os.pipe()
        self.back, back_write = os.pipe()
        for fd in to_read, back_write:
            os.set_inheritable(fd, True)
        # The browser reads from descriptor 3 and writes to 4.
        command = 'exec 3<&%d 4>&%d; exec "$@"' % (to_read, back_write)
        self.process = subprocess.Popen(
            ["bash", "-c", command, "bash", find(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--force-color-profile=srgb", "--hide-scrollbars", "--remote-debugging-pipe", "--user-data-dir=" + self.folder.name, "about:blank"],
            close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(back_write)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log":
            self.call(domain + ".enable")
        self.size(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, EOFError, RuntimeError):
            pass
        self.process.wait(20)
        os.close(self.to)
        os.close(self.back)
        self.folder.cleanup()

    def message(self):
        while b"\0" not in self.data:
            more = os.read(self.back, 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self.data += more
        text, self.data = self.data.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            m = self.message()
            if m.get("id") == self.number:
                if "error" in m:
                    raise RuntimeError("%s: %s" % (method, m["error"]["message"]))
                return m["result"]
            self.event(m)

    def event(self, m):
        p = m.get("params", {})
        if m.get("method") == "Runtime.exceptionThrown":
            d = p["exceptionDetails"]
            self.errors.append(d.get("exception", {}).get("description") or d["text"])
        elif m.get("method") == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in p["args"]))
        elif m.get("method") == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            self.errors.append(p["entry"]["text"])

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def run(self, expression):
        """The value of an expression of JavaScript, awaited."""
        r = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in r:
            raise RuntimeError("%s: %s" % (expression, r["exceptionDetails"].get("exception", {}).get("description")))
        return r["result"].get("value")

    def wait(self, expression):
        """Until it is true: then its value."""
        end = time.monotonic() + self.timeout
        while time.monotonic() < end:
            value = self.run(expression)
            if value or value == {}:  # an element
                return value
            time.sleep(0.02)
        raise RuntimeError("this did not come true: %s; errors: %s" % (expression, self.errors))

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def click(self, selector):
        """In the middle of the element, as a mouse does: what lies over it gets the click."""
        x, y = self.wait("(() => { const e = document.querySelector(%s); if (!e) return null; e.scrollIntoView({block: 'center'}); "
                         "const r = e.getBoundingClientRect(); return r.width ? [r.x + Math.min(r.width / 2, 40), r.y + r.height / 2] : null; })()"
                         % json.dumps(selector))
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for what in "mousePressed", "mouseReleased":
            self.call("Input.dispatchMouseEvent", type=what, x=x, y=y, button="left", clickCount=1)

    def key(self, name):
        key, code, text = KEYS.get(name, (name, ord(name[0].upper()), name))
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def picture(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--width", type=int, default=1280)
    ap.add_argument("--height", type=int, default=900)
    ap.add_argument("--dark", action="store_true")
    ap.add_argument("--js", action="append", default=[], help="evaluated before the picture")
    ap.add_argument("url")
    ap.add_argument("png")
    o = ap.parse_args()
    with Browser(o.width, o.height) as b:
        b.scheme("dark" if o.dark else "light")
        b.open(o.url)
        b.wait("document.body.dataset.shown !== undefined")
        for js in o.js:
            b.run(js)
        b.picture(o.png)
        print("\n".join(b.errors), end="\n" if b.errors else "")
    return bool(b.errors)


if __name__ == "__main__":
    sys.exit(main())
