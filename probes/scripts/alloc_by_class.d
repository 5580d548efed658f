/*
 * alloc_by_class.d: the objects and bytes allocated, by class
 *
 * Question: What is allocated, where, and by whom?
 *
 *     $ vmtap trace alloc_by_class --lossless -c 'toy json.toy'
 *     CLASS               BYTES      OBJECTS  SHARE
 *     JsonError              48            1     0%
 *     JsonWriter             64            2     0%
 *     Thread                264            1     0%
 *     JsonParser           2064           43     0%
 *     (hash)             532488         2017    13%
 *     (array)            971840        20135    25%
 *     (string)          2351134        63238    60%
 *
 * Reading: Arrays, hashes and strings have probes of their own and are shown as (array),
 * (hash) and (string). The share is that of the bytes. The classes that take the most
 * bytes come last. Ruby does not tell sizes, so they are 0.
 *
 * Providers: vm, ruby, hotspot.
 *
 * Cost: One event for each allocation.
 */
#pragma D option quiet

uint64_t bytes;

#include "parts/allocs.d"

*$target:::[aohs]*[ytgh]-[ca]*
/this->counts/
{
	@objects[this->class] = count();
	@bytes[this->class] = sum(this->bytes);
	@share[this->class] = sum(100 * this->bytes);
	bytes += this->bytes;
}

END
{
	normalize(@share, bytes ? bytes : 1);
	printf("%-32s %14s %12s %6s\n", "CLASS", "BYTES", "OBJECTS", "SHARE");
	printa("%-32s %@14d %@12d %@5d%%\n", @bytes, @objects, @share);
}
