#!/bin/bash
# make install puts everything into folders with odd names. The README's VM is compiled and
# linked from there as the README says, statically and with the shared library, and the
# installed command traces and checks it. make uninstall removes what install installed and
# nothing else. A relative folder, which would depend on where make runs, is refused.
set -u
. tests/e2e/common

# Runs only the two targets' own recipes: nothing is built while other tests run.
target() { # make's arguments
	env -u MAKEFLAGS -u MAKELEVEL -u DESTDIR -u PREFIX make -s B="$BUILD" PRODUCTS= "$@" \
		>"$directory/out" 2>"$directory/err"
}
prefix="$directory/a prefix & |more"
other="$directory/a prefix"
mkdir -p "$other/share" "$prefix/share/vmtap/scripts"
echo mine >"$other/share/mine"
echo mine >"$prefix/share/vmtap/scripts/mine.d"
(umask 077 && target install PREFIX="$prefix") || fail "make install: status $?"
[ -z "$(find "$prefix" -type f ! -perm -o=r ! -name mine.d)" ] || fail "make install: not for everybody"
is_silent || fail "make install complains"
for name in bin/vmtap include/vmtap.h include/vmtap_probes.h lib/libvmtap.a lib/libvmtap_probes.a \
	lib/libvmtap.so lib/libvmtap_ffi.so lib/pkgconfig/vmtap.pc lib/pkgconfig/vmtap-runtime.pc share/vmtap/vm.d share/vmtap/compat/ruby.d \
	share/vmtap/scripts/gc_pause.d share/man/man1/vmtap-trace.1 share/man/man3/libvmtap.3 \
	share/man/man5/vmtap-eventlog.5 share/man/man7/vmtap-scripts.7 share/man/man7/vmtap-d.7 \
	share/man/man5/vmtap-json.5 share/man/man7/vmtap-options.7 share/man/man7/vmtap-kernel.7 share/man/man7/vmtap-samples.7 \
	share/bash-completion/completions/vmtap share/zsh/site-functions/_vmtap; do
	[ -s "$prefix/$name" ] || fail "$name is not installed"
done

# What is installed has no symbols that only a debugger needs, unless they are wanted.
has_symbols() { readelf -SW "$1" | grep -q '\.symtab'; }
for file in bin/vmtap lib/libvmtap.so lib/libvmtap_ffi.so; do
	has_symbols "$prefix/$file" && fail "$file is not stripped"
done
target install PREFIX="$directory/whole" INSTALL_STRIP=0 || fail "make install INSTALL_STRIP=0"
has_symbols "$directory/whole/bin/vmtap" || fail "INSTALL_STRIP=0 strips"

# ---- the README's VM ----
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' README.md >"$directory/vm.c"
grep -q vmtap_start "$directory/vm.c" || fail "the README shows no VM in C"
# The loader does not look into the prefix: the executable has a path to its library.
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
unset LD_LIBRARY_PATH
sanitize=${VMTAP_SANITIZED:+-fsanitize=address,undefined}
link() { # output, further arguments
	eval "$CC" -Wall -Wextra -Werror $sanitize -o '"$1"' '"$directory/vm.c"' "$2" \
		"$(pkg-config --cflags --libs $3 vmtap)" 2>"$directory/err" || fail "linking $1"
}
link "$directory/vm" "" ""
vms=vm
# A sanitizer's run-time library is a shared object.
[ -n "$sanitize" ] || { link "$directory/vm-static" -static --static && vms="vm vm-static"; }
# --static alone takes the archive and needs no shared library of ours; without it, the
# executable needs the shared library.
link "$directory/vm-archive" "" --static
vms="$vms vm-archive"
readelf -d "$directory/vm" | grep -q 'NEEDED.*libvmtap' || fail "vm does not need libvmtap.so"
readelf -d "$directory/vm-archive" | grep 'NEEDED.*libvmtap' && fail "vm-archive needs libvmtap.so"
VMTAP="$prefix/bin/vmtap"
sed -n 's/^[[:space:]]*probe \([a-z_]*\)(.*/\1/p' probes/vm.d | sed 's/__/-/g' |
	grep -vxE 'startup|shutdown|pause-begin|pause-end|gc-start|gc-end' >"$directory/absent"
