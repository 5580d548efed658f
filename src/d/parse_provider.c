/* parse_provider.c: see parse_provider.h. */
#include "d/parse_provider.h"

#include <ctype.h>
#include <string.h>

#include "d/lex.h"
#include "d/parse_declarator.h"

enum { PARAMETERS_MAX = 255 };

/* "__" is '-'. False: too long. */
static bool copy_name(const char *from, char to[D_PROVIDER_NAME_MAX + 1])
{
	size_t length = 0;

	while (*from && length < D_PROVIDER_NAME_MAX) {
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

/* ": ( outputs )": each has a name, which is also the name of an input. */
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
		if (!d_parameter_find(probe->native, output->name.name, &number))
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
			"probe name may not exceed %d characters: %.80s", D_PROVIDER_NAME_MAX,
			token.name->bytes);
		return NULL;
	}
	if (d_expect(compiler, D_TOKEN_LEFT_PAREN, "(") ||
		d_parse_parameters(compiler, &probe->native))
		return NULL;
	if (compiler->token.kind == D_TOKEN_COLON && parse_outputs(compiler, probe))
		return NULL;
	if (d_parameter_count(probe->native) > PARAMETERS_MAX ||
		d_parameter_count(probe->output) > PARAMETERS_MAX) {
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
	if (strlen(name) > D_PROVIDER_NAME_MAX || isdigit((unsigned char)name[strlen(name) - 1])) {
		d_fail(compiler, &token.place, "D_PROV_BADNAME", "provider name may not %s: %.80s",
			strlen(name) > D_PROVIDER_NAME_MAX ? "exceed 63 characters"
							   : "end with a digit",
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
	provider->script = compiler->script;
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
	/*
	 * Pragmas after the definition may refer to it, and they are read together with the last
	 * ';'.
	 */
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
