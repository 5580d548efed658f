typedef struct { int a; struct { int b; } c; } t;
translator x < t > { a = b; };
provider q { probe z(t *, unsigned long long int n[4], void (*)(int)); };
