/*
 * bisect.h: searches in arrays of structs that are sorted by a member.
 */
#ifndef VMTAP_BASE_BISECT_H
#define VMTAP_BASE_BISECT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns how many elements of an array have a member of at most value. member is that of the first
 * element, NULL if there is none; size is that of an element. The array is sorted by the member.
 */
static inline size_t bisect_up_to(const uint64_t *member, size_t count, size_t size, uint64_t value)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*(const uint64_t *)((const char *)member + middle * size) <= value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
