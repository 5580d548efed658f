/*
 * contract_check.c: see contract_check.h.
 *
 * The sites are sorted by provider and name once. Then each probe of the contract is checked
 * against all its sites, because a tracer may hit any of them. The checks cover the errors
 * that occur in practice: a base that a linker dropped, a site that is not a safe nop, a
 * guard with no semaphore or with two, an argument whose size differs between sites, an
 * operand that only a debugger could read.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#include "base/clean_text.h"
#include "usdt/elf/contract_check.h"

#define EVENT_PROVIDER "vm" /* provider of the events in "@event" lines */

struct contract_checker {
	const struct contract *contract;
	const struct verify_allowed *allowed;
	size_t allowed_count;
	const struct usdt_image *image;
	const struct usdt_site **sites; /* sorted by provider, name, then order of notes */
	struct verify_report *report;
	int error;
};

/* What a finding refers to. */
struct subject {
	const char *provider, *probe;
	const struct usdt_site *site;
	int argument;
};

static void add_finding(struct contract_checker *verifier, enum verify_kind kind,
	struct subject subject, const char *format, ...) __attribute__((format(printf, 4, 5)));

static void add_finding(struct contract_checker *verifier, enum verify_kind kind,
	struct subject subject, const char *format, ...)
{
	struct verify_report *report = verifier->report;
	struct verify_finding *finding;
	va_list arguments;
	int length;

	if (verifier->error < 0)
		return;
	if (array_room(&report->findings, &report->capacity, report->count, sizeof(*finding))) {
		verifier->error = -ENOMEM;
		return;
	}
	finding = &report->findings[report->count];
	*finding = (struct verify_finding){.kind = kind,
		.provider = subject.provider,
		.probe = subject.probe,
		.argument = subject.argument,
		.has_address = subject.site != NULL,
		.address = subject.site ? subject.site->code.address : 0};
	va_start(arguments, format);
	length = vasprintf(&finding->text, format, arguments);
	va_end(arguments);
	if (length < 0) {
		verifier->error = -ENOMEM;
		return;
	}
	clean_text(finding->text, (size_t)length + 1, finding->text, (size_t)length, false);
	report->count++;
}

/* Describes a site's address: "0x4011a0", or ".text+0x10". */
static const char *where(const struct usdt_place *place, char text[64])
{
	if (place->relocation)
		snprintf(text, 64, "%s", place->relocation);
	else
		snprintf(text, 64, "0x%" PRIx64, place->address);
	return text;
}

static int compare_sites(const void *a, const void *b)
{
	const struct usdt_site *x = *(const struct usdt_site *const *)a;
	const struct usdt_site *y = *(const struct usdt_site *const *)b;
	int order = usdt_site_compare(x, y);

	if (order == 0)
		order = x < y ? -1 : x > y;
	return order;
}

/* Returns the first site of a probe (of a provider if probe is NULL) and sets *count to their
 * number. */
static const struct usdt_site **find_sites(const struct contract_checker *verifier,
	const char *provider, const char *probe, size_t *count)
{
	size_t total = verifier->image->site_count;
	size_t low = 0, high = total;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct usdt_site *site = verifier->sites[middle];
		int order = strcmp(site->provider, provider);

		if (order == 0 && probe)
			order = strcmp(site->name, probe);
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*count = 0;
	while (low + *count < total) {
		const struct usdt_site *site = verifier->sites[low + *count];

		if (strcmp(site->provider, provider) != 0 ||
			(probe && strcmp(site->name, probe) != 0))
			break;
		++*count;
	}
	return verifier->sites + low;
}

static bool is_allowed(
	const struct contract_checker *verifier, const char *provider, const char *probe)
{
	for (size_t i = 0; i < verifier->allowed_count; i++) {
		const struct verify_allowed *allowed = &verifier->allowed[i];

		if ((!allowed->provider || strcmp(allowed->provider, provider) == 0) &&
			strcmp(allowed->probe, probe) == 0)
			return true;
	}
	return false;
}

/* --- one site --- */

static void check_base(struct contract_checker *verifier, struct subject subject)
{
	const struct usdt_image *image = verifier->image;
	const struct usdt_site *site = subject.site;

	if (image->is_relocatable)
		return;
	if (!image->has_base)
		add_finding(verifier, VERIFY_BASE, subject,
			"the section .stapsdt.base is missing (dropped by the linker): tracers "
			"compute wrong addresses");
	else if (site->recorded_base == 0)
		add_finding(verifier, VERIFY_BASE, subject,
			"site 0x%" PRIx64 " has base 0: tracers compute wrong addresses",
			site->code.address);
	else if (site->recorded_base != image->base)
		add_finding(verifier, VERIFY_BASE, subject,
			"site 0x%" PRIx64 " has base 0x%" PRIx64
			", but .stapsdt.base is at 0x%" PRIx64,
			site->code.address, site->recorded_base, image->base);
}

