"""What kind of speech act a clause is, in eight languages, from tables (M11.4)."""
