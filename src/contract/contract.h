/*
 * contract.h: reads a provider definition (probes/vm.d, or any .d file in DTrace's form) into a
 * table of probes with their arguments, documentation and stability. The generator of the
 * library's sources, `vmtap check` and the D front end all read providers through it.
 *
 * The language: comments (C's, and "//" as systemtap's dtrace allows), lines that begin with '#'
 * ("#pragma D attributes N/D/C provider NAME provider|module|function|name|args" is understood,
 * other control lines are skipped), typedefs of integer and pointer types, and
 *     provider NAME { probe NAME ( [parameters] ) [: ( parameters )] ; ... } ;
 * A parameter is a C type with an optional name, or "void" alone. "__" in a probe's name is '-'
 * in the name that tracers see.
 *
 * The comment directly before a probe is its documentation. probes/vm.d explains the lines
 * "@argument ..." and "@eventlog ..." in it, probes/compat/haskell_event.d the line "@event ...".
 * Provider files need no such lines, but those that exist must be correct: an unknown argument,
 * an argument documented twice and a marker on an argument that is not a string are errors.
 */
#ifndef VMTAP_CONTRACT_CONTRACT_H
#define VMTAP_CONTRACT_CONTRACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stability.h"

struct error;

enum {
	CONTRACT_ARGUMENTS_MAX = 12, /* the most that sys/sdt.h supports */
	CONTRACT_EVENTLOGS_MAX = 4,  /* maximum of GHC's event types per probe */
	CONTRACT_CAPSET = 0xff       /* instead of an argument's index */
};

enum contract_kind {
	CONTRACT_INTEGER,
	CONTRACT_STRING, /* char * or const char * */
	CONTRACT_POINTER /* any other pointer: an address */
};

/* How the library receives a string and how a stream carries it. */
enum contract_string {
	CONTRACT_STRING_NONE, /* not a string, or not specified */
	CONTRACT_STRING_NAME, /* [name]: struct vmtap_name, its text is defined once */
	CONTRACT_STRING_TEXT  /* [text]: const char *, travels inline */
};

struct contract_argument {
	char *type; /* as written, white space normalised: "uint16_t", "char *" */
	char *name; /* "" if unnamed */
	char *text; /* documentation without markers, "" if none */
	enum contract_kind kind;
	enum contract_string string;
	uint8_t size;       /* bytes on an LP64 machine: 1, 2, 4 or 8 */
	uint8_t size_ilp32; /* bytes on a 32-bit machine */
	bool is_signed;     /* false for strings and pointers */
	bool is_typedef;    /* an integer whose type is a typedef of this file */
	bool is_address;    /* [address]: a number that no reader follows */
	int line, column;   /* where it is defined */
};

/*
 * "@eventlog NUMBER NAME (a, b) when [not] c": which arguments an event type of GHC's
 * carries; the word capset in the list denotes the id of the process's capability set.
 */
struct contract_eventlog {
	bool complete; /* unconditional, and its payload is all arguments except a first one named
			  "cap" */
	uint16_t type;
	char *name;
	uint8_t argument_count;
	uint8_t arguments[CONTRACT_ARGUMENTS_MAX]; /* indices or CONTRACT_CAPSET, payload order */
	bool is_conditional; /* represents the probe only if this argument is not 0 */
	uint8_t condition_argument;
	bool is_negated; /* only if it is 0 */
};

/*
 * "@event NAME (a, b) when [not] c": another provider's probe, the event, fires this one. a
 * and b are the event's arguments that become this probe's, in this probe's order. Names are
 * as written; contract_map() looks them up.
 */
struct contract_event {
	bool present;
	char *name;
	uint8_t argument_count; /* the number of the probe's arguments */
	char *arguments[CONTRACT_ARGUMENTS_MAX];
	char *condition; /* fires only if this argument is not 0; NULL: always */
	bool is_negated; /* only if it is 0 */
};

/* The declared stability of a part of the provider; the default is Unstable/Unstable/Common. */
struct contract_stability {
	bool given;
	struct stability value;
};

struct contract_probe {
	char *identifier; /* as written: "gc__start" */
	char *name;       /* as tracers see it: "gc-start" */
	char *text;       /* documentation in one line, white space folded; "" if none */
	int line;         /* line of the definition */
	int column;       /* column of the name */
	uint8_t argument_count;
	struct contract_argument arguments[CONTRACT_ARGUMENTS_MAX];
	/* args[] of scripts, if the probe says after a ':' that they differ; 0: they do not */
	uint8_t translated_count;
	struct contract_argument translated[CONTRACT_ARGUMENTS_MAX];
	uint8_t eventlog_count;
	struct contract_eventlog eventlogs[CONTRACT_EVENTLOGS_MAX];
	struct contract_event event;
};

struct contract_provider {
	char *name; /* "vm" */
	int line, column;
	size_t probe_count;
	struct contract_probe *probes; /* in the order in the file */
	struct contract_stability stability[STABILITY_PARTS];
};

/* A constant of an enum, or of an inline definition, that scripts can use. */
struct contract_constant {
	char *name;
	char *value; /* a number, or the expression as written, without white space */
};

struct contract {
	char *file;
	size_t constant_count, constant_room;
	struct contract_constant *constants; /* in the order in the file */
	size_t provider_count, provider_room;
	struct contract_provider *providers;
};

/*
 * Reads a file, or text of the given length (file is then only a name for messages). On
 * success the caller frees *contract with contract_free. On failure returns a negative errno
 * with "FILE: line N, column M: reason" in error; *contract is NULL. Input of any bytes and length
 * is safe; files over 1 MiB are rejected.
 */
int contract_read(const char *file, struct contract **contract, struct error *error);
int contract_parse(const char *file, const char *text, size_t length, struct contract **contract,
	struct error *error);
void contract_free(struct contract *contract);

/*
 * Reads a definition as streams and binaries carry it (wire/wire.h): text of which each line begins
 * with WIRE_LIBRARY. name is for messages. Errors as with contract_parse().
 */
int contract_parse_carried(const char *name, const char *text, size_t length,
	struct contract **contract, struct error *error);

/* The section of a binary that has the definitions of its own providers, each ended by a NUL. */
#define CONTRACT_SECTION ".vmtap.provider"

/* A probe's @event after lookup, as indices into the event's arguments. */
struct contract_mapping {
	size_t event; /* index into the provider's probes */
	uint8_t arguments[CONTRACT_ARGUMENTS_MAX];
	int condition; /* -1: none */
};

/*
 * Looks up a probe's @event, which it must have, in the provider of the events. contract is
 * the probe's. -EINVAL, with "FILE: line N: reason" in error, if a name is unknown, a
 * condition is not an integer, or an argument's kind, size or sign differs from the event's.
 */
int contract_map(const struct contract *contract, const struct contract_probe *probe,
	const struct contract_provider *events, struct contract_mapping *mapping,
	struct error *error);

/*
 * The line with which a stream declares a mapped probe (wire/wire.h); provider is the one
 * passed to contract_map(). The caller frees it; NULL if memory runs out.
 */
char *contract_compat_line(const struct contract_provider *provider,
	const struct contract_probe *probe, const struct contract_provider *events,
	const struct contract_mapping *mapping);

/* NULL if there is none. */
const struct contract_provider *contract_find_provider(
	const struct contract *contract, const char *name);
const struct contract_probe *contract_find_probe(
	const struct contract_provider *provider, const char *name);

#endif
