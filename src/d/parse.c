/*
 * parse.c: the outer grammar: clauses and probe descriptions.
 */
#include "d/parse.h"

#include <stdio.h>
#include <string.h>

#include "d/hint.h"
#include "d/hint_probe.h"
#include "d/lex.h"
#include "d/parse_branch.h"
#include "d/parse_provider.h"

int d_expect(struct d_compiler *compiler, enum d_token_kind kind, const char *expected)
{
	if (compiler->token.kind != kind)
		return d_fail_syntax(compiler, &compiler->token.place, expected);
	return d_lexer_next(compiler);
}

/* Consumes a token after which the outer mode starts. */
static int expect_last(struct d_compiler *compiler, enum d_token_kind kind, const char *expected)
{
	compiler->lexer.mode = D_MODE_OUTER;
	return d_expect(compiler, kind, expected);
}

/*
 * The part of a description from text to end, with its macro replaced. Each part may contain at
 * most one macro, as in DTrace.
 */
static const char *expand_part(struct d_compiler *compiler, const struct d_place *place,
	const char *start, const char *end)
{
	const char *dollar = memchr(start, '$', (size_t)(end - start)), *text = "";
	size_t length = 0, before;
	char number[32], *part;

	if (dollar) {
		text = d_macro_text(compiler, dollar, end, &length, number);
		if (!text && compiler->options.defaultargs)
			text = "";
		if (!text || memchr(dollar + length, '$', (size_t)(end - dollar) - length)) {
			d_fail(compiler, place, "D_PDESC_INVAL",
				"invalid probe description \"%.*s\": %s", (int)place->length,
				place->start,
				text ? "more than one macro in a part"
				     : "undefined macro variable");
			return NULL;
		}
	} else {
		dollar = end;
	}
	before = (size_t)(dollar - start);
	part = d_get(compiler, (size_t)(end - start) + strlen(text) + 1);
	if (part) {
		memcpy(part, start, before);
		strcpy(part + before, text);
		memcpy(part + strlen(part), dollar + length, (size_t)(end - dollar) - length);
	}
	return part;
}

/*
 * prov:mod:func:name, right-aligned; with -P, -m and -f the parts after the option's own part are
 * absent.
 */
static int split_description(struct d_compiler *compiler, struct d_description *description)
{
	const struct d_place *place = &description->place;
	const char *end = place->start + place->length, *at;
	int part = compiler->file ? D_LAST_NAME : compiler->last_part;

	for (unsigned i = 0; i < 4; i++)
		description->parts[i] = "";
	for (;;) {
		for (at = end; at > place->start && at[-1] != ':'; at--)
			;
		if (part < 0)
			return d_fail(compiler, place, "D_PDESC_INVAL",
				"invalid probe description \"%.*s\": "
				"%s",
				(int)place->length, place->start,
				!compiler->file && compiler->last_part == D_LAST_NONE
					? "only a probe's number may stand here"
					: "Probe description has too many parts");
		description->parts[part] = expand_part(compiler, place, at, end);
		if (!description->parts[part])
			return -1;
		part--;
		if (at == place->start)
			return 0;
		end = at - 1;
	}
}

static struct d_description *parse_description(struct d_compiler *compiler)
{
	struct d_token *token = &compiler->token;
	struct d_description *description = d_get(compiler, sizeof(*description));

	if (!description)
		return NULL;
	description->place = token->place;
	if (token->kind == D_TOKEN_INTEGER) {
		description->is_number = true;
		description->number = token->value;
	} else if (token->kind != D_TOKEN_DESCRIPTION) {
		d_fail_syntax(compiler, &token->place, "a probe description");
		return NULL;
	} else if (split_description(compiler, description)) {
		return NULL;
	}
	return d_lexer_next(compiler) ? NULL : description;
}

/* "uprobe:/bin/sh:main": the path of another language's probe is no predicate. */
static int refuse_path(struct d_compiler *compiler, const struct d_clause_tree *clause)
{
	const struct d_description *description = clause->descriptions;
	char hint[D_HINT_MAX], text[D_HINT_MAX + 32];

	if (description->is_number || *description->parts[3] ||
		!*d_hint_foreign(description->parts, hint, sizeof(hint)))
		return 0;
	snprintf(text, sizeof(text), "a probe description%s", hint);
	return d_fail_syntax(compiler, &compiler->token.place, text);
}

