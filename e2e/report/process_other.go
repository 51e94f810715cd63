//go:build !linux

package main

import "errors"

func testProcess(int, string) (int, error) {
	return 0, errors.New("processes are looked for on Linux alone")
}

const shared = ""

func inMemory(string) (dir string, remove func(), err error) {
	return "", nil, errors.New("folders in memory are made on Linux alone")
}
