/*
 * hint.h: what D calls a thing that other tracers' languages call by another name, for the
 * ends of messages. Private to src/d.
 */
#ifndef VMTAP_D_HINT_H
#define VMTAP_D_HINT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * " (D has NAME)" for a name of bpftrace that D does not know, "" for others. A function's
 * name or a variable's.
 */
const char *d_hint_name(const char *name, bool is_function);

/* " (option -C)" for a directive of C's preprocessor, "" for others. */
const char *d_hint_directive(const char *word);

/* " (...)" for what programs that are copied from elsewhere have where D expects something
 * else: the size bytes at text begin with it. "" for anything else. */
const char *d_hint_text(const char *text, size_t size);

#endif
