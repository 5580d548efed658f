/* The scopes D and C of type names: a script's types, and those of C. */
#pragma D option quiet

typedef struct pair {
	int one;
	char two;
} pair_t;
union both { int32_t number; char letters[4]; };
enum kind { NONE, SOME };

BEGIN
{
	p = (struct D`pair *)alloca(sizeof (D`pair_t));
	p->two = 'x';
	q = (D`pair_t *)p;
	printf("%c %d %d", q->two, sizeof (union D`both), sizeof (enum D`kind));
	printf(" %d %d\n", sizeof (C`uint16_t), offsetof(struct C`pair, two));
	exit(0);
}
