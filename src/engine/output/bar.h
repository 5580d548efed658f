/*
 * bar.h: counts as bars: of "@", of UTF-8 blocks, or packed into one character each.
 */
#ifndef VMTAP_ENGINE_OUTPUT_BAR_H
#define VMTAP_ENGINE_OUTPUT_BAR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "program/program.h"

/* What all bars of a picture have in common. */
struct bar_scale {
	long double total; /* a bar of the whole width; 0: there are only empty ones */
	bool positives, negatives;
	bool zoom; /* option aggzoom: the largest bar fills 95% */
	enum d_encoding encoding;
};

/* An empty picture, by the options. */
struct bar_scale bar_scale(const struct d_options *options);

/* Takes a count into the scale. Every count of the picture goes through this first. */
void bar_scale_add(struct bar_scale *scale, int64_t count);

/* The bar with its line: positive counts grow to the right of it, negative ones to its left. */
void bar_print(const struct bar_scale *scale, int64_t count, FILE *output);

/* One character that is the higher the larger the count. */
void bar_print_packed(const struct bar_scale *scale, int64_t count, FILE *output);

/* A newline and the heading of bars. rows says what the rows are, in `width` columns. */
void bar_print_heading(const char *rows, int width, FILE *output);

#endif
