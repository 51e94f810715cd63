// Package turn runs turns of an agent for a caller who waits for them.
//
// Run runs one turn, and survives limits and failures that may pass; Stream tells what the agent says as it
// comes; a Session keeps a conversation. They need no daemon, and one that runs leaves their sessions alone.
package turn
