# SPDX-License-Identifier: Apache-2.0
"""`python -m oscommit`, and the command `oscommit` of the wheel: the program that the wheel brings."""

import os
import sys


def tool() -> str:
    """Where the program is."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "_tool", "bin", "oscommit")


def main() -> None:
    """Becomes the program: signals, descriptors and the exit status are its own."""
    program = tool()
    try:
        os.execv(program, ["oscommit", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"The program {program} of this package cannot be run: {error.strerror}. Install the package again.")


if __name__ == "__main__":
    main()
