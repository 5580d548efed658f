/*
 * provider_row.h: describes a provider whose probes belong to the whole machine: its name, and the
 * functions that add its probes and find where these fire. machine_providers.c has one array of
 * these rows; a new provider is a file provider_NAME.c and a row there.
 */
#ifndef VMTAP_KERNEL_MACHINE_PROVIDER_ROW_H
#define VMTAP_KERNEL_MACHINE_PROVIDER_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "kernel/site/probe_site.h"
#include "program/probe.h"
#include "usdt/elf/btf.h"

/* Most sites that one probe has. */
enum { KERNEL_PROVIDER_SITES = 8 };

struct kernel_view;

/* Arguments for a provider that adds its probes. */
struct kernel_provider_request {
	struct btf *btf;             /* of the kernel */
	const struct d_asked *asked; /* all descriptions of the script */
	size_t asked_count;
	uint32_t tag; /* a probe's source_tag is this plus a number that the provider chooses */
	struct d_probe_set *set;
};

/* A probe whose sites are wanted. */
struct kernel_provider_probe {
	struct btf *btf;     /* of the kernel */
	uint32_t number;     /* the one that the provider has chosen */
	uint32_t probe;      /* its number in the set */
	struct arena *arena; /* of what the sites point to */
};

struct kernel_provider {
	const char *name;
	/* The most probes that can be enabled at a time if each is at a function and needs a
	 * program of its own; 0: probes share programs. */
	unsigned functions_max;
	const struct kernel_view *views; /* only if the functions are kernel_view_...() */
	size_t view_count;
	/*
	 * Adds the probes to the set; called only if a description names the provider. *own is NULL
	 * and may be set to what the other functions get, even if this one fails. Returns 0 or
	 * -ENOMEM.
	 */
	int (*add)(const struct kernel_provider *provider,
		const struct kernel_provider_request *request, void **own);
	/*
	 * Writes the sites where a probe fires, at most KERNEL_PROVIDER_SITES; they are valid as
	 * long as the arena, btf and *own. Returns their number, or -ENOMEM.
	 */
	int (*sites)(const struct kernel_provider *provider,
		const struct kernel_provider_probe *probe, void *own, struct kernel_site *sites);
	void (*close)(void *own); /* NULL: there is nothing to free */
};

extern const struct kernel_provider kernel_provider_fasttrap, kernel_provider_fbt,
	kernel_provider_io, kernel_provider_proc, kernel_provider_sched, kernel_provider_sdt,
	kernel_provider_syscall;

/* Returns whether the description names the provider, by a pattern that is more than a '*'. */
bool kernel_provider_is_asked(const struct d_asked *asked, const char *provider);

#endif
