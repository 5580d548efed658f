#!/bin/bash
# vmtap generate says what is wrong with a provider's definition, with line and column, writes
# nothing then, and no file if one cannot be written.
# tests: src/contract/contract_scan.c
set -u
. tests/e2e/common
P='/* when it fires */'
wrong() { # message, text
	printf '%b' "$2" >"$directory/it.d"
	run 1 generate -d "$directory" "$directory/it.d"
	[ "$(cat "$directory/err")" = "vmtap: $directory/it.d: $1" ] || fail "expected $1"
	[ ! -s "$directory/out" ] && [ -z "$(ls "$directory" | grep _probes)" ] || fail "output with an error"
}
one() { # message, the probes, after line 1
	wrong "$1" "provider own {\n$2\n};\n"
}
one "line 2, column 9: the argument's name 'for' is a word of C" 'probe x(int for);'
one "line 2, column 16: the argument's name 'a' is the name of another argument, too" 'probe x(int a, int a);'
one "line 2, column 9: argument 1 of probe x has no name" 'probe x(int);'
one "line 2, column 9: the argument's name 'vmtap_x' begins like the names in the generated code" 'probe x(int vmtap_x);'
one "line 2, column 9: how is the string 's' carried? Document it with '@s [name] ...' if it recurs, else with '@s [text] ...'" 'probe x(char *s);'
one "line 2, column 9: what 'p' points to cannot travel: pass its members, or document it with '@p [address] ...' to pass the address alone" 'probe x(struct s *p);'
one "line 2, column 9: a probe's argument is an integer or a pointer, not 'double'" 'probe x(double d);'
one "line 3, column 7: a second probe 'x'" 'probe x();\nprobe x();'
one "line 3, column 7: the macros of probes 'a-b' and 'a_b' would have the same name" 'probe a__b();\nprobe a_b();'
one "line 3, column 7: the macros of probes 'x' and 'x-enabled' would have the same name" 'probe x();\nprobe x__enabled();'
one "line 2, column 7: the macros of probes 'x' and 'x-enabled' would have the same name" 'probe x__enabled();\nprobe x();'
one "line 4, column 7: probe x has a line @eventlog, which is only for vmtap's own providers" '/* when\n@eventlog 9 GC_START () */\nprobe x();'
one "line 2, column 7: the probe's name is longer than 63 bytes" "probe $(printf 'x%.0s' {1..64})();"
for name in vm VM ruby ccl haskellevent pid linux; do
	printf 'provider %s { probe x(); };\n' $name >"$directory/it.d"
	run 1 generate "$directory/it.d"
	has err "it.d: line 1, column 10: the provider's name '$name' is reserved: "
done
for name in vmtap VMTAP_gc _own NULL; do
	printf 'provider %s { probe x(); };\n' $name >"$directory/it.d"
	run 1 generate "$directory/it.d"
	has err "it.d: line 1, column 10: the provider's name '$name' (is reserved|begins with)"
done
wrong "line 1, column 23: probe 'max' would have the macro SIZE_MAX, which C's headers define" 'provider size { probe max(); };'
one "line 2, column 7: the probe's name 'linux' is a macro of compilers" 'probe linux();'
wrong "line 3, column 52: these attributes are given twice for 'own'" "provider own { probe x(); };$(
	printf '\\n#pragma D attributes Stable/Stable/Common provider %s provider' own own)"
wrong "line 1, column 10: the provider's name 'lua5' ends in a digit: tracers append the pid" 'provider lua5 { probe x(); };'
wrong "line 1, column 10: the provider's name 'int' is a word of C" 'provider int { probe x(); };'
wrong "line 1, column 10: the provider has no probe" 'provider own { };'
wrong "line 2, column 10: a second provider 'two': one file defines one provider" 'provider one { probe x(); };\nprovider two { probe x(); };'
wrong "line 1: the file defines no provider" ''
# what the grammar of probes does not know, the D compiler finds
printf 'struct s { int a; };\ntranslator struct s < int I > { b = I; };\nprovider own { probe x(); };\n' >"$directory/it.d"
run 1 generate -d "$directory" "$directory/it.d"
has err "it\.d: line 2: .*struct s"
printf 'provider own { probe x(); }; BEGIN { exit(0); }\n' >"$directory/it.d"
run 1 generate "$directory/it.d"
# a definition that is right is only checked; what cannot be read or written is an error
printf 'provider own { probe x(); };\n' >"$directory/it.d"
run 0 generate --check -d "$directory" "$directory/it.d"
[ -z "$(ls "$directory" | grep _probes)" ] || fail "--check writes"
run 3 generate "$directory/none.d"
run 3 generate -d "$directory/none" "$directory/it.d"
has err "none/own_probes.h: No such file"
run 2 generate
run 0 generate -d "$directory" "$directory/it.d"
[ -s "$directory/own_probes.h" ] && [ -s "$directory/own_probes.c" ] || fail "no files"
exit 0
