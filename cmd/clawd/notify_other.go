//go:build !linux

package main

func notify(string) {}

func reloading() string { return "" }
