package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
)

// BenchmarkExec measures what clawd exec costs beside the agent that it runs, in pairs: the agent alone,
// then clawd exec with it. overhead-ms is the median of the differences, rss-MB clawd's own peak.
func BenchmarkExec(b *testing.B) {
	dir := b.TempDir()
	bin := filepath.Join(dir, "clawd")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	program := filepath.Join(dir, "claude")
	script := "#!/bin/sh\necho '{\"type\":\"system\",\"subtype\":\"init\"}'\necho '{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"done\"}'\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		b.Fatal(err)
	}
	run := func(argv ...string) (time.Duration, float64) {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env = []string{"HOME=" + dir, "PATH=" + dir + ":/usr/bin:/bin"}
		began := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		took := time.Since(began)
		rss := float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
		if runtime.GOOS == "linux" { // kB there, bytes on macOS
			rss *= 1024
		}
		return took, rss / (1 << 20)
	}
	var over []time.Duration
	most := 0.0
	for b.Loop() {
		bare, _ := run(program, "-p")
		with, rss := run(bin, "exec", "say hello")
		over, most = append(over, with-bare), max(most, rss)
	}
	slices.Sort(over)
	b.ReportMetric(float64(over[len(over)/2].Microseconds())/1000, "overhead-ms")
	b.ReportMetric(most, "rss-MB")
}
