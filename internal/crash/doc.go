// Package crash names the points at which the tests kill clawd: in a build with the tag crashtest.
package crash
