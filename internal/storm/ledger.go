package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The ledger is the truth that a home is judged by: what the agents really did, and what was done to them.
// Each row is one append; a process that is killed with SIGKILL takes no page of it along, so nothing is synced.

// What a row says.
const (
	evStart    = "start"    // an agent is there, and has read the session's file
	evInit     = "init"     // it is about to say that it opened the session
	evAsked    = "asked"    // its request has reached the provider
	evPrompted = "prompted" // its prompt is in the session's file
	evAnswer   = "answer"   // it is about to write its answer
	evAnswered = "answered" // its answer is in the session's file
	evFailed   = "failed"   // its failure is in the session's file
	evEnd      = "end"      // it is about to exit
	evStruck   = "struck"   // the storm killed a child of clawd; PID, Session and Token as far as they can be seen
	evUnmarked = "unmarked" // no mark has this token yet, says the storm: the shim has not passed
	evWiped    = "wiped"    // the storm took clawd's store away, or put an old one back
)

// Who did it.
const (
	byClawd  = "clawd"
	byPerson = "person"
)

// row is one line of the ledger.
type row struct {
	At      time.Time `json:"at"`
	Up      float64   `json:"up"` // seconds since boot
	Ev      string    `json:"ev"`
	By      string    `json:"by,omitempty"`
	PID     int       `json:"pid,omitempty"`
	Born    float64   `json:"born,omitempty"` // when the process was started, in seconds since boot: as the shim
	Session string    `json:"session,omitempty"`
	Token   string    `json:"token,omitempty"` // of clawd's attempt
	Form    string    `json:"form,omitempty"`
	Tail    string    `json:"tail,omitempty"`   // the newest record of the conversation when it began
	Stands  string    `json:"stands,omitempty"` // what that is: failure, prompt, answer
	Beside  string    `json:"beside,omitempty"` // who else had the session open then
	Mode    string    `json:"mode,omitempty"`
}

func appendRow(dir string, r row) error {
	r.At, r.Up = time.Now(), uptime()
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return appendTo(filepath.Join(dir, "ledger"), append(b, '\n'))
}

// appendTo appends with one write.
func appendTo(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

func readLedger(dir string) ([]row, error) {
	b, err := os.ReadFile(filepath.Join(dir, "ledger"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseLedger(b)
}

func parseLedger(b []byte) (rows []row, err error) {
	for l := range bytes.Lines(b) {
		var r row
		if err := json.Unmarshal(l, &r); err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// uptime is the clock that processes' start times count by; it goes in steps of 10 ms.
func uptime() float64 {
	b, _ := os.ReadFile("/proc/uptime")
	first, _, _ := strings.Cut(string(b), " ")
	up, _ := strconv.ParseFloat(first, 64)
	return up
}

// ticks is how finely the kernel tells when a process began.
const ticks = 100

// procStart is field 22 of /proc/PID/stat; 0: there is no such process, or it has ended.
func procStart(pid int) uint64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	i := bytes.LastIndexByte(b, ')')
	fields := strings.Fields(string(b[i+1:]))
	if i < 0 || len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return 0
	}
	start, _ := strconv.ParseUint(fields[19], 10, 64)
	return start
}
