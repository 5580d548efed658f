/* typedef of pointers, arrays, functions, and of structs that are defined later. */
#pragma D option quiet
typedef struct later later_t;
typedef int *pointer_t, array_t[4];
typedef int (*handler_t)(int, char *);
typedef pointer_t (*table_t[2])(void);
struct later { later_t *next; int n; handler_t handler; };
later_t head;
array_t numbers;
later_t table[1];
BEGIN
{
	head.n = 2;
	table[0].n = 2; head.next = &table[0]; head.next->next = head.next;
	numbers[1] = head.next->next->n;
	printf("%d %d\n", numbers[1], head.handler == 0);
	printf("%d %d %d %d %d\n", sizeof(later_t), sizeof(pointer_t), sizeof(array_t),
	    sizeof(handler_t), sizeof(table_t));
	exit(0);
}
