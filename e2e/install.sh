#!/bin/sh
# Installs the pinned agents from npm, each into a folder of its own below the cache. Does nothing
# for those that are there.
set -eu
cache=${CLAWD_AGENT_CACHE:-$(dirname "$0")/../.cache/agents}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

install() { # kind version package
	target=$cache/$1-$2
	[ -x "$target/node_modules/.bin/$1" ] && return
	for tool in node npm; do
		command -v "$tool" >/dev/null || {
			echo "make agents: $tool is missing; it is needed to install $3@$2 (on Debian: apt-get install nodejs npm)" >&2
			exit 1
		}
	done
	echo "installing $3@$2"
	new=$target.new
	rm -rf "$new"
	mkdir -p "$new"
	echo '{"private":true}' >"$new/package.json"
	npm install --prefix "$new" --save-exact --no-audit --no-fund --no-update-notifier --loglevel=error \
		--omit-lockfile-registry-resolved=true "$3@$2"
	[ -x "$new/node_modules/.bin/$1" ] || {
		echo "make agents: npm installed $3@$2 without its program" >&2
		exit 1
	}
	rm -rf "$target"
	mv "$new" "$target"
}

install claude 2.1.330 @anthropic-ai/claude-code
install claude 2.1.329 @anthropic-ai/claude-code
install claude 2.1.197 @anthropic-ai/claude-code
install opencode 1.18.33 opencode-ai
install codex 0.169.0 @openai/codex
install gemini 0.61.0 @google/gemini-cli
