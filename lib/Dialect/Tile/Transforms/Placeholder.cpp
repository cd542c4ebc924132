// Removed with the first pass.
