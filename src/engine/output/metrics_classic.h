/*
 * metrics_classic.h: a page of OpenMetrics in Prometheus's own text format, version 0.0.4, which
 * promtool and older readers take. Samples are the same in both.
 */
#ifndef VMTAP_ENGINE_OUTPUT_METRICS_CLASSIC_H
#define VMTAP_ENGINE_OUTPUT_METRICS_CLASSIC_H

#include <stddef.h>
#include <stdio.h>

/* Prints the page in the other format. Of each metric, TYPE must be the first line. */
void metrics_classic_print(const char *page, size_t size, FILE *output);

#endif
