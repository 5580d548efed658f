/*
 * heap_samples.h: samples of a heap, read from the events of a log or a stream: for each label (a
 * class, a site) its bytes and objects. Of all samples two are kept, an earlier and a later one, to
 * be compared. A sample that is not whole does not count.
 */
#ifndef VMTAP_CLI_HEAP_SAMPLES_H
#define VMTAP_CLI_HEAP_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_table.h"
#include "wire/records.h"

enum { HEAP_LABELS_MAX = 4 << 20 /* further labels are left out and counted */ };

/* What a label has in a sample; objects 0: not known. */
struct heap_amount {
	uint64_t bytes, objects;
};

enum heap_which { HEAP_EARLIER, HEAP_LATER, HEAP_OPEN, HEAP_KEPT };

struct heap_label {
	char *text; /* bytes of any kind but NUL */
	uint32_t length;
	struct heap_amount amounts[HEAP_KEPT];
};

struct heap_sample {
	uint64_t number, time; /* ns from the log's time 0 */
	bool is_there;
};

struct heap_samples {
	uint64_t from, to; /* the numbers of the two samples; 0: the first, the last */
	struct heap_label *labels;
	size_t label_count, label_room;
	struct hash_table label_table; /* by text */
	struct heap_sample samples[HEAP_KEPT];
	size_t last; /* the label of the last amount, for its objects */
	bool has_last;
	uint64_t count;      /* whole samples */
	uint64_t left_out;   /* amounts of labels without room */
	uint64_t lost;       /* samples, whole or in part */
	uint64_t unlabelled; /* amounts without a label: GHC's cost centres */
	uint32_t by;         /* enum vmtap_census_by, or another of GHC's; 0: not known */
	bool knows_objects;  /* some sample has counted objects */
};

/* -ENOMEM. Call heap_samples_free() even after an error. */
int heap_samples_init(struct heap_samples *samples, uint64_t from, uint64_t to);
void heap_samples_free(struct heap_samples *samples);

/* Takes an event of any type. -ENOMEM. */
int heap_samples_take(struct heap_samples *samples, const struct record *record);

/* What all labels have together; *labels is how many have something. */
struct heap_amount heap_samples_total(
	const struct heap_samples *samples, enum heap_which which, size_t *labels);

#endif
