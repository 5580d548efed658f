/*
 * sent_updates.h: updates of aggregations that a program sends to the reader in a record, since it
 * cannot make them in its maps: the maps have no room for a new key or for one of its strings, or a
 * stack in the key is not known yet (stack_numbers.h). The engine makes the update.
 *
 * Such a record has a struct kernel_sent, then the words of the key as they are in the key of the
 * tally's map, then the registers if a part of the key is a stack. Strings come after that, each on
 * an 8-byte boundary, then the copied stack. The strings' lengths are in the words of the key: that
 * of a listed string takes the place of its number, and that of the key's last string is in a word
 * after the others.
 */
#ifndef VMTAP_KERNEL_TRANSLATE_SENT_UPDATES_H
#define VMTAP_KERNEL_TRANSLATE_SENT_UPDATES_H

#include "kernel/capture/plan.h"
#include "kernel/translate/reduction.h"

struct translator;

enum { KERNEL_SENT_STACK = (1 + KERNEL_STACK_PAGES) * KERNEL_PAGE /* bytes at most */ };

struct kernel_sent {
	struct kernel_head head;
	uint32_t tally;  /* number in the reduction */
	uint32_t copied; /* bytes of the stack, from the beginning of the page that has its top; 0:
			    its number is in the key, or it cannot be read */
	uint64_t value, increment;
};

/* Where the parts of such a record are. */
struct kernel_sent_layout {
	uint32_t first, end; /* the words of the key, by their places in the map's key */
	uint32_t length;     /* the word with the length of the key's last string; 0: none */
	uint32_t registers;  /* 0: no part of the key is a stack */
	uint32_t begin;      /* what differs in length: strings, then the stack */
	uint32_t limit;      /* the record's greatest size */
};

/* Returns where the word is in a record that has this place in the map's key. */
static inline uint32_t kernel_sent_word(const struct kernel_sent_layout *layout, uint32_t place)
{
	return (uint32_t)sizeof(struct kernel_sent) + place - layout->first;
}

void kernel_send_lay_out(const struct kernel_reduction *reduction, const struct kernel_tally *tally,
	struct kernel_sent_layout *layout);

/*
 * Sends the update, or counts it as dropped. The words of its key are in the area, except numbers
 * of strings. The strings are in the registers of D from `first` on; value and increment are places
 * in the frame. The generated code finds the frame again, since it needs all registers.
 */
void translator_send(struct translator *t, const struct kernel_tally *tally, unsigned first,
	int value, int increment);

#endif
