/*
 * attach.h: plans, loads and attaches the programs for a request, and detaches them.
 */
#ifndef VMTAP_KERNEL_PROCESS_ATTACH_H
#define VMTAP_KERNEL_PROCESS_ATTACH_H

#include "kernel/bpf/bpf_features.h"
#include "kernel/capture/capture.h"
#include "kernel/capture/plan.h"
#include "kernel/site/target_files.h"

/* A site that is attached to. Its number is the cookie of its events. */
struct kernel_attached {
	const struct kernel_site *site;
	uint32_t plan;
	bool begins; /* something whose end other sites tell */
};

struct kernel_attachment {
	struct bpf_features features;
	struct kernel_maps maps;
	uint32_t (*hit_counter)(const struct d_probe *probe); /* as kernel_silence_counter() */
	struct kernel_plan *plans;
	size_t plan_count, plan_capacity;
	int *programs; /* by plan; -1: not loaded */
	struct kernel_attached *sites;
	size_t site_count, site_capacity;
	size_t attached_count; /* sites, without those that the kernel has refused */
	int *links;
	size_t link_count, link_capacity;
	int *large_links; /* those with many sites */
	size_t large_count, large_capacity;
};

/*
 * Attaches to the sites of all probes that are wanted. The attachment's features, hit_counter,
 * maps.first_site and maps.reduction have been set; ring is the ring's map. Returns 0, or a
 * negative errno with a line in error that names the probe and the file. Call kernel_attach_end()
 * even on failure.
 */
int kernel_attach_begin(struct kernel_attachment *attachment, struct kernel_target *target,
	const struct d_probe_set *set, const struct source_request *request, int ring,
	uint32_t wake_bytes, struct error *error);

/* Closes the links with many sites, which are better closed one after the other. */
void kernel_attach_close_large(struct kernel_attachment *attachment);

/* Detaches: no more events occur. Keeps what is needed to read those that did occur. */
void kernel_attach_stop(struct kernel_attachment *attachment);
void kernel_attach_end(struct kernel_attachment *attachment);

#endif
