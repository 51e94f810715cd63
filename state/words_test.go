package state

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/clawd-project/clawd/detect"
)

// A clawd of before called an agent that asks "waiting", and left records that say so.
func TestReadsOldStates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clawd.db")
	s, _ := openAt(t, path)
	_, err := s.Stopped(read(one), stopped("k"), wait, nil)
	must(t, err)
	must(t, s.Close())

	file, err := bolt.Open(path, 0o600, nil)
	must(t, err)
	must(t, file.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte("sessions"))
		key, value := b.Cursor().First()
		var rec map[string]any
		must(t, json.Unmarshal(value[4:], &rec))
		rec["stop"].(map[string]any)["state"] = "waiting"
		rec["holder"] = map[string]any{"liveness": "alive", "status": "waiting"}
		rec["classifier"] = map[string]any{"last": map[string]any{"kind": "answer", "id": "r"}, "holder": rec["holder"]}
		body, err := json.Marshal(rec)
		must(t, err)
		sum := crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)) // as schema 1 has it: of the record alone
		return b.Put(key, append(binary.BigEndian.AppendUint32(nil, sum), body...))
	}))
	must(t, file.Close())

	s, _ = openAt(t, path)
	rec := get(t, s, one)
	is(t, s.Quarantined, "")
	is(t, rec.Stop.Key, "k")
	is(t, rec.Stop.State, detect.Asking)
	is(t, rec.Holder.Status, detect.Asks)
	is(t, rec.Classifier.Stop().State, detect.Asking)
}
