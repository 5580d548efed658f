/*
 * contract_check.h: compares the probes of an image with a contract, and with what tracers
 * require of a probe to be safe and readable. It is all of `vmtap check` except the options
 * and the output.
 */
#ifndef VMTAP_USDT_ELF_CONTRACT_CHECK_H
#define VMTAP_USDT_ELF_CONTRACT_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "contract/contract.h"
#include "usdt/elf/image.h"

enum verify_kind {
	VERIFY_MISSING,    /* declared but not there */
	VERIFY_UNDECLARED, /* there, of a declared provider, but not declared */
	VERIFY_ALLOWED,    /* there, although listed as possibly missing */
	VERIFY_DAMAGED,    /* a note that cannot be parsed */
	VERIFY_BASE,       /* tracers would compute wrong addresses */
	VERIFY_SITE,       /* the site's place or its instruction */
	VERIFY_SEMAPHORE,
	VERIFY_ARGUMENTS, /* number, size, signedness */
	VERIFY_OPERAND    /* tracers cannot read it */
};

struct verify_finding {
	enum verify_kind kind;
	const char *provider; /* NULL if it is about the image */
	const char *probe;    /* NULL if it is about the provider */
	int argument;         /* counted from 0; -1 if it is about none */
	bool has_address;
	unsigned long long address; /* of the site */
	char *text;                 /* without binary and probe: "argument 2: contract says ..." */
};

struct verify_report {
	size_t count, capacity;
	struct verify_finding *findings;
};

/* A probe that may be missing. */
struct verify_allowed {
	const char *provider; /* NULL: of any provider */
	const char *probe;
};

/* "missing", "semaphore"...: a finding's kind, for use by programs. */
const char *verify_kind_text(enum verify_kind kind);

/*
 * Compares, and appends each problem to *report, which the caller has zeroed and will free.
 * The findings' names point into contract and image. Returns 0 or -ENOMEM.
 */
int verify_image(const struct contract *contract, const struct verify_allowed *allowed,
	size_t allowed_count, const struct usdt_image *image, struct verify_report *report);
void verify_free(struct verify_report *report);

/* Whether the image has a site of any of the contract's providers. */
bool verify_concerns(const struct contract *contract, const struct usdt_image *image);

#endif
