/* resolve_ahead.c: see resolve_ahead.h. */
#include "d/resolve_ahead.h"

#include "d/compile_unit.h"
#include "d/resolve_attribute.h"

/* A declaration or definition to check later. */
struct d_ahead {
	struct d_ahead *next;
	struct d_name *name;
	/* a declaration */
	enum d_name_space space;
	struct d_place place;
	struct d_identifier *identifier; /* NULL: a type */
	/* a definition */
	uint32_t known; /* how many identifiers there were, so that it names none after it */
	d_definition_check *check; /* NULL: it is a declaration */
	struct d_node *tree;
	const struct d_type *type;
};

static struct d_ahead *note(struct d_compiler *compiler, struct d_name *name)
{
	struct d_unit *unit = compiler->last_unit;
	struct d_ahead *ahead = d_get(compiler, sizeof(*ahead));

	if (!ahead)
		return NULL;
	ahead->name = name;
	*(unit->last_ahead ? &unit->last_ahead->next : &unit->ahead) = ahead;
	unit->last_ahead = ahead;
	return ahead;
}

int d_ahead_declare(struct d_compiler *compiler, struct d_name *name, enum d_name_space space,
	const struct d_place *place, struct d_identifier *identifier)
{
	struct d_ahead *ahead;

	/* Each script has its own this-> variables. */
	if (!d_unit_is_ahead(compiler) || space == D_SPACE_THIS)
		return 0;
	ahead = note(compiler, name);
	if (!ahead)
		return -1;
	ahead->space = space;
	ahead->place = *place;
	ahead->identifier = identifier;
	return 0;
}

int d_ahead_define(struct d_compiler *compiler, d_definition_check *check, struct d_node *tree,
	const struct d_type *type, struct d_name *name)
{
	struct d_ahead *ahead;

	if (!check(compiler, tree, type, name))
		return 0;
	if (!compiler->repairable || !d_unit_is_ahead(compiler))
		return -1;
	d_fail_forget(compiler);
	ahead = note(compiler, name);
	if (!ahead)
		return -1;
	ahead->check = check;
	ahead->known = compiler->identifier_count;
	ahead->tree = tree;
	ahead->type = type;
	return 0;
}

static bool is_same_variable(const struct d_identifier *one, const struct d_identifier *other)
{
	bool same = one->kind == other->kind &&
		(one->kind == D_IDENTIFIER_SCALAR || one->kind == D_IDENTIFIER_ARRAY) &&
		one->key_count == other->key_count && d_type_same(one->type, other->type);

	for (unsigned i = 0; same && i < one->key_count; i++)
		same = d_type_same(one->keys[i], other->keys[i]);
	return same;
}

/*
 * Checks against the meaning that an earlier script has given the name meanwhile, as if it had
 * existed before.
 */
static int check_declaration(struct d_compiler *compiler, const struct d_ahead *ahead)
{
	const struct d_identifier *own = ahead->identifier;
	const struct d_identifier *earlier =
		d_symbol_find_earlier(ahead->name, ahead->space, compiler->script);

	if (!earlier)
		return 0;
	if (own && is_same_variable(own, earlier)) {
		d_symbol_remove(ahead->identifier, ahead->space);
		return 0;
	}
	return d_fail(compiler, &ahead->place, "D_DECL_IDRED", "%s: %s",
		own && own->kind == D_IDENTIFIER_INLINE ? "inline name is already in use"
							: "identifier redeclared",
		ahead->name->bytes);
}

static int check_definition(struct d_compiler *compiler, const struct d_ahead *ahead)
{
	int result;

	compiler->keep = true;
	compiler->identifiers_known = ahead->known;
	result = ahead->check(compiler, ahead->tree, ahead->type, ahead->name);
	compiler->identifiers_known = 0;
	compiler->keep = false;
	return result;
}

int d_ahead_check(struct d_compiler *compiler, const struct d_unit *unit)
{
	int result = 0;

	for (const struct d_ahead *ahead = unit->ahead; ahead && !result; ahead = ahead->next)
		result = ahead->check ? check_definition(compiler, ahead)
				      : check_declaration(compiler, ahead);
	return result ? result : d_attribute_check_scopes(compiler, unit->pragmas);
}
