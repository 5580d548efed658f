/*
 * generator.h: what the parts of the generator share. They write to a FILE, whose errors are
 * checked once, at the end. Texts that they return are valid until the next few calls.
 */
#ifndef VMTAP_CONTRACT_GENERATOR_H
#define VMTAP_CONTRACT_GENERATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "contract/contract.h"

enum {
	GENERATE_COMPAT_MAX = 32 /* bits of vmtap_object.providers */
};

/* A compatible provider, and the event that fires each of its probes. */
struct generate_compat {
	struct contract *contract;
	const struct contract_provider *provider;
	struct contract_mapping *mappings;
};

struct generate_input {
	struct contract *contract;
	const struct contract_provider *provider;
	/* A VM author's provider. Provider vm differs from one in that its words and the macros of
	 * its sites are made by dtrace, that it has compatible providers, events of GHC's and
	 * functions for other languages, and that it is made of several files. */
	bool is_own;
	char macro[64];      /* begins the names of macros: "VMTAP", "LUA" */
	char symbol[96];     /* begins the names of functions and tables: "vmtap", "vmtap_lua" */
	const char *library; /* the definition in D that the stream carries; NULL: none */
	struct generate_compat compats[GENERATE_COMPAT_MAX];
	size_t compat_count;
};

/* A record in a ring: the fire functions write it, the server reads it. */
struct generate_layout {
	unsigned offset[CONTRACT_ARGUMENTS_MAX];
	unsigned bytes; /* size of the record without an inline text */
	int text;       /* index of the inline text, -1: none */
};

void generate_layout(const struct contract_probe *probe, struct generate_layout *layout);

/* Whether an argument is the block's capability (only the first can be); a string that is
 * carried as an id; a string that is carried inline. */
bool generate_is_cap(const struct contract_probe *probe, unsigned index);
bool generate_is_name(const struct contract_argument *argument);
bool generate_is_text(const struct contract_argument *argument);

/* Whether an event of GHC's can represent the whole probe. */
bool generate_is_whole(const struct contract_eventlog *eventlog);

/* A digest of the probe's name and its first count arguments. */
uint32_t generate_prefix_digest(const struct contract_probe *probe, unsigned count);

/* Convert "gc__start" to GC_START or gc_start; the last four results remain valid. */
const char *generate_name(const struct contract_probe *probe, bool upper);
const char *generate_upper(const char *name);
/* An argument's type as a stream declares it and as C has it, without the contract's own types:
 * "uint32_t", "char *", "void *". */
const char *generate_type(const struct contract_argument *argument);
/* The macro that `dtrace -h` makes for a probe: VM_GC_START. */
const char *generate_site_macro(
	const struct contract_provider *provider, const struct contract_probe *probe);
/* An argument's name in C and C++. */
const char *generate_argument(const struct contract_argument *argument);
/* Write "uint16_t cap, const char *text", and "cap, text". */
void generate_parameters(FILE *out, const struct contract_probe *probe);
void generate_argument_names(FILE *out, const struct contract_probe *probe);

/* Writes the text that declares an event type; readers recognise the probe by it:
 * "vm:::gc-start(uint16_t cap, ...)". */
void generate_description(
	FILE *out, const struct contract_provider *provider, const struct contract_probe *probe);

/* Whether the event fires any of the provider's probes. */
bool generate_serves(const struct generate_compat *compat, size_t event);

/*
 * Write the files. generate_compat writes that of the first compatible provider;
 * generate_definitions the definitions of provider vm alone, for tests. 0 or -ENOMEM.
 */
void generate_header(FILE *out, const struct generate_input *input, bool sites);
int generate_fire(FILE *out, const struct generate_input *input);
int generate_definitions(FILE *out, const struct generate_input *input);
void generate_compat(FILE *out, const struct generate_input *input);

/*
 * A VM author's provider. generate_check_own() says what is wrong with it, as "FILE: line N, column
 * M: reason" (-EINVAL); generate_take_own() fills in the input of generate_header() and
 * generate_source(). generate_library() returns the file's text as a stream carries it, without
 * comments; the caller frees it; NULL: out of memory.
 */
int generate_check_own(const struct contract *contract, struct error *error);
void generate_take_own(
	struct generate_input *input, struct contract *contract, const char *library);
char *generate_library(const char *text, size_t length);

/* Write the documentation of a provider: Markdown, and a manual page. */
void generate_markdown(FILE *out, const struct generate_input *input);
void generate_manual(FILE *out, const struct generate_input *input);

/* Writes the C file of a VM author's provider; header is the name of its header. */
int generate_source(FILE *out, const struct generate_input *input, const char *header);

/*
 * Writes a C file that makes one member of an archive out of the provider's C file: the one of a
 * probe, or the one that all of them share (probe is NULL).
 */
void generate_member(FILE *out, const struct generate_input *input,
	const struct contract_probe *probe, const char *source);

/* Parts of C files: a probe's definition, which takes the name definition_PROBE, -ENOMEM if memory
 * runs out; and the array "library", the definition in D. */
int generate_definition(FILE *out, const struct generate_input *input, size_t event);
void generate_library_text(FILE *out, const struct generate_input *input);

#endif
