// Package detect says why a session of a coding agent stopped.
//
// It is pure: no I/O, no clock, no goroutine. An agent package translates its own records into
// [Event] values, a [Classifier] folds them, and [Classifier.Stop] gives the verdict. The same
// events give the same verdict, in whatever portions they are fed; feeding an event twice
// changes nothing.
//
// What may be concluded: a Stop with State Stopped was written by the agent itself, or its end
// was proven by a Holder event. What may not: a session without a Stop is not thereby alive, and
// a text that stands anywhere but in the agent's own failure record proves nothing.
package detect
