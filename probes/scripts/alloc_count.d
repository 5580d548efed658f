/*
 * alloc_count.d: where objects are allocated, for VMs that do not tell their sizes
 *
 * Question: What is allocated, where, and by whom?
 *
 *     $ vmtap trace alloc_count --lossless -c 'toy redefine.toy'
 *     FILE           LINE CLASS                 OBJECTS  SHARE
 *     redefine.toy      4 Thread                      1     0%
 *     redefine.toy      6 (string)                    1     0%
 *     redefine.toy      9 Error                       1     0%
 *     ...
 *     redefine.toy     64 (string)                   41     0%
 *     redefine.toy    109 (string)                  271     1%
 *     redefine.toy     21 ArgumentError            2001    10%
 *     redefine.toy     85 Square                   3000    16%
 *     redefine.toy     21 (string)                 6004    32%
 *     redefine.toy     44 Square                   7000    38%
 *
 * Reading: The number of objects by line and class, and its share. Arrays, hashes and
 * strings are shown as (array), (hash) and (string).
 *
 * Providers: vm, ruby, hotspot.
 *
 * Cost: One event for each allocation.
 */
#pragma D option quiet

uint64_t objects;

#include "parts/allocs.d"

*$target:::[aohs]*[ytgh]-[ca]*
/this->counts/
{
	@objects[this->file, this->line, this->class] = count();
	@share[this->file, this->line, this->class] = sum(100);
	objects++;
}

END
{
	normalize(@share, objects ? objects : 1);
	printf("%-32s %6s %-24s %12s %6s\n", "FILE", "LINE", "CLASS", "OBJECTS", "SHARE");
	printa("%-32s %6d %-24s %@12d %@5d%%\n", @objects, @share);
}
