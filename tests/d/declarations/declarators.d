/*
 * Declarators are read as in C, from the name outwards.
 * @options -q
 */
int *pointers[3];
int (*pointer)[3];
char matrix[2][3][4];
int (*functions[5])(int, char *);
int (*returned(void))(int);
char **deep;
int ((nested));

BEGIN
{
	printf("%d %d %d\n", sizeof(pointers), sizeof(pointer), sizeof(*pointer));
	printf("%d %d %d %d\n", sizeof(matrix), sizeof(matrix[0]), sizeof(matrix[0][0]),
	    sizeof(matrix[0][0][0]));
	printf("%d %d\n", sizeof(functions), sizeof(functions[0]));
	printf("%d %d %d\n", sizeof(deep), sizeof(*deep), sizeof(**deep));
	printf("%d %d %d\n", sizeof(int *[4]), sizeof(int (*)[4]), sizeof(unsigned char [2][2]));
	nested = 1;
	exit(0);
}
