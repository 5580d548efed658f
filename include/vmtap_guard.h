/*
 * vmtap_guard.h: the guards that generated headers (vmtap_probes.h, a VM author's lua_probes.h)
 * use. Include those, not this file.
 *
 * There is one aligned 32-bit word per probe and object. Its low half is the kernel's counter of
 * tracers (the USDT semaphore), its high half the stream's. It is tested by inline assembly because
 * the compiler may hoist a plain load out of a loop.
 */
#ifndef VMTAP_GUARD_H
#define VMTAP_GUARD_H

#define VMTAP_WORD(word) extern unsigned short word __attribute__((section(".probes"))) VMTAP_HIDDEN
/* The words of provider vm are declared as `dtrace -h` does, as their low half only; others in
 * full. */
#define VMTAP_WORD_32(word) extern uint32_t word __attribute__((section(".probes"))) VMTAP_HIDDEN

/* A word's address. The declared object may be only its low half; the compiler need not know. */
static inline const uint32_t *vmtap_word_(const void *word)
{
	__asm__("" : "+r"(word));
#ifdef __cplusplus
	return static_cast<const uint32_t *>(word);
#else
	return (const uint32_t *)word;
#endif
}

#ifdef __cplusplus
#define VMTAP_FUNCTION_(function) reinterpret_cast<vmtap_fire_function>(function)
#else
#define VMTAP_FUNCTION_(function) ((vmtap_fire_function)(function))
#endif

#if defined(__x86_64__)
/* The second form of the instruction is for -masm=intel. */
#if defined(__clang__)
#define VMTAP_TEST_ "{cmpl $0, %1|cmp dword ptr %1, 0}"
#else
#define VMTAP_TEST_ "{cmpl $0, %1|cmp %k1, 0}"
#endif
#define VMTAP_ENABLED_(word)                                                                       \
	__builtin_expect(__extension__({                                                           \
		int vmtap_enabled_;                                                                \
		__asm__ volatile(VMTAP_TEST_ : "=@ccne"(vmtap_enabled_) : "m"(word));              \
		vmtap_enabled_;                                                                    \
	}),                                                                                        \
		0)
#else
static inline int vmtap_enabled_(const void *word)
{
	unsigned int both;
	__asm__("" : "+r"(word));
	both = __atomic_load_n((const unsigned int *)word, __ATOMIC_RELAXED);
	return __builtin_expect(both != 0, 0);
}
#define VMTAP_ENABLED_(word) vmtap_enabled_(&(word))
#endif

#endif
