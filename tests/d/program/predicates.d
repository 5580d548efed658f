/*
 * A predicate is any scalar expression: a number, a comparison, a pointer, even with side effects.
 * @options -q
 */
int *p;
struct s { int a; } v;

BEGIN / 1 / { printf("number\n"); }
BEGIN / 0 / { printf("never\n"); }
BEGIN / p / { printf("never\n"); }
BEGIN / !p && probename == "BEGIN" / { printf("logic\n"); }
BEGIN / n++ / { printf("never\n"); }
BEGIN / n++ == 1 / { printf("effects: %d\n", n); }
BEGIN / &v.a / { printf("address\n"); }
BEGIN / self->never++ , 1 / { printf("comma\n"); exit(0); }
