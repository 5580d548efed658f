# tracer.sh: to be sourced by scripts. Runs kernel tracers (one bpftrace per traced object) on
# a program that works like host.c: it fires gc-work from every object until it reads a line,
# so that each tracer is known to be attached, and then does its work.
. tests/witness/end_tracers

# Exits with 77 if bpftrace cannot be used.
tracer_required() {
	command -v bpftrace >/dev/null || { echo "no bpftrace" && exit 77; }
	[ "$(id -u)" = 0 ] || { echo "needs root for the kernel's tracer" && exit 77; }
	timeout 30 bpftrace -e 'uprobe:/bin/sh:main { } BEGIN { exit() }' >/dev/null 2>&1 ||
		timeout 30 bpftrace -e 'BEGIN { exit() }' >/dev/null 2>&1 ||
		{ echo "bpftrace may not attach here" && exit 77; }
}

# Counts gc-idle by capability. There is a gc-work clause before and after it: once both have
# run, the one between is attached too, in whichever order the tracer attaches.
tracer_script() { # FILE
	printf 'usdt:%s:vm:gc__work { @a = 1; if (@b == 1 && @said == 0) { @said = 1; printf("ready\\n"); } }\n' "$1"
	printf 'usdt:%s:vm:gc__idle { @n[arg0] = count(); }\n' "$1"
	printf 'usdt:%s:vm:gc__work { @b = 1; if (@a == 1 && @said == 0) { @said = 1; printf("ready\\n"); } }\n' "$1"
	printf 'END { clear(@a); clear(@b); clear(@said); }\n'
}

# Starts the command. When it reports that it is loaded, starts a tracer for each file; when
# these are attached, lets the command continue; waits for all. The command's output is in
# $TMPDIR/host.out, the tracers' counts are in $TMPDIR/tracer.out. Sets host_status.
# TRACER_OPTIONS replaces -p PID for executables.
traced() { # "FILE..." COMMAND...
	local files=$1 file host line tracers= readers= who number=0
	shift
	rm -f "$TMPDIR/in" "$TMPDIR"/tracer.*
	: >"$TMPDIR/host.out"
	mkfifo "$TMPDIR/in"
	"$@" <"$TMPDIR/in" >"$TMPDIR/host.out" &
	host=$!
	exec 4>"$TMPDIR/in"
	until grep -q loaded "$TMPDIR/host.out" || ! kill -0 $host 2>/dev/null; do :; done
	for file in $files; do
		number=$((number + 1))
		# bpftrace finds the probes of a loaded object only without -p.
		who=${TRACER_OPTIONS:--p $host}
		case $file in *.so) who=--usdt-file-activation ;; esac
		tracer_script "$file" >"$TMPDIR/tracer.script$number"
		mkfifo "$TMPDIR/tracer.fifo$number"
		# shellcheck disable=SC2086
		timeout "${COMMAND_SECONDS:-300}" bpftrace -B line $who "$TMPDIR/tracer.script$number" \
			>"$TMPDIR/tracer.fifo$number" 2>>"$TMPDIR/tracer.err" &
		tracers="$tracers $!"
		exec 5<"$TMPDIR/tracer.fifo$number"
		while read -r line <&5 && [ "$line" != ready ]; do :; done
		cat <&5 >"$TMPDIR/tracer.out$number" & # its final output
		readers="$readers $!"
		exec 5<&-
	done
	echo go >&4
	until grep -q done "$TMPDIR/host.out" || ! kill -0 $host 2>/dev/null; do :; done
	# shellcheck disable=SC2086
	end_tracers $tracers || true
	for file in $readers; do
		wait "$file" || true
	done
	exec 4>&-
	host_status=0
	wait $host || host_status=$?
	cat "$TMPDIR"/tracer.out[0-9]* | grep '^@n' | sort >"$TMPDIR/tracer.out" || true
}
