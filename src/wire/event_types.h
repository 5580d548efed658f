/*
 * event_types.h: every event type that vmtap knows, GHC's and its own, one row each. A row is
 * all that the library, the readers of logs and the manual know about a type. The types of
 * probes that GHC does not have (from WIRE_PROBES on) are not here: they describe themselves.
 *
 * Define WIRE_TYPE and include this file, as often as needed; it undefines the macro. A row is
 *
 *     WIRE_TYPE(number, name, size, least, traits, fields, text, note)
 *
 * size    declared size of the payload; WIRE_VARIABLE: each event has its own length
 * least   the bytes that a reader may rely on, because some older writers write less; for a
 *         variable type, the bytes before its first text
 * traits  enum wire_trait (wire/wire_type.h), or 0
 * fields  "name:KIND" for each field, separated by blanks: 1, 2, 4 and 8 are the bytes of a
 *         number, z is a text that ends with a NUL, t a text to the payload's end, x bytes to
 *         its end
 * text    the text with which the library's header declares the type; "": only a probe can have
 *         it declared, under GHC's name or with the probe's own description
 * note    what the manual says about the fields; ""
 *
 * Rows are sorted by number, and so is a header.
 */
#ifndef WIRE_TYPE
#error "define WIRE_TYPE before including wire/event_types.h"
#endif

/* clang-format off */

/* ---- GHC's: threads, collections, sparks ---- */
WIRE_TYPE(0, CREATE_THREAD, 4, 4, 0, "thread:4", "", "")
WIRE_TYPE(1, RUN_THREAD, 4, 4, 0, "thread:4", "", "")
WIRE_TYPE(2, STOP_THREAD, 10, 6, 0, "thread:4 status:2 info:4", "", "")
WIRE_TYPE(3, THREAD_RUNNABLE, 4, 4, 0, "thread:4", "", "")
WIRE_TYPE(4, MIGRATE_THREAD, 6, 6, 0, "thread:4 new_cap:2", "", "")
WIRE_TYPE(5, RUN_SPARK, 4, 4, 0, "thread:4", "", "")
WIRE_TYPE(6, STEAL_SPARK, 6, 6, 0, "thread:4 victim_cap:2", "", "")
WIRE_TYPE(7, SHUTDOWN, 0, 0, 0, "", "", "")
WIRE_TYPE(8, THREAD_WAKEUP, 6, 6, 0, "thread:4 other_cap:2", "", "")
WIRE_TYPE(9, GC_START, 0, 0, 0, "", "", "")
WIRE_TYPE(10, GC_END, 0, 0, WIRE_EARLIER, "", "", "")
WIRE_TYPE(11, REQUEST_SEQ_GC, 0, 0, 0, "", "", "")
WIRE_TYPE(12, REQUEST_PAR_GC, 0, 0, 0, "", "", "")
WIRE_TYPE(15, CREATE_SPARK_THREAD, 4, 4, 0, "thread:4", "", "")
WIRE_TYPE(16, LOG_MSG, WIRE_VARIABLE, 0, WIRE_READ | WIRE_ON_CONNECT, "text:t", "Log message",
	"a message of the library, such as what is missing and why")
WIRE_TYPE(17, STARTUP, 2, 2, 0, "caps:2", "", "")
WIRE_TYPE(18, BLOCK_MARKER, 14, 14, WIRE_READ | WIRE_ON_CONNECT, "size:4 end:8 cap:2",
	"Block marker", "see above")
WIRE_TYPE(19, USER_MSG, WIRE_VARIABLE, 0, 0, "text:t", "", "")
WIRE_TYPE(20, GC_IDLE, 0, 0, 0, "", "", "")
WIRE_TYPE(21, GC_WORK, 0, 0, 0, "", "", "")
WIRE_TYPE(22, GC_DONE, 0, 0, 0, "", "", "")

/* ---- GHC's: process, capabilities, sparks, heap, tasks ---- */
WIRE_TYPE(25, CAPSET_CREATE, 6, 6, WIRE_STATE | WIRE_ON_CONNECT, "capset:4 type:2",
	"Create capability set", "2 process, 3 clock")
WIRE_TYPE(26, CAPSET_DELETE, 4, 4, WIRE_STATE | WIRE_ON_CONNECT, "capset:4",
	"Delete capability set", "")
WIRE_TYPE(27, CAPSET_ASSIGN_CAP, 6, 6, WIRE_READ | WIRE_STATE | WIRE_ON_CONNECT, "capset:4 cap:2",
	"Add capability to capability set", "")
