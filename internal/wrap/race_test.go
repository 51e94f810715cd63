//go:build race

package wrap

// floodBytes is less than without the race detector, under which the emulator is 30 times slower.
const floodBytes = 8 << 20
