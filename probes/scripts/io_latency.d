/*
 * io_latency.d: sizes of the requests to each device, and how long they take
 *
 * Question: What does the whole machine do?
 *
 *     $ vmtap trace io_latency -c 'dd if=/dev/zero of=file bs=64k count=2000 oflag=direct' us
 *     ...
 *     vda W, time in us
 *                value  ------------- Distribution ------------- count
 *                    8 |                                         0
 *                   16 |                                         2
 *                   32 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@     1814
 *                   64 |@@@@                                     186
 *                  128 |                                         6
 *                  256 |                                         2
 *                  512 |                                         0
 *
 * Reading: For each device and direction, R for reads and W for writes, two distributions:
 * the bytes of a request, and the time from when it was given to the device until it was
 * done. What the page cache holds is no request. Kernels do not report all completions,
 * so there may be fewer times than requests. Times are in ns; the argument us, ms or s
 * gives another unit.
 *
 * Providers: io.
 *
 * Cost: Two events for each request to a device. It needs the kernel's privilege.
 */
#pragma D option quiet
#pragma D option defaultargs

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

io:::start
{
	start[args[0]->b_edev, args[0]->b_blkno] = timestamp;
	@bytes[args[1]->dev_statname, args[0]->b_flags & B_READ ? "R" : "W", "bytes"] =
	    quantize(args[0]->b_bcount);
}

io:::done
/start[args[0]->b_edev, args[0]->b_blkno]/
{
	@time[args[1]->dev_statname, args[0]->b_flags & B_READ ? "R" : "W",
	    strjoin("time in ", unit)] =
	    quantize((timestamp - start[args[0]->b_edev, args[0]->b_blkno]) / scale);
	start[args[0]->b_edev, args[0]->b_blkno] = 0;
}

END
{
	printa("%s %s, %s%@d\n", @bytes);
	printa("%s %s, %s%@d\n", @time);
}
