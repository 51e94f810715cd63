package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// run is a home's life: everything happens that its plan says, then clawd is left alone until all is at rest.
func (w *world) run(ctx context.Context) (verdict, error) {
	w.begun = time.Now()
	for _, s := range w.plan.subjects {
		if s.late == 0 {
			if err := w.stops(s); err != nil {
				return verdict{}, err
			}
		}
	}
	if err := w.restart(); err != nil {
		return verdict{}, err
	}
	w.hands.Go(w.timeline)
	for _, k := range w.plan.strikes {
		if err := errors.Join(ctx.Err(), w.strike(k)); err != nil {
			return verdict{}, err
		}
	}
	w.hands.Wait()
	v, err := w.settle(ctx)
	if err != nil || len(v.findings) > 0 || !w.plan.rest {
		return v, err
	}
	before := len(v.rows)
	if err := w.blow(strike{when: atTime, do: quietAtRest}, sight{}); err != nil {
		return v, err
	}
	time.Sleep(1500 * time.Millisecond) // a rescan, and more than the delay of any resume
	if v, err = w.settle(ctx); err == nil && len(v.rows) != before {
		v.add(double, "", "something was started after everything was at rest")
	}
	return v, err
}

// timeline does what people do, each at its time.
func (w *world) timeline() {
	type deed struct {
		at time.Duration
		do func()
	}
	var deeds []deed
	for _, s := range w.plan.subjects {
		if s.late > 0 {
			deeds = append(deeds, deed{s.late, func() {
				if err := w.stops(s); err != nil {
					w.fail("session %s cannot be made to stop: %v", s.id, err)
				}
			}})
		}
		if s.byHand > 0 {
			deeds = append(deeds, deed{s.byHand, func() { w.hands.Go(func() { w.byHand(s, s.hand) }) }})
		}
		if s.again > 0 {
			deeds = append(deeds, deed{s.again, func() {
				if w.well(s) {
					w.hands.Go(func() { w.byHand(s, s.hand) })
				}
			}})
		}
	}
	slices.SortFunc(deeds, func(a, b deed) int { return int(a.at - b.at) })
	for _, d := range deeds {
		time.Sleep(d.at - time.Since(w.begun))
		d.do()
	}
}

// well tells whether clawd has resumed the session, and it rests.
func (w *world) well(s *subject) bool {
	rows, err := readLedger(w.dir)
	ended := 0
	for _, r := range rows {
		if r.Session == s.id && r.By == byClawd {
			switch r.Ev {
			case evStart:
				ended--
			case evEnd:
				ended++
			}
		}
	}
	tail, _, err2 := readTail(w.path(s))
	return err == nil && err2 == nil && len(rows) > 0 && ended == 0 && tail.stands() == "answer"
}

func (w *world) daemon() *daemonProc {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.d
}

func (w *world) restart() error {
	d, err := w.start()
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.d = d
	return nil
}

// revive starts a clawd that ended by itself. A reload may end one that restarts itself.
func (w *world) revive(d *daemonProc) error {
	if ws, ok := d.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signal() == syscall.SIGHUP {
		return w.restart()
	}
	if w.fail("clawd ended by itself: %v", d.cmd.ProcessState); len(w.broken) > 3 {
		return errors.New("clawd ends by itself again and again")
	}
	return w.restart()
}

// strike waits for its moment and strikes.
func (w *world) strike(k strike) error {
	var at sight
	if k.when == atTime {
		time.Sleep(k.delay)
	} else {
		var came bool
		if at, came = w.eye.await(k, 2*time.Second); !came {
			k.when = atTime
		}
		time.Sleep(k.delay)
	}
	return w.blow(k, at)
}

// blow does what the strike says.
func (w *world) blow(k strike, at sight) error {
	d := w.daemon()
	if d.gone() {
		return w.revive(d)
	}
	var child process
	if k.do == killChild || k.do == stopChild || k.do == stopBoth {
		if child = w.child(d, at.session); child.pid == 0 {
			k.do = killDaemon
		}
	}
	if k.do == stopHand && at.token == "" {
		k.do = stopCont
	}
	// Before it is up, the signal to reload may end it, and a second one may take the lock.
	if (k.do == reloadIt || k.do == renewIt || k.do == second) && w.ask("/v1/status", &status{}) != nil {
		k.do = killDaemon
	}
	w.mu.Lock()
	w.rounds++
	w.blows[k.String()]++
	w.mu.Unlock()
	switch k.do {
	case stopCont:
		d.signal(syscall.SIGSTOP)
		time.Sleep(k.span)
		d.signal(syscall.SIGCONT)
	case stopHand:
		d.signal(syscall.SIGSTOP)
		err := w.meanwhile(at)
		d.signal(syscall.SIGCONT)
		return err
	case second:
		d.signal(syscall.SIGSTOP)
		err := w.twice()
		d.signal(syscall.SIGCONT)
		return err
	case reloadIt:
		d.signal(syscall.SIGHUP)
	case renewIt:
		w.renewals++
		err := w.configures(time.Second + time.Duration(w.renewals)*time.Millisecond)
		d.signal(syscall.SIGHUP)
		return err
	case killChild:
		return w.killed(child)
	case stopChild:
		child.signal(syscall.SIGSTOP)
		time.Sleep(k.span)
		child.signal(syscall.SIGCONT)
	case stopBoth:
		child.signal(syscall.SIGSTOP)
		err := w.fell(d, k)
		time.Sleep(k.span)
		child.signal(syscall.SIGCONT)
		return err
	default:
		return w.fell(d, k)
	}
	return nil
}

