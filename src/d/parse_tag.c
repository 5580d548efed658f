/*
 * parse_tag.c: struct, union and enum: references to tags and definitions.
 */
#include <errno.h>
#include <string.h>

#include "d/check.h"
#include "d/lex.h"
#include "d/parse_declarator.h"
#include "d/resolve_ahead.h"

/* The width after the ':' of a bit-field, which is the current token; 0 for ":0". */
static int parse_width(struct d_compiler *compiler, const struct d_type *type,
	const struct d_token *name, unsigned *bits)
{
	struct d_place place = compiler->token.place;
	const char *text = name->kind ? name->name->bytes : "(no name)";
	struct d_node *width;

	if (d_lexer_next(compiler))
		return -1;
	width = d_parse_assignment(compiler);
	if (!width)
		return -1;
	if (width->kind != D_NODE_INTEGER && d_check(compiler, width))
		return -1;
	if (width->kind != D_NODE_INTEGER || (name->kind && !width->value) ||
		(width->type->is_signed && (int64_t)width->value < 0))
		return d_fail(compiler, &place, "D_DECL_BFCONST",
			"positive integral constant expression expected as bit-field size: %s",
			text);
	if (!d_type_is_integer(type))
		return d_fail(
			compiler, &place, "D_DECL_BFTYPE", "invalid type for bit-field: %s", text);
	if (width->value > d_type_resolve(type)->size * 8)
		return d_fail(
			compiler, &place, "D_DECL_BFSIZE", "bit-field too big for type: %s", text);
	*bits = (unsigned)width->value;
	return 0;
}

/* Turns the result of adding members into an error message. */
static int added(struct d_compiler *compiler, const struct d_type *type, const char *name,
	const struct d_place *place, int result)
{
	if (result == -EEXIST)
		return d_fail(compiler, place, "D_UNKNOWN",
			"failed to define member '%s': Duplicate member or variable name", name);
	if (result == -E2BIG)
		return d_fail(compiler, place, "D_UNKNOWN", "%s has more than %d members",
			type->name, D_MEMBERS_MAX);
	if (result == -EOVERFLOW)
		return d_fail(compiler, place, "D_DECL_ARRBIG", "%s is larger than %d MiB",
			type->name, D_OBJECT_MAX >> 20);
	return result ? d_fail_memory(compiler) : 0;
}

static int add_member(struct d_compiler *compiler, struct d_type *type,
	const struct d_declarator *declarator, const struct d_place *place, unsigned bits)
{
	const struct d_type *member = declarator->type;
	const char *name = declarator->name.kind ? declarator->name.name->bytes : "(no name)";

	if (strchr(name, '`'))
		return d_fail(compiler, place, "D_DECL_SCOPE",
			"D scoping operator may not be used in a declaration of %s", name);
	if (declarator->key_count)
		return d_fail(
			compiler, place, "D_DECL_DYNOBJ", "cannot have dynamic member: %s", name);
	if (member->kind == D_TYPE_VOID || member->kind == D_TYPE_FUNCTION)
		return d_fail(compiler, place, "D_DECL_VOIDOBJ", "cannot have %s member: %s",
			member->name, name);
	if (d_type_is_incomplete(member))
		return d_fail(compiler, place, "D_DECL_INCOMPLETE", "incomplete %s: %s",
			member->name, name);
	return added(compiler, type, name, place,
		d_types_add_member(&compiler->types, type,
			declarator->name.kind ? declarator->name.name : NULL, member, bits));
}

