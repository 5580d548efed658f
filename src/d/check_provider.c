/*
 * check_provider.c: checks definitions of providers against each other, against existing providers,
 * and against the translators.
 */
#include "d/check_provider.h"

#include <string.h>

#include "d/check.h"
#include "d/check_translator.h"
#include "d/parse_declarator.h"
#include "d/parse_provider.h"
#include "d/resolve_provider.h"

/* An output with a type other than its input's needs a translator. */
static int check_outputs(struct d_compiler *compiler, const struct d_prototype *probe)
{
	for (const struct d_parameter *output = probe->output; output; output = output->next) {
		unsigned number;
		const struct d_parameter *input =
			d_parameter_find(probe->native, output->name.name, &number);
		const struct d_node value = {.kind = D_NODE_NAME, .type = input->type};

		if (!d_check_passes(output->type, &value) &&
			!d_type_same(output->type, input->type) &&
			!d_translator_find(
				compiler, d_translator_output(output->type), input->type))
			return d_fail(compiler, &output->name.place, "D_PROV_PRXLATOR",
				"translator for %s of probe %s is not defined",
				output->name.name->bytes, probe->name);
	}
	return 0;
}

/* Arguments are only ever appended to a probe, so a script may define an older version of it. */
static bool same_arguments(
	struct d_compiler *compiler, const struct d_prototype *probe, const struct d_probe *known)
{
	const struct d_parameter *parameter = probe->native;
	unsigned i = 0;

	for (; parameter && i < known->argument_count; parameter = parameter->next, i++) {
		const struct d_type *type =
			d_types_parse(&compiler->types, known->arguments[i].type);

		if (type && !d_type_same(type, parameter->type))
			return false;
	}
	return !parameter;
}

static int fail_interface(struct d_compiler *compiler, const struct d_provider *provider,
	const struct d_prototype *probe)
{
	return d_fail(compiler, &probe->place, "D_PROV_INCOMPAT",
		"provider %s interface mismatch: it is known and has no probe %s",
		provider->name->bytes, probe->name);
}

static int fail_arguments(struct d_compiler *compiler, const struct d_provider *provider,
	const struct d_prototype *probe)
{
	return d_fail(compiler, &probe->place, "D_PROV_INCOMPAT",
		"probe %s:::%s is incompatible with its existing declaration: other arguments",
		provider->name->bytes, probe->name);
}

/* A definition must agree with what the traced process has under that name. */
static int check_known(struct d_compiler *compiler, const struct d_provider *provider,
	const struct d_prototype *probe)
{
	const struct d_probe_set *set = compiler->probe_set;
	bool provider_known = false, probe_known = false;

	for (size_t i = 0; i < set->count; i++) {
		const struct d_probe *known = &set->probes[i];

		if (known->is_absent || !d_provider_is_of(known->provider, provider->name->bytes))
			continue;
		provider_known = true;
		if (strcmp(known->name, probe->name) != 0)
			continue;
		probe_known = true;
		if (!same_arguments(compiler, probe, known))
			return fail_arguments(compiler, provider, probe);
	}
	return provider_known && !probe_known ? fail_interface(compiler, provider, probe) : 0;
}

/* A definition may be repeated unchanged, completely or in part. */
static int check_again(struct d_compiler *compiler, const struct d_provider *provider,
	const struct d_prototype *probe)
{
	const struct d_provider *other = provider->next;
	const struct d_prototype *known = NULL;
	bool provider_known = false;

	for (; other && !known; other = other->next) {
		if (other->name != provider->name)
			continue;
		provider_known = true;
		known = d_provider_probe(other, probe->name);
	}
	if (known && !d_prototype_same(known, probe))
		return fail_arguments(compiler, provider, probe);
	return provider_known && !known ? fail_interface(compiler, provider, probe) : 0;
}

int d_provider_check(struct d_compiler *compiler, const struct d_provider *provider)
{
	for (const struct d_prototype *probe = provider->probes; probe; probe = probe->next) {
		if (d_provider_probe(provider, probe->name) != probe)
			return d_fail(compiler, &probe->place, "D_PROV_PRDUP",
				"probe redeclared: %s:::%s", provider->name->bytes, probe->name);
		if (check_again(compiler, provider, probe) ||
			check_known(compiler, provider, probe) || check_outputs(compiler, probe))
			return -1;
	}
	return 0;
}

/* Whether a value of the known type can be taken as one of the defined type. */
static bool is_representable(
	struct d_compiler *compiler, const struct d_type *type, const char *known)
{
	const struct d_type *given = d_types_parse(&compiler->types, known);

	return given &&
		(d_type_same(given, type) ||
			(d_type_is_pointer(given) == d_type_is_pointer(type) &&
				(d_type_is_pointer(type) || d_type_is_integer(type)) &&
				d_types_size(&compiler->types, given) ==
					d_types_size(&compiler->types, type)));
}

static int check_carried_probe(struct d_compiler *compiler, const struct d_provider *provider,
	const struct d_prototype *probe, const struct d_probe *known)
{
	const struct d_parameter *parameter = probe->native;

	for (unsigned i = 0; parameter; parameter = parameter->next, i++)
		if (i >= known->argument_count ||
			!is_representable(compiler, parameter->type, known->arguments[i].type))
			return fail_arguments(compiler, provider, probe);
	return 0;
}

int d_provider_check_carried(struct d_compiler *compiler, const struct d_provider *provider,
	const struct d_probe_set *probes)
{
	for (const struct d_prototype *probe = provider->probes; probe; probe = probe->next) {
		if (d_provider_probe(provider, probe->name) != probe)
			return d_fail(compiler, &probe->place, "D_PROV_PRDUP",
				"probe redeclared: %s:::%s", provider->name->bytes, probe->name);
		if (check_outputs(compiler, probe))
			return -1;
		for (long i = -1; (i = d_probe_set_find(probes, probe->name, i)) >= 0;)
			if (d_provider_is_of(probes->probes[i].provider, provider->name->bytes) &&
				check_carried_probe(compiler, provider, probe, &probes->probes[i]))
				return -1;
	}
	return 0;
}

int d_provider_check_known(struct d_compiler *compiler, const struct d_provider *provider)
{
	int result = 0;

	for (const struct d_prototype *probe = provider->probes; probe && !result;
		probe = probe->next)
		result = check_known(compiler, provider, probe);
	return result;
}
