// Removed with the first file.
