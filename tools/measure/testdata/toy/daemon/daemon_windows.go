package daemon

var onWindows = true // counts on every system
