#!/bin/bash
# For each probe of the contract a program provokes it, and what `vmtap trace` receives,
# every argument of every event, is what the VM's own event log says.
set -u
toy=${TOY:-build/toy}
vmtap=${VMTAP:-build/vmtap}
temp=$(mktemp -d) || exit 1
trap 'rm -rf "$temp"' EXIT
command -v python3 >/dev/null || {
	echo "python3 is missing"
	exit 77
}

cat >"$temp/compare.py" <<'P'
import re, subprocess, sys

toy, vmtap, temp = sys.argv[1:]
contract = open("probes/vm.d").read()
problems = 0
for probe, parameters in re.findall(r"^\tprobe (\w+)\((.*?)\);", contract, re.M):
    name = probe.replace("__", "-")
    program = "tests/toy/probes/%s.toy" % name
    options = " ".join(re.findall(r"^# options: (.*)$", open(program).read(), re.M))
    formats, values = [], []
    for i, parameter in enumerate(parameters.split(",")):
        if "char *" in parameter:
            formats.append('\\"%s\\"')
            values.append("copyinstr(arg%d)" % i)
        else:
            formats.append("%d")
            values.append(("(int)arg%d" if parameter.strip().startswith("int ") else "arg%d") % i)
    clause = 'vm$target:::%s { printf("%s %s\\n", %s); }' % (
        name, name, " ".join(formats), ", ".join(values))
    log = temp + "/log"
    command = "%s %s --event-log=%s %s" % (toy, options, log, program)
    run = subprocess.run([vmtap, "trace", "-q", "--lossless", "-n", clause, "-c", command],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    def events(text):
        return sorted(line for line in text.split("\n") if line.startswith(name + " "))
    received = events(run.stdout.decode("utf-8", "replace"))
    logged = open(log, encoding="utf-8", errors="replace").read()
    logged = [re.sub(r'\\(x[0-9a-f]{2}|.)',
                     lambda m: chr(int(m[1][1:], 16)) if len(m[1]) == 3 else m[1], line)
              for line in events(logged)]
    logged.sort()
    received.sort()
    if run.returncode != 0 or not logged or received != logged:
        problems += 1
        print("%s: exit %d, %d events received, %d logged" %
              (name, run.returncode, len(received), len(logged)))
        for got, wanted in zip(received, logged):
            if got != wanted:
                print("  received %s\n  logged   %s" % (got, wanted))
                break
        print(run.stderr.decode("utf-8", "replace")[:300], end="")
sys.exit(problems > 0)
P
python3 "$temp/compare.py" "$toy" "$vmtap" "$temp"
