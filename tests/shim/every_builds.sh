# every_builds.sh: to be sourced by scripts. Builds every.c with each compiler, linker and way of
# building that the machine has tools for.
#
#   every_builds FUNCTION     builds in $TMPDIR and calls FUNCTION NAME for each; the program is
#                             $TMPDIR/NAME/vm, the file with the sites $TMPDIR/NAME/sites, and,
#                             without the runtime, $TMPDIR/NAME/plain. FUNCTION may remove the
#                             folder. Sets every_count. Returns 1 if something does not build.
#   every_expected            prints the events that each fires, as every.c and show.c do
#
# EVERY_ONLY: a pattern of the names to build, "gcc-gold-*".

every_ways() { # lines: NAME COMPILE-FLAGS / LINK-FLAGS
	cat <<-'WAYS'
		pie -O2 -fPIE / -pie
		no-pie -O2 -fno-pie / -no-pie
		O0-now -O0 -fPIE / -pie -Wl,-z,now -Wl,-z,relro
		no-plt -O3 -fPIE -fno-plt / -pie -rdynamic
		gc -O2 -fPIE -ffunction-sections -fdata-sections / -pie -Wl,--gc-sections
		static -O2 -fno-pie / -static -Wl,--gc-sections
		static-pie -O2 -fPIE / -static-pie
		lto -O2 -fPIE -flto / -pie -flto -O2
		lto-gc -O3 -fno-pie -flto -ffunction-sections / -no-pie -flto -O3 -Wl,--gc-sections
		shared -O2 -fPIC / -shared
		shared-gc -O2 -fPIC -fno-plt -ffunction-sections / -shared -Wl,--gc-sections -Wl,-z,now
	WAYS
}

every_flags="-std=gnu11 -g -Iinclude -I$BUILD/include -I$BUILD/gen -DVMTAP_PROVIDER_RUBY -DVMTAP_PROVIDER_CCL -DVMTAP_PROVIDER_HASKELLEVENT"

every_expected() {
	$CC $every_flags -o "$TMPDIR/every" tests/shim/every.c "$BUILD/libvmtap_probes.a" && "$TMPDIR/every" list
}

# Whether the tools for a way exist: whether a program without probes can be built like this.
every_tools() { # COMPILER LINKER COMPILE-FLAGS LINK-FLAGS
	echo 'int every(int c, char **v) { (void)c; (void)v; return 0; } int main(void) { return 0; }' >"$TMPDIR/tools.c"
	$1 $3 -c -o "$TMPDIR/tools.o" "$TMPDIR/tools.c" 2>"$TMPDIR/tools.log" &&
		$1 -fuse-ld=$2 $4 -o "$TMPDIR/tools" "$TMPDIR/tools.o" 2>>"$TMPDIR/tools.log"
}

# Sets linkers to those that the compiler finds.
every_linkers() { # COMPILER
	local linker
	linkers=()
	for linker in bfd gold lld mold; do
		if echo 'int main(void) { return 0; }' | $1 -fuse-ld=$linker -x c -o "$TMPDIR/tools" - 2>/dev/null; then
			linkers+=("$linker")
		else
			echo "left out: $1 with $linker: no such linker"
		fi
	done
}

# Links the program and, if it is a shared object, the program that calls it.
every_link() { # FOLDER OUTPUT OBJECT COMMAND...
	local folder=$1 output=$2 object=$3
	shift 3
	case $folder in
	*-shared*)
		"$@" -o "$folder/lib$output.so" "$object" "$BUILD/libvmtap.a" -pthread &&
			"${@:1:2}" -DEVERY_HOST -o "$folder/$output" tests/shim/every.c "$folder/lib$output.so" \
				-Wl,-rpath,"$folder" &&
			ln -sf "lib$output.so" "$folder/sites"
		;;
	*)
		"$@" -o "$folder/$output" "$object" "$BUILD/libvmtap.a" -pthread &&
			ln -sf "$output" "$folder/sites"
		;;
	esac
}

every_builds() { # FUNCTION
	local compiler linker linkers way compile link folder objects= kind=() failed=0
	every_count=0
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || { echo "left out: $compiler: not installed" && continue; }
		every_linkers $compiler
		while read -r way compile; do
			link=${compile#* / } compile=${compile% / *}
			case $way in shared*) kind=(-DEVERY_SHARED) ;; *) kind=() ;; esac
			for linker in "${linkers[@]}"; do
				folder=$TMPDIR/$compiler-$linker-$way
				# shellcheck disable=SC2053
				[[ ${folder##*/} == ${EVERY_ONLY:-*} ]] || continue
				# the objects of one way serve all linkers
				if [ "$objects" != $compiler-$way ]; then
					$compiler $every_flags $compile "${kind[@]}" -DEVERY_STREAM -c -o "$TMPDIR/vm.o" tests/shim/every.c &&
						$compiler $every_flags $compile "${kind[@]}" -c -o "$TMPDIR/plain.o" tests/shim/every.c ||
						return 1
					objects=$compiler-$way
				fi
				mkdir -p "$folder"
				# shellcheck disable=SC2086
				if ! every_link "$folder" plain "$TMPDIR/plain.o" $compiler -fuse-ld=$linker $link >"$folder/log" 2>&1 ||
					! every_link "$folder" vm "$TMPDIR/vm.o" $compiler -fuse-ld=$linker $link >"$folder/log" 2>&1; then
					if every_tools $compiler $linker "$compile" "$link"; then
						echo "FAILED to build ${folder##*/}:"
						cat "$folder/log"
						failed=1
					else
						echo "left out: ${folder##*/}: no tools for it: $(head -n 1 "$TMPDIR/tools.log")"
					fi
					continue
				fi
				every_count=$((every_count + 1))
				"$1" "${folder##*/}"
			done
		done < <(every_ways)
	done
	return $failed
}
