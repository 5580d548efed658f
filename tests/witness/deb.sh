#!/bin/bash
# make deb builds the packages; lintian finds no error in them; installed in a system of their own (an
# overlay of this one), they pass the package's own test; removed, they leave nothing.
# limit: 900
set -u
. tests/e2e/common
for tool in dpkg-buildpackage dh lintian pkg-config; do
	command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
env -u MAKEFLAGS -u MAKELEVEL -u DESTDIR -u PREFIX VMTAP_NO_INSTALL=1 make -s deb >"$directory/out" 2>"$directory/err" ||
	fail "make deb: status $?"
version=$(sed -n 's/^VERSION := //p' Makefile)
for package in libvmtap0 libvmtap-dev vmtap vmtap-lua; do
	files=(build/deb/"${package}_${version}"_*.deb)
	[ -s "${files[0]}" ] || fail "no package $package"
	dpkg --contents "${files[0]}" >"$directory/$package"
done
contains() { # package, path
	grep -qE " \./$2( -> .*)?$" "$directory/$1" || fail "$1 does not contain $2"
}
contains libvmtap0 "usr/lib/[a-z0-9_-]*/libvmtap\.so\.$version"
contains libvmtap-dev 'usr/include/vmtap_probes\.h'
contains libvmtap-dev 'usr/lib/[a-z0-9_-]*/libvmtap\.a'
contains vmtap 'usr/bin/vmtap'
contains vmtap 'usr/share/man/man7/vmtap-d\.7\.gz'
contains vmtap 'usr/share/bash-completion/completions/vmtap'
contains vmtap 'usr/share/zsh/vendor-completions/_vmtap'
contains vmtap-lua 'usr/lib/vmtap/lua5\.4/vmtap\.so'

tr -d '\n' <"build/deb/vmtap-$version/debian/control" >"$directory/control"
for library in libelf libmicrohttpd libncurses zlib1g; do
	grep -qE "Build-Depends:[^:]* $library-dev,[^:]*Standards" "$directory/control" || fail "the packages are built without $library"
done

lintian --fail-on error build/deb/*.changes >"$directory/out" 2>"$directory/err" || fail "lintian"
grep -q '^E:' "$directory/out" && fail "lintian"

[ "$(id -u)" = 0 ] || { echo "only root can install packages"; exit 77; }
mkdir "$directory/root"
cat >"$directory/install" <<'I'
set -e
cd "$1"
mount -t tmpfs tmpfs root
mkdir root/upper root/work root/system
mount -t overlay overlay -o lowerdir=/,upperdir=root/upper,workdir=root/work root/system
cd root/system
mount --rbind /dev dev
mount --rbind /proc proc
mount -t tmpfs tmpfs tmp
cp "$2"/build/deb/*.deb tmp
cp "$2/build/deb/vmtap-$3/debian/tests/"* tmp
chroot . dpkg -i $(cd tmp && ls *.deb | sed 's|^|/tmp/|')
echo "== the package's test"
chroot . env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin sh /tmp/trace
if command -v lua5.4 >/dev/null; then
	loaded=$(chroot . env -i PATH=/usr/bin vmtap run lua5.4 -e 'print(package.loaded.vmtap.version)')
	[ "$loaded" = "$3" ]
fi
echo "== passed"
chroot . dpkg --purge $(cd tmp && ls *.deb | sed 's/_.*//')
[ ! -e usr/share/vmtap ] && [ ! -e usr/bin/vmtap ] && ! ls usr/lib/*/libvmtap* 2>/dev/null
I
unshare -m true 2>/dev/null && grep -qw overlay /proc/filesystems || { echo "no overlay of the system can be made here"; exit 77; }
unshare -m bash "$directory/install" "$directory" "$PWD" "$version" >"$directory/out" 2>"$directory/err" ||
	fail "installing"
has out '^== passed$'
exit 0
