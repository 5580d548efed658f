/* Clauses of a probe run in the order of the text. */
#pragma D option quiet

vm$target:::gc-start { printf("1 "); }
:::gc-start { printf("2 "); }
vm$target:toy::gc-start { printf("3\n"); }
