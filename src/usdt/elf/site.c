/* site.c: see site.h. */
#include <elf.h>
#include <string.h>

#include "usdt/elf/site.h"

static bool begins(const uint8_t *bytes, size_t count, const char *form, size_t length)
{
	return count >= length && memcmp(bytes, form, length) == 0;
}

static enum site_form x86_form(const uint8_t *bytes, size_t count)
{
	static const char nop5[] = "\x0f\x1f\x44\x00\x00";
	static const char nop10[] = "\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00";

	if (bytes[0] == 0xcc)
		return SITE_BREAKPOINT;
	if (begins(bytes, count, nop5, 5))
		return SITE_NOP5;
	if (bytes[0] != 0x90)
		return SITE_OTHER;
	if (begins(bytes + 1, count - 1, nop5, 5))
		return SITE_NOP_NOP5;
	if (begins(bytes + 1, count - 1, nop10, 10))
		return SITE_NOP_NOP10;
	return SITE_NOP;
}

/*
 * The nops that assemblers write for "nop", in the byte order of instructions. For machines
 * with instructions of either byte order, both are here.
 */
static const struct {
	uint16_t machine;
	uint8_t length;
	const char *bytes;
} nops[] = {
	{EM_AARCH64, 4, "\x1f\x20\x03\xd5"},
	{EM_ARM, 4, "\x00\xf0\x20\xe3"},
	{EM_ARM, 4, "\xe3\x20\xf0\x00"},
	{EM_ARM, 4, "\x00\x00\xa0\xe1"}, /* mov r0, r0 */
	{EM_ARM, 4, "\xe1\xa0\x00\x00"},
	{EM_ARM, 2, "\x00\xbf"},
	{EM_ARM, 2, "\xbf\x00"},
	{EM_ARM, 2, "\xc0\x46"}, /* mov r8, r8 */
	{EM_PPC, 4, "\x60\x00\x00\x00"},
	{EM_PPC64, 4, "\x60\x00\x00\x00"},
	{EM_PPC64, 4, "\x00\x00\x00\x60"},
	{EM_S390, 4, "\x47\x00\x00\x00"},
	{EM_S390, 2, "\x07\x00"},
	{EM_S390, 2, "\x07\x07"},
	{EM_RISCV, 4, "\x13\x00\x00\x00"},
	{EM_RISCV, 2, "\x01\x00"},
	{EM_MIPS, 4, "\x00\x00\x00\x00"},
	{EM_SPARC, 4, "\x01\x00\x00\x00"},
	{EM_SPARCV9, 4, "\x01\x00\x00\x00"},
	{258 /* LoongArch */, 4, "\x00\x00\x40\x03"},
};

enum site_form site_form(uint16_t machine, const uint8_t *bytes, size_t count)
{
	bool known = false;

	if (count == 0)
		return SITE_UNREADABLE;
	if (machine == EM_X86_64 || machine == EM_386)
		return x86_form(bytes, count);
	for (size_t i = 0; i < sizeof(nops) / sizeof(nops[0]); i++) {
		if (nops[i].machine != machine)
			continue;
		known = true;
		if (begins(bytes, count, nops[i].bytes, nops[i].length))
			return SITE_NOP;
	}
	return known ? SITE_OTHER : SITE_ANY;
}

const char *site_form_text(enum site_form form)
{
	switch (form) {
	case SITE_UNREADABLE:
		return "not in the file";
	case SITE_NOP:
		return "nop";
	case SITE_NOP_NOP5:
		return "nop, 5-byte nop";
	case SITE_NOP_NOP10:
		return "nop, 10-byte nop";
	case SITE_NOP5:
		return "lone 5-byte nop (unsafe)";
	case SITE_BREAKPOINT:
		return "breakpoint";
	case SITE_OTHER:
		return "not a nop";
	case SITE_ANY:
		return "not known for this machine";
	}
	return "";
}

bool site_form_is_safe(enum site_form form)
{
	return form == SITE_NOP || form == SITE_NOP_NOP5 || form == SITE_NOP_NOP10 ||
		form == SITE_ANY;
}
