"""Between the domain and the wire: messages, names, errors. Knows no process and no store."""
