/*
 * bar.h: prints counts as bars made of "@" or of UTF-8 blocks, or packed into one character each.
 */
#ifndef VMTAP_ENGINE_OUTPUT_BAR_H
#define VMTAP_ENGINE_OUTPUT_BAR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "program/program.h"

/* What all bars of a chart have in common. */
struct bar_scale {
	long double total; /* the count of a full-width bar; 0: all bars are empty */
	bool positives, negatives;
	bool zoom; /* option aggzoom: the largest bar fills 95% */
	enum d_encoding encoding;
};

/* The scale of an empty chart, according to the options. */
struct bar_scale bar_scale(const struct d_options *options);

/* Includes a count in the scale. Every count of the chart must be added before printing. */
void bar_scale_add(struct bar_scale *scale, int64_t count);

/*
 * Prints the bar and its axis: positive counts extend to the right of the axis, negative to the
 * left.
 */
void bar_print(const struct bar_scale *scale, int64_t count, FILE *output);

/* Prints one character whose height shows the count. */
void bar_print_packed(const struct bar_scale *scale, int64_t count, FILE *output);

/* Prints a newline and the heading of bars. rows is the label of the rows, in `width` columns. */
void bar_print_heading(const char *rows, int width, FILE *output);

#endif
