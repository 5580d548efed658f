/* resolve_provider.c: see resolve_provider.h. */
#include "d/resolve_provider.h"

#include <ctype.h>
#include <string.h>

#include "base/pattern.h"
#include "d/parse_declarator.h"
#include "d/parse_provider.h"

static const struct d_parameter *nth_parameter(const struct d_parameter *parameter, unsigned n)
{
	for (; parameter && n; n--)
		parameter = parameter->next;
	return parameter;
}

unsigned d_prototype_count(const struct d_prototype *prototype)
{
	return d_parameter_count(prototype->output ? prototype->output : prototype->native);
}

bool d_prototype_argument(
	const struct d_prototype *prototype, unsigned n, struct d_prototype_argument *argument)
{
	const struct d_parameter *parameter = nth_parameter(
					 prototype->output ? prototype->output : prototype->native,
					 n),
				 *native = parameter;

	if (!parameter)
		return false;
	argument->number = n;
	if (prototype->output)
		native = d_parameter_find(
			prototype->native, parameter->name.name, &argument->number);
	argument->type = parameter->type;
	argument->native = native->type;
	return true;
}

bool d_prototype_same(const struct d_prototype *one, const struct d_prototype *other)
{
	const struct d_parameter *native = one->native, *native_other = other->native;
	unsigned count = d_prototype_count(one);
	struct d_prototype_argument argument, argument_other;

	for (; native && native_other; native = native->next, native_other = native_other->next)
		if (!d_type_same(native->type, native_other->type))
			return false;
	if (native || native_other || count != d_prototype_count(other))
		return false;
	for (unsigned i = 0; i < count; i++) {
		if (!d_prototype_argument(one, i, &argument) ||
			!d_prototype_argument(other, i, &argument_other) ||
			argument.number != argument_other.number ||
			!d_type_same(argument.type, argument_other.type))
			return false;
	}
	return true;
}

bool d_provider_is_of(const char *provider, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(provider, name, length) != 0)
		return false;
	for (provider += length; isdigit((unsigned char)*provider); provider++)
		;
	return !*provider;
}

const struct d_prototype *d_provider_probe(const struct d_provider *provider, const char *name)
{
	const struct d_prototype *probe = provider->probes;

	while (probe && strcmp(probe->name, name) != 0)
		probe = probe->next;
	return probe;
}

const struct d_prototype *d_provider_prototype(
	const struct d_compiler *compiler, const char *provider, const char *probe)
{
	const struct d_provider *definition = compiler->providers;
	const struct d_prototype *found = NULL;
	bool kernel = false;

	for (; definition && !found; definition = definition->next) {
		const char *name = definition->name->bytes;

		/* The kernel has no processes: io1234 is a provider of process 1234. */
		kernel |= definition == compiler->kernel_providers;
		if (!d_symbol_is_known(compiler, definition->script))
			continue;
		if (kernel ? !strcmp(provider, name) : d_provider_is_of(provider, name))
			found = d_provider_probe(definition, probe);
	}
	return found;
}

/*
 * Whether a description's provider can have this name or, unless it is the kernel's, this name with
 * a process's number.
 */
static bool may_be_of_provider(const char *pattern, const char *name, bool kernel)
{
	return *pattern &&
		((!kernel && d_provider_is_of(pattern, name)) || pattern_match(pattern, name));
}

const struct d_prototype *d_provider_prototype_of(
	const struct d_compiler *compiler, const struct d_description *description, bool *differ)
{
	const struct d_provider *definition = compiler->providers;
	const struct d_prototype *found = NULL;
	bool kernel = false;

	*differ = false;
	for (; definition && !description->is_number; definition = definition->next) {
		kernel |= definition == compiler->kernel_providers;
		if (!d_symbol_is_known(compiler, definition->script) ||
			!may_be_of_provider(description->parts[0], definition->name->bytes, kernel))
			continue;
		for (const struct d_prototype *probe = definition->probes; probe;
			probe = probe->next) {
			if (!pattern_match(description->parts[3], probe->name))
				continue;
			*differ |= found && !d_prototype_same(found, probe);
			found = probe;
		}
	}
	return *differ ? NULL : found;
}

/* Only the providers' own attributes are ever shown, so these are not stored. */
int d_provider_attributes(
	struct d_compiler *compiler, const struct d_place *place, const char *name)
{
	for (const struct d_provider *provider = compiler->providers; provider;
		provider = provider->next) {
		if (!strcmp(provider->name->bytes, name))
			return 0;
	}
	return d_fail(compiler, place, "D_PRAGMA_SCOPE",
		"#pragma attributes: provider %.100s is not defined by this program", name);
}
