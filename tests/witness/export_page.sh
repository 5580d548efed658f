#!/bin/bash
# vmtap export --html and vmtap flame in a real browser, Debian's chromium: pages of every kind of
# event, of hostile names and of a million slices; no message on the console, no request for
# anything else, no dialog; clicks, zoom and search do what they should.
set -u
. tests/e2e/common
command -v chromium >/dev/null || { echo "chromium is missing" && exit 77; }
"$BUILD/tests/tools/make_log" probes/vm.d tests/timeline/all.events "$directory/log" || fail "make_log"
run 0 export --html "$directory/log" -o "$directory/all.html"
run 0 flame "$directory/log" -o "$directory/all.svg"
run 0 flame --diff "$directory/log" "$directory/log" -o "$directory/diff.svg"

# hostile names
python3 - >"$directory/events" <<'PYTHON'
import sys
out = sys.stdout.buffer
quoted = {ord('"'): b'\\"', ord("\\"): b"\\\\", 10: b"\\n"}
every = b"".join(quoted.get(c, bytes([c])) for c in range(1, 256))
out.write(b"block 0\n")
time = 0
for name in (every, b"</script><script>alert(1)</script>", b"<img src=x onerror=alert(2)>", b"]]>",
        "\u2028\u2029漢".encode(), b"<!--<script>", b"__proto__", b"${alert(3)}`"):
    for text in (b'method-entry "%s" "%s" "f" 1 1', b'user-msg "%s%s"', b'thread-label 1 "%s%s"',
            b'lock-wait 1 5 "%s%s"', b'pause-begin "%s%s"'):
        time += 1000
        out.write(b"%d " % time + text % (name, name) + b"\n")
out.write(b"end\n")
PYTHON
"$BUILD/tests/tools/make_log" probes/vm.d "$directory/events" "$directory/log" || fail "make_log"
run 0 export --html "$directory/log" -o "$directory/hostile.html"
run 0 flame "$directory/log" -o "$directory/hostile.svg"

# many calls that are all shown, and those of a real program, too many to show each
python3 - >"$directory/events" <<'PYTHON'
print("block 0")
time = 0
for outer in range(3000):
    time += 100
    print(time, 'method-entry "Outer" "run" "f" 1 1')
    for inner in range(20):
        print(time + inner * 20 + 5, 'method-entry "Inner" "step" "f" 2 1')
        print(time + inner * 20 + 15, 'method-return "Inner" "step" "f" 2 1')
    time += 1000
    print(time, 'method-return "Outer" "run" "f" 1 1')
print("end")
PYTHON
"$BUILD/tests/tools/make_log" probes/vm.d "$directory/events" "$directory/log" || fail "make_log"
run 0 export --html "$directory/log" -o "$directory/calls.html"
"$VMTAP" record --lossless -n 'vm*:::method-*' -o "$directory/log" \
	-c "$TOY examples/toy/programs/richards.toy" >/dev/null 2>"$directory/err" || fail "record"
run 0 export --html "$directory/log" -o "$directory/million.html"

PYTHONPATH=tests/witness timeout "${COMMAND_SECONDS:-300}" python3 - "$directory" <<'PYTHON' || fail "in the browser"
import os, sys
from browser import Browser
folder = sys.argv[1]
browser = Browser(folder)
path = lambda name: os.path.join(folder, name)
def clean(what):
    assert not browser.problems, (what, browser.problems)

# every kind of event
browser.open(path("all.html"))
browser.settle()
view = browser.value("vmtapView()")
assert view["tracks"] == 12 and view["slices"] == 24 and view["drawn"] == 24, view
# it begins with the first event, at the log's 1.1 µs
assert view["from"] == view["begin"] == 1100 and view["to"] == 5100 and view["total"] == 4000, view
assert browser.value("document.querySelector('#name').textContent") == "toy (77)"
browser.screenshot(path("all.png"))
assert os.path.getsize(path("all.png")) > 20000
# a click on the first slice of capability 0, whose place the timeline's scale gives
def x_of(time):
    return browser.value("vmtapView().left+(%d-vmtapView().from)/(vmtapView().to-vmtapView().from)*"
        "(document.querySelector('#timeline-canvas').clientWidth-vmtapView().left)" % time)
