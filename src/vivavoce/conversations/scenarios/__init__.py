"""What is said and expected: scenarios as data, their forms in files, how they are expanded and checked."""
