/*
 * usdt_sites.c: see usdt_sites.h.
 *
 * A probe is a provider, an object, a function and a name; it may have several sites, each with its
 * own operands. Before the kernel is asked to attach, the bytes at a site must be a nop that
 * tracers know: the kernel accepts any place, even the middle of an instruction.
 */
#include "kernel/site/usdt_sites.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/pattern.h"
#include "contract/contract.h"
#include "contract/known.h"
#include "kernel/site/site_operand.h"
#include "usdt/elf/symbol_value.h"

enum { RIP = 16 /* as operand.h numbers it */ };

struct usdt_finder {
	struct kernel_target *target;
	struct d_probe_set *set;
	size_t others; /* probes of the set that other sources deliver */
	uint32_t file;
	struct contract *contract; /* of the provider below, NULL: none is known */
	bool is_carried;           /* it comes with the file below */
	uint32_t carrier;
	char provider[256];
};

/*
 * An address relative to a symbol is turned into one relative to the instruction pointer, since the
 * file may be mapped anywhere. A register that is added to it is the index then.
 */
static void take_symbol(struct usdt_finder *finder, const struct usdt_site *site,
	const struct operand *from, struct kernel_operand *to)
{
	int file = kernel_target_file(finder->target, finder->file);
	bool is_based = from->base.kind != OPERAND_REGISTER_NONE && from->base.number != RIP;
	uint64_t value;

	if (file < 0 || usdt_symbol_value(file, from->symbol, from->symbol_length, &value))
		return;
	value += (uint64_t)from->value - site->code.address;
	to->kind = KERNEL_OPERAND_UNREADABLE;
	if (from->is_address) {
		to->kind = KERNEL_OPERAND_ADDRESS;
		to->base = KERNEL_RIP;
		to->value = (int64_t)value;
		return;
	}
	if ((is_based && from->index.kind != OPERAND_REGISTER_NONE))
		return;
	if (is_based) {
		to->index = to->base;
		to->scale = 1;
	}
	if (to->index == KERNEL_NO_REGISTER &&
		(is_based || from->index.kind != OPERAND_REGISTER_NONE))
		return;
	to->kind = KERNEL_OPERAND_MEMORY;
	to->base = KERNEL_RIP;
	to->value = (int64_t)value;
}

static void take_operand(struct usdt_finder *finder, const struct usdt_site *site,
	const struct operand_argument *from, struct kernel_operand *to)
{
	kernel_operand_take(from, to);
	if (to->kind == KERNEL_OPERAND_UNRESOLVED)
		take_symbol(finder, site, &from->operand, to);
}

static bool is_same(const struct d_probe *one, const struct d_probe *other)
{
	return !strcmp(one->provider, other->provider) && !strcmp(one->module, other->module) &&
		!strcmp(one->function, other->function);
}

/* Returns the probe's number in the set; -1 if it is new, -EEXIST if another source delivers it. */
static long find_probe(const struct usdt_finder *finder, const struct d_probe *probe)
{
	for (long i = d_probe_set_find(finder->set, probe->name, -1); i >= 0;
		i = d_probe_set_find(finder->set, probe->name, i)) {
		const struct d_probe *other = &finder->set->probes[i];

		if ((size_t)i < finder->others && !other->is_absent && !other->is_expected &&
			!strcmp(other->provider, probe->provider))
			return -EEXIST;
		if ((size_t)i >= finder->others && is_same(probe, other))
			return i;
	}
	return -1;
}

static void type_text(const struct operand_argument *argument, char (*text)[24])
{
	snprintf(*text, sizeof(*text), "%sint%d_t", argument->is_signed ? "" : "u",
		argument->size && argument->size <= 8 ? argument->size * 8 : 64);
}

/* Sets the types from the provider's contract if it is known, otherwise from the site. */
static void take_types(struct d_probe *probe, const struct usdt_site *site, char (*types)[24],
	const struct contract_probe *known)
{
	probe->argument_count = site->argument_count;
	for (unsigned i = 0; i < site->argument_count; i++) {
		type_text(&site->arguments[i], &types[i]);
		probe->arguments[i] = (struct d_probe_argument){types[i], (char *)""};
		if (known && i < known->argument_count)
			probe->arguments[i] = (struct d_probe_argument){
				(char *)known->arguments[i].type, (char *)known->arguments[i].name};
	}
}

