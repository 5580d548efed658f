/*
 * vmtap_provider.h: the parts of the C files that `vmtap generate` makes, and of vmtap's own. A VM
 * author's code includes the generated header, not this file.
 *
 * A generated file has, for each probe of its provider, a word (vmtap_guard.h), a fire function
 * with the USDT site, and a definition (vmtap_object.h); and one struct vmtap_object, which a
 * constructor registers with the runtime. What an object's code does not refer to need not be
 * linked into it: compiled with -DVMTAP_MEMBER, a generated file makes only one member of an
 * archive, the fire function of one probe, or what all of them share. Each member with a fire
 * function adds a pointer to a section; the constructor finds there what the object can fire.
 *
 * A fire function
 *   - references the base section, which linkers would otherwise drop with --gc-sections;
 *   - touches both ends of each string, because a tracer in the kernel may not fault pages in;
 *   - holds the one USDT site of its probe, with operands in registers or constants;
 *   - and, if the stream requests the event, writes a record into the thread's ring.
 * It must stay one function in one place (no clones: each would be another site), and is cold for
 * its callers. On x86-64 its file should be compiled with -mno-red-zone, because newer kernels
 * turn a site into a call.
 */
#ifndef VMTAP_PROVIDER_H
#define VMTAP_PROVIDER_H

#include <stdint.h>
#include <string.h>

#include "vmtap_object.h"

#ifndef VMTAP_DISABLE

/* ---- sites ---- */

#ifndef _SDT_HAS_SEMAPHORES
#define _SDT_HAS_SEMAPHORES 1
#endif
/* Registers or constants: consumers misread symbol-relative operands. */
#undef STAP_SDT_ARG_CONSTRAINT
#define STAP_SDT_ARG_CONSTRAINT nr
#include <sys/sdt.h>
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
#define VMTAP_KEEP_BASE __asm__ volatile(".reloc ., BFD_RELOC_NONE, _.stapsdt.base")
#elif defined(__aarch64__)
#define VMTAP_KEEP_BASE __asm__ volatile(".reloc ., R_AARCH64_NONE, _.stapsdt.base")
#else
#define VMTAP_KEEP_BASE ((void)0)
#endif

#if defined(__has_attribute)
#if __has_attribute(noipa)
#define VMTAP_FIRE_FUNCTION VMTAP_HIDDEN __attribute__((cold, noinline, noipa, used))
#endif
#endif
#ifndef VMTAP_FIRE_FUNCTION
#define VMTAP_FIRE_FUNCTION VMTAP_HIDDEN __attribute__((cold, noinline, used))
#endif

/*
 * The definition of a word, and what precedes the words of a file: they begin a page. lld and mold
 * put the end of one writable segment and the start of the next into the same page of the file,
 * which is then mapped twice; a kernel tracer that was there before the program started would raise
 * the words in the wrong one of the two mappings.
 */
#define VMTAP_WORD_DEFINED __attribute__((section(".probes"), used))
#if defined(__x86_64__) || defined(__i386__)
#define VMTAP_PAGE_ "4096"
#else
#define VMTAP_PAGE_ "65536"
#endif
#define VMTAP_WORDS_BEGIN                                                                          \
	__asm__(".pushsection .probes,\"aw\",%progbits\n\t.balign " VMTAP_PAGE_ "\n\t.popsection")

/* ---- the list of an object's probes ---- */

/* A member's entry in the list. It is writable in any build, because some linkers keep sections of
 * one name apart if their flags differ. */
#define VMTAP_LISTED(list) __attribute__((section(#list), used))
/* A fire function refers to its entry, or a linker that drops unused sections might drop it. */
#define VMTAP_KEEP_LISTED(entry) __asm__ volatile("" : : "r"(&(entry)))

/*
 * Fills in the tables of an object, which have room for all events of the provider, from the list
 * between begin and end. The runtime identifies an event by its index in the tables, and expects a
 * definition at each index. Where the object has no such event, that is another one's definition
 * again, with a word that nobody reads. first is a copy of a definition that carries the provider's
 * own definition in D, if there is one.
 */
__attribute__((unused)) static void vmtap_part_list(struct vmtap_object *object,
	const struct vmtap_definition **definitions, unsigned short **words,
	const struct vmtap_site *const *begin, const struct vmtap_site *const *end,
	struct vmtap_definition *first, const char *library)
{
	static uint32_t nobody;
	const struct vmtap_definition *other = NULL;
	uint32_t count = 0;

