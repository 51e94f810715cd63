//go:build !linux

package main

import "errors"

func testProcess(int, string) (int, error) {
	return 0, errors.New("processes are looked for on Linux alone")
}
