/* parse_provider.c: see parse_provider.h. */
#include "d/parse_provider.h"

#include <ctype.h>
#include <string.h>

#include "d/check.h"
#include "d/lex.h"
#include "d/parse_declarator.h"
#include "d/resolve_pattern.h"
#include "d/translator.h"

enum {
	NAME_BYTES_MAX = 63, /* of a provider or probe */
	PARAMETERS_MAX = 255
};

struct d_prototype {
	struct d_prototype *next;
	struct d_place place;
	char name[NAME_BYTES_MAX + 1]; /* as tracers see it */
	struct d_parameter *native;    /* what the probe passes */
	struct d_parameter *output;    /* what args[ ] are; NULL: the same */
};

struct d_provider {
	struct d_provider *next; /* that was defined before it */
	struct d_place place;
	const struct d_name *name;
	struct d_prototype *probes;
};

static unsigned count_parameters(const struct d_parameter *parameter)
{
	unsigned count = 0;

	for (; parameter; parameter = parameter->next)
		count++;
	return count;
}

static const struct d_parameter *nth_parameter(const struct d_parameter *parameter, unsigned n)
{
	for (; parameter && n; n--)
		parameter = parameter->next;
	return parameter;
}

static const struct d_parameter *find_parameter(
	const struct d_parameter *parameter, const struct d_name *name, unsigned *number)
{
	*number = 0;
	for (; parameter; parameter = parameter->next, (*number)++)
		if (parameter->name.kind && parameter->name.name == name)
			return parameter;
	return NULL;
}

unsigned d_prototype_count(const struct d_prototype *prototype)
{
	return count_parameters(prototype->output ? prototype->output : prototype->native);
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
		native = find_parameter(prototype->native, parameter->name.name, &argument->number);
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

/* "__" is '-'. False: too long. */
static bool copy_name(const char *from, char to[NAME_BYTES_MAX + 1])
{
	size_t length = 0;

	while (*from && length < NAME_BYTES_MAX) {
		bool dash = from[0] == '_' && from[1] == '_';

		to[length++] = dash ? '-' : *from;
		from += 1 + dash;
	}
	to[length] = '\0';
	return !*from;
}

static int parse_name(struct d_compiler *compiler, const char *what, struct d_token *token)
{
	*token = compiler->token;
	if (token->kind != D_TOKEN_NAME && token->kind != D_TOKEN_TYPE)
		return d_fail_syntax(compiler, &token->place, what);
	if (strchr(token->name->bytes, '`'))
		return d_fail(compiler, &token->place, "D_PROV_BADNAME",
			"%s may not contain a scoping operator: %s", what, token->name->bytes);
	return d_lexer_next(compiler);
}

/* ": ( outputs )": each is named, and names an input. */
static int parse_outputs(struct d_compiler *compiler, struct d_prototype *probe)
{
	if (d_lexer_next(compiler) || d_expect(compiler, D_TOKEN_LEFT_PAREN, "(") ||
		d_parse_parameters(compiler, &probe->output))
		return -1;
	for (const struct d_parameter *output = probe->output; output; output = output->next) {
		unsigned number;

		if (!output->name.kind)
			return d_fail(compiler, &probe->place, "D_DECL_PROTO_NAME",
				"output parameters of a probe must be named: %s", probe->name);
		if (!find_parameter(probe->native, output->name.name, &number))
			return d_fail(compiler, &output->name.place, "D_DECL_PROTO_FORM",
				"%s is no input parameter of the probe %s",
				output->name.name->bytes, probe->name);
	}
	return 0;
}

static struct d_prototype *parse_probe(struct d_compiler *compiler)
{
	struct d_prototype *probe = d_get(compiler, sizeof(*probe));
	struct d_token token;

	if (!probe || d_expect(compiler, D_TOKEN_PROBE, "probe or }") ||
		parse_name(compiler, "a probe's name", &token))
		return NULL;
	probe->place = token.place;
	if (!copy_name(token.name->bytes, probe->name)) {
		d_fail(compiler, &token.place, "D_PROV_BADNAME",
			"probe name may not exceed %d characters: %.80s", NAME_BYTES_MAX,
			token.name->bytes);
		return NULL;
	}
	if (d_expect(compiler, D_TOKEN_LEFT_PAREN, "(") ||
		d_parse_parameters(compiler, &probe->native))
		return NULL;
	if (compiler->token.kind == D_TOKEN_COLON && parse_outputs(compiler, probe))
		return NULL;
	if (count_parameters(probe->native) > PARAMETERS_MAX ||
		count_parameters(probe->output) > PARAMETERS_MAX) {
		d_fail(compiler, &probe->place, "D_PROV_PRARGLEN",
			"probe %s has more than %d parameters", probe->name, PARAMETERS_MAX);
		return NULL;
	}
	return d_expect(compiler, D_TOKEN_SEMICOLON, ";") ? NULL : probe;
}

static struct d_provider *parse_definition(struct d_compiler *compiler)
{
	struct d_provider *provider = d_get(compiler, sizeof(*provider));
	unsigned count = 0;
	struct d_prototype **last;
	struct d_token token;
	const char *name;

	if (!provider || d_lexer_next(compiler) ||
		parse_name(compiler, "a provider's name", &token))
		return NULL;
	name = token.name->bytes;
	if (strlen(name) > NAME_BYTES_MAX || isdigit((unsigned char)name[strlen(name) - 1])) {
		d_fail(compiler, &token.place, "D_PROV_BADNAME", "provider name may not %s: %.80s",
			strlen(name) > NAME_BYTES_MAX ? "exceed 63 characters" : "end with a digit",
			name);
		return NULL;
	}
	for (const struct d_provider *other = compiler->providers; other; other = other->next)
		count++;
	if (count == D_DEFINITIONS_MAX) {
		d_fail(compiler, &token.place, "D_UNKNOWN", "more than %d providers",
			D_DEFINITIONS_MAX);
		return NULL;
	}
	provider->place = token.place;
	provider->name = token.name;
	last = &provider->probes;
	count = 0;
	if (d_expect(compiler, D_TOKEN_LEFT_BRACE, "{"))
		return NULL;
	while (compiler->token.kind != D_TOKEN_RIGHT_BRACE) {
		*last = parse_probe(compiler);
		if (!*last)
			return NULL;
		if (++count > D_DEFINITIONS_MAX) {
			d_fail(compiler, &(*last)->place, "D_UNKNOWN",
				"provider %s has more than %d probes", name, D_DEFINITIONS_MAX);
			return NULL;
		}
		last = &(*last)->next;
	}
	if (d_lexer_next(compiler))
		return NULL;
	compiler->lexer.mode = D_MODE_OUTER;
	/* Pragmas behind the definition may speak of it: they are read with the last ';'. */
	provider->next = compiler->providers;
	compiler->providers = provider;
	return d_expect(compiler, D_TOKEN_SEMICOLON, ";") ? NULL : provider;
}

struct d_provider *d_parse_provider(struct d_compiler *compiler)
{
	struct d_provider *provider;

	compiler->keep = true;
	provider = parse_definition(compiler);
	compiler->keep = false;
	return provider;
}

/* An output of another type than its input needs a translator. */
static int check_outputs(struct d_compiler *compiler, const struct d_prototype *probe)
{
	for (const struct d_parameter *output = probe->output; output; output = output->next) {
		unsigned number;
		const struct d_parameter *input =
			find_parameter(probe->native, output->name.name, &number);
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

/* A process's provider has its number behind the name. */
static bool is_of_provider(const char *provider, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(provider, name, length) != 0)
		return false;
	for (provider += length; isdigit((unsigned char)*provider); provider++)
		;
	return !*provider;
}

static const struct d_prototype *find_probe(const struct d_provider *provider, const char *name)
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
		if (kernel ? !strcmp(provider, name) : is_of_provider(provider, name))
			found = find_probe(definition, probe);
	}
	return found;
}