// fell ends clawd and starts it again.
func (w *world) fell(d *daemonProc, k strike) error {
	var kids []process
	switch k.do {
	case killAll:
		kids = children(d.pid())
	case stopKill:
		d.signal(syscall.SIGSTOP)
		time.Sleep(k.span)
	}
	if k.do == termDaemon {
		d.signal(syscall.SIGTERM)
		if !d.await(15 * time.Second) {
			w.fail("clawd did not end within 15 s of SIGTERM")
		}
	}
	d.signal(syscall.SIGKILL)
	for _, c := range kids {
		if err := w.killed(c); err != nil {
			return err
		}
	}
	if !d.await(patience) {
		return errors.New("clawd is killed and does not end")
	}
	time.Sleep(k.down)
	if err := w.wreck(k.store); err != nil {
		return err
	}
	return w.restart()
}

// killed kills a child and notes it.
func (w *world) killed(c process) error {
	session, token := runOf(c)
	if !c.signal(syscall.SIGKILL) {
		return nil
	}
	return appendRow(w.dir, row{Ev: evStruck, PID: c.pid, Born: float64(c.start) / ticks, Session: session, Token: token})
}

// child picks the run of a session, or any: clawd's children, and those that outlived another clawd.
func (w *world) child(d *daemonProc, session string) (pick process) {
	all := children(d.pid())
	rows, _ := readLedger(w.dir)
	for _, r := range rows {
		if r.Ev == evStart && r.By == byClawd {
			if p := processOf(r.PID); float64(p.start)/ticks == r.Born && !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	for _, c := range all {
		of, _ := runOf(c)
		if of == "" || !c.lives() { // it checks the store, or asks for the agent's version
			continue
		}
		if pick = c; of == session {
			break
		}
	}
	return pick
}

// meanwhile has a person go on in a session whose shim is about to be born, or waits at its gate: clawd looked at
// the session before, and is stopped.
func (w *world) meanwhile(at sight) error {
	i := slices.IndexFunc(w.plan.subjects, func(s *subject) bool { return s.id == at.session })
	if i < 0 {
		return nil
	}
	time.Sleep(300 * time.Millisecond) // time enough for a shim whose gate was open
	if w.marked(at.token) {
		return nil
	}
	w.byHand(w.plan.subjects[i], modeAnswer)
	if w.marked(at.token) {
		return nil
	}
	return appendRow(w.dir, row{Ev: evUnmarked, Session: at.session, Token: at.token})
}

// marked tells whether there is a mark of the attempt.
func (w *world) marked(token string) bool {
	marks, _ := filepath.Glob(filepath.Join(w.state, "attempts", "*[0-9]")) // not one that is half made
	return slices.ContainsFunc(marks, func(path string) bool {
		b, err := os.ReadFile(path)
		return err != nil || bytes.Contains(b, []byte(token))
	})
}

// twice starts a second clawd beside the first, which is stopped: it must refuse.
func (w *world) twice() error {
	d, err := w.start()
	if err != nil {
		return err
	}
	if !d.await(20 * time.Second) {
		w.fail("a second clawd did not end within 20 s")
		d.signal(syscall.SIGKILL)
		d.await(patience)
	} else if d.cmd.ProcessState.Success() {
		w.fail("a second clawd ended well beside the first")
	}
	return nil
}

// wreck does to the store what disks, backups and people do to files.
func (w *world) wreck(f fault) error {
	store, kept := filepath.Join(w.state, "clawd.db"), filepath.Join(w.dir, "kept.db")
	_, err := os.Stat(kept)
	switch {
	case f == noFault && errors.Is(err, fs.ErrNotExist): // the first that there is
		if b, err := os.ReadFile(store); err == nil {
			return os.WriteFile(kept, b, 0o600)
		}
		return nil
	case f == storeGone:
		err = os.Remove(store)
	case f == storeOld && err == nil:
		var b []byte
		if b, err = os.ReadFile(kept); err == nil {
			err = os.WriteFile(store, b, 0o600)
		}
	case f == storeCut:
		var fi os.FileInfo
		if fi, err = os.Stat(store); err == nil {
			err = os.Truncate(store, fi.Size()/2)
		}
	default:
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	w.mu.Lock()
	w.blows[string(f)]++
	w.mu.Unlock()
	return errors.Join(err, appendRow(w.dir, row{Ev: evWiped, Mode: string(f)}))
}