static void check_code(struct contract_checker *verifier, struct subject subject)
{
	const struct usdt_site *site = subject.site;
	char text[64];

	where(&site->code, text);
	if (!site->code.is_mapped)
		add_finding(verifier, VERIFY_SITE, subject, "site %s is in no segment", text);
	else if (!site->code.is_executable)
		add_finding(verifier, VERIFY_SITE, subject,
			"site %s is in a segment that is not executable", text);
	else if (site->form == SITE_NOP5)
		add_finding(verifier, VERIFY_SITE, subject,
			"site %s is a lone 5-byte nop, which is unsafe: kernels that make it a "
			"call "
			"kill forked children",
			text);
	else if (site->form == SITE_BREAKPOINT)
		add_finding(verifier, VERIFY_SITE, subject, "site %s is a breakpoint in the file",
			text);
	else if (!site_form_is_safe(site->form))
		add_finding(verifier, VERIFY_SITE, subject,
			"site %s is not a nop that tracers expect (%s)", text,
			site_form_text(site->form));
}

static void check_semaphore(struct contract_checker *verifier, struct subject subject)
{
	const struct usdt_site *site = subject.site;
	const struct usdt_place *semaphore = &site->semaphore;
	char text[64], at[64];
	bool named;

	where(&site->code, text);
	if (!semaphore->is_set) {
		add_finding(verifier, VERIFY_SEMAPHORE, subject,
			"site %s has no semaphore: tracers cannot open its guard", text);
		return;
	}
	where(semaphore, at);
	named = site->semaphore_symbol && strcmp(at, site->semaphore_symbol) != 0;
	if (site->semaphore_visibility == USDT_VISIBILITY_GLOBAL)
		add_finding(verifier, VERIFY_SEMAPHORE, subject,
			"semaphore %s%s%s%s is neither hidden nor local: another object may take "
			"its place",
			at, named ? " (" : "", named ? site->semaphore_symbol : "",
			named ? ")" : "");
	/* in a relocatable object it may belong to another object and has no place yet */
	if (!semaphore->is_mapped && !verifier->image->is_relocatable)
		add_finding(
			verifier, VERIFY_SEMAPHORE, subject, "semaphore %s is in no segment", at);
	else if (semaphore->is_mapped && !semaphore->is_writable)
		add_finding(verifier, VERIFY_SEMAPHORE, subject,
			"semaphore %s is in a segment that is not writable", at);
	else if (semaphore->is_mapped && semaphore->is_executable)
		add_finding(verifier, VERIFY_SEMAPHORE, subject,
			"semaphore %s is in a segment that is executable", at);
	else if (semaphore->is_mapped && !semaphore->has_offset)
		add_finding(verifier, VERIFY_SEMAPHORE, subject,
			"semaphore %s is not in the file: kernels cannot raise it", at);
	else if (semaphore->is_mapped && semaphore->address & 1)
		add_finding(verifier, VERIFY_SEMAPHORE, subject,
			"semaphore %s has an odd address: kernels refuse it", at);
}

static void check_argument(struct contract_checker *verifier, struct subject subject,
	const struct contract_argument *declared, const struct operand_argument *found)
{
	bool is_64 = verifier->image->is_64;
	uint8_t size = is_64 ? declared->size : declared->size_ilp32;
	int length = found->text_length < 200 ? (int)found->text_length : 200;
	char text[64];

	where(&subject.site->code, text);
	if (found->size != size || found->is_float ||
		(declared->kind == CONTRACT_INTEGER && found->is_signed != declared->is_signed &&
			strcmp(declared->type, "char") != 0)) {
		if (found->size == 0)
			add_finding(verifier, VERIFY_ARGUMENTS, subject,
				"contract says %s, site %s has %.*s without a size", declared->type,
				text, length, found->text);
		else
			add_finding(verifier, VERIFY_ARGUMENTS, subject,
				"contract says %s, site %s has %s%d%s@%.*s", declared->type, text,
				found->is_signed ? "-" : "", found->size,
				found->is_float ? "f" : "", length, found->text);
	}
	switch (found->operand.kind) {
	case OPERAND_VERBATIM:
		break; /* the machine's operands are not known here */
	case OPERAND_SYMBOL:
		add_finding(verifier, VERIFY_OPERAND, subject,
			"site %s has the symbol-relative operand %.*s, which tracers read as 0",
			text, length, found->text);
		break;
	case OPERAND_UNKNOWN:
		add_finding(verifier, VERIFY_OPERAND, subject,
			"site %s has an operand of no known form: %.*s", text, length, found->text);
		break;
	default:
		if (!found->operand.is_portable && !found->is_float)
			add_finding(verifier, VERIFY_OPERAND, subject,
				"site %s has the operand %.*s, which libbpf cannot decode", text,
				length, found->text);
	}
}

