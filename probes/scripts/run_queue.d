/*
 * run_queue.d: how many threads want to run on each processor
 *
 * Question: What does the whole machine do?
 *
 *     $ vmtap trace run_queue -c 'make -j4'
 *     ...
 *     processor 1, length of its run queue
 *                value  ------------- Distribution ------------- count
 *                    2 |                                         0
 *                    3 |@                                        1
 *                    4 |@@@                                      3
 *                    5 |@@@@@@@@@@@@@@@@@@@                      17
 *                    6 |@@@@@@@@@                                8
 *                    7 |@@@                                      3
 *                    8 |@@                                       2
 *                    9 |@                                        1
 *                   10 |                                         0
 *
 * Reading: The kernel's own count of the threads that run or are ready to run, 97 times a
 * second on each processor. A length of 1 is a thread that runs while none waits; each
 * further one is a thread that waits for the processor. An idle processor may not be
 * sampled, so one that is often idle has few samples.
 *
 * Providers: profile.
 *
 * Cost: A sample takes about a microsecond. It needs the kernel's privilege.
 */
#pragma D option quiet

profile-97
{
	@[cpu] = lquantize(curthread->se.cfs_rq->rq->nr_running, 0, 32, 1);
}

END
{
	printa("processor %d, length of its run queue%@d\n", @);
}
