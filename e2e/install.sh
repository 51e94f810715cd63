#!/bin/sh
# Installs the agents of agents/pinned from npm, each into a folder of its own below the cache, as the lock file of
# its folder in agents/ says: these very bytes, or not at all. Does nothing for those that are there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cache=${CLAWD_AGENT_CACHE:-$here/../.cache/agents}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

for name in $(sed '/^#/d; s/ /-/' "$here/agents/pinned"); do # kind-version
	from=$here/agents/$name
	lock=$from/package-lock.json
	program=node_modules/.bin/${name%%-*}
	target=$cache/$name
	[ -x "$target/$program" ] && cmp -s "$lock" "$target/package-lock.json" && continue
	for tool in node npm; do
		command -v "$tool" >/dev/null || {
			echo "make agents: $tool is missing; it is needed to install $name (on Debian: apt-get install nodejs npm)" >&2
			exit 1
		}
	done
	echo "installing $name"
	new=$target.new
	rm -rf "$new"
	mkdir -p "$new"
	cp "$from/package.json" "$lock" "$new"
	# Not "npm ci": the lock file of opencode has its parts for x86 Linux alone.
	npm install --no-save --prefix "$new" --no-audit --no-fund --no-update-notifier --loglevel=error --omit-lockfile-registry-resolved=true
	[ -x "$new/$program" ] || {
		echo "make agents: npm installed $name without its program" >&2
		exit 1
	}
	rm -rf "$target"
	mv "$new" "$target"
done
