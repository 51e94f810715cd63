package internal
import (
	_ "github.com/BurntSushi/toml"
	_ "github.com/rs/zerolog"
	_ "github.com/fsnotify/fsnotify"
	_ "go.etcd.io/bbolt"
	_ "github.com/spf13/cobra"
	_ "github.com/coreos/go-systemd/v22/daemon"
	_ "modernc.org/sqlite"
	_ "golang.org/x/sys/unix"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "pgregory.net/rapid"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/google/uuid"
)
