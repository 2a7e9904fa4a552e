"""The published protocol: where artifacts lie and what they must say."""