/* Returns the contract of the site's provider, which comes with vmtap or with the file; NULL if
 * there is none. */
static const struct contract_provider *known_provider(
	struct usdt_finder *finder, const struct usdt_site *site)
{
	struct error ignored;

	if (strcmp(finder->provider, site->provider) != 0 || finder->carrier != finder->file) {
		contract_free(finder->contract);
		finder->contract = NULL;
		snprintf(finder->provider, sizeof(finder->provider), "%s", site->provider);
		finder->carrier = finder->file;
		finder->is_carried =
			known_contract_read(site->provider, &finder->contract, &ignored) != 0;
		if (finder->is_carried)
			finder->contract = usdt_image_contract(
				finder->target->files[finder->file].object->image, site->provider);
	}
	return finder->contract ? contract_find_provider(finder->contract, site->provider) : NULL;
}

/* Start of the note for a probe whose sites have arguments of different types. */
static const char differ[] = "its sites differ: ";

/* If this site has other types than the probe's first site, adds them to the probe's note. Each
 * site's arguments are extended as its own types say. Returns 0 or -ENOMEM. */
static int note_types(struct usdt_finder *finder, uint32_t number, const struct usdt_site *site)
{
	const struct d_probe *probe = &finder->set->probes[number];
	bool is_first = !probe->note, has_changed = false;
	char note[512], type[24];
	const struct contract_provider *known;

	if (!is_first && strncmp(probe->note, differ, strlen(differ)) != 0)
		return 0;
	snprintf(note, sizeof(note), "%s", is_first ? differ : probe->note);
	for (unsigned i = 0; i < site->argument_count; i++) {
		size_t length = strlen(note);
		char phrase[64];

		type_text(&site->arguments[i], &type);
		snprintf(phrase, sizeof(phrase), "args[%u] is also %s", i, type);
		if (i < probe->argument_count && !strcmp(probe->arguments[i].type, type))
			continue;
		if (strstr(note, phrase) || length + strlen(phrase) + 3 > sizeof(note))
			continue;
		snprintf(note + length, sizeof(note) - length, "%s%s",
			length > strlen(differ) ? ", " : "", phrase);
		has_changed = true;
	}
	known = has_changed ? known_provider(finder, site) : NULL;
	if (!has_changed || (known && contract_find_probe(known, site->name)))
		return 0;
	return d_probe_set_note(finder->set, number, note);
}

/* Takes what the provider's contract says of the site's probe. */
static void take_known(const struct usdt_finder *finder, const struct contract_provider *provider,
	struct d_probe *probe)
{
	struct stability stability[STABILITY_PARTS];

	if (!provider || !finder->is_carried)
		return;
	for (unsigned i = 0; i < STABILITY_PARTS; i++)
		stability[i] = provider->stability[i].value;
	d_probe_set_stability(probe, stability);
}

/* Returns whether a pattern may match the provider of some process: where the pattern has
 * wildcards, the process's number may decide. */
static bool may_match(const char *pattern, const char *provider)
{
	size_t plain = strcspn(pattern, "*?["), digits = strlen(provider);

	while (digits && provider[digits - 1] >= '0' && provider[digits - 1] <= '9')
		digits--;
	return !*pattern || pattern_match(pattern, provider) ||
		(pattern[plain] && !strncmp(pattern, provider, plain < digits ? plain : digits));
}

static bool is_asked(const struct kernel_target *target, const struct d_probe *probe)
{
	for (size_t i = 0; i < target->asked_count; i++) {
		const struct d_asked *asked = &target->asked[i];

		if (pattern_match(asked->name, probe->name) &&
			may_match(asked->provider, probe->provider) &&
			pattern_match(asked->function, probe->function) &&
			d_probe_matches_module(probe, asked->module))
			return true;
	}
	return !target->asked_count;
}

/* Returns the site's probe, which is added to the set if it is new. Returns -EEXIST if it is not
 * wanted, -ENOMEM if memory runs out. */
