"""`python -m vivavoce.cli` is the `viva` command."""

from vivavoce.cli import main

if __name__ == "__main__":
    main()