static int parse_predicate(struct d_compiler *compiler, struct d_clause_tree *clause)
{
	struct d_lexer *lexer = &compiler->lexer;

	if (refuse_path(compiler, clause))
		return -1;
	lexer->mode = D_MODE_INNER;
	lexer->in_predicate = true;
	lexer->open = 0;
	if (d_expect(compiler, D_TOKEN_SLASH, "a predicate"))
		return -1;
	clause->predicate = d_parse_expression(compiler);
	if (!clause->predicate)
		return -1;
	lexer->in_predicate = false;
	lexer->mode = D_MODE_OUTER; /* the next token is '{' in both modes */
	return d_expect(compiler, D_TOKEN_PREDICATE_END, "/ at the end of the predicate");
}

static int parse_body(struct d_compiler *compiler, struct d_clause_tree *clause)
{
	compiler->lexer.mode = D_MODE_INNER;
	compiler->lexer.open = 0;
	if (d_expect(compiler, D_TOKEN_LEFT_BRACE, "{") || d_branch_parse(compiler, clause))
		return -1;
	return expect_last(compiler, D_TOKEN_RIGHT_BRACE, "}");
}

/*
 * In a string program descriptions without a body list probes; in a file they are an error,
 * whatever follows. If one looks like a declaration, it may be one of an undeclared type, and the
 * message says so.
 */
static void fail_without_body(struct d_compiler *compiler, const struct d_place *place)
{
	bool may_be_type = compiler->token.kind == D_TOKEN_DESCRIPTION &&
		compiler->token.place.line == place->line;
	const struct d_name *name;
	char text[D_HINT_MAX];
	const char *hint = "";

	for (uint32_t i = 0; i < place->length; i++)
		may_be_type &= !strchr("-$:.?*\\[]!", place->start[i]);
	name = may_be_type ? d_names_get(&compiler->names, place->start, place->length) : NULL;
	if (name)
		hint = d_hint_type(compiler, name, text);
	if (may_be_type && !*hint)
		hint = " (no type has this name)";
	d_fail(compiler, place, "D_SYNTAX",
		"expected predicate and/or actions following probe description%s", hint);
}

static struct d_clause_tree *parse_clause(struct d_compiler *compiler)
{
	struct d_clause_tree *clause = d_get(compiler, sizeof(*clause));
	struct d_description **last;

	if (!clause)
		return NULL;
	clause->place = compiler->token.place;
	last = &clause->descriptions;
	for (;;) {
		*last = parse_description(compiler);
		if (!*last)
			return NULL;
		last = &(*last)->next;
		if (compiler->token.kind != D_TOKEN_COMMA)
			break;
		if (d_lexer_next(compiler))
			return NULL;
	}
	if (compiler->token.kind == D_TOKEN_SLASH) {
		if (parse_predicate(compiler, clause))
			return NULL;
		if (compiler->token.kind != D_TOKEN_LEFT_BRACE) {
			d_fail_syntax(compiler, &compiler->token.place, "{");
			return NULL;
		}
	}
	if (compiler->token.kind == D_TOKEN_LEFT_BRACE)
		return parse_body(compiler, clause) ? NULL : clause;
	if (compiler->file) {
		fail_without_body(compiler, &clause->place);
		return NULL;
	}
	if (compiler->token.kind != D_TOKEN_END && compiler->token.kind != D_TOKEN_DESCRIPTION) {
		d_fail_syntax(compiler, &compiler->token.place, "{");
		return NULL;
	}
	return clause;
}

int d_parse(struct d_compiler *compiler, struct d_clause_tree **clauses)
{
	int result = d_lexer_next(compiler);

	*clauses = NULL;
	compiler->nesting = 0;
	while (!result && compiler->token.kind != D_TOKEN_END) {
		if (compiler->token.kind == D_TOKEN_DESCRIPTION ||
			compiler->token.kind == D_TOKEN_INTEGER) {
			*clauses = parse_clause(compiler);
			if (!*clauses)
				return -1;
			clauses = &(*clauses)->next;
		} else if (compiler->token.kind == D_TOKEN_PROVIDER) {
			*clauses = d_get(compiler, sizeof(**clauses));
			if (!*clauses)
				return -1;
			(*clauses)->provider = d_parse_provider(compiler);
			if (!(*clauses)->provider)
				return -1;
			clauses = &(*clauses)->next;
		} else if (compiler->lexer.mode == D_MODE_INNER) {
			result = d_parse_declaration(compiler);
		} else {
			result = d_fail_syntax(compiler, &compiler->token.place,
				"a probe description or a declaration");
		}
	}
	return result;
}
