package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// testProcess finds the test program that runs in dir below the process root. Programs that it started
// from its own file are not meant.
func testProcess(root int, dir string) (int, error) {
	for _, child := range children(root) {
		base := filepath.Join("/proc", strconv.Itoa(child))
		argv, err := os.ReadFile(filepath.Join(base, "cmdline"))
		if err != nil {
			continue // it has ended
		}
		program, _, _ := bytes.Cut(argv, []byte{0})
		cwd, err := os.Readlink(filepath.Join(base, "cwd"))
		if err == nil && cwd == dir && strings.HasSuffix(string(program), ".test") {
			return child, nil
		}
		if found, err := testProcess(child, dir); err == nil {
			return found, nil
		}
	}
	return 0, errors.New("no test program runs in " + dir)
}

func children(pid int) (pids []int) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // no such process: none
	for _, t := range tasks {
		list, err := os.ReadFile(t)
		if err != nil {
			continue
		}
		for word := range strings.FieldsSeq(string(list)) {
			if child, err := strconv.Atoi(word); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}
