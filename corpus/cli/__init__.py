"""The command `project-corpus`: one module a command, loaded when it is asked for."""
