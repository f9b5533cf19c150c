"""`python -m sentinel` is the `sentinel` command."""

from sentinel.cli.start import main

if __name__ == "__main__":
    main()
