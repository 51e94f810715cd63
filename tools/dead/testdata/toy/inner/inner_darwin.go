package inner

func init() { Elsewhere() }
