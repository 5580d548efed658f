#!/bin/bash
# Every option of D: that it is known, which values it takes, and when it may be set: dynamic ones
# while tracing is active, run-time ones before it, the compiler's in programs and on the command
# line, some only on the command line.
# tests: src/program/option.c
set -u
. tests/e2e/common

# Sets an option in each of the three places.
on_command_line() { # status, name[=value]
	run "$1" trace -e -x "$2" -n 'BEGIN { exit(0); }'
}
in_program() { # status, name[=value]
	printf '#pragma D option %s\nBEGIN\n{\n\texit(0);\n}\n' "$2" >"$directory/pragma.d"
	run "$1" trace -e -s "$directory/pragma.d"
}
while_tracing() { # name[=value]
	local value=
	case $1 in
	*=*) value=", \"${1#*=}\"" ;;
	esac
	run 0 trace -q -n "BEGIN { setopt(\"${1%%=*}\"$value); } BEGIN { exit(0); }"
}

# ---- dynamic: everywhere ----
for option in aggrate=1s switchrate=10hz stackindent=10 quiet=no flowindent=yes rawbytes \
	quietresize aggsortkey aggsortrev=true aggsortpos=1 aggsortkeypos=0; do
	on_command_line 0 "$option"
	in_program 0 "$option"
	while_tracing "$option"
	has_not err 'option'
done

# ---- run time: before tracing ----
for option in statusrate=2s cleanrate=101hz bufsize=1m aggsize=64k bufpolicy=ring \
	bufpolicy=fill bufpolicy=switch bufresize=auto bufresize=manual strsize=100 \
	dynvarsize=2m specsize=1k nspec=4 scratchsize=1k stackframes=5 ustackframes=7 \
	jstackframes=9 jstackstrsize=600 maxframes=10 destructive cpu=0 noresolve; do
	on_command_line 0 "$option"
	in_program 0 "$option"
	while_tracing "$option"
	has err "couldn't set option \"${option%%=*}\".*: Operation illegal when tracing is active"
done

# ---- the compiler's: flags; a value is an error ----
for option in aggpercpu errtags droptags argref defaultargs zdefs pspec empty nolibs verbose cpp \
	knodefs kdefs unodefs udefs; do
	on_command_line 0 "$option"
	in_program 0 "$option"
	on_command_line 1 "$option=1"
	has err "failed to set -x $option.*Invalid value for specified option"
done
for option in amin=Unstable/Unstable/Common version=1.0 evaltime=main linkmode=kernel linktype=elf \
	late=static iregs=8 tregs=8 pgmax=8 tree=1 disasm=1 preallocate=1 useruid=0 sysslice=x \
	pcapsize=1k printsize=1k; do
	on_command_line 0 "$option"
	in_program 0 "$option"
	on_command_line 1 "${option%%=*}"
	has err "failed to set -x ${option%%=*}: Invalid value for specified option"
done

# ---- only on the command line ----
for option in define=A=1 undef=A incdir=/tmp cpphdrs cpppath=/usr/bin/cpp cppargs=-w stdc=a \
	ldpath=/usr/bin/ld ctfpath=/tmp modpath=/tmp procfspath=/proc lockmem=unlimited; do
	on_command_line 0 "$option"
	in_program 1 "$option"
	has err "failed to set option '${option%%=*}'.*: Option cannot be used from within a D program"
done

# ---- forms of values ----
for value in yes enable enabled true on set YES 0 1 7; do
	on_command_line 0 "quiet=$value"
	run 0 trace -x "quiet=$value" -n 'BEGIN { exit(0); }'
	[ "$(wc -c <"$directory/out")" = 1 ] || fail "quiet=$value is not quiet"
done
for value in no disable disabled false off unset No ''; do
	run 0 trace -x "quiet=$value" -n 'BEGIN { exit(0); }'
	has out CPU
done
for value in 1 1k 1K 2m 3g 1t; do
	on_command_line 0 "aggsize=$value"
done
for value in 1 5ns 5nsec 5us 5usec 5ms 5msec 5s 5sec 5m 5min 5h 5hour 5d 5day 5hz 5HZ; do
	on_command_line 0 "switchrate=$value"
done
for option in quiet=maybe quiet=-1 aggsize=1q aggsize=-1 aggsize= switchrate=5parsec switchrate= \
	nspec=x strsize=0 strsize=1 tree=0 pgmax=yes bufpolicy=none amin=Good version=99.1; do
	on_command_line 1 "$option"
	has err "failed to set -x "
done
on_command_line 1 nosuch
has err 'failed to set -x nosuch: Invalid option name'

# aggpercpu: all CPUs of the machine, with data or without, and their shares add up
run 0 trace -q -x aggpercpu -c "$TOY examples/toy/programs/queens.toy" -n 'vm$target:::method-entry { @ = count(); }'
[ "$(grep -c '^    \[CPU [0-9]*\]' "$directory/out")" = "$(getconf _NPROCESSORS_CONF)" ] ||
	fail "aggpercpu: not one line for each CPU"
awk '/CPU/ { sum += $3; next } NF { total = $1 } END { exit(!total || sum != total) }' "$directory/out" ||
	fail "aggpercpu: the parts do not add up"
