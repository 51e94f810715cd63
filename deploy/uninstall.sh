#!/bin/sh
# Stops clawd's user service and removes it: uninstall.sh /path/to/clawd
# What clawd remembers and its config stay; agents that it started go on.
set -eu
binary=$1

systemd() {
	dir="${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user"
	systemctl --user disable --now clawd 2>/dev/null || true # no manager answers, or it was never enabled
	rm -f "$dir/clawd.service" "$dir/clawd.service.d/environment.conf" "$dir/default.target.wants/clawd.service"
	if [ -d "$dir/clawd.service.d" ] && ! rmdir "$dir/clawd.service.d" 2>/dev/null; then
		printf 'left in place, since you wrote it: %s\n' "$dir/clawd.service.d" >&2
	fi
	systemctl --user daemon-reload 2>/dev/null || true
}

launchd() {
	label=com.github.clawd-project.clawd
	launchctl bootout "gui/$(id -u)/$label" 2>/dev/null || true # it is not loaded
	rm -f "$HOME/Library/LaunchAgents/$label.plist"
}

case $(uname -s) in
Darwin) launchd ;;
*) systemd ;;
esac
rm -f "$binary"
printf '%s\n' "removed the service and $binary" "kept: your config and what clawd remembers:" \
	"  ${XDG_CONFIG_HOME:-$HOME/.config}/clawd" "  $HOME/.local/state/clawd"
if [ "${XDG_STATE_HOME:-}" ]; then
	printf '  %s\n' "$XDG_STATE_HOME/clawd"
fi
