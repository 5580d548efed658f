/*
 * fire.h: the building blocks of the generated fire functions. A fire function
 *   - references the base section, which linkers would otherwise drop with --gc-sections;
 *   - touches both ends of each string, because a tracer in the kernel may not fault pages in;
 *   - holds the one USDT site of its probe, with operands in registers or constants;
 *   - and, if the stream requests the event, writes a record into the thread's ring.
 * It must stay one function in one place (no clones: each would be another site), is cold for
 * its callers, and is compiled without a red zone, because newer kernels turn a site into a
 * call.
 * It calls the functions of the compatible providers that the VM has opted in for, through a
 * table of each. Such a function holds its provider's site of this event in the same way.
 */
#ifndef VMTAP_SHIM_FIRE_H
#define VMTAP_SHIM_FIRE_H

#include <string.h>

#include "shim/object.h"

/* Registers or constants: consumers misread symbol-relative operands. */
#define STAP_SDT_ARG_CONSTRAINT nr
#include "vmtap_sites.h" /* made by dtrace -h */
#if defined(__x86_64__)
/* A site is nop (90) and a 10-byte nop (66 2e 0f 1f 84 00 00 00 00 00). The note names the first
 * byte, which every tracer handles. It is written without commas because it is a macro argument. */
#undef _SDT_NOP
#define _SDT_NOP                                                                                   \
	.quad 0x0000841f0f2e6690;                                                                  \
	.short 0;                                                                                  \
	.byte 0
#endif

#if defined(__x86_64__)
#define FIRE_KEEP_BASE __asm__ volatile(".reloc ., BFD_RELOC_NONE, _.stapsdt.base")
#elif defined(__aarch64__)
#define FIRE_KEEP_BASE __asm__ volatile(".reloc ., R_AARCH64_NONE, _.stapsdt.base")
#else
#define FIRE_KEEP_BASE ((void)0)
#endif

#if defined(__has_attribute) && __has_attribute(noipa)
#define FIRE VMTAP_HIDDEN __attribute__((cold, noinline, noipa, used))
#else
#define FIRE VMTAP_HIDDEN __attribute__((cold, noinline, used))
#endif

/* A function of a compatible provider: a fire function calls it through the provider's table. */
#define FIRE_HOOK static __attribute__((cold, noinline, used))

/* The pointer to a provider's table. Fire functions define it as NULL, weakly; the provider's
 * object, if it is linked, replaces that definition. It must be defined always: some linkers (gold)
 * resolve a weak undefined symbol to garbage when it is hidden, and the program would die at its
 * first event. It is not const, because gcc would take the weak value for the final one, but is
 * read-only once the program is loaded. */
#define FIRE_HOOKS __attribute__((section(".data.rel.ro")))

/* Cold functions are optimised for size, so their parts would not be inlined otherwise. */
#define FIRE_PART inline __attribute__((always_inline))

static struct vmtap_name fire_no_name = VMTAP_NAME("");

/* NULL violates the contract, but must not crash a traced program. */
static FIRE_PART struct vmtap_name *fire_touch_name(struct vmtap_name *name)
{
	if (__builtin_expect(!name || !name->text, 0))
		return &fire_no_name;
	(void)*(const volatile char *)name->text;
	(void)*(const volatile char *)(name->text + name->length);
	return name;
}

/* Returns the length of the text, at most what fits into a record. */
static FIRE_PART uint32_t fire_touch_text(const char **text)
{
	if (__builtin_expect(!*text, 0))
		*text = "";
	return (uint32_t)strnlen(*text, RECORD_TEXT_MAX);
}

static FIRE_PART int fire_wants_stream(const void *word)
{
	return vmtap_word_stream_load(word) != 0;
}

static FIRE_PART uint32_t fire_name(struct vmtap_name *name)
{
	uint32_t id = __atomic_load_n(&name->id, __ATOMIC_ACQUIRE);
	const struct vmtap_runtime *runtime;

	/* Neither 0 nor VMTAP_NAME_ID_NONE. */
	if (__builtin_expect(id + 1 > 1, 1))
		return id;
	runtime = atomic_load_explicit(&vmtap_object.runtime, memory_order_acquire);
	return runtime ? runtime->name(name) : 0;
}

static FIRE_PART struct vmtap_record *fire_begin(enum vmtap_probe probe, uint32_t bytes)
{
	const struct vmtap_runtime *runtime =
		atomic_load_explicit(&vmtap_object.runtime, memory_order_acquire);

	return runtime
		? runtime->begin(__atomic_load_n(&vmtap_numbers[probe], __ATOMIC_RELAXED), bytes)
		: NULL;
}

static FIRE_PART uint32_t fire_text_bytes(uint32_t fixed, uint32_t length)
{
	return (fixed + length + RECORD_ALIGN - 1) & ~(uint32_t)(RECORD_ALIGN - 1);
}

static FIRE_PART void fire_put_u32(struct vmtap_record *record, uint32_t offset, uint32_t value)
{
	memcpy(record->at + offset, &value, sizeof(value));
}

static FIRE_PART void fire_put_u64(struct vmtap_record *record, uint32_t offset, uint64_t value)
{
	memcpy(record->at + offset, &value, sizeof(value));
}

static FIRE_PART void fire_put_text(
	struct vmtap_record *record, uint32_t offset, const char *text, uint32_t length)
{
	fire_put_u32(record, offset, length);
	memcpy(record->at + offset + 4, text, length);
}

static FIRE_PART void fire_commit(struct vmtap_record *record)
{
	atomic_store_explicit(&record->head, record->next, memory_order_release);
	atomic_store_explicit(&record->busy, 0, memory_order_release);
}

#endif
