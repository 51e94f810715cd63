package main

import (
	"fmt"

	sd "github.com/coreos/go-systemd/v22/daemon"
	"golang.org/x/sys/unix"
)

// notify tells the service manager, if there is one. What it thinks of it does not matter here.
func notify(state string) { _, _ = sd.SdNotify(false, state) }

// reloading is the message that Type=notify-reload wants: with the monotonic time.
func reloading() string {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) != nil {
		return sd.SdNotifyReloading
	}
	return fmt.Sprintf("%s\nMONOTONIC_USEC=%d", sd.SdNotifyReloading, ts.Nano()/1000)
}
