/* provider.c: see provider.h. */
#include "d/provider.h"

#include <ctype.h>
#include <string.h>

#include "d/check.h"
#include "d/declarator.h"
#include "d/lexer.h"
#include "d/translator.h"

enum {
	NAME_MAX_BYTES = 63, /* of a provider or probe */
	PARAMETERS_MAX = 255
};

struct probe {
	struct probe *next;
	struct d_place place;
	char name[NAME_MAX_BYTES + 1]; /* as tracers see it */
	struct d_parameter *native;    /* what the probe passes */
	struct d_parameter *output;    /* what args[ ] are; NULL: the same */
};

struct d_provider {
	struct d_provider *next; /* of the program */
	struct d_place place;
	const struct d_name *name;
	struct probe *probes;
};

static unsigned count_parameters(const struct d_parameter *parameter)
{
	unsigned count = 0;

	for (; parameter; parameter = parameter->next)
		count++;
	return count;
}

static const struct d_parameter *find_parameter(
	const struct d_parameter *parameter, const struct d_name *name)
{
	while (parameter && !(parameter->name.kind && parameter->name.name == name))
		parameter = parameter->next;
	return parameter;
}

/* "__" is '-'. False: too long. */
static bool copy_name(const char *from, char to[NAME_MAX_BYTES + 1])
{
	size_t length = 0;

	while (*from && length < NAME_MAX_BYTES) {
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
static int parse_outputs(struct d_compiler *compiler, struct probe *probe)
{
	if (d_lexer_next(compiler) || d_expect(compiler, D_TOKEN_LEFT_PAREN, "(") ||
		d_parse_parameters(compiler, &probe->output))
		return -1;
	for (const struct d_parameter *output = probe->output; output; output = output->next) {
		if (!output->name.kind)
			return d_fail(compiler, &probe->place, "D_DECL_PROTO_NAME",
				"output parameters of a probe must be named: %s", probe->name);
		if (!find_parameter(probe->native, output->name.name))
			return d_fail(compiler, &output->name.place, "D_DECL_PROTO_FORM",
				"%s is no input parameter of the probe %s",
				output->name.name->bytes, probe->name);
	}
	return 0;
}

static struct probe *parse_probe(struct d_compiler *compiler)
{
	struct probe *probe = d_get(compiler, sizeof(*probe));
	struct d_token token;

	if (!probe || d_expect(compiler, D_TOKEN_PROBE, "probe or }") ||
		parse_name(compiler, "a probe's name", &token))
		return NULL;
	probe->place = token.place;
	if (!copy_name(token.name->bytes, probe->name)) {
		d_fail(compiler, &token.place, "D_PROV_BADNAME",
			"probe name may not exceed %d characters: %.80s", NAME_MAX_BYTES,
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

struct d_provider *d_parse_provider(struct d_compiler *compiler)
{
	struct d_provider *provider = d_get(compiler, sizeof(*provider));
	unsigned count = 0;
	struct probe **last;
	struct d_token token;
	const char *name;

	if (!provider || d_lexer_next(compiler) ||
		parse_name(compiler, "a provider's name", &token))
		return NULL;
	name = token.name->bytes;
	if (strlen(name) > NAME_MAX_BYTES || isdigit((unsigned char)name[strlen(name) - 1])) {
		d_fail(compiler, &token.place, "D_PROV_BADNAME", "provider name may not %s: %.80s",
			strlen(name) > NAME_MAX_BYTES ? "exceed 63 characters" : "end with a digit",
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
	provider->next = compiler->providers;
	compiler->providers = provider;
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
	return d_expect(compiler, D_TOKEN_SEMICOLON, ";") ? NULL : provider;
}

/* An output of another type than its input needs a translator. */
static int check_outputs(struct d_compiler *compiler, const struct probe *probe)
{
	for (const struct d_parameter *output = probe->output; output; output = output->next) {
		const struct d_parameter *input = find_parameter(probe->native, output->name.name);

		if (!d_type_same(input->type, output->type) &&
			!d_translator_find(compiler, output->type, input->type))
			return d_fail(compiler, &output->name.place, "D_PROV_PRXLATOR",
				"translator for %s of probe %s is not defined",
				output->name.name->bytes, probe->name);
	}
	return 0;
}

static bool is_of_provider(const char *provider, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(provider, name, length) != 0)
		return false;
	for (provider += length; isdigit((unsigned char)*provider); provider++)
		;
	return !*provider;
}

static bool same_arguments(
	struct d_compiler *compiler, const struct probe *probe, const struct d_probe *known)
{
	const struct d_parameter *parameter = probe->output ? probe->output : probe->native;
	unsigned i = 0;

	for (; parameter && i < known->argument_count; parameter = parameter->next, i++) {
		const struct d_type *type =
			d_types_parse(&compiler->types, known->arguments[i].type);

		if (type && !d_type_same(type, parameter->type))
			return false;
	}
	return !parameter && i == known->argument_count;
}

/* What is defined must be what the traced process has under that name. */
static int check_known(
	struct d_compiler *compiler, const struct d_provider *provider, const struct probe *probe)
{
	const struct d_probe_set *set = compiler->settings.probes;
	bool provider_known = false, probe_known = false;

	for (size_t i = 0; i < set->count; i++) {
		const struct d_probe *known = &set->probes[i];

		if (!is_of_provider(known->provider, provider->name->bytes))
			continue;
		provider_known = true;
		if (strcmp(known->name, probe->name) != 0)
			continue;
		probe_known = true;
		if (!same_arguments(compiler, probe, known))
			return d_fail(compiler, &probe->place, "D_PROV_INCOMPAT",
				"probe %s:::%s is incompatible with its existing declaration: "
				"other arguments",
				provider->name->bytes, probe->name);
	}
	if (provider_known && !probe_known)
		return d_fail(compiler, &probe->place, "D_PROV_INCOMPAT",
			"provider %s interface mismatch: it is known and has no probe %s",
			provider->name->bytes, probe->name);
	return 0;
}

int d_provider_check(struct d_compiler *compiler, const struct d_provider *provider)
{
	for (const struct d_provider *other = provider->next; other; other = other->next) {
		if (other->name == provider->name)
			return d_fail(compiler, &provider->place, "D_PROV_INCOMPAT",
				"provider %s is defined twice", provider->name->bytes);
	}
	for (const struct probe *probe = provider->probes; probe; probe = probe->next) {
		for (const struct probe *other = provider->probes; other != probe;
			other = other->next) {
			if (!strcmp(other->name, probe->name))
				return d_fail(compiler, &probe->place, "D_PROV_PRDUP",
					"probe redeclared: %s:::%s", provider->name->bytes,
					probe->name);
		}
		if (check_known(compiler, provider, probe) || check_outputs(compiler, probe))
			return -1;
	}
	return 0;
}

int d_provider_attributes(struct d_compiler *compiler, const struct d_place *place,
	const char *name, enum stability_part part, struct stability stability)
{
	/* A definition makes no probes, so there is nothing that would show them. */
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