/* "type declarator, declarator;" in a struct or union. */
static int parse_members(struct d_compiler *compiler, struct d_type *type)
{
	struct d_specifiers specifiers;
	struct d_declarator declarator;
	struct d_place place;
	unsigned bits;

	if (!d_begins_type(&compiler->token))
		return d_fail_syntax(compiler, &compiler->token.place, "a member");
	if (d_parse_specifiers(compiler, &specifiers, false))
		return -1;
	for (;;) {
		place = compiler->token.place;
		/*
		 * In included files, as in C: the members of an unnamed struct belong to the outer
		 * one.
		 */
		if (compiler->token.kind == D_TOKEN_SEMICOLON && specifiers.anonymous &&
			compiler->lexer.included && d_type_is_struct(specifiers.type))
			return added(compiler, type, "(no name)", &place,
				       d_types_add_members(
					       &compiler->types, type, specifiers.type)) ||
					d_lexer_next(compiler)
				? -1
				: 0;
		if (compiler->token.kind == D_TOKEN_SEMICOLON && specifiers.tag)
			return d_fail_syntax(compiler, &place, "a member's name");
		if (compiler->token.kind == D_TOKEN_SEMICOLON)
			return d_fail(compiler, &place, "D_DECL_MNAME",
				"a member must have a name, or be a bit-field");
		if (compiler->token.kind == D_TOKEN_COLON) {
			declarator = (struct d_declarator){.type = specifiers.type};
		} else if (d_parse_declarator(
				   compiler, specifiers.type, D_DECLARATOR_NAMED, &declarator)) {
			return -1;
		}
		bits = 0;
		if (compiler->token.kind == D_TOKEN_COLON) {
			if (parse_width(compiler, declarator.type, &declarator.name, &bits))
				return -1;
		}
		if (declarator.name.kind) {
			if (add_member(compiler, type, &declarator, &place, bits))
				return -1;
		} else if (bits &&
			added(compiler, type, "(no name)", &place, d_types_add_gap(type, bits))) {
			return -1;
		}
		if (compiler->token.kind != D_TOKEN_COMMA)
			return d_expect(compiler, D_TOKEN_SEMICOLON, "; or ,");
		if (d_lexer_next(compiler))
			return -1;
	}
}

static int parse_struct(struct d_compiler *compiler, struct d_type *type)
{
	if (++compiler->nesting > D_NESTING_MAX)
		return d_fail(compiler, &compiler->token.place, "D_SYNTAX",
			"declaration is nested too deeply");
	do {
		if (parse_members(compiler, type))
			return -1;
	} while (compiler->token.kind != D_TOKEN_RIGHT_BRACE);
	compiler->nesting--;
	return 0;
}

/* An included file may define as an enumerator what D's own library has as a constant. */
static bool is_known_constant(
	const struct d_compiler *compiler, const struct d_identifier *old, int64_t value)
{
	return compiler->lexer.included && old && old->script == D_SCRIPT_LIBRARY &&
		old->kind == D_IDENTIFIER_INLINE && !old->tree && !old->text &&
		(int64_t)old->value == value;
}

/* "NAME" or "NAME = value" of an enum; *value is its value if none is given. */
static int parse_enumerator(struct d_compiler *compiler, struct d_type *type, int64_t *value)
{
	struct d_token token = compiler->token;
	struct d_identifier *old, *made;
	struct d_node *node;
	bool known;

	if (token.kind != D_TOKEN_NAME && token.kind != D_TOKEN_TYPE)
		return d_fail_syntax(compiler, &token.place, "a name");
	if (d_lexer_next(compiler))
		return -1;
	if (compiler->token.kind == D_TOKEN_ASSIGN) {
		if (d_lexer_next(compiler))
			return -1;
		node = d_parse_assignment(compiler);
		if (!node)
			return -1;
		if (node->kind != D_NODE_INTEGER && d_check(compiler, node))
			return -1;
		if (node->kind != D_NODE_INTEGER)
			return d_fail(compiler, &token.place, "D_DECL_ENCONST",
				"enumerator '%s' must be assigned to an integral constant "
				"expression",
				token.name->bytes);
		*value = (int64_t)node->value;
	}
	/*
	 * GNU C allows larger values: D accepts them up to the largest unsigned 32-bit one;
	 * enumerators with others are left out.
	 */
	if (compiler->lexer.included && (*value < INT32_MIN || *value > UINT32_MAX)) {
		++*value;
		return 0;
	}
	if (*value < INT32_MIN || (*value > INT32_MAX && !compiler->lexer.included))
		return d_fail(compiler, &token.place, "D_DECL_ENOFLOW",
			"enumerator '%s' value overflows an int", token.name->bytes);
	if (strchr(token.name->bytes, '`'))
		return d_fail(compiler, &token.place, "D_DECL_SCOPE",
			"D scoping operator may not be used in a declaration of %s",
			token.name->bytes);
	old = d_symbol_find(compiler, token.name, D_SPACE_GLOBAL);
	if (old && old->kind == D_IDENTIFIER_ENUMERATOR && old->type == type)
		return d_fail(compiler, &token.place, "D_UNKNOWN",
			"failed to define enumerator '%s': Duplicate enum or typedef name",
			token.name->bytes);
	known = is_known_constant(compiler, old, *value);
	if ((old && !known) || token.name->type)
		return d_fail(compiler, &token.place, "D_DECL_IDRED", "identifier redeclared: %s",
			token.name->bytes);
	if (d_types_add_enumerator(&compiler->types, type, token.name, *value))
		return d_fail_memory(compiler);
	made = known ? NULL : d_symbol_enumerator(compiler, token.name, type, *value);
	if (!known &&
		(!made ||
			d_ahead_declare(compiler, token.name, D_SPACE_GLOBAL, &token.place, made)))
		return -1;
	++*value;
	return 0;
}