	for (; begin != end; begin++) {
		const struct vmtap_site *site = *begin;

		if (!site)
			continue;
		definitions[site->event] = site->definition;
		words[site->event] = site->word;
		if (site->event >= count)
			count = site->event + 1;
	}
	for (uint32_t i = 0; i < count && !other; i++) {
		if (!definitions[i])
			continue;
		if (library) {
			*first = *definitions[i];
			first->library = library;
			definitions[i] = first;
		}
		other = definitions[i];
	}
	for (uint32_t i = 0; i < count; i++) {
		if (definitions[i])
			continue;
		definitions[i] = other;
		words[i] = (unsigned short *)(void *)&nobody;
	}
	object->definitions = definitions;
	object->words = words;
	object->event_count = count;
}

/* ---- parts of fire functions ---- */

/* Cold functions are optimised for size, so their parts would not be inlined otherwise. */
#define VMTAP_FIRE_PART static inline __attribute__((always_inline, unused))

/* NULL violates the contract, but must not crash a traced program. */
VMTAP_FIRE_PART struct vmtap_name *vmtap_touch_name(struct vmtap_name *name)
{
	static struct vmtap_name none = VMTAP_NAME("");

	if (__builtin_expect(!name || !name->text, 0))
		return &none;
	(void)*(const volatile char *)name->text;
	(void)*(const volatile char *)(name->text + name->length);
	return name;
}

/* Returns the length of the text, at most what fits into a record. */
VMTAP_FIRE_PART uint32_t vmtap_touch_text(const char **text)
{
	const char *end;

	if (__builtin_expect(!*text, 0))
		*text = "";
	end = (const char *)memchr(*text, 0, VMTAP_RECORD_TEXT_MAX);
	return end ? (uint32_t)(end - *text) : (uint32_t)VMTAP_RECORD_TEXT_MAX;
}

/* The stream's half of a word. Access it only with 16-bit stores: at any moment the kernel may
 * change the other half with a plain 16-bit read-modify-write. */
VMTAP_FIRE_PART int vmtap_wants_stream(const void *word)
{
	const uint16_t *half = (const uint16_t *)word;

	__asm__("" : "+r"(half)); /* the declared object is only the first half */
	return __atomic_load_n(half + 1, __ATOMIC_RELAXED) != 0;
}

VMTAP_FIRE_PART const struct vmtap_runtime *vmtap_object_runtime(const struct vmtap_object *object)
{
	return __atomic_load_n((const struct vmtap_runtime *const *)(const void *)&object->runtime,
		__ATOMIC_ACQUIRE);
}

VMTAP_FIRE_PART uint32_t vmtap_name_id(const struct vmtap_object *object, struct vmtap_name *name)
{
	uint32_t id = __atomic_load_n(&name->id, __ATOMIC_ACQUIRE);
	const struct vmtap_runtime *runtime;

	/* neither 0 nor VMTAP_NAME_ID_NONE */
	if (__builtin_expect(id + 1 > 1, 1))
		return id;
	runtime = vmtap_object_runtime(object);
	return runtime ? runtime->name(name) : 0;
}

VMTAP_FIRE_PART struct vmtap_record *vmtap_record_begin(
	const struct vmtap_object *object, const uint16_t *number, uint32_t bytes)
{
	const struct vmtap_runtime *runtime = vmtap_object_runtime(object);

	return runtime ? runtime->begin(__atomic_load_n(number, __ATOMIC_RELAXED), bytes) : NULL;
}

VMTAP_FIRE_PART uint32_t vmtap_text_bytes(uint32_t fixed, uint32_t length)
{
	return (fixed + length + VMTAP_RECORD_ALIGN - 1) & ~(uint32_t)(VMTAP_RECORD_ALIGN - 1);
}

VMTAP_FIRE_PART void vmtap_put_u32(struct vmtap_record *record, uint32_t offset, uint32_t value)
{
	memcpy(record->at + offset, &value, sizeof(value));
}

VMTAP_FIRE_PART void vmtap_put_u64(struct vmtap_record *record, uint32_t offset, uint64_t value)
{
	memcpy(record->at + offset, &value, sizeof(value));
}

VMTAP_FIRE_PART void vmtap_put_text(
	struct vmtap_record *record, uint32_t offset, const char *text, uint32_t length)
{
	vmtap_put_u32(record, offset, length);
	memcpy(record->at + offset + 4, text, length);
}

VMTAP_FIRE_PART void vmtap_record_commit(struct vmtap_record *record)
{
	__atomic_store_n((uint64_t *)(void *)&record->head, record->next, __ATOMIC_RELEASE);
	__atomic_store_n((uint32_t *)(void *)&record->busy, 0, __ATOMIC_RELEASE);
}

#endif
#endif
