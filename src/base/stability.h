/*
 * stability.h: D's interface attributes: how stable a name and its data are, and how far an
 * interface depends on the machine. Every probe, argument, built-in variable and function has
 * a triple; what a script may rely on is the least of those it uses.
 */
#ifndef VMTAP_BASE_STABILITY_H
#define VMTAP_BASE_STABILITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* From the least promise to the greatest. */
enum stability_level {
	STABILITY_INTERNAL,
	STABILITY_PRIVATE,
	STABILITY_OBSOLETE,
	STABILITY_EXTERNAL,
	STABILITY_UNSTABLE,
	STABILITY_EVOLVING,
	STABILITY_STABLE,
	STABILITY_STANDARD,
	STABILITY_LEVELS
};

/* From the narrowest dependency to none. */
enum stability_class {
	STABILITY_UNKNOWN,
	STABILITY_CPU,
	STABILITY_PLATFORM,
	STABILITY_GROUP,
	STABILITY_ISA,
	STABILITY_COMMON,
	STABILITY_CLASSES
};

/* Name/Data/Class. */
struct stability {
	uint8_t name, data; /* enum stability_level */
	uint8_t class;      /* enum stability_class */
};

/* The parts of a provider that have attributes, in the order of D's pragma. */
enum stability_part {
	STABILITY_PROVIDER,
	STABILITY_MODULE,
	STABILITY_FUNCTION,
	STABILITY_NAME,
	STABILITY_ARGUMENTS,
	STABILITY_PARTS
};

enum { STABILITY_TEXT_MAX = 40 };

/* What nothing else was said of: variables of a script, functions of D. */
extern const struct stability stability_stable;
/* The greatest attributes: constants. */
extern const struct stability stability_greatest;

/* Reads "Stable/Evolving/Common" in any case; false when it is not three known words. */
bool stability_parse(const char *text, size_t length, struct stability *stability);

/* The part's name in D's pragma ("provider" ... "args"); -1: no such part. */
int stability_part(const char *text, size_t length);

/* "Stable/Evolving/Common", into text, which is returned. */
const char *stability_text(struct stability stability, char text[STABILITY_TEXT_MAX]);
const char *stability_level_text(unsigned level);
const char *stability_class_text(unsigned class);

/* The least of both, part by part. */
struct stability stability_least(struct stability one, struct stability other);

/* Whether some part of a is less than its counterpart in b. */
bool stability_is_less(struct stability a, struct stability b);

/* The three lines below a heading, as dtrace prints them. */
void stability_print(FILE *output, struct stability stability);

#endif
