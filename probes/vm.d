/*
 * Provider vm: what a language VM reports to the tracers on its machine.
 *
 * This file is the contract. The C header, the semaphores, the fire functions,
 * the event table and the check of a finished binary are all generated from it,
 * so each probe is defined here and nowhere else.
 *
 * Reading it: each probe is preceded by a comment. Its first paragraph says when
 * the probe fires; then each argument has a line of its own, "@argument text".
 *   [name]  a string that recurs (a class, a method, a file): the VM passes a
 *           struct vmtap_name, and a stream carries the text once
 *   [text]  a string that does not recur: each event carries the text
 * A line "@eventlog NUMBER NAME (arguments) when [not] argument" names an event
 * type of GHC's eventlog and the arguments that it carries. The argument capset
 * is the process's capability set.
 *
 * In all probes, cap is the capability, the VM's execution context. There is one
 * for each OS thread that runs guest code, numbered from 0; 0xffff means none.
 * thread is a guest thread's number; 0 means none. Sizes are in bytes. Lines
 * count from 1. Strings are UTF-8 and never NULL.
 *
 * In all probes that have a file and a line: code that is not in the guest language, such as a
 * caller written in C, has the file "(native)" and line 0. A method or function without a name is
 * "(anonymous)". In a language without classes, class is the module or table that holds the
 * function, or "(none)". Names are never empty. The return or the end of something repeats its
 * entry's arguments so that tracers can match them; a VM that would have to search for the line
 * may pass 0 there.
 *
 * Changing it: new arguments are appended to a probe, new probes are appended to
 * the provider; nothing is renumbered or renamed.
 */