static int parse_enum(struct d_compiler *compiler, struct d_type *type)
{
	int64_t value = 0;

	for (;;) {
		if (parse_enumerator(compiler, type, &value))
			return -1;
		if (compiler->token.kind != D_TOKEN_COMMA)
			return 0;
		if (d_lexer_next(compiler))
			return -1;
		/* C headers may have a comma after the last enumerator; D does not allow it. */
		if (compiler->token.kind == D_TOKEN_RIGHT_BRACE && compiler->lexer.included)
			return 0;
	}
}

/*
 * An included file defines a struct that already exists, such as in6_addr, which D's library has:
 * the new members apply from there on, if the size is the same.
 */
static int parse_again(
	struct d_compiler *compiler, struct d_type *type, const struct d_place *place)
{
	struct d_type *again = d_types_anonymous(&compiler->types, type->kind);

	if (!again)
		return d_fail_memory(compiler);
	if (d_expect(compiler, D_TOKEN_LEFT_BRACE, "{") || parse_struct(compiler, again))
		return -1;
	if (again->size != type->size)
		return d_fail(compiler, place, "D_DECL_TYPERED", "type redeclared: %s", type->name);
	type->members = again->members;
	return d_expect(compiler, D_TOKEN_RIGHT_BRACE, ", or }");
}

/* { ... } */
static int parse_definition(
	struct d_compiler *compiler, struct d_type *type, const struct d_place *place)
{
	if (type->complete && compiler->lexer.included && type->kind != D_TYPE_ENUM)
		return parse_again(compiler, type, place);
	if (type->complete)
		return d_fail(compiler, place, "D_DECL_TYPERED", "type redeclared: %s", type->name);
	if (d_expect(compiler, D_TOKEN_LEFT_BRACE, "{"))
		return -1;
	/* A definition without members is a different error, which comes first. */
	if (type->name && strchr(type->name, '`') && compiler->token.kind != D_TOKEN_RIGHT_BRACE)
		return d_fail(compiler, place, "D_DECL_SCOPE",
			"D scoping operator may not be used in a declaration of %s", type->name);
	if ((type->kind == D_TYPE_ENUM ? parse_enum(compiler, type) : parse_struct(compiler, type)))
		return -1;
	/* A definition of the same tag inside this one came first. */
	if (type->complete)
		return d_fail(compiler, place, "D_DECL_TYPERED", "type redeclared: %s", type->name);
	type->complete = true;
	return d_expect(compiler, D_TOKEN_RIGHT_BRACE, ", or }");
}

int d_parse_tag(struct d_compiler *compiler, struct d_specifiers *specifiers)
{
	static const enum d_type_kind kinds[D_TOKENS] = {[D_TOKEN_STRUCT] = D_TYPE_STRUCT,
		[D_TOKEN_UNION] = D_TYPE_UNION,
		[D_TOKEN_ENUM] = D_TYPE_ENUM};
	enum d_type_kind kind = kinds[compiler->token.kind];
	struct d_name *tag;
	struct d_place place;
	struct d_type *type;

	if (d_lexer_next(compiler))
		return -1;
	place = compiler->token.place;
	if (compiler->token.kind == D_TOKEN_LEFT_BRACE) {
		type = d_types_anonymous(&compiler->types, kind);
		specifiers->anonymous = true;
	} else if (compiler->token.kind != D_TOKEN_NAME) {
		return d_fail_syntax(compiler, &place, "a tag");
	} else {
		tag = compiler->token.name;
		if (d_lexer_next(compiler))
			return -1;
		if (compiler->token.kind != D_TOKEN_LEFT_BRACE)
			tag = d_lexer_unscoped(compiler, tag);
		type = tag ? d_types_tag(&compiler->types, kind, tag) : NULL;
		specifiers->tag = true;
	}
	if (!type)
		return d_fail_memory(compiler);
	specifiers->type = type;
	if (compiler->token.kind != D_TOKEN_LEFT_BRACE)
		return 0;
	specifiers->tag = true;
	return parse_definition(compiler, type, &place);
}
