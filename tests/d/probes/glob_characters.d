/*
 * * ? [abc] [a-z] [!x] and \c, in any part; a glob matches the whole part.
 * @options -q
 */
vm*:::gc-[a-r]*k-begin { printf("range: %s\n", probename); }
vm*:::gc-s[!t]* { printf("not t: %s\n", probename); }
vm*:::gc-s[!w]* { printf("not w: %s\n", probename); }
vm*:::gc?start { printf("any character: %s\n", probename); }
vm*:::gc\-start { printf("quoted: %s\n", probename); }
vm*:::[gx]c-[sz]tart { printf("sets: %s\n", probename); }
*:::gc-end { printf("provider: %s\n", probename); }
vm[0-9]*:::gc-end { printf("digits: %s\n", probename); }
vm*:::*gc-end* { printf("stars: %s\n", probename); }
