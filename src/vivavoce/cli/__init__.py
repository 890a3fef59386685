"""The `viva` command: one file for each group of commands."""

__all__ = ["main"]


def main() -> None:
    """Run the command line of this process; ends the process with its exit code."""
    from vivavoce.cli.app import app

    app(prog_name="viva")
