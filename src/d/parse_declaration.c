/*
 * parse_declaration.c: complete declarations of variables and typedefs. Inlines are in
 * parse_inline.c.
 */
#include <string.h>

#include "d/lex.h"
#include "d/parse_declarator.h"
#include "d/parse_inline.h"
#include "d/parse_translator.h"
#include "d/resolve_ahead.h"

static bool same_declaration(const struct d_identifier *old, const struct d_declarator *declarator)
{
	unsigned count = declarator->key_count;
	bool same = (old->kind == D_IDENTIFIER_SCALAR || old->kind == D_IDENTIFIER_ARRAY) &&
		old->key_count == count && d_type_same(old->type, declarator->type);

	for (unsigned i = 0; same && i < count; i++)
		same = d_type_same(old->keys[i], declarator->keys[i]);
	return same;
}

/*
 * C allows a repeated typedef, and included files may define names that D already has differently,
 * such as siginfo_t: their definition applies from there on if both are numbers or pointers, or
 * both are structs. What D's library has declared with the old one keeps it.
 */
static bool can_redefine(const struct d_compiler *compiler, const struct d_type *old,
	const struct d_declarator *declarator)
{
	return compiler->lexer.included && !declarator->key_count &&
		(d_type_same(old, declarator->type) || d_type_is_incomplete(d_type_resolve(old)) ||
			(d_type_is_scalar(old) && d_type_is_scalar(declarator->type)) ||
			(d_type_is_struct(d_type_resolve(old)) &&
				d_type_is_struct(d_type_resolve(declarator->type))));
}

static int declare_type(struct d_compiler *compiler, const struct d_declarator *declarator,
	const struct d_identifier *old)
{
	const struct d_token *token = &declarator->name;

	if (old || (token->name->type && !can_redefine(compiler, token->name->type, declarator)))
		return d_fail(compiler, &token->place, "D_DECL_IDRED", "identifier redeclared: %s",
			token->name->bytes);
	if (token->name->type && d_type_same(token->name->type, declarator->type))
		return 0;
	if (declarator->key_count)
		return d_fail(compiler, &token->place, "D_DECL_DYNOBJ",
			"cannot have a type of associative arrays: %s", token->name->bytes);
	if (d_types_define(&compiler->types, token->name, declarator->type))
		return d_fail_memory(compiler);
	return d_ahead_declare(compiler, token->name, D_SPACE_GLOBAL, &token->place, NULL);
}

/* Checks that a variable's type is one that objects can have. */
static int check_object(struct d_compiler *compiler, const struct d_declarator *declarator)
{
	const struct d_type *type = declarator->type;
	const struct d_place *place = &declarator->name.place;
	const char *name = declarator->name.name->bytes;

	if (type->kind == D_TYPE_VOID)
		return d_fail(
			compiler, place, "D_DECL_VOIDOBJ", "cannot have void object: %s", name);
	if (d_type_is_incomplete(type))
		return d_fail(compiler, place, "D_DECL_INCOMPLETE",
			"incomplete struct/union/enum %s: %s", type->name, name);
	if (d_type_is_unsized(type) ||
		(d_type_is_struct(type) && !d_types_size(&compiler->types, type)))
		return d_fail_unsized(
			compiler, declarator->brackets.line ? &declarator->brackets : place);
	return 0;
}

