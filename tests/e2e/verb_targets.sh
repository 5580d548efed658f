#!/bin/bash
# Each verb checks what it is to trace by its own name: options that do not go together, targets that
# the verb does not take, and other wrong words in the options that verbs share with trace. One line
# names the verb and says what is wrong, one refers to the verb's help; nothing is opened.
# tests: src/targets/target_spec.c src/cli/trace/trace_options.c src/cli/record/record_options.c
. tests/e2e/common

wrong() { # message, verb, arguments
	local message=$1 verb=$2
	shift
	COMMAND_SECONDS=60 run 2 "$@"
	[ "$(cat "$directory/err")" = "vmtap $verb: $message"$'\n'"Try 'vmtap $verb --help'." ] ||
		fail "vmtap $*: expected $message"
	[ -s "$directory/out" ] && fail "vmtap $*: output"
	[ -e "$directory/file" ] && fail "vmtap $*: a file"
	return 0
}

printf 'BEGIN { exit(0); }\n' >"$directory/script.d"
file=$directory/file

# options that do not go together; a trace with a script of its own takes the same ones
for words in 'trace -n BEGIN' "list -s $directory/script.d" top 'serve --listen 127.0.0.1:0' "flame -o $file"; do
	# shellcheck disable=SC2206
	words=($words)
	wrong 'only one of --wait NAME and --follow' "${words[@]}" --wait toy --follow
	wrong 'only one of --wait NAME and --follow' "${words[@]}" --follow --wait toy
	wrong '--wait is given twice: one name at a time' "${words[@]}" --wait toy --wait other
	wrong '--wait NAME says what to trace, without -p, -c, --socket and --log' "${words[@]}" --wait toy -p $$
	wrong '--follow follows what -c, -p or -- COMMAND gives' "${words[@]}" --follow
	wrong '--follow follows what -c, -p or -- COMMAND gives' "${words[@]}" --follow --socket "$directory/socket"
	wrong 'only one of -p, -c, --socket and --log: what --socket names is traced alone' \
		"${words[@]}" --socket "$directory/socket" -p $$
	# what is only in an event stream is not for the kernel, and nobody waits for it
	wrong '--wait NAME finds VMs by their event streams: not with --via=kernel' "${words[@]}" --wait toy --via kernel
	wrong '--wait NAME finds VMs by their event streams: not with --via=kernel' "${words[@]}" --via=kernel --wait=toy
	wrong '--socket is where an event stream is served: not with --via=kernel' \
		"${words[@]}" --socket "$directory/socket" --via=kernel
	# other words that are wrong
	wrong "--via wire: it is auto, stream or kernel" "${words[@]}" --via wire -p $$
	wrong "-p $$ is given twice" "${words[@]}" -p $$ -p $$
	wrong "-c: the command to run is empty" "${words[@]}" -c ' '
	wrong "--wait needs the name of a program or a runtime" "${words[@]}" --wait ''
	wrong "'--nosuch' is not an option" "${words[@]}" --nosuch
	wrong "'--socket' needs an argument" "${words[@]}" --socket
	[ "${words[0]}" != flame ] || continue
	wrong "'12x' is not a pid" "${words[@]}" -p 12x
	wrong "'-Y' is not an option" "${words[@]}" -Y
	wrong "-A: there is no anonymous tracing" "${words[@]}" -A
	wrong '--log is given twice: one recording at a time' "${words[@]}" --log a --log b
	[ "${words[0]}" != top ] || continue
	wrong 'a recording (--log) is traced alone, without -p, -c and --socket' "${words[@]}" --log a -p $$
	wrong 'a recording (--log) has the events that it has: not with --via=kernel' "${words[@]}" --log a --via=kernel
done

# kinds that a verb does not take
wrong "--log: a recording has ended; 'vmtap flame' and 'vmtap trace method_time' read it" top --log x
wrong "--log: a recording has ended; 'vmtap flame' and 'vmtap trace method_time' read it" top --log x -p $$
wrong "--log: record writes a log, which -o names; 'vmtap log FILE' shows one" record -o "$file" --log x
wrong '--wait NAME says what to trace, without -p, -c, --socket and --log' record -o "$file" --wait toy -p $$
for words in '' "-p $$ -c true" "-c true --socket x" "-p $$ --socket x"; do
	# shellcheck disable=SC2086
	wrong 'one of -p, -c, --wait, --socket and -- COMMAND says what to record' record -o "$file" $words
done
wrong 'no process is named' dump
wrong 'one PID or LOG is needed' heap
wrong 'one PID or LOG is needed' heap x y
wrong "a heap is that of one VM: give one after the other, as in 'vmtap heap -p PID'" heap -p $$ -c true
wrong '--seconds is for what runs: a log has the samples that it has' heap --seconds 1 --log x
wrong '--from and --to are for logs' heap --from 1 $$
wrong '--once is one sample, --count 2 needs more' heap --once --count 2 $$
wrong 'no log is named' export --html -o "$file"
wrong 'no log or process is named' flame -o "$file"

# what goes together: the kernel is not needed to see that
run 0 trace -q --via=stream -c true -n BEGIN
run 0 trace -q --via=stream --follow -c true -n BEGIN
run 3 trace -q --via=stream --socket "$directory/socket" -n 'vm*:::gc-end'
has_not err 'vmtap trace:'
run 3 trace -q --via=stream --log "$directory/none" -n 'vm*:::gc-end'
one=$(head -n 1 "$directory/err")
[ "$one" = "vmtap: $directory/none: No such file or directory" ] || fail "a log by streams"
exit 0
