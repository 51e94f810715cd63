// Mutants plants faults into clawd, one at a time, and looks how many seeds the simulator needs to find each.
//
//	mutants [-seeds n] [-only regexp] [-markdown]
//
// It ends with 1 where one is not found, or where the text that it is to replace is not there any more.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/internal/sim"
)

// mutant is one planted fault. Where one layer makes good what another one lacks, it takes out both.
type mutant struct {
	name  string
	edits []edit
}

// edit puts a text in the place of another one, which must stand in the file once.
type edit struct{ file, old, new string }

// workers is how many processes walk the seeds.
var workers string

func main() {
	seeds := flag.Int("seeds", 2000, "the most to walk for one fault")
	only := flag.String("only", "", "plant those alone whose names fit this `regexp`")
	procs := flag.Int("workers", runtime.NumCPU(), "processes")
	markdown := flag.Bool("markdown", false, "print a table for the docs")
	flag.Parse()
	workers = strconv.Itoa(*procs)
	fits, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	defer os.RemoveAll(dir)
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "none.json"), []byte("{}"), 0o600), build(filepath.Join(dir, "sound"), filepath.Join(dir, "none.json"))); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	if *markdown {
		fmt.Println("| Planted fault | Seeds until found | Found as |\n|---|---|---|")
	}
	bad := 0
	for _, m := range mutants {
		if !fits.MatchString(m.name) {
			continue
		}
		began := time.Now()
		seed, how, err := m.hunt(dir, *seeds)
		switch {
		case err != nil:
			bad++
			fmt.Printf("%s: %v\n", m.name, err)
		case *markdown && seed == 0:
			fmt.Printf("| %s | not in %d | |\n", m.name, *seeds)
		case *markdown:
			fmt.Printf("| %s | %s | %s |\n", m.name, said(m, seed), how)
		case seed == 0:
			fmt.Printf("%s: NOT FOUND in %d seeds (%s)\n", m.name, *seeds, time.Since(began).Round(time.Second))
		default:
			fmt.Printf("%s: found by seed %s (%s): %s\n", m.name, said(m, seed), time.Since(began).Round(time.Second), how)
		}
		if seed == 0 && err == nil {
			bad++
		}
	}
	if bad > 0 {
		os.RemoveAll(dir)
		os.Exit(1)
	}
}

// said is a seed for people: in worlds about one thing it is counted from their first.
func said(m mutant, seed int) string {
	if thing, ok := aims[m.name]; ok {
		first, _ := sim.Aimed(thing)
		return fmt.Sprintf("%d of %s", seed-int(first), thing)
	}
	return strconv.Itoa(seed)
}

// hunt gives the first seed that finds it; 0: none does. A seed that fails without the fault, too, tells nothing.
func (m mutant) hunt(dir string, seeds int) (seed int, how string, err error) {
	sound, binary := filepath.Join(dir, "sound"), filepath.Join(dir, "sim")
	if err := m.plant(dir, binary); err != nil {
		return 0, "", err
	}
	first := 1
	if thing, ok := aims[m.name]; ok {
		at, _ := sim.Aimed(thing)
		first += int(at)
	}
	for from := first; from < first+seeds; from = seed + 1 {
		out, err := exec.Command(binary, "-workers", workers, "-most", "1", "-from", strconv.Itoa(from), "-seeds", strconv.Itoa(first+seeds-from)).CombinedOutput()
		if err == nil {
			return 0, "", nil
		}
		found := regexp.MustCompile(`(?m)^seed (\d+): (.*)$`).FindSubmatch(out)
		if found == nil {
			return 0, "", fmt.Errorf("the simulator failed: %s", out)
		}
		if seed, err = strconv.Atoi(string(found[1])); err != nil {
			return 0, "", err
		}
		if exec.Command(sound, "-seed", strconv.Itoa(seed)).Run() == nil {
			return seed, string(found[2]), nil
		}
		fmt.Printf("seed %d fails without any fault\n", seed)
	}
	return 0, "", nil
}

// build compiles the simulator, with other text in place of some files.
func build(binary, overlay string) error {
	out, err := exec.Command("go", "build", "-overlay", overlay, "-o", binary, "./internal/sim/cmd").CombinedOutput()
	if err != nil {
		return fmt.Errorf("it does not build: %s", out)
	}
	return nil
}

// plant builds a simulator with the fault.
func (m mutant) plant(dir, binary string) error {
	texts, overlay := map[string]string{}, struct{ Replace map[string]string }{map[string]string{}}
	for _, e := range m.edits {
		source, err := filepath.Abs(e.file)
		if err != nil {
			return err
		}
		if _, changed := texts[source]; !changed {
			b, err := os.ReadFile(source)
			if err != nil {
				return err
			}
			texts[source] = string(b)
			overlay.Replace[source] = filepath.Join(dir, fmt.Sprintf("changed%d.go", len(texts)))
		}
		if n := strings.Count(texts[source], e.old); n != 1 {
			return fmt.Errorf("%s has the text to replace %d times: mend the list", e.file, n)
		}
		texts[source] = strings.Replace(texts[source], e.old, e.new, 1)
	}
	for source, text := range texts {
		if err := os.WriteFile(overlay.Replace[source], []byte(text), 0o600); err != nil {
			return err
		}
	}
	b, err := json.Marshal(overlay)
	path := filepath.Join(dir, "overlay.json")
	if err = errors.Join(err, os.WriteFile(path, b, 0o600)); err != nil {
		return err
	}
	return build(binary, path)
}