static void check_arguments(struct contract_checker *verifier, struct subject subject,
	const struct contract_probe *probe)
{
	const struct usdt_site *site = subject.site;
	char text[64];

	where(&site->code, text);
	if (site->argument_count != probe->argument_count || site->has_more_arguments)
		add_finding(verifier, VERIFY_ARGUMENTS, subject,
			"contract says %d argument%s, site %s has %s%d", probe->argument_count,
			probe->argument_count == 1 ? "" : "s", text,
			site->has_more_arguments ? "more than " : "", site->argument_count);
	for (int i = 0; i < site->argument_count && i < probe->argument_count; i++) {
		subject.argument = i;
		check_argument(verifier, subject, &probe->arguments[i], &site->arguments[i]);
	}
}

/* --- one probe --- */

static bool same_place(const struct usdt_place *a, const struct usdt_place *b)
{
	if (a->relocation && b->relocation && (a->section == 0 || b->section == 0))
		return strcmp(a->relocation, b->relocation) == 0;
	return a->section == b->section && a->address == b->address;
}

/* A compatible provider's site must be guarded by its event's semaphore if the image has that:
 * otherwise it never fires for a tracer that raises only the site's own. */
static void check_event(
	struct contract_checker *verifier, struct subject subject, const char *event)
{
	const struct usdt_site *site = subject.site;
	char text[64], other[64];
	size_t count;
	const struct usdt_site **events = find_sites(verifier, EVENT_PROVIDER, event, &count);

	if (count > 0 && site->semaphore.is_set && events[0]->semaphore.is_set &&
		!same_place(&site->semaphore, &events[0]->semaphore))
		add_finding(verifier, VERIFY_SEMAPHORE, subject,
			"semaphore %s is not that of its event, " EVENT_PROVIDER
			":::%s, which is %s",
			where(&site->semaphore, text), event, where(&events[0]->semaphore, other));
}

static void check_probe(struct contract_checker *verifier, const struct contract_provider *provider,
	const struct contract_probe *probe)
{
	struct subject subject = {provider->name, probe->name, NULL, -1};
	const struct usdt_site *guarded = NULL;
	size_t count;
	const struct usdt_site **sites = find_sites(verifier, provider->name, probe->name, &count);
	bool allowed = is_allowed(verifier, provider->name, probe->name);

	if (count == 0 && !allowed && verifier->image->dead_count > 0)
		add_finding(verifier, VERIFY_MISSING, subject,
			"missing: the contract declares it; %zu note%s of the file name%s no "
			"executable code",
			verifier->image->dead_count, verifier->image->dead_count == 1 ? "" : "s",
			verifier->image->dead_count == 1 ? "s" : "");
	else if (count == 0 && !allowed)
		add_finding(verifier, VERIFY_MISSING, subject, "missing: the contract declares it");
	if (count > 0 && allowed)
		add_finding(verifier, VERIFY_ALLOWED, subject,
			"is listed as allowed to be missing, but it is there");
	for (size_t i = 0; i < count; i++) {
		const struct usdt_site *site = sites[i];
		char first[64], other[64];

		subject.site = site;
		/* a problem of all sites of an image is reported once */
		if (verifier->image->has_base)
			check_base(verifier, subject);
		check_code(verifier, subject);
		check_semaphore(verifier, subject);
		check_arguments(verifier, subject, probe);
		if (probe->event.present)
			check_event(verifier, subject, probe->event.name);
		if (site->semaphore.is_set && !guarded)
			guarded = site;
		else if (site->semaphore.is_set &&
			!same_place(&guarded->semaphore, &site->semaphore))
			add_finding(verifier, VERIFY_SEMAPHORE, subject,
				"two semaphores, %s and %s: tracers raise one of them",
				where(&guarded->semaphore, first), where(&site->semaphore, other));
	}
}