for vm in $vms; do
	run 0 trace -c "$directory/$vm" -n 'vm$target:::gc-end { @freed = sum(args[3]); }'
	has out '^ +1200000$'
	run 0 record -o "$directory/log" -c "$directory/$vm"
	run 0 log "$directory/log"
	has out 'vm:::gc-end$'
	has out '^not served when the log began: HaskellEvent ccl$'
	run 0 check --contract "$prefix/share/vmtap/vm.d" -a "$directory/absent" "$directory/$vm"
	[ -s "$directory/out" ] && fail "check has found something"
done
# The list that the README shows is up to date.
awk '/^\$ vmtap list / { on = 1; next } /^\$/ { on = 0 } on' README.md >"$directory/shown"
(cd "$directory" && "$VMTAP" list -n 'gc-[se]*' vm) >"$directory/out" 2>"$directory/err"
# Compilers and sanitizers put the probes of an object into different orders; the README has gcc's.
if [ "${VMTAP_SANITIZED:-0}" = 1 ] || ! $CC --version | grep -q 'Free Software Foundation'; then
	for list in shown out; do
		awk '{ $1 = NR == 1 ? "ID" : ""; print }' "$directory/$list" | sort >"$directory/sorted"
		mv "$directory/sorted" "$directory/$list"
	done
fi
cmp -s "$directory/shown" "$directory/out" || fail "the README shows another list"
run 1 check --contract "$prefix/share/vmtap/compat/ccl.d" "$directory/vm"

# ---- uninstalling ----
target uninstall PREFIX="$prefix" || fail "make uninstall: status $?"
left=$(cd "$prefix" && find . ! -type d)
[ "$left" = ./share/vmtap/scripts/mine.d ] || fail "make uninstall leaves, or takes: $left"
[ -s "$other/share/mine" ] || fail "make uninstall has removed another folder"
rm "$prefix/share/vmtap/scripts/mine.d"
target uninstall PREFIX="$prefix" || fail "the second make uninstall: status $?"
[ -e "$prefix/share/vmtap" ] && fail "make uninstall leaves its own folder"

# ---- a package's build ----
target install DESTDIR="$directory/a root" PREFIX=/opt/vmtap || fail "make install DESTDIR=: status $?"
grep -q '^prefix=/opt/vmtap$' "$directory/a root/opt/vmtap/lib/pkgconfig/vmtap.pc" || fail "vmtap.pc knows DESTDIR"
grep -qF -- '-Wl,-rpath,"${libdir}"' "$directory/a root/opt/vmtap/lib/pkgconfig/vmtap-runtime.pc" || fail "no run path"
# A package's library is where the loader looks.
target install DESTDIR="$directory/a root" PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu || fail "make install for a package"
grep -q rpath "$directory/a root/usr/lib/x86_64-linux-gnu/pkgconfig/vmtap-runtime.pc" && fail "a package has a run path"
target uninstall DESTDIR="$directory/a root" PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu || fail "make uninstall of a package"
target uninstall DESTDIR="$directory/a root" PREFIX=/opt/vmtap || fail "make uninstall DESTDIR=: status $?"
[ -z "$(find "$directory/a root" ! -type d)" ] || fail "make uninstall DESTDIR= leaves files"
for folder in PREFIX='~/local' PREFIX=local LIBDIR=lib; do
	target install DESTDIR="$directory/never" "$folder" && fail "make install $folder: no error"
	has err "^$folder: not an absolute path"
	[ -e "$directory/never" ] && fail "make install $folder has installed"
done
exit 0
