/*
 * alloc_by_site.d: where objects are allocated: bytes and objects by line and class
 *
 * Question: What is allocated, where, and by whom?
 *
 *     $ vmtap trace alloc_by_site --lossless -c 'toy json.toy'
 *     FILE       LINE CLASS             BYTES      OBJECTS  SHARE
 *     json.toy    203 JsonWriter           32            1     0%
 *     json.toy    204 JsonWriter           32            1     0%
 *     ...
 *     json.toy    163 (string)          26598          665     0%
 *     json.toy    142 (string)         145178         3950     3%
 *     json.toy     59 (hash)           532224         2016    13%
 *     json.toy     33 (string)         618744        17851    16%
 *     json.toy    108 (string)         756294        19992    19%
 *     json.toy    110 (string)         757512        19992    19%
 *     json.toy    102 (array)          959616        19992    24%
 *
 * Reading: The line is the one that runs when the object is created. Arrays, hashes and
 * strings have probes of their own and are shown as (array), (hash) and (string). The
 * share is that of the bytes. The lines that take the most bytes come last. Ruby does not
 * tell sizes, so they are 0.
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
	@objects[this->file, this->line, this->class] = count();
	@bytes[this->file, this->line, this->class] = sum(this->bytes);
	@share[this->file, this->line, this->class] = sum(100 * this->bytes);
	bytes += this->bytes;
}

END
{
	normalize(@share, bytes ? bytes : 1);
	printf("%-32s %6s %-20s %12s %12s %6s\n", "FILE", "LINE", "CLASS", "BYTES", "OBJECTS",
	    "SHARE");
	printa("%-32s %6d %-20s %@12d %@12d %@5d%%\n", @bytes, @objects, @share);
}