static int compare_semaphores(const void *a, const void *b)
{
	const struct usdt_site *x = *(const struct usdt_site *const *)a;
	const struct usdt_site *y = *(const struct usdt_site *const *)b;

	if (x->semaphore.section != y->semaphore.section)
		return x->semaphore.section < y->semaphore.section ? -1 : 1;
	if (x->semaphore.address != y->semaphore.address)
		return x->semaphore.address < y->semaphore.address ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Probes that one event of another provider fires share one guard, as they should. */
static bool fired_by_one(
	const struct contract_provider *provider, const char *name, const char *other)
{
	const struct contract_probe *a = contract_find_probe(provider, name);
	const struct contract_probe *b = contract_find_probe(provider, other);

	return a && b && a->event.present && b->event.present &&
		strcmp(a->event.name, b->event.name) == 0;
}

/* If two probes of a provider share a semaphore, it opens the guards of both. */
static void check_sharing(struct contract_checker *verifier,
	const struct contract_provider *provider, const struct usdt_site **sites, size_t count)
{
	const struct usdt_site **sorted = calloc(count + 1, sizeof(*sorted));
	size_t kept = 0;
	char text[64];

	if (!sorted) {
		verifier->error = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (sites[i]->semaphore.is_set && sites[i]->semaphore.is_mapped)
			sorted[kept++] = sites[i];
	qsort(sorted, kept, sizeof(*sorted), compare_semaphores);
	for (size_t i = 1; i < kept; i++) {
		const struct usdt_site *a = sorted[i - 1], *b = sorted[i];

		if (same_place(&a->semaphore, &b->semaphore) && strcmp(a->name, b->name) != 0 &&
			!fired_by_one(provider, a->name, b->name))
			add_finding(verifier, VERIFY_SEMAPHORE,
				(struct subject){b->provider, b->name, b, -1},
				"semaphore %s is that of %s too", where(&b->semaphore, text),
				a->name);
	}
	free(sorted);
}

static void check_provider(
	struct contract_checker *verifier, const struct contract_provider *provider)
{
	struct subject subject = {provider->name, NULL, NULL, -1};
	size_t count;
	const struct usdt_site **sites = find_sites(verifier, provider->name, NULL, &count);

	if (count == 0) {
		size_t missing = 0;

		for (size_t i = 0; i < provider->probe_count; i++)
			missing += !is_allowed(verifier, provider->name, provider->probes[i].name);
		if (missing > 0)
			add_finding(verifier, VERIFY_MISSING, subject,
				"missing: none of the %zu probes is there%s%s", missing,
				verifier->image->absence ? ": " : "",
				verifier->image->absence ? verifier->image->absence : "");
		return;
	}
	if (!verifier->image->has_base) {
		subject.site = sites[0];
		check_base(verifier, subject);
		subject.site = NULL;
	}
	for (size_t i = 0; i < provider->probe_count; i++)
		check_probe(verifier, provider, &provider->probes[i]);
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && strcmp(sites[i]->name, sites[i - 1]->name) == 0)
			continue;
		if (!contract_find_probe(provider, sites[i]->name))
			add_finding(verifier, VERIFY_UNDECLARED,
				(struct subject){provider->name, sites[i]->name, sites[i], -1},
				"is there, but the contract does not declare it");
	}
	check_sharing(verifier, provider, sites, count);
}

int verify_image(const struct contract *contract, const struct verify_allowed *allowed,
	size_t allowed_count, const struct usdt_image *image, struct verify_report *report)
{
	struct contract_checker verifier = {.contract = contract,
		.allowed = allowed,
		.allowed_count = allowed_count,
		.image = image,
		.report = report};

	verifier.sites = calloc(image->site_count + 1, sizeof(*verifier.sites));
	if (!verifier.sites)
		return -ENOMEM;
	for (size_t i = 0; i < image->site_count; i++)
		verifier.sites[i] = &image->sites[i];
	qsort(verifier.sites, image->site_count, sizeof(*verifier.sites), compare_sites);
	if (image->damaged_count > 0)
		add_finding(&verifier, VERIFY_DAMAGED, (struct subject){NULL, NULL, NULL, -1},
			"%zu probe note%s cannot be read", image->damaged_count,
			image->damaged_count == 1 ? "" : "s");
	for (size_t i = 0; i < contract->provider_count; i++)
		check_provider(&verifier, &contract->providers[i]);
	free(verifier.sites);
	return verifier.error;
}

void verify_free(struct verify_report *report)
{
	for (size_t i = 0; i < report->count; i++)
		free(report->findings[i].text);
	free(report->findings);
	*report = (struct verify_report){0};
}

bool verify_concerns(const struct contract *contract, const struct usdt_image *image)
{
	for (size_t i = 0; i < image->site_count; i++)
		if (contract_find_provider(contract, image->sites[i].provider))
			return true;
	return false;
}

const char *verify_kind_text(enum verify_kind kind)
{
	switch (kind) {
	case VERIFY_MISSING:
		return "missing";
	case VERIFY_UNDECLARED:
		return "undeclared";
	case VERIFY_ALLOWED:
		return "allowed-missing";
	case VERIFY_DAMAGED:
		return "damaged";
	case VERIFY_BASE:
		return "base";
	case VERIFY_SITE:
		return "site";
	case VERIFY_SEMAPHORE:
		return "semaphore";
	case VERIFY_ARGUMENTS:
		return "arguments";
	case VERIFY_OPERAND:
		return "operand";
	}
	return "";
}
