/*
 * flame_subject.h: what a flame graph is of, in words: the program, how much was measured in how
 * many samples or calls, when that was, and what was lost. A comparison has two.
 */
#ifndef VMTAP_CLI_FLAME_FLAME_SUBJECT_H
#define VMTAP_CLI_FLAME_FLAME_SUBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/flame/call_cost.h"

struct feed;

enum { FLAME_SUBJECT_NAME_MAX = 200, FLAME_SUBJECT_LINE_MAX = 320 };

struct flame_subject {
	char name[FLAME_SUBJECT_NAME_MAX]; /* of the program, and its pid */
	const char *file;                  /* the log; NULL: none */
	uint64_t when;                     /* CLOCK_REALTIME at the beginning, ns; 0: not known */
	uint64_t total;                    /* in the unit of the graph */
	uint64_t count;                    /* of samples or calls; 0: not known */
	const char *counted;               /* "samples", "calls" */
	uint64_t lost;                     /* events */
	struct call_cost cost;             /* of probes of calls; all zero: there are none */
	bool leaves_waits_out;             /* the VM tells when its threads do not run */
};

/* Stores what the feed of a log or process says: name, file, when and whether waits are left out.
 * what: the log's name, or the pid. */
void flame_subject_describe(
	struct flame_subject *subject, const struct feed *feed, const char *what);

/* "1.234 s in 1,234 samples"; unit: "ns", "calls", "bytes". */
void flame_subject_amount(
	char line[FLAME_SUBJECT_LINE_MAX], const struct flame_subject *subject, const char *unit);

/* "recorded 2026-11-26 18:48:09 +0100, x.log, 5 events lost"; "": nothing of this is known. */
void flame_subject_origin(char line[FLAME_SUBJECT_LINE_MAX], const struct flame_subject *subject);

/* What the probes of the calls have taken, if the unit is time; "": nothing worth a word. */
void flame_subject_cost(
	char line[FLAME_SUBJECT_LINE_MAX], const struct flame_subject *subject, const char *unit);

/* A number with commas: "1,234,567". */
void flame_subject_number(char text[32], uint64_t number);

#endif
