/*
 * parse_branch.c: if and else, which DTrace has had since 2015 on Solaris' heirs.
 *
 * In their byte code no jump may skip an action, so a clause is cut into parts at each if and else,
 * and each part is a separate clause after the previous one. A condition is such a part too: its
 * value is kept in a this-> variable, which the predicates of the parts inside the branch test:
 *
 *     P /p/ { a; if (c) { b } else { d } e }
 *
 *     P /(this->%ok = 0, p)/ { a; this->%ok = 1 }
 *     P /this->%ok && (this->%ok = 0, 1)/ { this->%no = !c; this->%ok = 1 }
 *     P /this->%ok && this->%no == 0 && (this->%ok = 0, 1)/ { b; this->%ok = 1 }
 *     P /this->%ok && this->%no != 0 && (this->%ok = 0, 1)/ { d; this->%ok = 1 }
 *     P /this->%ok && (this->%ok = 0, 1)/ { e; this->%ok = 1 }
 *
 * A part that faults leaves %ok at 0, so the parts after it do not run. %ok has a number in its
 * name, because the clauses of ERROR run between a fault and the next part. Scripts notice two
 * effects: each part that records something has its own line, if not quiet, and scratch memory is
 * freed after each part.
 */
#include "d/parse_branch.h"

#include <stdio.h>

#include "d/lex.h"
#include "d/parse.h"

enum { BRANCHES_MAX = 64 }; /* nested ifs */

/* The branches that contain a statement, innermost first. */
struct branch {
	const struct branch *outer;
	unsigned depth;
	bool otherwise; /* after else */
};

struct body {
	struct d_clause_tree *first, *part; /* part: where statements are added */
	struct d_node **last;
	unsigned number; /* of %ok */
};

static int parse_statement(
	struct d_compiler *compiler, struct body *body, const struct branch *branch);

static void append(struct body *body, struct d_node *node)
{
	*body->last = node;
	body->last = &node->next;
}

/* this->%NAME */
static struct d_node *variable(
	struct d_compiler *compiler, const struct d_place *place, const char *kind, unsigned number)
{
	struct d_node *node = d_node_new(compiler, D_NODE_MEMBER, place);
	char name[32];
	int length = snprintf(name, sizeof(name), "%%%s%u", kind, number);

	if (!node)
		return NULL;
	node->arrow = true;
	node->left = d_node_new(compiler, D_NODE_THIS, place);
	if (!node->left)
		return NULL;
	node->name = d_names_get(&compiler->names, name, (size_t)length);
	if (!node->name) {
		d_fail_memory(compiler);
		return NULL;
	}
	return d_node_finish(compiler, node);
}

static struct d_node *number(
	struct d_compiler *compiler, const struct d_place *place, uint64_t value)
{
	return d_node_integer(compiler, place, value, compiler->types.type_int);
}

static struct d_node *set_ok(struct d_compiler *compiler, const struct body *body, uint64_t value)
{
	const struct d_place *place = &body->part->place;

	return d_node_assign(compiler, D_OPERATOR_NONE, place,
		variable(compiler, place, "ok", body->number), number(compiler, place, value));
}

/* `(this->%ok = 0, condition)` */
static struct d_node *reset_ok(
	struct d_compiler *compiler, const struct body *body, struct d_node *condition)
{
	return d_node_binary(compiler, D_OPERATOR_COMMA, &body->part->place,
		set_ok(compiler, body, 0), condition);
}

static int end_part(struct d_compiler *compiler, struct body *body)
{
	struct d_node *done = set_ok(compiler, body, 1);

	if (!done)
		return -1;
	append(body, done);
	return 0;
}

/* The predicate of a part inside these branches. */
static struct d_node *part_predicate(
	struct d_compiler *compiler, const struct body *body, const struct branch *branch)
{
	const struct d_place *place = &body->part->place;
	struct d_node *node = variable(compiler, place, "ok", body->number);

	for (; branch; branch = branch->outer)
		node = d_node_binary(compiler, D_OPERATOR_LOGICAL_AND, place, node,
			d_node_binary(compiler,
				branch->otherwise ? D_OPERATOR_NOT_EQUAL : D_OPERATOR_EQUAL, place,
				variable(compiler, place, "no", branch->depth),
				number(compiler, place, 0)));
	return d_node_binary(compiler, D_OPERATOR_LOGICAL_AND, place, node,
		reset_ok(compiler, body, number(compiler, place, 1)));
}

