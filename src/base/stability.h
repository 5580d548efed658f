/*
 * stability.h: D's interface attributes: how stable a name and its data are, and how far an
 * interface depends on the machine. Every probe, argument, built-in variable and function
 * has a triple of them; a script may rely only on the least stable of those it uses.
 */
#ifndef VMTAP_BASE_STABILITY_H
#define VMTAP_BASE_STABILITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* From the weakest promise to the strongest. */
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

/* The default, for anything without attributes of its own: variables of a script, functions of
 * D. */
extern const struct stability stability_stable;
/* The greatest attributes: constants. */
extern const struct stability stability_greatest;

/* Parses "Stable/Evolving/Common" in any case; false unless it is three known words. */
bool stability_parse(const char *text, size_t length, struct stability *stability);

/* Index of the part with this name in D's pragma ("provider" ... "args"); -1 if there is none. */
int stability_part(const char *text, size_t length);

/* Writes "Stable/Evolving/Common" into text and returns it. */
const char *stability_text(struct stability stability, char text[STABILITY_TEXT_MAX]);

/* The lesser of the two, component by component. */
struct stability stability_least(struct stability one, struct stability other);

/* Whether any component of a is less than its counterpart in b. */
bool stability_is_less(struct stability a, struct stability b);

/* Prints the three lines below a heading, as dtrace does. */
void stability_print(FILE *output, struct stability stability);

#endif