static int declare(struct d_compiler *compiler, enum d_token_kind storage,
	const struct d_declarator *declarator)
{
	enum d_name_space space = storage == D_TOKEN_SELF ? D_SPACE_SELF
		: storage == D_TOKEN_THIS                 ? D_SPACE_THIS
							  : D_SPACE_GLOBAL;
	const struct d_token *token = &declarator->name;
	struct d_identifier *old = d_symbol_find(compiler, token->name, space), *made;
	const char *name = token->name->bytes;

	if (strchr(name, '`'))
		return d_fail(compiler, &token->place, "D_DECL_SCOPE",
			"D scoping operator may not be used in a declaration of %s", name);
	if (storage == D_TOKEN_TYPEDEF)
		return declare_type(compiler, declarator, old);
	/* Functions and extern variables are only declared, not created. */
	if (storage == D_TOKEN_EXTERN || declarator->type->kind == D_TYPE_FUNCTION)
		return 0;
	if (token->name->type)
		return d_fail(
			compiler, &token->place, "D_DECL_IDRED", "identifier redeclared: %s", name);
	if (declarator->key_count && storage == D_TOKEN_THIS)
		return d_fail(compiler, &token->place, "D_DECL_LOCASSC",
			"cannot declare local associative array: %s", name);
	if (old && same_declaration(old, declarator))
		return 0;
	if (old)
		return d_fail(
			compiler, &token->place, "D_DECL_IDRED", "identifier redeclared: %s", name);
	if (check_object(compiler, declarator))
		return -1;
	made = d_symbol_variable(compiler, token->name, &token->place, space, declarator->type,
		declarator->keys, declarator->key_count);
	return made ? d_ahead_declare(compiler, token->name, space, &token->place, made) : -1;
}

/*
 * Skips the body of a function. Included files may have inline functions; their bodies are C, and D
 * does not need them.
 */
static int skip_body(struct d_compiler *compiler)
{
	struct d_place place = compiler->token.place;
	unsigned open = 0;

	do {
		if (compiler->token.kind == D_TOKEN_END)
			return d_fail_syntax(compiler, &place, "the body to end");
		if (compiler->token.kind == D_TOKEN_LEFT_BRACE)
			open++;
		else if (compiler->token.kind == D_TOKEN_RIGHT_BRACE)
			open--;
		if (!open)
			compiler->lexer.mode = D_MODE_OUTER;
		if (d_lexer_next(compiler))
			return -1;
	} while (open);
	return 0;
}

int d_parse_declaration(struct d_compiler *compiler)
{
	struct d_specifiers specifiers;
	struct d_declarator declarator;
	struct d_token first = compiler->token;
	int result;

	if (first.kind == D_TOKEN_TRANSLATOR)
		return d_parse_translator(compiler);
	if (first.kind == D_TOKEN_INLINE) {
		result = d_lexer_next(compiler) || d_parse_inline(compiler) ? -1 : 0;
	} else {
		result = d_parse_specifiers(compiler, &specifiers, true);
		if (!result &&
			(specifiers.storage == D_TOKEN_AUTO ||
				specifiers.storage == D_TOKEN_REGISTER ||
				(specifiers.storage == D_TOKEN_STATIC &&
					!compiler->lexer.included)))
			return d_fail(compiler, &first.place, "D_DECL_BADCLASS",
				"specified storage class not appropriate in D");
		if (!result && compiler->token.kind == D_TOKEN_SEMICOLON && !specifiers.tag)
			return d_fail(
				compiler, &first.place, "D_DECL_USELESS", "useless declaration");
		while (!result && compiler->token.kind != D_TOKEN_SEMICOLON) {
			compiler->is_extern = specifiers.storage == D_TOKEN_EXTERN;
			result = d_parse_declarator(
				compiler, specifiers.type, D_DECLARATOR_NAMED, &declarator);
			compiler->is_extern = false;
			if (!result)
				result = declare(compiler, specifiers.storage, &declarator);
			if (!result && compiler->lexer.included &&
				declarator.type->kind == D_TYPE_FUNCTION &&
				compiler->token.kind == D_TOKEN_LEFT_BRACE)
				return skip_body(compiler);
			if (result || compiler->token.kind != D_TOKEN_COMMA)
				break;
			result = d_lexer_next(compiler);
			if (!result && compiler->token.kind == D_TOKEN_SEMICOLON)
				return d_fail_syntax(compiler, &compiler->token.place, "a name");
		}
	}
	if (result)
		return result;
	compiler->lexer.mode = D_MODE_OUTER;
	return d_expect(compiler, D_TOKEN_SEMICOLON, first.kind == D_TOKEN_INLINE ? ";" : "; or ,");
}