WIRE_TYPE(28, CAPSET_REMOVE_CAP, 6, 6, WIRE_STATE | WIRE_ON_CONNECT, "capset:4 cap:2",
	"Remove capability from capability set", "")
WIRE_TYPE(29, RTS_IDENTIFIER, WIRE_VARIABLE, 4, WIRE_READ | WIRE_STATE | WIRE_ON_CONNECT, "capset:4 text:t",
	"RTS name and version", "")
WIRE_TYPE(30, PROGRAM_ARGS, WIRE_VARIABLE, 4,
	WIRE_READ | WIRE_PROCESS | WIRE_STATE | WIRE_ON_CONNECT, "capset:4 arguments:t",
	"Program arguments", "each argument and a NUL")
WIRE_TYPE(31, PROGRAM_ENV, WIRE_VARIABLE, 4, WIRE_STATE | WIRE_ON_CONNECT,
	"capset:4 environment:t", "Program environment variables", "each variable and a NUL")
WIRE_TYPE(32, OSPROCESS_PID, 8, 8, WIRE_READ | WIRE_PROCESS | WIRE_STATE | WIRE_ON_CONNECT,
	"capset:4 pid:4", "Process ID", "")
WIRE_TYPE(33, OSPROCESS_PPID, 8, 8, WIRE_READ | WIRE_PROCESS | WIRE_STATE | WIRE_ON_CONNECT,
	"capset:4 ppid:4", "Parent process ID", "")
WIRE_TYPE(34, SPARK_COUNTERS, 56, 56, 0,
	"created:8 dud:8 overflowed:8 converted:8 gcd:8 fizzled:8 remaining:8", "", "")
WIRE_TYPE(35, SPARK_CREATE, 0, 0, 0, "", "", "")
WIRE_TYPE(36, SPARK_DUD, 0, 0, 0, "", "", "")
WIRE_TYPE(37, SPARK_OVERFLOW, 0, 0, 0, "", "", "")
WIRE_TYPE(38, SPARK_RUN, 0, 0, 0, "", "", "")
WIRE_TYPE(39, SPARK_STEAL, 2, 2, 0, "victim_cap:2", "", "")
WIRE_TYPE(40, SPARK_FIZZLE, 0, 0, 0, "", "", "")
WIRE_TYPE(41, SPARK_GC, 0, 0, 0, "", "", "")
WIRE_TYPE(42, INTERN_STRING, WIRE_VARIABLE, 0, 0, "text:x", "", "")
WIRE_TYPE(43, WALL_CLOCK_TIME, 16, 16,
	WIRE_READ | WIRE_PROCESS | WIRE_STATE | WIRE_ON_CONNECT | WIRE_EARLIER,
	"capset:4 seconds:8 nanoseconds:4", "Wall clock time", "")
WIRE_TYPE(44, THREAD_LABEL, WIRE_VARIABLE, 4, 0, "thread:4 label:t", "", "")
WIRE_TYPE(45, CAP_CREATE, 2, 2, WIRE_STATE | WIRE_ON_CONNECT, "cap:2", "Create capability", "")
WIRE_TYPE(46, CAP_DELETE, 2, 2, WIRE_STATE | WIRE_ON_CONNECT, "cap:2", "Delete capability", "")
WIRE_TYPE(47, CAP_DISABLE, 2, 2, WIRE_STATE, "cap:2", "", "")
WIRE_TYPE(48, CAP_ENABLE, 2, 2, WIRE_STATE, "cap:2", "", "")
WIRE_TYPE(49, HEAP_ALLOCATED, 12, 12, 0, "capset:4 bytes:8", "", "")
WIRE_TYPE(50, HEAP_SIZE, 12, 12, 0, "capset:4 bytes:8", "", "")
WIRE_TYPE(51, HEAP_LIVE, 12, 12, 0, "capset:4 bytes:8", "", "")
WIRE_TYPE(52, HEAP_INFO_GHC, 38, 38, 0,
	"capset:4 generations:2 max_heap:8 allocation_area:8 mblock:8 block:8", "", "")
WIRE_TYPE(53, GC_STATS_GHC, 58, 50, 0,
	"capset:4 generation:2 copied:8 slop:8 fragmentation:8 threads:4 max_copied:8 "
	"total_copied:8 balanced_copied:8", "", "")
