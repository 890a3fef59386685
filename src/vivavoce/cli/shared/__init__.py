"""What commands share: options, material, progress, results, exit codes."""
