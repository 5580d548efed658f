/*
 * generate_order.c: see generate_order.h. The rules are a table: which statement must not follow
 * which, and the error's tag.
 */
#include "d/generate_order.h"

/* What a statement does; in struct d_code, what the clause has done before it. */
enum { SPECULATES = 1, COMMITS = 2, RECORDS = 4, AGGREGATES = 8, EXITS = 16, DESTROYS = 32 };

/* The first rule that applies decides. */
static const struct {
	unsigned is, after;
	const char *tag, *text;
} rules[] = {
	{SPECULATES, SPECULATES, "D_SPEC_SPEC", "speculate( ) may not follow speculate( )"},
	{SPECULATES, COMMITS, "D_SPEC_COMM", "speculate( ) may not follow commit( )"},
	{SPECULATES, RECORDS | AGGREGATES, "D_SPEC_DREC",
		"speculate( ) may not follow data-recording action(s)"},
	{AGGREGATES, COMMITS, "D_AGG_COMM", "aggregating actions may not follow commit( )"},
	{AGGREGATES, SPECULATES, "D_AGG_SPEC", "aggregating actions may not follow speculate( )"},
	{DESTROYS, SPECULATES, "D_ACT_SPEC", "destructive actions may not follow speculate( )"},
	{EXITS, SPECULATES, "D_EXIT_SPEC", "exit( ) may not follow speculate( )"},
	{COMMITS, RECORDS | AGGREGATES, "D_COMM_DREC",
		"commit( ) may not follow data-recording action(s)"},
	{RECORDS, COMMITS, "D_DREC_COMM", "data-recording actions may not follow commit( )"},
};

static int check(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node, unsigned is)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if ((rules[i].is & is) && (rules[i].after & code->order))
			return d_fail(compiler, &node->place, rules[i].tag, "%s", rules[i].text);
	code->order |= is;
	return 0;
}

bool d_action_is_destructive(enum d_action_kind kind)
{
	return kind == D_ACTION_SYSTEM || kind == D_ACTION_FREOPEN || kind == D_ACTION_RAISE ||
		kind == D_ACTION_STOP || (kind >= D_ACTION_CHILL && kind <= D_ACTION_BREAKPOINT);
}

int d_order_action(struct d_compiler *compiler, struct d_code *code, const struct d_node *node,
	enum d_action_kind kind)
{
	unsigned is = RECORDS;

	if (kind == D_ACTION_SPECULATE)
		is = SPECULATES;
	else if (kind == D_ACTION_COMMIT)
		is = COMMITS;
	else if (kind == D_ACTION_DISCARD)
		is = 0;
	else if (kind == D_ACTION_EXIT)
		is |= EXITS;
	else if (d_action_is_destructive(kind))
		is |= DESTROYS;
	return check(compiler, code, node, is);
}

int d_order_destructive(struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	return check(compiler, code, node, DESTROYS);
}

int d_order_aggregation(struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	return check(compiler, code, node, AGGREGATES);
}

bool d_order_only_speculates(const struct d_code *code)
{
	return code->order == SPECULATES;
}
