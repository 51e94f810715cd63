// Package state is what clawd remembers, in one bbolt file.
//
//	meta      version            -> schema version, a decimal number
//	          id                 -> random id of this file (the sentinel beside it names it)
//	          parting            -> Parting: a clean end, until the next clawd has looked around
//	          alive              -> time of the last sign of life, some minutes old at most while something waits
//	          unwatched          -> agents that the config leaves out, and since when
//	sessions  agent/id           -> Session: cursor, classifier, stop, phase, claim, episode
//	seen      agent/id           -> Seen: a session that was looked at and is of no interest
//	closed    agent/id\x00key    -> Closed: a stop that was fired for, with the proof
//	budget    2026-11-21         -> Budget: fires of that day
//	stats     total              -> Stats
//	history   sequence, 8 bytes  -> Entry, append-only
//	outbox    sequence, 8 bytes  -> Notice: what the user must be told
//	unknown   hash of the text   -> Unknown: a failure that no rule explains, redacted
//
// Every value is a CRC-32C in four bytes and then JSON: bbolt itself does not notice a flipped
// bit. The checksum goes over bucket and key, too (schema 1: over the value alone). A record that cannot
// be read counts as absent.
//
// A damaged file never keeps clawd from starting. Open reads it without bbolt first (pages.go), then lets
// bbolt have it in another process (Check). What is left of a damaged one goes on top of the newest daily
// snapshot (rebuild.go, snapshot.go).
//
// A transition is a function from a session's record, and what the books say, to a Change; Store.Commit writes changes in one
// transaction. Crash points call transitions T1 to T5, after the wake protocol (docs/architecture.md). When a method returns an
// error nothing was written.
package state
