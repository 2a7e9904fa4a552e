"""A program with one command, `do`, for tests of the frame."""

from __future__ import annotations

import sys

from corpus.cli.app import run_program
from corpus.cli.program import Command, Program

PROBE = Program(
    name="probe",
    version="1",
    about="Probe the frame.",
    example="probe do 'some words'",
    commands=(Command(("do",), "frame_probe", "Probe the frame."),),
)

if __name__ == "__main__":
    sys.exit(run_program(PROBE, sys.argv[1:]))
