package part

// Add counts: moving code into a folder makes nothing smaller.
func Add(n int) int { return n + 1 }
