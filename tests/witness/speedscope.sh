#!/bin/bash
# What speedscope, in Debian's chromium, makes of the files of vmtap export --chrome, vmtap flame
# --pprof and --folded: the same methods with the same times; each slice ends where it should; no
# error on the console.
set -u
. tests/e2e/common
command -v chromium >/dev/null || { echo "chromium is missing" && exit 77; }
version=1.25.0
page=$PWD/$BUILD/speedscope-$version
if [ ! -e "$page/index.html" ]; then
	command -v npm >/dev/null || { echo "npm is missing" && exit 77; }
	[ "${VMTAP_NO_INSTALL:-0}" != 1 ] || { echo "speedscope is missing" && exit 77; }
	(cd "$directory" && npm_config_cache=$directory/npm timeout 120 npm pack --silent "speedscope@$version" &&
		tar -xzf "speedscope-$version.tgz") >"$directory/out" 2>&1 ||
		{ echo "npm does not deliver speedscope: $(tail -n 1 "$directory/out")" && exit 77; }
	mv "$directory/package/dist/release" "$page" || fail "the package of speedscope"
fi

# Thread 1: 1 s of A#a, 300 ms of it in B#b<i>; twice C#c in a row, which end and begin at one time.
cat >"$directory/events" <<'EVENTS'
process 77 1 toy
clock 1000000000 1000000000
block 0
1000000000 thread-run 1
1000000000 method-entry "A" "a" "f" 1 1
1100000000 method-entry "B" "b\"<i>" "f" 2 1
1400000000 method-return "B" "b\"<i>" "f" 2 1
1500000000 method-entry "C" "c" "f" 3 1
1600000000 method-return "C" "c" "f" 3 1
1600000000 method-entry "C" "c" "f" 3 1
1650000000 method-return "C" "c" "f" 3 1
1700000000 pause-begin "gc"
1710000000 gc-start 1 1 5000 "request" 1
1760000000 gc-end 1 1 2000 "request" 1
1800000000 pause-end "gc"
2000000000 method-return "A" "a" "f" 1 1
2000000000 thread-stop 1 5 0
end
EVENTS
"$BUILD/tests/tools/make_log" probes/vm.d "$directory/events" "$directory/log" || fail "make_log"
run 0 export --chrome "$directory/log" -o "$directory/calls.json"
run 0 flame --pprof "$directory/log" -o "$directory/calls.pprof"
run 0 flame --folded "$directory/log" -o "$directory/calls.folded"
"$BUILD/tests/tools/make_log" probes/vm.d tests/timeline/all.events "$directory/log" || fail "make_log"
run 0 export --chrome "$directory/log" -o "$directory/all.json"

PYTHONPATH=tests/witness timeout "${COMMAND_SECONDS:-300}" python3 - "$directory" "$page" <<'PYTHON' || fail "in the browser"
import base64, json, os, sys
from browser import Browser
folder, page = sys.argv[1:3]
browser = Browser(folder)

def until(expression):
    return browser.value("new Promise(found=>{const look=()=>{const value=(()=>{%s})();"
        "value?found(value):setTimeout(look,20)};look()})" % expression)

def press(label):
    """Clicks on the lowest element with this text."""
    browser.value("[...document.querySelectorAll('*')].filter("
        "e=>e.children.length<2&&e.textContent.trim().endsWith(%s)).pop().click()" % json.dumps(label))
    browser.settle()

def show(name, track=None):
    """Opens a file as speedscope's own command does; its table: {name: (total, self)}."""
    with open(os.path.join(folder, name), "rb") as data:
        text = base64.b64encode(data.read()).decode()
    script = os.path.join(folder, name + ".js")
    with open(script, "w") as output:
        output.write("speedscope.loadFileFromBase64(%s,%s)" % (json.dumps(name), json.dumps(text)))
    browser.problems.clear()
    browser.open("/dev/null")
    browser.open(os.path.join(page, "index.html"), "#localProfilePath=" + script, (page, folder))
    title = until("return document.body.innerText.includes('Sandwich')&&document.title")
    assert title.startswith(name), title
    if track:
        # the list of tracks opens with its button
        press("/%d)" % track[1])
        until("return [...document.querySelectorAll('*')].some(e=>!e.children.length&&"
            "e.textContent.includes(%s))" % json.dumps(track[0]))
        browser.value("(()=>{const row=[...document.querySelectorAll('*')].filter(e=>!e.children.length&&"
            "e.textContent.includes(%s)).pop();for(const kind of['mousedown','mouseup','click'])"
            "row.dispatchEvent(new MouseEvent(kind,{bubbles:true}))})()" % json.dumps(track[0]))
        browser.settle()
    press("Sandwich")
    rows = until("const rows=[...document.querySelectorAll('table tr')].map("
        "r=>[...r.querySelectorAll('td')].map(c=>c.innerText.trim())).filter(r=>r.length==3);"
        "return rows.length&&rows")
    # without a graphics card, drawing causes a message about speed
    problems = [p for p in browser.problems if "GL Driver Message" not in p]
    browser.screenshot(os.path.join(folder, name + ".png"))
    assert not browser.value("document.images.length"), "a name became a picture"
    return {symbol: (total, own) for total, own, symbol in rows}, problems

times = {"A#a": (1000, 550), "B#b\"<i>": (300, 300), "C#c": (150, 150)}
ms = lambda value: "%.2fs" % (value / 1000) if value >= 1000 else "%.2fms" % value
ns = lambda value: "{:,}".format(value * 1000000)
for name, shown in (("calls.pprof", ms), ("calls.folded", ns), ("calls.json", ms)):
    rows, problems = show(name, ("thread 1: calls", 4) if name == "calls.json" else None)
    for method, both in times.items():
        wanted = tuple("%s (%d%%)" % (shown(value), value // 10) for value in both)
        assert rows.get(method) == wanted, (name, method, rows)
    # It remarks on ends that say more than their begins, such as why a thread stopped.
    assert all("console" in p and p.count("Ending") == 1 for p in problems), problems
    assert not problems or name == "calls.json", problems

# every kind of event, with hostile names
rows, problems = show("all.json", ("</script>): calls", 11))
assert "</script><b>#\n\u6f22" in rows or "</script><b># \u6f22" in rows, rows
assert all("console" in p and p.count("Ending") == 1 for p in problems), problems
browser.close()
PYTHON
exit 0
