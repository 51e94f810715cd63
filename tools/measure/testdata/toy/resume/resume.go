package resume

func Decide(n int) int { return n + one() }

func one() int { return 1 }

func Never() {}
