package main

import (
	"io"

	"example.com/toy/inner"
)

func main() {
	inner.Shared()
	inner.Fill()
	var c io.Closer = inner.Thing{Key: 1}
	c.Close()
}

func spare() {} // dead
