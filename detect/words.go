package detect

// formerly is what the word "asking" was before clawd alone waits. Stores and tables that have it are read on.
const formerly = "waiting"

// UnmarshalText reads a state.
func (s *State) UnmarshalText(b []byte) error {
	if *s = State(b); *s == formerly {
		*s = Asking
	}
	return nil
}

// UnmarshalText reads an activity.
func (a *Activity) UnmarshalText(b []byte) error {
	if *a = Activity(b); *a == formerly {
		*a = Asks
	}
	return nil
}
