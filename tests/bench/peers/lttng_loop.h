/*
 * lttng_loop.h: the LTTng-UST tracepoint that lttng_loop.c fires: method-entry's arguments,
 * recorded as strings and integers. LTTng includes this file several times.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_loop.h"

#if !defined(BENCH_LTTNG_LOOP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_LTTNG_LOOP_H

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(bench, method_entry,
	LTTNG_UST_TP_ARGS(const char *, class_text, const char *, method_text, const char *,
		file_text, int, line_number, unsigned int, thread_number),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_string(class, class_text) lttng_ust_field_string(method,
		method_text) lttng_ust_field_string(file, file_text) lttng_ust_field_integer(int,
		line, line_number) lttng_ust_field_integer(unsigned int, thread, thread_number)))

#endif

#include <lttng/tracepoint-event.h>
