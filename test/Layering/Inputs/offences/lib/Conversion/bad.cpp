int f(const char *chip) { return chip == "sm_90a"; }
// sm_80 in a comment
// built in @HOME@/someone/fovea
