// Package fake is imported by tests alone.
package fake

// Left is not judged.
func Left() {}
