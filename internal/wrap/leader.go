package wrap

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync/atomic"
	"syscall"
)

// Leader is the process between the wrapper and its program: it leads the session of the inner
// terminal, and its program's process group is in the foreground there. Were the program the leader
// itself, its group would be orphaned and the kernel would drop the SIGTSTP with which an agent
// suspends itself. When the wrapper dies, the terminal hangs up on the leader, the leader dies of
// it, and then the kernel sends SIGHUP to the program's group.
//
// argv is the program's path and its arguments, argv[0] first; descriptor 3 a socket to the
// wrapper: events as JSON go there, numbers of signals come, a byte each.
func Leader(path string, argv []string) error {
	conn := os.NewFile(leaderFD, "wrapper")
	syscall.CloseOnExec(leaderFD)
	out := json.NewEncoder(conn)
	p, err := os.StartProcess(path, argv, &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Foreground: true, Ctty: 0},
	})
	if err != nil {
		return out.Encode(event{Error: err.Error()})
	}
	if err := out.Encode(event{PID: p.Pid}); err != nil {
		return err
	}
	var reaped atomic.Bool
	go func() {
		var b [1]byte
		for {
			if _, err := io.ReadFull(conn, b[:]); err != nil {
				return
			}
			if !reaped.Load() {
				deliver(p.Pid, syscall.Signal(b[0]))
			}
		}
	}()
	for {
		var ws syscall.WaitStatus
		switch _, err := syscall.Wait4(p.Pid, &ws, syscall.WUNTRACED, nil); {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return err
		case ws.Stopped():
			if err := out.Encode(event{Stopped: int(ws.StopSignal())}); err != nil {
				return err
			}
		default:
			reaped.Store(true)
			end := event{Ended: true, Code: ws.ExitStatus()}
			if ws.Signaled() {
				end.Signal = int(ws.Signal())
			}
			return out.Encode(end)
		}
	}
}

const leaderFD = 3

// event is what the leader tells of its program.
type event struct {
	Error   string `json:"error,omitempty"` // it could not be started
	PID     int    `json:"pid,omitempty"`   // it runs
	Stopped int    `json:"stopped,omitempty"`
	Ended   bool   `json:"ended,omitempty"`
	Code    int    `json:"code,omitempty"`
	Signal  int    `json:"signal,omitempty"`
}

// deliver sends what a terminal sends to the whole group, and what a person sends to one process to
// that one.
func deliver(pid int, s syscall.Signal) {
	switch s {
	case syscall.SIGHUP:
		// A stopped program must wake to hear of it.
		_ = syscall.Kill(-pid, syscall.SIGHUP)
		_ = syscall.Kill(-pid, syscall.SIGCONT)
	case syscall.SIGCONT:
		_ = syscall.Kill(-pid, s)
	default:
		_ = syscall.Kill(pid, s)
	}
}
