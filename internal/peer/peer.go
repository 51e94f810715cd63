// Package peer keeps other users out of clawd's unix sockets.
package peer

import (
	"net"
	"os"
)

// Only lets in processes of this user, and root, which can do anything anyway.
func Only(l net.Listener) net.Listener { return own{l} }

type own struct{ net.Listener }

func (o own) Accept() (net.Conn, error) {
	for {
		c, err := o.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if uid, err := UID(c); err == nil && (uid == os.Getuid() || uid == 0) {
			return c, nil
		}
		c.Close()
	}
}
