// Cmd runs the simulator over many seeds, on all cores.
//
//	sim [-seeds n] [-from s]     walk many seeds, or (-within d) as many as there is time for
//	sim -about thing [-seeds n]  walk small worlds about one thing alone
//	sim -seed s [-trace]         one seed, and what happens in it
//	sim -seed s -minimise        what it still fails by, as a plan
//	sim -plan file [-trace]      such a plan
//
// It ends with 1 where something was wrong, and says how to see it again.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clawd-project/clawd/internal/sim"
)

type options struct {
	seed, from, seeds uint64
	within            time.Duration
	workers, worker   int
	trace             bool
	twice             uint64
	table             bool
	most              int
	profile, plan     string
	about             string
	root              string
	minimise          bool
}

// told is what a worker says of one seed.
type told struct {
	Seed  uint64
	Twice bool `json:",omitempty"` // the second run was another one
	sim.Result
}

func main() {
	var o options
	flag.Uint64Var(&o.seed, "seed", 0, "run this `seed` alone")
	flag.Uint64Var(&o.from, "from", 1, "the first seed of many")
	flag.Uint64Var(&o.seeds, "seeds", 100, "how many")
	flag.DurationVar(&o.within, "within", 0, "begin no seed after this `time`, however many are left (0: walk them all)")
	flag.IntVar(&o.workers, "workers", runtime.NumCPU(), "processes")
	flag.IntVar(&o.worker, "worker", -1, "for the program itself: which process this is")
	flag.BoolVar(&o.trace, "trace", false, "print what happens")
	flag.Uint64Var(&o.twice, "twice", 0, "run the first `n` seeds once more, in another folder, and compare")
	flag.BoolVar(&o.table, "table", false, "print what was reached")
	flag.IntVar(&o.most, "most", 20, "end after so many wrong seeds")
	flag.StringVar(&o.root, "root", root(), "the `folder` for the worlds; it is removed")
	flag.BoolVar(&o.minimise, "minimise", false, "take out of the seed's plan what it still fails without")
	flag.StringVar(&o.about, "about", "", "walk small worlds about this `thing` alone: "+strings.Join(sim.Things(), ", "))
	flag.StringVar(&o.plan, "plan", "", "run the plan in this `file`")
	flag.StringVar(&o.profile, "profile", "", "write a CPU profile to this file")
	flag.Parse()
	time.Local = time.UTC
	if o.about != "" {
		first, ok := sim.Aimed(o.about)
		if !ok {
			fmt.Fprintf(os.Stderr, "sim: no world is about %q; there are %s\n", o.about, strings.Join(sim.Things(), ", "))
			os.Exit(2)
		}
		o.from += first
	}
	if o.seed == 0 && o.plan == "" && o.worker < 0 {
		os.Exit(o.parent())
	}
	runtime.GOMAXPROCS(1) // a world does one thing at a time
	debug.SetGCPercent(400)
	os.Args = os.Args[:1]
	testing.Main(func(_, _ string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "seeds", F: o.work}}, nil, nil)
}

// work runs seeds, and says of each how it went.
func (o options) work(t *testing.T) {
	defer o.profiles(t)()
	switch {
	case o.plan != "":
		o.replays(t)
		return
	case o.minimise:
		o.minimises(t)
		return
	}
	began := time.Now()
	first, last, by, say := o.from+uint64(max(o.worker, 0)), o.from+o.seeds-1, uint64(o.workers), json.NewEncoder(os.Stdout)
	if o.seed != 0 {
		first, last = o.seed, o.seed
	}
	for seed := first; seed <= last && (o.within == 0 || time.Since(began) < o.within); seed += by {
		got := o.once(t, sim.Draw(seed))
		other := seed-o.from < o.twice && o.in("v", t, sim.Draw(seed)).Hash != got.Hash
		if o.seed == 0 {
			_ = say.Encode(told{seed, other, got}) // whoever listens is gone: then this one ends soon, too
			continue
		}
		says(t, seed, got)
	}
}

func says(t *testing.T, seed uint64, got sim.Result) {
	fmt.Printf("seed %d: hash %x, %d steps, %d resumes, %s\n", seed, got.Hash, got.Steps, got.Resumes, got.Spent.Round(time.Second))
	for _, w := range got.Wrong {
		fmt.Println("  WRONG", w)
		t.Fail()
	}
}

