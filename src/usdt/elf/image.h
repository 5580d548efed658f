/*
 * image.h: the USDT probes of one ELF image: an executable, a shared object or a relocatable
 * object, of any machine, class and byte order.
 *
 * A site is one note of owner "stapsdt": a place in the code, a probe's name, its arguments
 * and its semaphore. Addresses in notes are link-time addresses. If the file has been moved
 * since (prelinked), the section .stapsdt.base says by how much, and the addresses here are
 * corrected accordingly. A relocatable object has no addresses yet: a place is a section and
 * an offset in it.
 *
 * Nothing here trusts the file: every offset and length is checked, and work grows only
 * linearly with the file's size. A problem of the file as a whole is an error when it is
 * opened; a problem of one site is recorded in that site, for `vmtap check` to report.
 */
#ifndef VMTAP_USDT_ELF_IMAGE_H
#define VMTAP_USDT_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usdt/elf/operand.h"
#include "usdt/elf/site.h"

struct error;

/* A place in the image: code or a semaphore. */
struct usdt_place {
	bool is_set;        /* false if there is no place; only a semaphore's may be missing */
	uint64_t address;   /* corrected; in a relocatable object the offset in the section */
	bool is_mapped;     /* a segment (in a relocatable object: a section) contains it */
	bool is_executable; /* permissions of that segment */
	bool is_writable;
	bool has_offset;  /* the file has bytes for it */
	uint64_t offset;  /* in the file */
	uint32_t section; /* relocatable objects: the section's number, 0 if undefined */
	/* Relocatable objects: "symbol+0x10"; else NULL. */
	const char *relocation;
};

enum usdt_visibility {
	USDT_VISIBILITY_UNKNOWN, /* there is no symbol */
	USDT_VISIBILITY_LOCAL,   /* local or hidden */
	USDT_VISIBILITY_GLOBAL   /* other objects may bind to it */
};

struct usdt_site {
	const char *provider;
	const char *name;           /* "gc-start": D's name, with '-' for "__" in the note */
	const char *note_name;      /* "gc__start": the name in bpftrace, gdb and perf */
	const char *arguments_text; /* as the note has it */
	const char *function;       /* the enclosing function, "" if not known */
	struct usdt_place code;
	struct usdt_place semaphore;
	const char *semaphore_symbol; /* NULL if not known */
	enum usdt_visibility semaphore_visibility;
	uint64_t recorded_address; /* as in the note */
	uint64_t recorded_base;
	enum site_form form;
	uint8_t bytes[SITE_BYTES]; /* of the code */
	uint8_t byte_count;
	uint8_t argument_count;
	bool has_more_arguments; /* more than the table has room for */
	struct operand_argument *arguments;
};

struct usdt_block;

struct usdt_image {
	char *name;       /* for messages: the path that the user gave */
	uint16_t machine; /* EM_... */
	bool is_64;
	bool is_big_endian;
	bool is_relocatable;
	bool has_base; /* the file has a section .stapsdt.base */
	uint64_t base; /* its address */
	/* Notes of owner stapsdt that could not be parsed: truncated, strings missing. */
	size_t damaged_count;
	/* Notes whose sites are not in an executable segment. They are passed over: some linkers
	 * drop a function, and keep its note. */
	size_t dead_count;
	size_t site_count;
	struct usdt_site *sites; /* in the order of their notes */
	const char *absence;     /* if there is no site: the likely reason, one line */
	bool has_runtime;        /* libvmtap's runtime, which serves an event stream, is in it */

	/* The definitions of providers that the file carries (contract/contract.h), each ended by a
	 * NUL; NULL: none. */
	const char *definitions;
	size_t definitions_size;

	struct usdt_block *blocks; /* memory that the sites point into */
};

/*
 * Reads the image in a file. On failure returns a negative errno and leaves "NAME: reason"
 * in error; *image is NULL. -ENOEXEC: it is not an ELF file. usdt_image_open opens path;
 * name, or path if name is NULL, is for messages. usdt_image_read reads from an open file,
 * which the caller keeps.
 */
int usdt_image_open(
	const char *path, const char *name, struct usdt_image **image, struct error *error);
int usdt_image_read(int file, const char *name, struct usdt_image **image, struct error *error);
void usdt_image_free(struct usdt_image *image);

/* Compares the probes of two sites by provider and name, as strcmp() does. */
int usdt_site_compare(const struct usdt_site *one, const struct usdt_site *other);

/*
 * Reads the definition of a provider that the image carries. NULL: it carries none of this name, or
 * one that cannot be read. The caller frees it.
 */
struct contract;
struct contract *usdt_image_contract(const struct usdt_image *image, const char *provider);

/* "x86-64", "aarch64"; an unknown machine is "machine 12345". */
const char *usdt_machine_text(uint16_t machine);

#endif
