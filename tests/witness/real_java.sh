#!/bin/bash
# Debian's OpenJDK: collections, against the counts of its own management beans; methods, whose names
# are pointers with lengths, under -XX:+ExtendedDTraceProbes, against what the program counts; stacks
# of compiled methods.
# tests: src/cli/jvm_map.c
set -u
. tests/witness/real
home=/usr/lib/jvm/java-17-openjdk-amd64
need_program $home/bin/java
need_program $home/bin/javac
need_kernel
"$VMTAP" list $home/lib/server/libjvm.so | grep -q method-entry || { echo "libjvm.so has no probes" && exit 77; }

cat >"$directory/Witness.java" <<'END'
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

public class Witness {
	static long calls, boxes;

	static class Box {
		Box next;

		Box(Box next) {
			this.next = next;
			boxes++;
		}
	}

	static int fib(int n) {
		calls++;
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	static long collections(boolean full) {
		long sum = 0;
		for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans())
			if (full == bean.getName().startsWith("MarkSweep"))
				sum += bean.getCollectionCount();
		return sum;
	}

	public static void main(String[] words) throws Exception {
		long young = collections(false), full = collections(true);
		Box box = null;
		byte[] waste = null;

		System.out.println("ready");
		System.in.read();
		fib(14);
		for (int i = 0; i < 250; i++)
			box = new Box(box);
		for (int i = 0; i < 3; i++)
			System.gc();
		for (int i = 0; i < 30; i++)
			waste = new byte[1 << 20];
		System.out.println("method-entry Witness fib (I)I " + calls);
		System.out.println("method-return Witness fib (I)I " + calls);
		System.out.println("object-alloc Witness$Box " + boxes);
		System.out.println("gc-begin 0 " + (collections(false) - young));
		System.out.println("gc-begin 1 " + (collections(true) - full));
		System.out.println("gc-end " + (collections(false) - young + collections(true) - full));
	}
}
END
$home/bin/javac -d "$directory" "$directory/Witness.java" || fail "javac"
java="$home/bin/java -Xint -XX:+UseSerialGC -Xmn8m -XX:-UseCompressedOops -XX:+ExtendedDTraceProbes -cp $directory Witness"
cat >"$directory/program.d" <<'END'
BEGIN { told = 0; }
tick-1ms /!told/ { told = 1; printf("attached\n"); } /* BEGIN runs before the probes are attached to */
hotspot$target:::method-entry, hotspot$target:::method-return
/arg2 == 7 && stringof(copyin(arg1, arg2)) == "Witness" && stringof(copyin(arg3, arg4)) == "fib"/
{ @methods[probename, stringof(copyin(arg1, arg2)), stringof(copyin(arg3, arg4)),
	stringof(copyin(arg5, arg6))] = count(); }
hotspot$target:::object-alloc
/arg2 == 11 && stringof(copyin(arg1, arg2)) == "Witness$Box"/
{ @objects[probename, stringof(copyin(arg1, arg2))] = count(); }
hotspot$target:::gc-begin { @begins[probename, arg0] = count(); }
hotspot$target:::gc-end { @ends[probename] = count(); }
END {
	printa("%s %s %s %s %@d\n", @methods);
	printa("%s %s %@d\n", @objects);
	printa("%s %d %@d\n", @begins);
	printa("%s %@d\n", @ends);
}
END
start_waiting "$java"
"$VMTAP" trace -q -p "$waiting" -s "$directory/program.d" -o "$directory/traced" 2>"$directory/err" &
tracer=$!
await "vmtap does not attach" grep -q attached "$directory/traced"
continue_waiting
wait "$tracer" || fail "the trace"
sed '/^ready/d' "$directory/waiting/out" | sort >"$directory/expected"
sed '/^$/d; /^attached/d' "$directory/traced" | sort >"$directory/got"
same "$directory/expected" "$directory/got" "methods, objects and collections"
has got '^gc-begin 1 3$'

# The stacks of a JVM that compiles: jcmd names what it has compiled, unless SIGQUIT would kill it.
cat >"$directory/Compiled.java" <<'END'
public class Compiled {
	static double compiled(int n) {
		double sum = 0;

		for (int i = 0; i < n; i++)
			sum += Math.sqrt(i);
		return sum;
	}

	public static void main(String[] arguments) {
		double sum = 0;

		for (int i = 0; i < 1000; i++)
			sum += compiled(1000000);
		System.out.println("compiled");
		while (sum > 0)
			sum += compiled(1000000);
	}
}
END
$home/bin/javac -d "$directory" "$directory/Compiled.java" || fail "javac"
for option in -Xshare:auto -Xrs; do
	$home/bin/java $option -cp "$directory" Compiled >"$directory/$option" &
	jvm=$!
	pids+=("$jvm")
	await "java does not compile" grep -q compiled "$directory/$option"
	PATH=$home/bin:$PATH run 0 flame --folded --seconds 1 -p "$jvm" -o -
	rm -f "/tmp/perf-$jvm.map"
	kill -0 "$jvm" || fail "the JVM has ended"
	[ $option = -Xrs ] || has out 'JavaMain;.*Compiled#compiled'
done
exit 0
