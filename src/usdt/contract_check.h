/*
 * contract_check.h: compares the probes of an image with a contract, and with what tracers need
 * of a probe to be safe and readable. This is the whole of `vmtap check` but its options
 * and its output.
 */
#ifndef VMTAP_USDT_CONTRACT_CHECK_H
#define VMTAP_USDT_CONTRACT_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "contract/contract.h"
#include "usdt/image.h"

enum verify_kind {
	VERIFY_MISSING,    /* declared, not there */
	VERIFY_UNDECLARED, /* there, of a declared provider, not declared */
	VERIFY_ALLOWED,    /* there although listed as allowed to be missing */
	VERIFY_DAMAGED,    /* a note that cannot be read */
	VERIFY_BASE,       /* tracers would compute wrong addresses */
	VERIFY_SITE,       /* where the site is, or its instruction */
	VERIFY_SEMAPHORE,
	VERIFY_ARGUMENTS, /* number, size, signedness */
	VERIFY_OPERAND    /* tracers cannot read it */
};

struct verify_finding {
	enum verify_kind kind;
	const char *provider; /* NULL when it is about the image */
	const char *probe;    /* NULL when it is about the provider */
	int argument;         /* from 0; -1 when it is about none */
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

/* "missing", "semaphore"...: a finding's kind for programs. */
const char *verify_kind_text(enum verify_kind kind);

/*
 * Compares, and appends to *report what is wrong; the caller has set it to zero and frees
 * it. The findings' names point into contract and image. 0 or -ENOMEM.
 */
int verify_image(const struct contract *contract, const struct verify_allowed *allowed,
	size_t allowed_count, const struct usdt_image *image, struct verify_report *report);
void verify_free(struct verify_report *report);

/* Whether the image has a site of one of the contract's providers. */
bool verify_concerns(const struct contract *contract, const struct usdt_image *image);

#endif
