"""What people do in a workspace: one function for each use, shared by pages, API and command line."""
