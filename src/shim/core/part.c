/*
 * part.c: the probe part's own state for provider vm: one object, registered with the runtime if
 * the process has one, and the functions that VMs not written in C use instead of the macros.
 */
#include "shim/core/object.h"
#include "vmtap_provider.h"

/* The list of the sites in this object. Our own entry makes sure that it always exists. */
VMTAP_HIDDEN extern const struct vmtap_site *__start_vmtap_vm_sites[];
VMTAP_HIDDEN extern const struct vmtap_site *__stop_vmtap_vm_sites[];
static const struct vmtap_site *listed VMTAP_LISTED(vmtap_vm_sites) = NULL;

static const struct vmtap_definition *definitions[VMTAP_PROBES];
static unsigned short *words[VMTAP_PROBES];
uint16_t vmtap_numbers[VMTAP_PROBES];

/* Defined here and not in the generated tables: the fire functions refer to it, so that a link with
 * the archive includes this file, whose constructor is not called by name. */
struct vmtap_object vmtap_object = {.size = sizeof(vmtap_object),
	.version = VMTAP_OBJECT_VERSION,
	.numbers = vmtap_numbers,
	.definition_size = sizeof(struct vmtap_definition)};

__attribute__((constructor)) static void part_enter(void)
{
	VMTAP_KEEP_LISTED(listed);
	vmtap_part_list(&vmtap_object, definitions, words, __start_vmtap_vm_sites,
		__stop_vmtap_vm_sites, NULL, NULL);
	vmtap_object.providers = vmtap_providers();
	vmtap_part_enter(&vmtap_object);
}

__attribute__((destructor)) static void part_leave(void)
{
	vmtap_part_leave(&vmtap_object);
}

const uint32_t *vmtap_guard(enum vmtap_probe probe)
{
	return (unsigned)probe < VMTAP_PROBES ? (const uint32_t *)(const void *)vmtap_words[probe]
					      : NULL;
}

int vmtap_poll(struct vmtap_guards *state, struct vmtap_guards *changed)
{
	int count = 0;

	for (unsigned i = 0; i < VMTAP_POLL_WORDS; i++) {
		uint64_t open = 0;
		for (unsigned j = 0; j < 64 && i * 64 + j < VMTAP_PROBES; j++) {
			const void *word = vmtap_words[i * 64 + j];
			uint32_t both = __atomic_load_n((const uint32_t *)word, __ATOMIC_RELAXED);
			open |= (uint64_t)(both != 0) << j;
		}
		uint64_t difference = open ^ state->open[i];
		count += __builtin_popcountll(difference);
		if (changed)
			changed->open[i] = difference;
		state->open[i] = open;
	}
	return count;
}
