#!/bin/bash
# Each program of the toy VM prints what it should, on one capability and on four, and
# within its memory.
set -u
toy=${TOY:-build/toy}
temp=$(mktemp -d) || exit 1
trap 'rm -rf "$temp"' EXIT
failures=0

for program in examples/toy/programs/*.toy; do
	name=$(basename "$program" .toy)
	golden=tests/toy/programs/$name.out
	if [ ! -e "$golden" ]; then
		echo "$name: no $golden"
		failures=$((failures + 1))
		continue
	fi
	for caps in 1 4; do
		timeout "${COMMAND_SECONDS:-300}" "$toy" --caps=$caps "$program" >"$temp/out" 2>"$temp/err"
		status=$?
		if [ $status -ne 0 ] || ! cmp -s "$temp/out" "$golden"; then
			echo "$name --caps=$caps: exit $status"
			diff "$golden" "$temp/out" | head -5
			head -5 "$temp/err"
			failures=$((failures + 1))
		fi
	done
	# Run from another directory: files are found relative to the program.
	here=$PWD
	if ! (cd "$temp" && timeout "${COMMAND_SECONDS:-300}" "$(realpath "$here/$toy" 2>/dev/null || echo "$toy")" \
		"$here/$program" >out 2>err && cmp -s out "$here/$golden"); then
		echo "$name: another output when run from another directory"
		failures=$((failures + 1))
	fi
done

for caps in 1 2 4; do
	if ! timeout "${COMMAND_SECONDS:-300}" "$toy" --heap=16M --caps=$caps tests/toy/stress.toy >"$temp/out" 2>"$temp/err" ||
		! cmp -s "$temp/out" tests/toy/stress.out; then
		echo "stress --caps=$caps"
		head -5 "$temp/out" "$temp/err"
		failures=$((failures + 1))
	fi
done
exit $((failures > 0))
