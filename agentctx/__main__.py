"""`python -m agentctx`: how the worker is started, and what a person may type."""

from agentctx.start import run

if __name__ == "__main__":
    run()
