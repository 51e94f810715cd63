package trigger

// Type stands apart.
func Type() {}