WIRE_TYPE(54, GC_GLOBAL_SYNC, 0, 0, 0, "", "", "")
WIRE_TYPE(55, TASK_CREATE, 18, 18, 0, "task:8 cap:2 os_thread:8", "", "")
WIRE_TYPE(56, TASK_MIGRATE, 12, 12, 0, "task:8 cap:2 new_cap:2", "", "")
WIRE_TYPE(57, TASK_DELETE, 8, 8, 0, "task:8", "", "")
WIRE_TYPE(58, USER_MARKER, WIRE_VARIABLE, 0, 0, "text:t", "", "")
WIRE_TYPE(59, HACK_BUG_T9003, 0, 0, 0, "", "", "")
WIRE_TYPE(90, MEM_RETURN, 16, 16, 0, "capset:4 current:4 needed:4 returned:4", "", "")
WIRE_TYPE(91, BLOCKS_SIZE, 12, 12, 0, "capset:4 bytes:8", "", "")

/* ---- GHC's: samples of the heap, each in one block, and of the time ---- */
WIRE_TYPE(160, HEAP_PROF_BEGIN, WIRE_VARIABLE, 13, WIRE_STATE | WIRE_SAMPLE,
	"profile:1 period:8 breakdown:4 module:z closure:z type:z cost_centre:z stack:z "
	"retainer:z biography:z", "Start of heap profile",
	"once, before the first sample; profile is 0, period in ns (0: single samples), "
	"breakdown is the kind of labels, the strings are empty")
WIRE_TYPE(161, HEAP_PROF_COST_CENTRE, WIRE_VARIABLE, 4, WIRE_STATE | WIRE_SAMPLE,
	"id:4 label:z module:z place:z flags:1", "", "")
WIRE_TYPE(162, HEAP_PROF_SAMPLE_BEGIN, 8, 8, WIRE_SAMPLE, "era:8",
	"Start of heap profile sample", "number of the sample")
WIRE_TYPE(163, HEAP_PROF_SAMPLE_COST_CENTRE, WIRE_VARIABLE, 10, WIRE_SAMPLE,
	"profile:1 bytes:8 depth:1 stack:x", "", "")
WIRE_TYPE(164, HEAP_PROF_SAMPLE_STRING, WIRE_VARIABLE, 9, WIRE_SAMPLE,
	"profile:1 bytes:8 label:z", "Heap profile string sample",
	"one for each label; profile is 0")
WIRE_TYPE(165, HEAP_PROF_SAMPLE_END, 8, 8, WIRE_SAMPLE, "era:8", "End of heap profile sample",
	"number of the sample")
WIRE_TYPE(166, HEAP_BIO_PROF_SAMPLE_BEGIN, 16, 16, 0, "era:8 time:8", "", "")
WIRE_TYPE(167, PROF_SAMPLE_COST_CENTRE, WIRE_VARIABLE, 13, 0, "cap:4 tick:8 depth:1 stack:x",
	"", "")
WIRE_TYPE(168, PROF_BEGIN, 8, 8, WIRE_STATE, "period:8", "", "")
WIRE_TYPE(169, IPE, WIRE_VARIABLE, 8, 0,
	"address:8 table:z closure:z type:z label:z module:z place:z", "", "")

/* ---- GHC's: the rest ---- */
WIRE_TYPE(181, USER_BINARY_MSG, WIRE_VARIABLE, 0, 0, "bytes:x", "", "")
WIRE_TYPE(200, CONC_MARK_BEGIN, 0, 0, 0, "", "", "")
WIRE_TYPE(201, CONC_MARK_END, 4, 4, 0, "marked:4", "", "")
WIRE_TYPE(202, CONC_SYNC_BEGIN, 0, 0, 0, "", "", "")
WIRE_TYPE(203, CONC_SYNC_END, 0, 0, 0, "", "", "")
WIRE_TYPE(204, CONC_SWEEP_BEGIN, 0, 0, 0, "", "", "")
WIRE_TYPE(205, CONC_SWEEP_END, 0, 0, 0, "", "", "")
WIRE_TYPE(206, CONC_UPD_REM_SET_FLUSH, 2, 2, 0, "cap:2", "", "")
WIRE_TYPE(207, NONMOVING_HEAP_CENSUS, 14, 13, 0, "block_size_log:2 active:4 filled:4 live:4",
	"", "")
WIRE_TYPE(208, NONMOVING_PRUNED_SEGMENTS, 8, 8, 0, "pruned:4 free:4", "", "")
WIRE_TYPE(210, TICKY_COUNTER_DEF, WIRE_VARIABLE, 10, 0,
	"id:8 arity:2 kinds:z name:z closure:z json:z", "", "")
