#!/bin/sh
# Installs the pinned ccusage, which "make bench" measures clawd against, and prints the path of
# its program, without the Node wrapper around it. Newer versions than this one lack their program for Linux in the registry.
set -eu
version=20.0.24
cache=${CLAWD_AGENT_CACHE:-$(dirname "$0")/../.cache/agents}
mkdir -p "$cache"
target=$(cd "$cache" && pwd)/ccusage-$version
if [ ! -x "$target/node_modules/.bin/ccusage" ]; then
	new=$target.new
	rm -rf "$new"
	mkdir -p "$new"
	echo '{"private":true}' >"$new/package.json"
	npm install --prefix "$new" --save-exact --no-audit --no-fund --no-update-notifier --loglevel=error \
		--omit-lockfile-registry-resolved=true "ccusage@$version" >&2
	chmod +x "$new"/node_modules/@ccusage/*/bin/ccusage # as its wrapper does
	rm -rf "$target"
	mv "$new" "$target"
fi
ls "$target"/node_modules/@ccusage/*/bin/ccusage
