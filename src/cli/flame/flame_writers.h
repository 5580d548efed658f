/*
 * flame_writers.h: the forms in which a call tree is written. Names are the traced program's data:
 * each form escapes them. The functions return 0 or a negative errno.
 */
#ifndef VMTAP_CLI_FLAME_FLAME_WRITERS_H
#define VMTAP_CLI_FLAME_FLAME_WRITERS_H

#include <stdio.h>

#include "cli/flame/call_tree.h"
#include "cli/flame/flame_subject.h"

struct flame_view {
	const struct call_tree *tree;
	const struct call_shown *shown; /* call_tree_show() of the tree */
	size_t count;
	bool is_comparison;                          /* shown has what another tree has spent */
	const char *title;                           /* the measure and the programs */
	const struct flame_subject *subject, *other; /* other: what it is compared with */
	const char *note;    /* what is wrong with the numbers, for people; NULL: nothing */
	const char *measure; /* what the width of a frame is: the title without names */
	const char *unit;    /* "ns", "calls", "bytes" */
};

/* A flame graph by itself: search, zoom, no network. */
int flame_svg_write(const struct flame_view *view, FILE *output);

/* A line for each stack: its frames from the outermost on, separated by ';', a blank, a number. */
int flame_folded_write(const struct flame_view *view, FILE *output);

/* A gzip'd profile.proto; a comparison is not possible. */
int flame_pprof_write(const struct flame_view *view, FILE *output);

#endif
