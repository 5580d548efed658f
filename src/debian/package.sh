#!/bin/sh
# Builds the Debian packages libvmtap0, libvmtap-dev and vmtap.
#     sh src/debian/package.sh FOLDER VERSION MAINTAINER
# Copies the sources to FOLDER/vmtap-VERSION, makes their folder debian from src/debian, and builds
# there; the packages are in FOLDER then. It is run from the top of the sources.
set -eu
folder=$1 version=$2 maintainer=$3
tree=$folder/vmtap-$version
rm -rf "$folder"
mkdir -p "$tree"
cp -R include src probes tests examples Makefile README.md LICENSE "$tree"
mkdir "$tree/debian" "$tree/debian/source" "$tree/debian/tests"
for file in src/debian/*; do
	case $file in
	*/package.sh | */autopkgtest_*) ;;
	*) cp "$file" "$tree/debian" ;;
	esac
done
echo '3.0 (native)' >"$tree/debian/source/format"
cp src/debian/autopkgtest_control "$tree/debian/tests/control"
cp src/debian/autopkgtest_trace "$tree/debian/tests/trace"
# What the build asks for, also that without which it leaves out verbs; each Debian has a C library.
sed -n '/^	build)$/,/^		;;$/s/^		\(need\|want\) \([a-z0-9.-]*-dev\) .*/ \2,/p' src/packages.sh |
	grep -v '^ libc6-dev,$' >"$folder/libraries"
license=$(sed -n '/^Permission/,$p' LICENSE | sed 's/^$/./; s/^/ /')
for file in control changelog; do
	sed -e "/^ @LIBRARIES@$/{r $folder/libraries" -e 'd}' -e "s|@VERSION@|$version|" -e "s|@MAINTAINER@|$maintainer|" "src/debian/$file" >"$tree/debian/$file"
done
{
	sed '/^@LICENSE@$/,$d' src/debian/copyright
	printf 'License: Expat\n%s\n' "$license"
} >"$tree/debian/copyright"
# The package's test uses the VM that the README shows.
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' README.md >"$tree/debian/tests/vm.c"
chmod 755 "$tree/debian/rules" "$tree/debian/tests/trace"
cd "$tree"
# Settings of the make that runs this script are not the package's.
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR PREFIX
dpkg-buildpackage -b -us -uc -ui -j"$(nproc)" >../build.log 2>&1 || {
	tail -n 40 ../build.log
	exit 1
}
cd ..
ls ./*.deb
