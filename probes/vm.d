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
	 * A guest thread has been created; it is not yet runnable.
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
	 * A guest thread starts to run on a capability.
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
	 * A guest thread has stopped running on a capability.
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
	 * A guest thread has acquired a lock, at once or after waiting.
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
	 * The VM has begun to stop the world: guest code will not run until pause-end.
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
	 * A collection starts; the world is stopped.
	 * @cap the capability that leads it
	 * @generation the oldest generation that is collected, 0 the youngest
	 * @full 1 when the whole heap is collected, else 0
	 * @bytes_used the bytes in use at the start
	 * @eventlog 9 GC_START ()
	 */
	probe gc__start(uint16_t cap, uint32_t generation, uint16_t full, uint64_t bytes_used);
	/*
	 * The collection has ended.
	 * @cap as in gc-start
	 * @generation as in gc-start
	 * @full as in gc-start
	 * @bytes_freed the bytes it has freed
	 * @eventlog 10 GC_END ()
	 */
	probe gc__end(uint16_t cap, uint32_t generation, uint16_t full, uint64_t bytes_freed);
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
	 * Marking begins.
	 * @cap the capability that leads the collection
	 */
	probe gc__mark__begin(uint16_t cap);
	/*
	 * Marking has ended.
	 * @cap as in gc-mark-begin
	 */
	probe gc__mark__end(uint16_t cap);
	/*
	 * Sweeping begins.
	 * @cap the capability that leads the collection
	 */
	probe gc__sweep__begin(uint16_t cap);
	/*
	 * Sweeping has ended.
	 * @cap as in gc-sweep-begin
	 */
	probe gc__sweep__end(uint16_t cap);
	/*
	 * The state of the heap, after each collection.
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
	 * exactly one return, even when an exception unwinds the frame.
	 * @class [name] the class that defines the method
	 * @method [name] the method
	 * @file [name] the file of the call
	 * @line the line of the call
	 * @thread the guest thread
	 */
	probe method__entry(char *class, char *method, char *file, int line, uint32_t thread);
	/*
	 * A guest method returns, or is unwound.
	 * @class [name] as in method-entry
	 * @method [name] as in method-entry
	 * @file [name] as in method-entry
	 * @line as in method-entry
	 * @thread as in method-entry
	 */
	probe method__return(char *class, char *method, char *file, int line, uint32_t thread);
	/*
	 * A method that is written in C is entered.
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
	 * @line as in native-entry
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
	 * probes of their own).
	 * @class [name] its class
	 * @bytes its size
	 * @file [name] the file of the allocation
	 * @line its line
	 * @thread the guest thread
	 * @address where it is
	 */
	probe object__create(char *class, uint64_t bytes, char *file, int line, uint32_t thread, uint64_t address);
	/*
	 * The collector has freed an object of any kind.
	 * @class [name] its class
	 * @bytes its size
	 * @address where it was
	 */
	probe object__free(char *class, uint64_t bytes, uint64_t address);
	/*
	 * An array is allocated.
	 * @length its length in elements
	 * @file [name] the file of the allocation
	 * @line its line
	 * @bytes its size
	 */
	probe array__create(long length, char *file, int line, uint64_t bytes);
	/*
	 * A hash is allocated.
	 * @length how many pairs it has room for
	 * @file [name] the file of the allocation
	 * @line its line
	 * @bytes its size
	 */
	probe hash__create(long length, char *file, int line, uint64_t bytes);
	/*
	 * A string is allocated.
	 * @length its length in bytes
	 * @file [name] the file of the allocation
	 * @line its line
	 * @bytes its size
	 */
	probe string__create(long length, char *file, int line, uint64_t bytes);
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
	 * An exception is raised.
	 * @class [name] its class
	 * @file [name] the file that raises it
	 * @line its line
	 * @thread the guest thread
	 */
	probe raise(char *class, char *file, int line, uint32_t thread);
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
	 * The VM has a new capability.
	 * @cap its number
	 * @eventlog 45 CAP_CREATE (cap)
	 */
	probe cap__create(uint16_t cap);
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
	 * An OS thread of the VM starts to serve a capability.
	 * @cap the capability
	 * @task identifies this OS thread within the VM
	 * @os_thread its id in the system
	 * @eventlog 55 TASK_CREATE (task, cap, os_thread)
	 */
	probe task__create(uint16_t cap, uint64_t task, uint64_t os_thread);
	/*
	 * An OS thread of the VM no longer serves a capability.
	 * @cap the capability it served
	 * @task as in task-create
	 * @eventlog 57 TASK_DELETE (task)
	 */
	probe task__delete(uint16_t cap, uint64_t task);

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
};

#pragma D attributes Stable/Stable/Common provider vm provider
#pragma D attributes Stable/Stable/Common provider vm module
#pragma D attributes Stable/Stable/Common provider vm function
#pragma D attributes Evolving/Evolving/Common provider vm name
#pragma D attributes Evolving/Evolving/Common provider vm args
