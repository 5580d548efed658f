#!/bin/bash
# vmtap-port(7): its VM is compiled as it says, its commands do what it says, in its order, and it
# places every probe of the contract.
set -u
. tests/e2e/common
page=$PWD/src/man/vmtap-port.7
for probe in $(sed -n 's/^\tprobe \([a-z_]*\)(.*/\1/p' probes/vm.d | sed 's/__/-/g'); do
	sed -n '/^\.Sh PROBES BY WORTH/,/^\.Sh QUESTIONS/p' "$page" | grep -qw -- "$probe" || fail "it does not place $probe"
done

# What make install provides.
mkdir "$directory/bin" "$directory/work"
flags="-I$PWD/include -I$PWD/$BUILD/include $PWD/$BUILD/libvmtap.a -pthread"
[ "${VMTAP_SANITIZED:-0}" = 1 ] && flags+=" -fsanitize=address,undefined"
printf '#!/bin/sh\n[ "$*" = "--cflags --libs --static vmtap" ] && echo "%s"\n' "$flags" >"$directory/bin/pkg-config"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$VMTAP" >"$directory/bin/vmtap"
printf '#!/bin/sh\nexec %s -Wall -Wextra -Werror "$@"\n' "$CC" >"$directory/bin/cc"
chmod +x "$directory"/bin/*
export PATH=$directory/bin:$PATH TMPDIR=$directory/work
cp probes/vm.d "$directory/work"
cd "$directory/work" || exit 1

# Blocks after '.\" file: NAME' are files; lines after '.\" run: STATUS [OUTPUT]' are commands.
awk '/^\.\\" file: / { name = $3 } /^\.Ed/ { name = ""; on = 0 } on { gsub(/\\e/, "\\"); print >name } /^\.Bd/ && name { on = 1 }' "$page"
[ -s small.c ] || fail "no file in the page"
ran=0
while read -r status output && IFS= read -r command; do
	ran=$((ran + 1))
	timeout "${COMMAND_SECONDS:-300}" bash -c "$command" >"$directory/out" 2>"$directory/err" </dev/null
	[ $? = "$status" ] || fail "$command"
	if [ -n "$output" ]; then
		grep -qxE -- " *$output" "$directory/out" || fail "$command: it does not print '$output'"
	fi
done < <(sed -n 's/^\.\\" run: //p; s/^\.Dl \(.*\)/\1/p' "$page" | sed 's/\\e/\\/g')
[ "$ran" = 8 ] || fail "$ran commands"
[ "$(wc -l <probes.absent)" -gt 40 ] || fail "the list of what is absent is short"
# What it says of C: the heap and the pauses nest, and each error unwinds its frames.
"$VMTAP" trace -q -c ./small -n 'vm$target:::raise { printf("%s:%d %s\n", copyinstr(arg1), args[2], copyinstr(arg4)); }
	vm$target:::gc-end { @ = count(); } END { printa("%@d\n", @); }' >"$directory/out" 2>"$directory/err" || fail "trace"
diff - "$directory/out" <<'E' || fail "the VM's events"
small.my:9 too many
2

E
exit 0