/* Starts the part for what follows inside these branches; an empty part is reused. */
static int begin_part(struct d_compiler *compiler, struct body *body, const struct branch *branch)
{
	if (body->part->statements) {
		struct d_clause_tree *part = d_get(compiler, sizeof(*part));
		if (!part || end_part(compiler, body))
			return -1;
		body->part->rest = part;
		body->part = part;
		body->last = &part->statements;
	}
	body->part->place = compiler->token.place;
	body->part->predicate = part_predicate(compiler, body, branch);
	return body->part->predicate ? 0 : -1;
}

static int parse_statements(
	struct d_compiler *compiler, struct body *body, const struct branch *branch)
{
	while (compiler->token.kind != D_TOKEN_RIGHT_BRACE)
		if (parse_statement(compiler, body, branch))
			return -1;
	return 0;
}

static int parse_branch(struct d_compiler *compiler, struct body *body, const struct branch *branch)
{
	if (begin_part(compiler, body, branch))
		return -1;
	if (compiler->token.kind != D_TOKEN_LEFT_BRACE)
		return parse_statement(compiler, body, branch);
	if (d_lexer_next(compiler) || parse_statements(compiler, body, branch))
		return -1;
	return d_lexer_next(compiler);
}

static int parse_if(struct d_compiler *compiler, struct body *body, const struct branch *outer)
{
	struct branch branch = {.outer = outer, .depth = outer ? outer->depth + 1 : 0};
	const struct d_place place = compiler->token.place;
	struct d_node *condition;

	if (branch.depth == BRANCHES_MAX)
		return d_fail(compiler, &place, "D_SYNTAX", "if is nested too deeply");
	if (d_lexer_next(compiler) || d_expect(compiler, D_TOKEN_LEFT_PAREN, "("))
		return -1;
	condition = d_parse_expression(compiler);
	if (!condition || d_expect(compiler, D_TOKEN_RIGHT_PAREN, ")"))
		return -1;
	if (body->part->statements && begin_part(compiler, body, outer))
		return -1;
	condition = d_node_assign(compiler, D_OPERATOR_NONE, &place,
		variable(compiler, &place, "no", branch.depth),
		d_node_unary(compiler, D_OPERATOR_NOT, &condition->place, condition));
	if (!condition)
		return -1;
	append(body, condition);
	if (parse_branch(compiler, body, &branch))
		return -1;
	if (compiler->token.kind == D_TOKEN_ELSE) {
		branch.otherwise = true;
		if (d_lexer_next(compiler) || parse_branch(compiler, body, &branch))
			return -1;
	}
	return begin_part(compiler, body, outer);
}

/* Parses a statement and its ';', which is optional before a '}'. */
static int parse_statement(
	struct d_compiler *compiler, struct body *body, const struct branch *branch)
{
	struct d_node *node;

	if (compiler->token.kind == D_TOKEN_IF)
		return parse_if(compiler, body, branch);
	if (d_begins_type(&compiler->token))
		return d_fail_syntax(compiler, &compiler->token.place,
			"an expression (declarations stand outside of clauses)");
	if (compiler->token.kind != D_TOKEN_SEMICOLON) {
		node = d_parse_expression(compiler);
		if (!node)
			return -1;
		append(body, node);
		if (compiler->token.kind == D_TOKEN_RIGHT_BRACE)
			return 0;
	}
	return d_expect(compiler, D_TOKEN_SEMICOLON, "; or }");
}

/* Ends the last part, or removes it if nothing follows the last if. */
static int end_parts(struct d_compiler *compiler, struct body *body)
{
	struct d_clause_tree **link = &body->first->rest;

	if (body->part->statements && end_part(compiler, body))
		return -1;
	while (*link) {
		if (!(*link)->statements)
			*link = NULL;
		else
			link = &(*link)->rest;
	}
	body->part = body->first;
	body->first->predicate = reset_ok(compiler, body,
		body->first->predicate ? body->first->predicate
				       : number(compiler, &body->first->place, 1));
	return body->first->predicate ? 0 : -1;
}

int d_branch_parse(struct d_compiler *compiler, struct d_clause_tree *clause)
{
	struct body body = {.first = clause,
		.part = clause,
		.last = &clause->statements,
		.number = compiler->branched};

	if (parse_statements(compiler, &body, NULL))
		return -1;
	if (body.part == clause)
		return 0;
	compiler->branched++;
	return end_parts(compiler, &body);
}
