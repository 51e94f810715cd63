package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is one that may have ended, and whose pid may mean another one by now.
type process struct {
	pid   int
	start uint64
}

func processOf(pid int) process { return process{pid, procStart(pid)} }

func (p process) lives() bool { return p.start != 0 && procStart(p.pid) == p.start }

func (p process) signal(s syscall.Signal) bool { return p.lives() && syscall.Kill(p.pid, s) == nil }

// children gives the processes that a process started: each belongs to the thread that did.
func children(pid int) (all []process) {
	tasks, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	for _, t := range tasks {
		b, _ := os.ReadFile(t)
		for f := range strings.FieldsSeq(string(b)) {
			if child, err := strconv.Atoi(f); err == nil {
				all = append(all, processOf(child))
			}
		}
	}
	return all
}

// runOf says by a child's output which session and attempt it is for: claude-<session>-<n>-<token>.out.
func runOf(p process) (session, token string) {
	to, err := os.Readlink("/proc/" + strconv.Itoa(p.pid) + "/fd/1")
	if err != nil {
		return "", ""
	}
	return runName(filepath.Base(to))
}

func runName(base string) (session, token string) {
	name, ok := strings.CutPrefix(strings.TrimSuffix(base, ".out"), "claude-")
	if !ok || len(name) < 38 || !strings.HasSuffix(base, ".out") {
		return "", ""
	}
	if i := strings.LastIndexByte(name, '-'); i > 36 {
		return name[:36], name[i+1:]
	}
	return "", ""
}

// sweep ends whatever has the home's folder in its environment.
func sweep(dir string) {
	want := []byte(stormDir + "=" + dir + "\x00")
	for range 50 {
		found := false
		all, _ := os.ReadDir("/proc")
		for _, e := range all {
			pid, err := strconv.Atoi(e.Name())
			if err != nil || pid == os.Getpid() {
				continue
			}
			p := processOf(pid)
			env, _ := os.ReadFile("/proc/" + e.Name() + "/environ")
			if bytes.Contains(env, want) && p.signal(syscall.SIGKILL) {
				found = true
			}
		}
		if !found {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
