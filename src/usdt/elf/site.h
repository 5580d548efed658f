/*
 * site.h: the instruction at a USDT site. A site is a nop that a tracer replaces with a
 * breakpoint; the kind of nop decides what tracers can do there.
 */
#ifndef VMTAP_USDT_ELF_SITE_H
#define VMTAP_USDT_ELF_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SITE_BYTES = 11 /* the longest form: a 1-byte nop and a 10-byte nop */
};

enum site_form {
	SITE_UNREADABLE, /* the file has no bytes there */
	SITE_NOP,        /* the machine's nop: one byte on x86 */
	SITE_NOP_NOP5,   /* x86: 1-byte nop, then a 5-byte nop */
	SITE_NOP_NOP10,  /* x86: 1-byte nop, then a 10-byte nop */
	SITE_NOP5,       /* x86: a single 5-byte nop: unsafe where kernels turn it into a call */
	SITE_BREAKPOINT, /* the file itself contains a debugger's or tracer's breakpoint */
	SITE_OTHER,      /* an instruction that no tracer expects */
	SITE_ANY         /* a machine whose nop is not known */
};

/* The form of the bytes at a site, for this ELF machine number. */
enum site_form site_form(uint16_t machine, const uint8_t *bytes, size_t count);

/* Text for users: "1-byte nop, 10-byte nop". */
const char *site_form_text(enum site_form form);

/* Whether tracers handle the form safely. */
bool site_form_is_safe(enum site_form form);

#endif