WIRE_TYPE(211, TICKY_COUNTER_SAMPLE, 32, 32, 0, "id:8 entries:8 allocated:8 allocations:8",
	"", "")
WIRE_TYPE(212, TICKY_BEGIN_SAMPLE, 0, 0, 0, "", "", "")

/* ---- vmtap's own: WIRE_OWN and on ---- */
WIRE_TYPE(400, CONTEXT, 12, 12, WIRE_READ, "os_thread:8 cpu:4",
	"vmtap: OS thread and CPU of the events that follow",
	"of the events that follow in this block, until the next CONTEXT")
WIRE_TYPE(401, NAME, WIRE_VARIABLE, 4, WIRE_READ, "id:4 text:t", "vmtap: name definition",
	"a later definition of the same id replaces it")
WIRE_TYPE(402, LOSS, 19, 10, WIRE_READ, "type:2 count:8 since:8 reasons:1", "vmtap: events lost",
	"type and number of the lost events, time of the first loss. Reason 1 is that a ring or a "
	"client had no room, 2 that a signal handler fired the event while its thread was writing "
	"another one; 3 is both")
WIRE_TYPE(403, WATERMARK, 8, 8, WIRE_READ, "until:8", "vmtap: no earlier event will come",
	"no event of an earlier time will come")
WIRE_TYPE(404, CLOCK, 16, 16, WIRE_READ | WIRE_STATE, "monotonic:8 realtime:8",
	"vmtap: the system's clocks at time 0",
	"CLOCK_MONOTONIC and CLOCK_REALTIME in ns at time 0")
WIRE_TYPE(405, SUBSCRIBED, 5, 4, WIRE_READ | WIRE_STATE, "tag:4 flags:1",
	"vmtap: subscription in force", "of the subscription that is now in force")
WIRE_TYPE(406, CPU_TIME, 8, 8, WIRE_READ, "cpu_time:8",
	"vmtap: CPU clock of its thread at the next event",
	"in ns, the CPU clock of its thread at the next event of a probe")
WIRE_TYPE(407, PROVIDERS, WIRE_VARIABLE, 0, WIRE_READ | WIRE_STATE, "names:t",
	"vmtap: compatible providers from here on",
	"the other runtimes' providers that the VM has opted in to from this time on, separated "
	"by blanks")
WIRE_TYPE(408, DECLARE, WIRE_VARIABLE, 4, WIRE_READ | WIRE_STATE, "type:2 length:2 text:t",
	"vmtap: description of a spare event type",
	"what a type that the header declares as spare carries from here on: its description, of "
	"that length, then the lines of its extension")
WIRE_TYPE(409, STACK, WIRE_VARIABLE, 2, WIRE_READ, "cut:2 frames:x",
	"vmtap: guest stack of the next event",
	"of the next event of a probe, innermost frame first. A frame is class:4 method:4 file:4 "
	"line:4, of which the first three are ids of names. cut is the number of outer frames "
	"that had no room; 65535: that many or more")
WIRE_TYPE(410, HEAP_OBJECTS, 8, 8, WIRE_READ | WIRE_SAMPLE, "objects:8",
	"vmtap: number of objects of a heap profile sample",
	"how many objects the HEAP_PROF_SAMPLE_STRING before it counts; without it that is not known")
WIRE_TYPE(411, SAMPLED, 2, 2, WIRE_READ | WIRE_STATE, "unit:1 timers:1",
	"vmtap: how samples by time become due",
	"of the events vm:::sample from here on: unit is 1 for CPU time and 4 for elapsed time. If "
	"timers is 1, each is of a timer on its thread's CPU clock. If it is 0, the sample has become "
	"due with those of the other threads, at a tick of elapsed time. If it is 2, the kernel has "
	"taken the samples, see below")
WIRE_TYPE(412, THREAD_END, 8, 8, WIRE_READ, "os_thread:8", "vmtap: an OS thread has ended",
	"of the thread, which has ended: later events of that number are of another thread. A CONTEXT "
	"of the same thread comes before it")
WIRE_TYPE(413, PROCESS_NAME, WIRE_VARIABLE, 4, WIRE_READ | WIRE_STATE | WIRE_ON_CONNECT | WIRE_TRACER,
	"capset:4 name:t", "vmtap: name of a process",
	"the kernel's name of the process; only in logs of processes without an event stream")

/* clang-format on */

#undef WIRE_TYPE