/* Whether a description's provider can be of this name; if not the kernel's, also a process's. */
static bool may_be_of_provider(const char *pattern, const char *name, bool kernel)
{
	return *pattern &&
		((!kernel && is_of_provider(pattern, name)) || d_pattern_match(pattern, name));
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
		if (!may_be_of_provider(description->parts[0], definition->name->bytes, kernel))
			continue;
		for (const struct d_prototype *probe = definition->probes; probe;
			probe = probe->next) {
			if (!d_pattern_match(description->parts[3], probe->name))
				continue;
			*differ |= found && !d_prototype_same(found, probe);
			found = probe;
		}
	}
	return *differ ? NULL : found;
}

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
	return !parameter && i == known->argument_count;
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

/* What is defined must be what the traced process has under that name. */
static int check_known(struct d_compiler *compiler, const struct d_provider *provider,
	const struct d_prototype *probe)
{
	const struct d_probe_set *set = compiler->settings.probes;
	bool provider_known = false, probe_known = false;

	for (size_t i = 0; i < set->count; i++) {
		const struct d_probe *known = &set->probes[i];

		if (known->is_absent || !is_of_provider(known->provider, provider->name->bytes))
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

/* A definition may be repeated as it is, also in part. */
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
		known = find_probe(other, probe->name);
	}
	if (known && !d_prototype_same(known, probe))
		return fail_arguments(compiler, provider, probe);
	return provider_known && !known ? fail_interface(compiler, provider, probe) : 0;
}

int d_provider_check(struct d_compiler *compiler, const struct d_provider *provider)
{
	for (const struct d_prototype *probe = provider->probes; probe; probe = probe->next) {
		if (find_probe(provider, probe->name) != probe)
			return d_fail(compiler, &probe->place, "D_PROV_PRDUP",
				"probe redeclared: %s:::%s", provider->name->bytes, probe->name);
		if (check_again(compiler, provider, probe) ||
			check_known(compiler, provider, probe) || check_outputs(compiler, probe))
			return -1;
	}
	return 0;
}

int d_provider_attributes(struct d_compiler *compiler, const struct d_place *place,
	const char *name, enum stability_part part, struct stability stability)
{
	/* What is shown are the attributes of the providers themselves. */
	(void)part;
	(void)stability;
	for (const struct d_provider *provider = compiler->providers; provider;
		provider = provider->next) {
		if (!strcmp(provider->name->bytes, name))
			return 0;
	}
	return d_fail(compiler, place, "D_PRAGMA_SCOPE",
		"#pragma attributes: provider %.100s is not defined by this program", name);
}
