/* Dynamic options change at setopt()'s place among the records; others can no longer be changed. */
BEGIN { trace(1); }
BEGIN { setopt("quiet"); }
BEGIN { trace(2); printf("\n"); }
BEGIN { setopt("quiet", "no"); }
BEGIN { trace(3); setopt("rawbytes"); trace((char)65); setopt("rawbytes", "disable"); trace(4); }
BEGIN { setopt("strsize", "10"); setopt("destructive"); }
BEGIN { setopt("nosuch", "1"); setopt("aggsortpos", "many"); setopt(strjoin("qui", "te")); }
BEGIN { @[1] = count(); @[2] = count(); @[2] = count(); setopt("aggsortrev"); }
BEGIN { exit(0); }
