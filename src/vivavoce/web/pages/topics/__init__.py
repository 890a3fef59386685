"""Pages of the topics of a project and of every edit."""
