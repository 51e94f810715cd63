//go:build !race

package wrap

const floodBytes = 50 << 20