// replays runs a plan from a file.
func (o options) replays(t *testing.T) {
	var p sim.Plan
	b, err := os.ReadFile(o.plan)
	if err == nil {
		err = json.Unmarshal(b, &p)
	}
	if err != nil {
		t.Fatal(err)
	}
	says(t, p.Seed, o.once(t, p))
}

// minimises prints the smallest plan that fails as the seed does.
func (o options) minimises(t *testing.T) {
	p := sim.Draw(o.seed)
	first := o.once(t, p).Wrong
	if len(first) == 0 {
		t.Fatal("nothing is wrong with this seed")
	}
	which, _, _ := strings.Cut(first[0], ":")
	p = sim.Minimise(p, func(p sim.Plan) bool {
		return slices.ContainsFunc(o.once(t, p).Wrong, func(w string) bool { return strings.HasPrefix(w, which+":") })
	})
	b, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(string(b))
}

func (o options) once(t *testing.T, p sim.Plan) sim.Result { return o.in("w", t, p) }

// in runs a plan in a folder whose name begins with that letter. What a world does hangs on the length of its folder's name,
// for offsets in files are in its trace; it must not hang on the name.
func (o options) in(letter string, t *testing.T, p sim.Plan) (got sim.Result) {
	var out io.Writer
	if o.trace {
		out = os.Stdout
	}
	synctest.Test(t, func(*testing.T) {
		got = sim.Run(p, sim.Options{Root: filepath.Join(o.root, letter+strconv.Itoa(max(o.worker, 0))), Trace: out})
	})
	return got
}

// root is in memory where there is room: a run makes thousands of small writes.
func root() string {
	dir := "/dev/shm"
	if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
		dir = os.TempDir()
	}
	return filepath.Join(dir, fmt.Sprintf("clawd-sim-%07d", os.Getpid()))
}

func (o options) profiles(t *testing.T) func() {
	if o.profile == "" {
		return func() {}
	}
	f, err := os.Create(o.profile)
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() { pprof.StopCPUProfile(); f.Close() }
}

// parent has workers walk the seeds, and tells what came of it.
func (o options) parent() int {
	defer os.RemoveAll(o.root)
	began, wrong, all, resumes, steps, reached := time.Now(), 0, 0, 0, 0, sim.NewReached()
	results := make(chan told)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	var died atomic.Bool
	for i := range o.workers {
		wg.Go(func() {
			if !o.child(i, results, stop) {
				died.Store(true)
			}
		})
	}
	go func() { wg.Wait(); close(results) }()
	for r := range results {
		all, resumes, steps = all+1, resumes+r.Resumes, steps+r.Steps
		reached.Add(r.Reached)
		if r.Twice {
			r.Wrong = append(r.Wrong, "not the same twice")
		}
		for _, w := range r.Wrong {
			fmt.Printf("seed %d: %s\n", r.Seed, w)
		}
		if len(r.Wrong) == 0 {
			continue
		}
		fmt.Printf("  make sim SEED=%d TRACE=1\n", r.Seed)
		if wrong++; wrong == o.most {
			close(stop)
		}
	}
	fmt.Printf("%d of %d seeds, %d wrong, %d resumes, %d steps, %.1f seeds/s\n", all, o.seeds, wrong, resumes, steps, float64(all)/time.Since(began).Seconds())
	if o.table {
		reached.Print(os.Stdout)
	}
	if (died.Load() || all == 0) && wrong < o.most {
		fmt.Println("a worker died")
		return 2
	}
	if wrong > 0 {
		return 1
	}
	return 0
}

// child is one worker, and tells whether it came to its end.
func (o options) child(i int, results chan<- told, stop <-chan struct{}) bool {
	cmd := exec.Command(os.Args[0], "-worker", strconv.Itoa(i), "-workers", strconv.Itoa(o.workers), "-from", strconv.FormatUint(o.from, 10),
		"-seeds", strconv.FormatUint(o.seeds, 10), "-twice", strconv.FormatUint(o.twice, 10), "-within", o.within.String(), "-root", o.root)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return false
	}
	done := make(chan struct{})
	go func() {
		select {
		case <-stop:
			_ = cmd.Process.Kill()
		case <-done:
		}
	}()
	for s := bufio.NewScanner(out); s.Scan(); {
		var r told
		if json.Unmarshal(s.Bytes(), &r) == nil && r.Seed != 0 {
			results <- r
		} else {
			fmt.Println(s.Text())
		}
	}
	close(done)
	return cmd.Wait() == nil
}