top = browser.value("document.querySelector('#timeline-canvas').getBoundingClientRect().y")
browser.click(x_of(2200), top + 26 + 22 * 2 + 9)
about = browser.value("document.querySelector('#about').textContent")
assert about.startswith('thread 1 (main"</script>)\nstopped: its time was up\n500 ns from 2.000 µs'), about
browser.key("w")
after = browser.value("vmtapView()")
assert 0.6 < (after["to"] - after["from"]) / 4000 < 0.8, after
browser.key("d")
assert browser.value("vmtapView()")["from"] > after["from"]
# the ruler has the time of its place
browser.mouse("mouseMoved", x_of(3000), top + 200)
assert abs(browser.value("vmtapView().ruler") - 3000) < 10
assert browser.value("document.querySelector('#ruler span').textContent").endswith(" µs")
browser.click_on("#reset")
browser.click_on("#closer")
after = browser.value("vmtapView()")
assert after["to"] - after["from"] == 2000, after
browser.click_on("#farther")
assert browser.value("vmtapView()")["to"] == 5100
browser.click(x_of(2200), top + 26 + 22 * 2 + 9, 2)
after = browser.value("vmtapView()")
assert after["from"] == 1950 and after["to"] == 2550, after
browser.click_on("#search")
browser.type("pause")
assert "1 names match" in browser.value("document.querySelector('#about').textContent")
browser.click_on("[data-tab=flame]")
assert browser.value("vmtapView()")["nodes"] == 4
browser.click(20, browser.value("document.querySelector('#flame-canvas').getBoundingClientRect().y") + 6 + 18 + 9)
assert browser.value("vmtapView()")["root"] in ("A#x", "B#y"), browser.value("vmtapView()")
browser.click_on("[data-tab=pauses]")
text = browser.value("document.querySelector('#pauses').textContent")
assert "1 pauses, 500 ns in all" in text and "longest 500 ns" in text, text
assert text.endswith("500 ns at 3.100 µs, capability 0: pauses, pause: gc"), text
browser.click_on("button.jump")
after = browser.value("vmtapView()")
assert after["from"] == 2600 and after["to"] == 4100, after
assert browser.value("document.querySelector('#about').textContent").startswith("pause: gc\n"), after
assert browser.value("document.querySelector('section.on').id") == "timeline"
browser.click_on("[data-tab=heap]")
browser.mouse("mouseMoved", 400, 200)
assert browser.value("vmtapView().ruler") > 2600
charts = browser.value("vmtapView().charts")
assert charts == ["heap: in use", "heap: allocated", "heap: size", "heap: live"], charts
clean("all.html")

# each width and both schemes of color: nothing is wider than the window, and text is readable
def luminance(color):
    parts = [int(number) / 255 for number in color[color.index("(") + 1:-1].split(",")[:3]]
    parts = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
for scheme in ("light", "dark"):
    browser.call("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    for width in (400, 1280, 2560):
        browser.call("Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 700, "deviceScaleFactor": 1, "mobile": False})
        browser.open(path("all.html"))
        for tab in ("timeline", "flame", "pauses", "heap"):
            browser.click_on("[data-tab=%s]" % tab)
            wide = browser.value("[document.documentElement,...document.querySelectorAll('section.on, header')]"
                ".filter(e=>e.scrollWidth>e.clientWidth).map(e=>e.id||e.tagName)")
            assert not wide, (scheme, width, tab, wide)
        text, back = browser.value("(s=>[s.color,s.backgroundColor])(getComputedStyle(document.body))")
        bright, dim = max(luminance(text), luminance(back)), min(luminance(text), luminance(back))
        assert (bright + 0.05) / (dim + 0.05) > 7 and (luminance(back) < 0.1) == (scheme == "dark"), (text, back)
        browser.open(path("diff.svg"))
        browser.settle()
        wide = browser.value("[...document.querySelectorAll('svg>text')].filter(e=>e.getBoundingClientRect().right>"
            "innerWidth).map(e=>e.textContent)")
        assert not wide, (scheme, width, wide)
browser.call("Emulation.setEmulatedMedia", {"features": []})
browser.call("Emulation.setDeviceMetricsOverride",
    {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False})
clean("widths")

# hostile names: shown, not run
browser.open(path("hostile.html"))
browser.settle()
assert browser.value("document.scripts.length") == 2
assert browser.value("document.images.length") == 0
for tab in ("flame", "pauses", "heap", "timeline"):
    browser.click_on("[data-tab=%s]" % tab)
browser.click_on("#search")
browser.type("<img")
assert not browser.value("document.querySelector('#about').textContent").startswith("0 ")
clean("hostile.html")

# exact counts where nothing has to be joined
browser.open(path("calls.html"))
browser.settle()
assert browser.value("vmtapView()")["slices"] == 3000 * 21
clean("calls.html")

# levels of detail: few slices are drawn of a million
seconds = browser.open(path("million.html"))
browser.settle()
view = browser.value("vmtapView()")
assert 300000 < view["slices"] <= 1 << 20, view
assert view["drawn"] < 40000, view
assert os.path.getsize(path("million.html")) < 64 << 20
code = browser.value("document.scripts[1].textContent.length")
assert code < 2 << 20
for zoom in range(40):
    browser.key("w")
view = browser.value("vmtapView()")
assert view["to"] - view["from"] < view["total"] / 1000
clean("million.html")

# the SVG: zoom, reset, search
for name in ("all.svg", "hostile.svg"):
    browser.open(path(name))
    assert browser.value("document.querySelectorAll('script').length") == 1
    browser.click_on(".f:nth-of-type(2) rect")
    assert browser.value("document.querySelectorAll('.f.hide').length") > 0 or name == "hostile.svg"
    assert browser.value("document.getElementById('reset').classList.contains('hide')") is False
    browser.click_on("#reset")
    assert browser.value("document.querySelectorAll('.f.hide').length") == 0
    browser.click_on("#search")
    browser.type("A#x" if name == "all.svg" else "alert")
    found = browser.value("document.getElementById('found').textContent")
    assert found.split(" ")[0] not in ("", "0"), found
    browser.key("Escape")
    assert browser.value("document.getElementById('found').textContent") == ""
    clean(name)
browser.close()
PYTHON
exit 0
