package state

import (
	"time"

	"github.com/clawd-project/clawd/detect"
)

// Launches gives how the sessions were started, as far as it was seen. A record that cannot be read was
// not seen.
func (s *Store) Launches() (map[string]detect.Launch, error) {
	return records[detect.Launch](s, bucketLaunches)
}

// SetLaunches remembers how sessions were started, by their keys.
func (s *Store) SetLaunches(all map[string]detect.Launch) error {
	return s.update("launches", func(t tx) error {
		for key, l := range all {
			if err := t.put(bucketLaunches, key, l); err != nil {
				return err
			}
		}
		return nil
	})
}

// pruneLaunches drops what was seen long ago of sessions that are not known any more.
func (t tx) pruneLaunches(oldest time.Time) error {
	c := t.Bucket(bucketLaunches).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		var l detect.Launch
		if t.decode(bucketLaunches, k, v, &l) && !l.Seen.Before(oldest) || t.Bucket(bucketSessions).Get(k) != nil {
			continue
		}
		if err := c.Delete(); err != nil {
			return err
		}
	}
	return nil
}
