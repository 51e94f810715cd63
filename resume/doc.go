// Package resume says what to do about a stop, and does it.
//
// Deciding is pure: [Strategy.Decide] depends on its arguments only and says its reason in words.
// Doing is [Strategy.Run]: wait, claim, fire, await proof. Every step of it ends when its context
// is cancelled, and nothing is fired after that.
//
// The world comes in through small interfaces ([Ports]), so that everything here runs in a
// synctest bubble. The package knows no file, no process and no agent.
package resume