static long take_probe(struct usdt_finder *finder, const struct usdt_site *site)
{
	char provider[256], types[OPERAND_ARGUMENTS_MAX][24];
	struct d_probe_argument arguments[OPERAND_ARGUMENTS_MAX];
	struct d_probe probe = {.provider = provider,
		.module = (char *)finder->target->files[finder->file].name,
		.function = (char *)site->function,
		.name = (char *)site->name,
		.arguments = arguments,
		.kind = D_PROBE_SOURCE};
	const struct contract_provider *known;
	long number;

	snprintf(provider, sizeof(provider), "%s%u", site->provider,
		(unsigned int)finder->target->pid);
	number = find_probe(finder, &probe);
	if (number >= 0 && note_types(finder, (uint32_t)number, site))
		return -ENOMEM;
	if (number != -1)
		return number;
	if (!is_asked(finder->target, &probe))
		return -EEXIST;
	known = known_provider(finder, site);
	take_types(&probe, site, types, known ? contract_find_probe(known, site->name) : NULL);
	take_known(finder, known, &probe);
	return d_probe_set_add(finder->set, &probe);
}

/* Returns why the kernel must not, or cannot, attach to the site; NULL: it can. */
static const char *obstacle(const struct usdt_site *site)
{
	if (!site->code.is_set || !site->code.is_mapped || !site->code.is_executable ||
		!site->code.has_offset)
		return "it is not in the file's code";
	if (!site_form_is_safe(site->form))
		return site_form_text(site->form);
	if (site->semaphore.is_set && (!site->semaphore.has_offset || !site->semaphore.is_writable))
		return "its semaphore is not in the file's writable data";
	return NULL;
}

/* Returns whether a 10-byte nop follows, and the arguments can be read there as well, which is so
 * if none is relative to RIP. */
static bool has_long_nop(const struct usdt_site *site, const struct kernel_operand *arguments)
{
	for (unsigned i = 0; i < site->argument_count; i++)
		if (arguments[i].base == KERNEL_RIP)
			return false;
	return site->form == SITE_NOP_NOP10;
}

static int take_site(struct usdt_finder *finder, const struct usdt_site *site)
{
	struct kernel_operand arguments[KERNEL_ARGUMENTS_MAX] = {{0}};
	struct kernel_site taken = {.arguments = arguments,
		.file = finder->file,
		.pid = finder->target->is_shared ? 0 : finder->target->pid,
		.argument_count = site->argument_count,
		.offset = site->code.offset,
		.semaphore = site->semaphore.is_set ? site->semaphore.offset : 0};
	const char *reason = obstacle(site);
	long probe = take_probe(finder, site);

	if (probe < 0)
		return probe == -EEXIST ? 0 : (int)probe;
	taken.probe = (uint32_t)probe;
	if (reason && d_probe_set_note(finder->set, taken.probe, reason))
		return -ENOMEM;
	if (reason)
		return kernel_target_add_obstacle(finder->target, taken.probe,
			"%s: the site at 0x%llx is not attached to: %s",
			finder->target->files[finder->file].object->path,
			(unsigned long long)site->code.address, reason);
	for (unsigned i = 0; i < site->argument_count; i++) {
		take_operand(finder, site, &site->arguments[i], &taken.arguments[i]);
		if (arguments[i].kind == KERNEL_OPERAND_UNREADABLE ||
			arguments[i].kind == KERNEL_OPERAND_UNRESOLVED)
			finder->set->probes[probe].unreadable |= (uint16_t)(1u << i);
	}
	taken.has_long_nop = has_long_nop(site, arguments);
	return kernel_target_add_site(finder->target, &taken);
}

/* Sites with a 10-byte nop are those that vmtap's generator has made. */
int kernel_usdt_add(struct kernel_target *target, struct d_probe_set *set)
{
	struct usdt_finder finder = {
		.target = target, .set = set, .others = set->count, .carrier = UINT32_MAX};
	int result = 0;

	for (; finder.file < target->file_count && !result; finder.file++) {
		const struct usdt_image *image = target->files[finder.file].object->image;

		if (!image || image->machine != EM_X86_64 || target->files[finder.file].is_known)
			continue;
		for (size_t i = 0; i < image->site_count && !result; i++)
			if (!target->has_stream || image->sites[i].form != SITE_NOP_NOP10)
				result = take_site(&finder, &image->sites[i]);
			else
				target->left_count++;
	}
	contract_free(finder.contract);
	return result;
}