provider vm {
	/*
	 * The VM is about to run guest code for the first time.
	 * @caps how many capabilities it starts with
	 * @eventlog 17 STARTUP (caps)
	 */
	probe startup(uint16_t caps);
	/*
	 * The VM has run its last guest code.
	 * @cap the capability that ends the VM
	 * @eventlog 7 SHUTDOWN ()
	 */
	probe shutdown(uint16_t cap);
	/*
	 * The guest program, or the VM, sends a message to its tracers.
	 * @cap where the message comes from
	 * @text [text] the message
	 * @eventlog 19 USER_MSG (text)
	 */
	probe user__msg(uint16_t cap, char *text);

	/*
	 * A guest thread has been created; it is not yet runnable. A coroutine is a guest thread
	 * of its own: it is created here and ends with thread-exit, also when the collector frees
	 * it before it has run to its end.
	 * @cap the capability it is created on
	 * @thread its number
	 * @os_thread the id of its OS thread if it has one of its own, else 0
	 * @eventlog 0 CREATE_THREAD (thread)
	 */
	probe thread__create(uint16_t cap, uint32_t thread, uint64_t os_thread);
	/*
	 * A guest thread has been given a human-readable name.
	 * @cap the capability it belongs to
	 * @thread its number
	 * @name [text] the name
	 * @eventlog 44 THREAD_LABEL (thread, name)
	 */
	probe thread__label(uint16_t cap, uint32_t thread, char *name);
	/*
	 * A guest thread has ended; it will not run again.
	 * @cap the capability it ended on
	 * @thread its number
	 */
	probe thread__exit(uint16_t cap, uint32_t thread);
	/*
	 * A guest thread starts to run on a capability. When a coroutine is resumed, the thread
	 * that resumes it stops (thread-stop with status 8 and the coroutine's number as info) and
	 * the coroutine runs; when it yields (status 3, info is the resumer's number) or ends
	 * (status 5), the resumer runs again.
	 * @cap the capability
	 * @thread its number
	 * @eventlog 1 RUN_THREAD (thread)
	 */
	probe thread__run(uint16_t cap, uint32_t thread);
	/*
	 * A guest thread has entered a run queue.
	 * @cap the capability whose queue it is
	 * @thread its number
	 * @eventlog 3 THREAD_RUNNABLE (thread)
	 */
	probe thread__runnable(uint16_t cap, uint32_t thread);
	/*
	 * A guest thread has stopped running on a capability. thread-run says what coroutines pass.
	 * @cap the capability
	 * @thread its number
	 * @status why, in GHC's numbering: 1 heap, 2 stack, 3 yield, 5 finished, 6 foreign call, 7 blocked on a lock or queue, 8 blocked on another's evaluation, 9 reading, 10 writing, 11 delay
	 * @info the number of the thread that it waits for, or 0
	 * @eventlog 2 STOP_THREAD (thread, status, info)
	 */
	probe thread__stop(uint16_t cap, uint32_t thread, uint16_t status, uint32_t info);
	/*
	 * A runnable guest thread has been moved to another capability.
	 * @cap the capability it leaves
	 * @thread its number
	 * @other_cap the capability that will run it
	 * @eventlog 4 MIGRATE_THREAD (thread, other_cap)
	 */
	probe thread__migrate(uint16_t cap, uint32_t thread, uint16_t other_cap);
	/*
	 * A blocked guest thread has been woken.
	 * @cap the capability that woke it
	 * @thread its number
	 * @other_cap the capability on which it will be runnable
	 * @eventlog 8 THREAD_WAKEUP (thread, other_cap)
	 */
	probe thread__wakeup(uint16_t cap, uint32_t thread, uint16_t other_cap);
	/*
	 * A guest thread is about to wait for a lock that another holds.
	 * @cap the capability it runs on
	 * @thread its number
	 * @lock identifies the lock, for instance by its address
	 * @name [name] the lock's name, or its class
	 */
	probe lock__wait(uint16_t cap, uint32_t thread, uint64_t lock, char *name);
	/*
	 * A guest thread has acquired a lock, at once or after waiting. A lock that its owner may
	 * acquire again fires once for all of these; its lock-release is the last one.
	 * @cap the capability it runs on
	 * @thread its number
	 * @lock as in lock-wait
	 * @name [name] as in lock-wait
	 */
	probe lock__acquired(uint16_t cap, uint32_t thread, uint64_t lock, char *name);

	/*
	 * A capability runs a spark (a small parallel task) of its own.
	 * @cap the capability
	 * @thread the guest thread that runs it
	 * @eventlog 38 SPARK_RUN ()
	 */
	probe spark__run(uint16_t cap, uint32_t thread);
	/*
	 * A capability has taken a spark from another's pool and runs it.
	 * @cap the capability that took it
	 * @thread the guest thread that runs it
	 * @victim_cap the capability it was taken from
	 * @eventlog 39 SPARK_STEAL (victim_cap)
	 */
	probe spark__steal(uint16_t cap, uint32_t thread, uint16_t victim_cap);
	/*
	 * A guest thread has been created to run sparks.
	 * @cap the capability
	 * @thread its number
	 * @eventlog 15 CREATE_SPARK_THREAD (thread)
	 */
	probe spark__thread__create(uint16_t cap, uint32_t thread);

	/*
	 * The VM has begun to stop the world: guest code will not run until pause-end. A VM that
	 * is a single thread fires it where a collection, or a step of one, keeps the guest
	 * waiting.
	 * @cap the capability that asked for it
	 * @reason [name] why: "gc", "redefinition", "exit"
	 */
	probe pause__begin(uint16_t cap, char *reason);
	/*
	 * The world runs again.
	 * @cap as in pause-begin
	 * @reason [name] as in pause-begin
	 */
	probe pause__end(uint16_t cap, char *reason);

	/*
	 * A capability has asked for a collection; it has not started.
	 * @cap the capability
	 * @parallel 1 when several capabilities will collect, else 0
	 * @eventlog 11 REQUEST_SEQ_GC () when not parallel
	 * @eventlog 12 REQUEST_PAR_GC () when parallel
	 */
	probe gc__request(uint16_t cap, uint16_t parallel);
	/*
	 * A collection starts. A collector that stops the world fires it within the pause. The
	 * collection of an incremental or concurrent collector begins here and ends with gc-end,
	 * and guest code runs in between: its steps are gc-phase-begin and gc-phase-end, and
	 * pause-begin and pause-end lie around those that stop the world.
	 * @cap the capability that leads it
	 * @generation the oldest generation that is collected, 0 the youngest
	 * @full 1 when the whole heap is collected, else 0
	 * @bytes_used the bytes in use at the start
	 * @cause [name] why: "allocation" (the heap has grown enough), "memory" (an allocation has failed), "request" (the guest asked for it), or another short word
	 * @id the number of the collection, from 1; each VM or subinterpreter of a process counts its own
	 * @eventlog 9 GC_START ()
	 */
	probe gc__start(uint16_t cap, uint32_t generation, uint16_t full, uint64_t bytes_used, char *cause, uint64_t id);
	/*
	 * The collection has ended.
	 * @cap as in gc-start
	 * @generation as in gc-start
	 * @full as in gc-start
	 * @bytes_freed the bytes it has freed; 0 if the collector sweeps later and does not know yet
	 * @cause [name] as in gc-start
	 * @id as in gc-start
	 * @eventlog 10 GC_END ()
	 */
	probe gc__end(uint16_t cap, uint32_t generation, uint16_t full, uint64_t bytes_freed, char *cause, uint64_t id);
	/*
	 * A collector thread has run out of work and waits for more.
	 * @cap the capability whose thread it is
	 * @eventlog 20 GC_IDLE ()
	 */
	probe gc__idle(uint16_t cap);
	/*
	 * A collector thread has work.
	 * @cap the capability whose thread it is
	 * @eventlog 21 GC_WORK ()
	 */
	probe gc__work(uint16_t cap);
	/*
	 * A collector thread has finished its part of this collection.
	 * @cap the capability whose thread it is
	 * @eventlog 22 GC_DONE ()
	 */
	probe gc__done(uint16_t cap);
	/*
	 * Marking begins. A collector that marks in several steps fires gc-phase-begin for these.
	 * @cap the capability that leads the collection
	 */
	probe gc__mark__begin(uint16_t cap);
	/*
	 * Marking has ended.
	 * @cap as in gc-mark-begin
	 */
	probe gc__mark__end(uint16_t cap);
	/*
	 * Sweeping begins. A collector that sweeps in several steps fires gc-phase-begin for these.
	 * @cap the capability that leads the collection
	 */
	probe gc__sweep__begin(uint16_t cap);
	/*
	 * Sweeping has ended.
	 * @cap as in gc-sweep-begin
	 */
	probe gc__sweep__end(uint16_t cap);
	/*
	 * The state of the heap, after each collection. It directly follows gc-end, within the same
	 * pause if there is one.
	 * @cap the capability that leads the collection
	 * @allocated the bytes allocated since the VM started
	 * @size the bytes the heap takes from the system
	 * @live the bytes found alive
	 * @eventlog 49 HEAP_ALLOCATED (capset, allocated)
	 * @eventlog 50 HEAP_SIZE (capset, size)
	 * @eventlog 51 HEAP_LIVE (capset, live)
	 */
	probe heap(uint16_t cap, uint64_t allocated, uint64_t size, uint64_t live);

	/*
	 * A guest method written in the guest language is entered. Every entry has
	 * exactly one return on the same thread, even when an exception unwinds the frame. A
	 * tail call replaces the caller's frame: the caller's method-return comes before the
	 * callee's method-entry. A coroutine that is freed or closed before its end returns from
	 * all of its frames then. A function without a class is a method of its module, or of
	 * class "(none)". Tools write Class#method, and Class.method if the class given is
	 * Class.class, which is how a VM says that the method is one of the class itself.
	 * @class [name] the class that defines the method
	 * @method [name] the method
	 * @file [name] the file of the call; "(native)" if the caller is not guest code
	 * @line the line of the call; 0 if the caller is not guest code
	 * @thread the guest thread
	 */
	probe method__entry(char *class, char *method, char *file, int line, uint32_t thread);
	/*
	 * A guest method returns, or is unwound.
	 * @class [name] as in method-entry
	 * @method [name] as in method-entry
	 * @file [name] as in method-entry
	 * @line as in method-entry, or 0
	 * @thread as in method-entry
	 */
	probe method__return(char *class, char *method, char *file, int line, uint32_t thread);
	/*
	 * A method that is written in C is entered. It has exactly one return on the same thread,
	 * as in method-entry, however often its thread stops and runs again within it.
	 * @class [name] the class that defines the method
	 * @method [name] the method
	 * @file [name] the file of the call
	 * @line the line of the call
	 * @thread the guest thread
	 */
	probe native__entry(char *class, char *method, char *file, int line, uint32_t thread);
	/*
	 * A method that is written in C returns, or is unwound.
	 * @class [name] as in native-entry
	 * @method [name] as in native-entry
	 * @file [name] as in native-entry
	 * @line as in native-entry, or 0
	 * @thread as in native-entry
	 */
	probe native__return(char *class, char *method, char *file, int line, uint32_t thread);
	/*
	 * A redefinition has invalidated cached method look-ups.
	 * @class [name] the affected class, or "global" for all
	 * @file [name] the file of the redefinition
	 * @line its line
	 */
	probe method__cache__clear(char *class, char *file, int line);

	/*
	 * An object of a class is allocated (arrays, hashes, strings and symbols have
	 * probes of their own). In a language without classes, these are the values that are
	 * neither: functions, userdata, boxed numbers.
	 * @class [name] its class, or its type
	 * @bytes its size
	 * @file [name] the file of the allocation
	 * @line its line
	 * @thread the guest thread
	 * @address where it is
	 */
	probe object__create(char *class, uint64_t bytes, char *file, int line, uint32_t thread, uint64_t address);
	/*
	 * The collector has freed an object of any kind. Its finalizer has run before.
	 * @class [name] its class
	 * @bytes its size
	 * @address where it was
	 */
	probe object__free(char *class, uint64_t bytes, uint64_t address);
	/*
	 * An array is allocated. A language with one type for arrays and hashes fires this where
	 * one is created with elements but without keys, or for later use as an array; class is
	 * then the name of that type.
	 * @length its length in elements
	 * @file [name] the file of the allocation
	 * @line its line
	 * @bytes its size
	 * @class [name] its class
	 * @thread the guest thread, or 0
	 * @address where it is
	 */
	probe array__create(long length, char *file, int line, uint64_t bytes, char *class, uint32_t thread, uint64_t address);
	/*
	 * A hash is allocated. A language with one type for arrays and hashes fires this for all
	 * that are not clearly arrays.
	 * @length how many pairs it has room for
	 * @file [name] the file of the allocation
	 * @line its line
	 * @bytes its size
	 * @class [name] its class
	 * @thread the guest thread, or 0
	 * @address where it is
	 */
	probe hash__create(long length, char *file, int line, uint64_t bytes, char *class, uint32_t thread, uint64_t address);
	/*
	 * A string is allocated. Strings that are shared by all uses of a text (interned ones)
	 * fire symbol-create if the guest sees them as symbols, else this.
	 * @length its length in bytes
	 * @file [name] the file of the allocation
	 * @line its line
	 * @bytes its size
	 * @class [name] its class
	 * @thread the guest thread, or 0
	 * @address where it is
	 */
	probe string__create(long length, char *file, int line, uint64_t bytes, char *class, uint32_t thread, uint64_t address);
	/*
	 * A symbol is created, the first time its text is used.
	 * @text [text] its text
	 * @file [name] the file where it is created
	 * @line its line
	 */
	probe symbol__create(char *text, char *file, int line);

	/*
	 * The guest asks for a file that is loaded once.
	 * @wanted [text] the name it asks for
	 * @file [name] the file that asks
	 * @line its line
	 */
	probe require__entry(char *wanted, char *file, int line);
	/*
	 * The request has succeeded or failed.
	 * @wanted [text] as in require-entry
	 * @file [name] as in require-entry
	 * @line as in require-entry
	 * @raised 1 when an exception (or the program's exit) has ended it; else 0
	 */
	probe require__return(char *wanted, char *file, int line, uint16_t raised);
	/*
	 * The VM looks for a required file in its search path.
	 * @wanted [text] the name asked for
	 * @file [name] the file that asks
	 * @line its line
	 */
	probe find__require__entry(char *wanted, char *file, int line);
	/*
	 * The search has ended.
	 * @wanted [text] as in find-require-entry
	 * @file [name] as in find-require-entry
	 * @line as in find-require-entry
	 */
	probe find__require__return(char *wanted, char *file, int line);
	/*
	 * The guest asks for a file that is loaded each time.
	 * @wanted [text] the name it asks for
	 * @file [name] the file that asks
	 * @line its line
	 */
	probe load__entry(char *wanted, char *file, int line);
	/*
	 * The file has been loaded, or loading it has failed.
	 * @wanted [text] as in load-entry
	 * @file [name] as in load-entry
	 * @line as in load-entry
	 * @raised as in require-return
	 */
	probe load__return(char *wanted, char *file, int line, uint16_t raised);
	/*
	 * The VM begins to parse and compile a source file.
	 * @file [name] the file
	 * @line the line at which it begins
	 */
	probe parse__begin(char *file, int line);
	/*
	 * The file has been compiled, or compiling it has failed.
	 * @file [name] as in parse-begin
	 * @line the line at which the parser ended
	 */
	probe parse__end(char *file, int line);

	/*
	 * An exception is raised. It fires once, where the exception begins, and not again in
	 * each frame that it unwinds; a handler that raises it anew fires it again. An error that
	 * is any value has the class of that value.
	 * @class [name] its class
	 * @file [name] the file that raises it
	 * @line its line
	 * @thread the guest thread
	 * @message [text] its message; empty if it has none
	 */
	probe raise(char *class, char *file, int line, uint32_t thread, char *message);
	/*
	 * A handler has caught an exception.
	 * @class [name] the exception's class
	 * @file [name] the handler's file
	 * @line its line
	 * @thread the guest thread
	 */
	probe rescue(char *class, char *file, int line, uint32_t thread);

	/*
	 * The guest program, or the VM, marks a point of interest in the trace.
	 * @cap where the mark comes from
	 * @text [text] what happens there
	 * @eventlog 58 USER_MARKER (text)
	 */
	probe user__marker(uint16_t cap, char *text);

	/*
	 * The VM has a new capability. A process with several VMs or subinterpreters numbers the
	 * capabilities of all of them in one sequence, and their threads and tasks too; instance
	 * says whose a capability is. One that starts later fires this then, and cap-delete when
	 * it ends; a process fires startup and shutdown once.
	 * @cap its number
	 * @instance the number of its VM or subinterpreter in this process, from 0
	 * @instance_name [name] a name for that; "main" if there is only one
	 * @eventlog 45 CAP_CREATE (cap)
	 */
	probe cap__create(uint16_t cap, uint32_t instance, char *instance_name);
	/*
	 * A capability no longer exists.
	 * @cap its number
	 * @eventlog 46 CAP_DELETE (cap)
	 */
	probe cap__delete(uint16_t cap);
	/*
	 * A capability will run no guest threads until cap-enable.
	 * @cap its number
	 * @eventlog 47 CAP_DISABLE (cap)
	 */
	probe cap__disable(uint16_t cap);
	/*
	 * A capability runs guest threads again.
	 * @cap its number
	 * @eventlog 48 CAP_ENABLE (cap)
	 */
	probe cap__enable(uint16_t cap);
	/*
	 * An OS thread of the VM starts to serve a capability; or an asynchronous task (a promise,
	 * a future, a fiber of an event loop) is created.
	 * @cap the capability
	 * @task identifies this OS thread or task within the VM; never 0 in a VM that passes a parent
	 * @os_thread its id in the system; 0 for an asynchronous task
	 * @parent the task that has created it; 0 if there is none
	 * @eventlog 55 TASK_CREATE (task, cap, os_thread)
	 */
	probe task__create(uint16_t cap, uint64_t task, uint64_t os_thread, uint64_t parent);
	/*
	 * An OS thread of the VM no longer serves a capability; or an asynchronous task has ended.
	 * @cap the capability it served
	 * @task as in task-create
	 * @parent as in task-create
	 * @eventlog 57 TASK_DELETE (task)
	 */
	probe task__delete(uint16_t cap, uint64_t task, uint64_t parent);

	/*
	 * The results of a collection; fires before its gc-end.
	 * @cap the capability that led it
	 * @generation the oldest generation that was collected
	 * @copied the bytes copied, or marked, as alive
	 * @slop the bytes lost inside cells larger than their objects, if the VM counts them apart from fragmentation
	 * @fragmentation the bytes the heap holds beyond what is in use
	 * @threads how many OS threads collected
	 * @most_copied the bytes copied by the thread that copied most
	 * @all_copied the bytes copied by all threads
	 * @balanced_copied the bytes that were copied in parallel: 0 if one thread copied everything, all_copied if all threads copied the same amount
	 * @eventlog 53 GC_STATS_GHC (capset, generation, copied, slop, fragmentation, threads, most_copied, all_copied, balanced_copied)
	 */
	probe gc__stats(uint16_t cap, uint16_t generation, uint64_t copied, uint64_t slop, uint64_t fragmentation, uint32_t threads, uint64_t most_copied, uint64_t all_copied, uint64_t balanced_copied);

	/*
	 * The memory of an array, a hash or another object has grown or shrunk.
	 * @address the object, as in its creation
	 * @class [name] its class, as in its creation
	 * @old_bytes its size before
	 * @new_bytes its size now
	 * @thread the guest thread, or 0
	 */
	probe object__resize(uint64_t address, char *class, uint64_t old_bytes, uint64_t new_bytes, uint32_t thread);

	/*
	 * A guest thread releases a lock. If the lock passes to a thread that waits for it, this
	 * comes before that thread's lock-acquired.
	 * @cap the capability it runs on
	 * @thread its number
	 * @lock as in lock-wait
	 * @name [name] as in lock-wait
	 */
	probe lock__release(uint16_t cap, uint32_t thread, uint64_t lock, char *name);
	/*
	 * A guest thread begins to wait for something other than a lock: a queue, a condition, a
	 * timer, the end of another thread. A thread that leaves its capability meanwhile fires
	 * thread-stop after this.
	 * @cap the capability it runs on
	 * @thread its number
	 * @reason [name] what it waits for, in a word: "queue", "join", "sleep"
	 */
	probe thread__park(uint16_t cap, uint32_t thread, char *reason);
	/*
	 * The thread waits no longer, and runs again. Every thread-park has one.
	 * @cap the capability it runs on
	 * @thread as in thread-park
	 * @reason [name] as in thread-park
	 */
	probe thread__unpark(uint16_t cap, uint32_t thread, char *reason);

	/*
	 * A phase of a collection begins, or a step of an incremental one. Phases of one
	 * capability nest. Those that are not concurrent lie between gc-start and gc-end;
	 * concurrent ones may go on after gc-end, as sweeping and freeing often do. A collector
	 * that has marking and sweeping as such fires gc-mark-begin and gc-sweep-begin too.
	 * @cap the capability that leads the phase, or does its work; 0xffff for a thread of the collector's own
	 * @phase [name] which: "mark", "sweep", "compact", "references", or another short word
	 * @concurrent 1 when guest code runs meanwhile, else 0
	 */
	probe gc__phase__begin(uint16_t cap, char *phase, uint16_t concurrent);
	/*
	 * The phase, or the step, has ended.
	 * @cap as in gc-phase-begin
	 * @phase [name] as in gc-phase-begin
	 * @concurrent as in gc-phase-begin
	 */
	probe gc__phase__end(uint16_t cap, char *phase, uint16_t concurrent);
	/*
	 * The finalizer of an object that nobody uses any more begins to run.
	 * @cap the capability that runs it
	 * @class [name] the object's class
	 * @address where the object is
	 */
	probe finalize__begin(uint16_t cap, char *class, uint64_t address);
	/*
	 * The finalizer has returned, or an exception has ended it. A finalizer that is guest code
	 * has its method-entry and method-return in between.
	 * @cap the capability that ran it
	 * @class [name] as in finalize-begin
	 * @address as in finalize-begin
	 */
	probe finalize__end(uint16_t cap, char *class, uint64_t address);

	/*
	 * All guest threads have reached a safepoint: the world stands still. Comes after
	 * pause-begin, where the VM began to stop them.
	 * @cap the capability that asked for it
	 * @reason [name] as in pause-begin
	 * @stop_ns the nanoseconds that it took to stop them
	 */
	probe safepoint__begin(uint16_t cap, char *reason, uint64_t stop_ns);
	/*
	 * Guest threads may leave the safepoint; comes before pause-end.
	 * @cap as in safepoint-begin
	 * @reason [name] as in safepoint-begin
	 * @stop_ns as in safepoint-begin, or 0
	 */
	probe safepoint__end(uint16_t cap, char *reason, uint64_t stop_ns);

	/*
	 * The VM begins to compile a method or function: to byte code, to faster byte code, or to
	 * machine code.
	 * @cap the capability that compiles, or 0xffff for a thread of the compiler's own
	 * @class [name] the class that defines the method, "(none)" if it is not known yet
	 * @method [name] the method; "(file)" for the code of a file outside all methods
	 * @file [name] the file that defines it
	 * @line the line at which it begins
	 * @level the compiler: 0 makes what the interpreter runs, higher ones make faster code
	 * @thread the guest thread that waits for it, or 0
	 */
	probe compile__begin(uint16_t cap, char *class, char *method, char *file, int line, uint16_t level, uint32_t thread);
	/*
	 * The compiler has finished, or has given up. Functions within a function nest in it if
	 * they are compiled with it.
	 * @cap as in compile-begin
	 * @class [name] as in compile-begin
	 * @method [name] as in compile-begin
	 * @file [name] as in compile-begin
	 * @line as in compile-begin, or 0
	 * @level as in compile-begin
	 * @thread as in compile-begin
	 * @bytes the size of the code it has made; 0 if it has given up
	 */
	probe compile__end(uint16_t cap, char *class, char *method, char *file, int line, uint16_t level, uint32_t thread, uint64_t bytes);
	/*
	 * Code that a compiler has made may be run from now on. For machine code, the addresses are
	 * those that native stacks show.
	 * @address where the code begins
	 * @bytes its size
	 * @class [name] the class that defines the method
	 * @method [name] the method
	 */
	probe code__load(uint64_t address, uint64_t bytes, char *class, char *method);
	/*
	 * The code is about to be freed; nothing runs it any more.
	 * @address as in code-load
	 * @bytes as in code-load
	 * @class [name] as in code-load
	 * @method [name] as in code-load
	 */
	probe code__unload(uint64_t address, uint64_t bytes, char *class, char *method);
	/*
	 * Code of a higher level is given up, because what the compiler had assumed does not hold;
	 * the method goes on in code of a lower level.
	 * @class [name] the class that defines the method
	 * @method [name] the method
	 * @reason [name] which assumption it was, in a word: "type", "redefinition"
	 */
	probe deoptimize(char *class, char *method, char *reason);

	/*
	 * A class has been defined, or loaded from a file; guest code can use it. A class that is
	 * only reopened does not fire it again.
	 * @cap the capability
	 * @class [name] its name
	 * @file [name] the file that defines it
	 * @thread the guest thread
	 */
	probe class__load(uint16_t cap, char *class, char *file, uint32_t thread);

	/*
	 * A sample of what the VM does: this thread runs guest code now. For the VM's own sampling,
	 * by time or by the amount of work. A tracer that wants the guest's stack takes it here.
	 * @cap the capability
	 * @thread the guest thread
	 * @weight what the sample stands for, in the VM's unit (nanoseconds, calls, bytes), since the thread's last one
	 */
	probe sample(uint16_t cap, uint32_t thread, uint64_t weight);

	/*
	 * What a guest thread is doing: fired for each of them when a tracer asks for all, as vmtap
	 * dump does. The guest's stack is that of the thread that is shown.
	 * @cap the capability that the thread runs on, or ran on last
	 * @thread the guest thread
	 * @status 0 if it runs or could run; else as in thread-stop
	 * @reason [name] what it waits for: the name of a lock, as in lock-wait, or the reason of thread-park; "(none)" for nothing
	 * @info the number of the thread that it waits for, or that holds the lock, or 0
	 * @index the number of this thread in the dump, from 0
	 * @count how many threads the dump has
	 */
	probe thread__dump(uint16_t cap, uint32_t thread, uint16_t status, char *reason, uint32_t info, uint32_t index, uint32_t count);

	/*
	 * What a class of objects, or an allocation site, takes in the heap: fired for each of them
	 * when the VM has counted its heap, as tracers ask it to.
	 * @sample the number of the count; it grows
	 * @label [name] the class or the site
	 * @bytes the size of its objects
	 * @objects how many there are; 0 if the VM counts bytes only
	 * @index the number of this label in the sample, from 0
	 * @count how many labels the sample has
	 */
	probe heap__sample(uint32_t sample, char *label, uint64_t bytes, uint64_t objects, uint32_t index, uint32_t count);
};

#pragma D attributes Stable/Stable/Common provider vm provider
#pragma D attributes Stable/Stable/Common provider vm module
#pragma D attributes Stable/Stable/Common provider vm function
#pragma D attributes Evolving/Evolving/Common provider vm name
#pragma D attributes Evolving/Evolving/Common provider vm args
