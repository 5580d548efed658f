// What Java's Flight Recorder costs. "events N": the ns for an event with three texts and two numbers,
// the best of many bursts of N. "work N": the CPU time of the process, in ms, for N rounds of calls.
import java.lang.management.ManagementFactory;
import jdk.jfr.Event;
import jdk.jfr.StackTrace;

public class Recorded {
	@StackTrace(false)
	static class MethodEntry extends Event {
		String type, method, file;
		int line, thread;
	}

	static final String[] METHODS = new String[16];

	static long burst(int count) {
		long start = System.nanoTime();
		for (int i = 0; i < count; i++) {
			MethodEntry event = new MethodEntry();
			event.type = "Interpreter";
			event.method = METHODS[i % METHODS.length];
			event.file = "lib/interpreter.toy";
			event.line = i;
			event.thread = 1;
			event.commit();
		}
		return System.nanoTime() - start;
	}

	static int work(int n) {
		return n < 2 ? n : work(n - 1) + work(n - 2);
	}

	static long cpu() {
		return ((com.sun.management.OperatingSystemMXBean)ManagementFactory
				.getOperatingSystemMXBean()).getProcessCpuTime();
	}

	public static void main(String[] arguments) throws Exception {
		int count = Integer.parseInt(arguments[1]), sum = 0;
		for (int i = 0; i < METHODS.length; i++)
			METHODS[i] = "method_" + i;
		if (arguments[0].equals("events")) {
			long best = Long.MAX_VALUE;
			for (int i = 0; i < 100; i++) {
				best = Math.min(best, burst(count));
				Thread.sleep(5);
			}
			System.out.printf("%.1f%n", (double)best / count);
			return;
		}
		for (int i = 0; i < 20; i++)
			sum += work(30); // until it is compiled
		long start = cpu();
		for (int i = 0; i < count; i++)
			sum += work(30);
		System.out.printf("%.1f%n", (cpu() - start) / 1e6);
		if (sum == 1)
			System.out.println(sum);
	}
}
