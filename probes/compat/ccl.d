/*
 * Provider ccl: the probes of Clozure CL's kernel, for VMs that opt in, so that a script
 * written for Clozure CL runs on any of them. The arguments have Clozure's names, order
 * and types. The "@event" lines are explained in haskell_event.d.
 *
 * Clozure declares no stability for them.
 */
provider ccl {
	/*
	 * A full collection starts.
	 * @bytes the bytes allocated at its start
	 * @event gc-start (bytes_used) when full
	 */
	probe gc__start(unsigned long bytes);
	/*
	 * A full collection has ended.
	 * @bytes the bytes it has freed
	 * @event gc-end (bytes_freed) when full
	 */
	probe gc__finish(unsigned long bytes);
	/*
	 * A collection of some generations only (an ephemeral one) starts.
	 * @bytes the bytes allocated at its start
	 * @generation the oldest generation that is collected
	 * @event gc-start (bytes_used, generation) when not full
	 */
	probe egc__start(unsigned long bytes, unsigned generation);
	/*
	 * An ephemeral collection has ended.
	 * @bytes the bytes it has freed
	 * @generation as in egc-start
	 * @event gc-end (bytes_freed, generation) when not full
	 */
	probe egc__finish(unsigned long bytes, unsigned generation);
	/*
	 * A thread has been created.
	 * @os_thread the OS thread's id; 0 when it has none of its own
	 * @event thread-create (os_thread)
	 */
	probe create__thread(unsigned long os_thread);
};
