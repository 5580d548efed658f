/*
 * Provider HaskellEvent: the probes of GHC's runtime system, for VMs that opt in, so that
 * a script written for a Haskell program runs on any of them. The probes have GHC's names
 * (thread_wakeup has one underscore), and their arguments GHC's names, order and types.
 *
 * A line "@event NAME (arguments)" names the event of provider vm that fires the probe.
 * The arguments in parentheses are those of the event, in the order of this probe's own.
 * With "when ARGUMENT" the event fires the probe only if that argument is not 0, with
 * "when not ARGUMENT" only if it is 0. "@eventlog" is as in vm.d: it names the event of a
 * log written by GHC that stands for the probe. The capability is then the block's, and
 * the event may carry further arguments.
 *
 * GHC declares no stability for them.
 */
typedef uint32_t EventThreadID;
typedef uint16_t EventCapNo;
typedef uint16_t EventThreadStatus;

provider HaskellEvent {
	/*
	 * A thread has been created.
	 * @cap the capability that it is created on
	 * @thread its number
	 * @event thread-create (cap, thread)
	 * @eventlog 0 CREATE_THREAD (thread)
	 */
	probe create__thread(EventCapNo cap, EventThreadID thread);
	/*
	 * A thread starts to run.
	 * @cap the capability that runs it
	 * @thread its number
	 * @event thread-run (cap, thread)
	 * @eventlog 1 RUN_THREAD (thread)
	 */
	probe run__thread(EventCapNo cap, EventThreadID thread);
	/*
	 * A thread has stopped running.
	 * @cap the capability that ran it
	 * @thread its number
	 * @status why, in GHC's numbering
	 * @event thread-stop (cap, thread, status)
	 * @eventlog 2 STOP_THREAD (thread, status)
	 */
	probe stop__thread(EventCapNo cap, EventThreadID thread, EventThreadStatus status);
	/*
	 * A thread has entered a run queue.
	 * @cap the capability whose queue it is
	 * @thread its number
	 * @event thread-runnable (cap, thread)
	 * @eventlog 3 THREAD_RUNNABLE (thread)
	 */
	probe thread__runnable(EventCapNo cap, EventThreadID thread);
	/*
	 * A thread has been moved to another capability.
	 * @cap the capability that it leaves
	 * @thread its number
	 * @new_cap the capability that will run it
	 * @event thread-migrate (cap, thread, other_cap)
	 * @eventlog 4 MIGRATE_THREAD (thread, new_cap)
	 */
	probe migrate__thread(EventCapNo cap, EventThreadID thread, EventCapNo new_cap);
	/*
	 * A capability runs a spark of its own.
	 * @cap the capability
	 * @thread the thread that runs it
	 * @event spark-run (cap, thread)
	 * @eventlog 38 SPARK_RUN ()
	 */
	probe run__spark(EventCapNo cap, EventThreadID thread);
	/*
	 * A capability takes a spark from another.
	 * @cap the capability
	 * @thread the thread that takes it
	 * @victim_cap the capability that it was taken from
	 * @event spark-steal (cap, thread, victim_cap)
	 * @eventlog 39 SPARK_STEAL (victim_cap)
	 */
	probe steal__spark(EventCapNo cap, EventThreadID thread, EventCapNo victim_cap);
	/*
	 * The runtime system ends.
	 * @cap the capability that ends it
	 * @event shutdown (cap)
	 * @eventlog 7 SHUTDOWN ()
	 */
	probe shutdown(EventCapNo cap);
	/*
	 * A blocked thread has been woken.
	 * @cap the capability that woke it
	 * @thread its number
	 * @other_cap the capability that will run it
	 * @event thread-wakeup (cap, thread, other_cap)
	 * @eventlog 8 THREAD_WAKEUP (thread, other_cap)
	 */
	probe thread_wakeup(EventCapNo cap, EventThreadID thread, EventCapNo other_cap);
	/*
	 * A collection starts.
	 * @cap the capability that leads it
	 * @event gc-start (cap)
	 * @eventlog 9 GC_START ()
	 */
	probe gc__start(EventCapNo cap);
	/*
	 * A collection has ended.
	 * @cap the capability that led it
	 * @event gc-end (cap)
	 * @eventlog 10 GC_END ()
	 */
	probe gc__end(EventCapNo cap);
	/*
	 * A capability has asked for a collection by one capability alone.
	 * @cap the capability
	 * @event gc-request (cap) when not parallel
	 * @eventlog 11 REQUEST_SEQ_GC ()
	 */
	probe request__seq__gc(EventCapNo cap);
	/*
	 * A capability has asked for a collection by several capabilities.
	 * @cap the capability
	 * @event gc-request (cap) when parallel
	 * @eventlog 12 REQUEST_PAR_GC ()
	 */
	probe request__par__gc(EventCapNo cap);
	/*
	 * A thread has been created to run sparks.
	 * @cap the capability
	 * @thread its number
	 * @event spark-thread-create (cap, thread)
	 * @eventlog 15 CREATE_SPARK_THREAD (thread)
	 */
	probe create__spark__thread(EventCapNo cap, EventThreadID thread);

	/*
	 * The runtime system is about to run its first thread.
	 * @caps how many capabilities it starts with
	 * @event startup (caps)
	 * @eventlog 17 STARTUP (caps)
	 */
	probe startup(EventCapNo caps);
	/*
	 * The program sends a message to its tracers.
	 * @cap where it comes from
	 * @text [text] the message
	 * @event user-msg (cap, text)
	 * @eventlog 19 USER_MSG (text)
	 */
	probe user__msg(EventCapNo cap, char *text);
	/*
	 * A collector thread has no work left.
	 * @cap its capability
	 * @event gc-idle (cap)
	 * @eventlog 20 GC_IDLE ()
	 */
	probe gc__idle(EventCapNo cap);
	/*
	 * A collector thread has work.
	 * @cap its capability
	 * @event gc-work (cap)
	 * @eventlog 21 GC_WORK ()
	 */
	probe gc__work(EventCapNo cap);
	/*
	 * A collector thread has finished its part.
	 * @cap its capability
	 * @event gc-done (cap)
	 * @eventlog 22 GC_DONE ()
	 */
	probe gc__done(EventCapNo cap);
};
