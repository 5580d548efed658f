/*
 * alloc_by_size.d: how large the allocated objects are, by class
 *
 * Question: What is allocated, where, and by whom?
 *
 *     $ vmtap trace alloc_by_size --lossless -c 'toy json.toy'
 *     sizes in bytes
 *
 *     ...
 *                value  ------------- Distribution ------------- count
 *                  128 |                                         0
 *                  256 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 2017
 *                  512 |                                         0
 *
 *     (array):
 *                value  ------------- Distribution ------------- count
 *                   16 |                                         0
 *                   32 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 20037
 *                   64 |                                         98
 *                  128 |                                         0
 *
 *     (string):
 *                value  ------------- Distribution ------------- count
 *                   16 |                                         0
 *                   32 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 63233
 *                   64 |                                         2
 *                  128 |                                         0
 *                  256 |                                         0
 *                  512 |                                         0
 *                 1024 |                                         0
 *                 2048 |                                         0
 *                 4096 |                                         3
 *                 8192 |                                         0
 *
 * Reading: A distribution of the sizes in bytes for each class. Arrays, hashes and strings
 * have probes of their own and are shown as (array), (hash) and (string).
 *
 * Providers: vm.
 *
 * Cost: One event for each allocation.
 */
#pragma D option quiet

vm$target:::object-create
{
	@sizes[copyinstr(arg0)] = quantize(arg1);
}

vm$target:::array-create
{
	@sizes["(array)"] = quantize(arg3);
}

vm$target:::hash-create
{
	@sizes["(hash)"] = quantize(arg3);
}

vm$target:::string-create
{
	@sizes["(string)"] = quantize(arg3);
}

END
{
	printf("sizes in bytes\n\n");
	printa("%s:%@d\n", @sizes);
}
