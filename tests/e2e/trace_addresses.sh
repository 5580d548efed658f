#!/bin/bash
# Addresses of a live process as symbols: the toy's functions, by ufunc() and similar functions,
# as keys and as output, and by %A.
# tests: src/usdt/process/address.c src/usdt/process/mapped_code.c
set -u
. tests/e2e/common

cp tests/toy/loop.toy "$directory/loop.toy"
"$TOY" "$directory/loop.toy" >/dev/null 2>&1 &
toy=$!
pids+=("$toy")
await_stream "$toy"

name=$(basename "$(readlink -f "$TOY")")
# The address of a function in the process: the start of the first mapping plus the symbol's value.
address_of() {
	local base value
	base=$(awk -v name="/$name\$" '$0 ~ name { sub(/-.*/, "", $1); print $1; exit }' "/proc/$toy/maps")
	value=$(nm "$TOY" | awk -v symbol="$1" '$3 == symbol { print $1; exit }')
	[ -n "$base" ] && [ -n "$value" ] || fail "no address of $1"
	if readelf -h "$TOY" | grep -q 'EXEC (Executable'; then
		printf '0x%s' "$value"
	else
		printf '0x%x' $((0x$base + 0x$value))
	fi
}
main=$(address_of main)

run 0 trace -q -p "$toy" -n '
vm$target:::method-entry
{
	calls++;
	@function[ufunc($1 + (calls & 1))] = count();
	@symbol[usym($1 + 1)] = count();
	@module[umod($1)] = count();
}
vm$target:::method-entry
/calls == 4/
{
	uaddr($1 + 1);
	ufunc($1 + 1);
	printf("\n%A %A\n", $1, $1 + 1);
	printa("%A %@d\n", @function);
	printa("%A %@d\n", @symbol);
	printa("%A %@d\n", @module);
	exit(0);
}' -- "$main"
has out "^  $name\`main\\+0x1 +$name\`main *\$"
has out "^$name\`main $name\`main\\+0x1\$"
[ "$(grep -c "^$name\`main 4\$" "$directory/out")" = 2 ] || fail "keys of one function are not one"
has out "^$name 4\$"
