#!/bin/sh
# Puts clawd's user service in place: install.sh /path/to/clawd
# Writes the environment that a service manager does not have: PATH, the agents' own folders, the
# XDG folders, proxies and their certificates, and the time zone. Never a key.
set -eu
binary=$1
here=$(cd "$(dirname "$0")" && pwd)

# Variables that clawd and the agents need: clawd knows those of the agents. Keys and tokens are not among them on purpose.
agents=$("$binary" service-vars)
names="PATH $agents XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME
HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy
NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR TZ LANG
KUBECONFIG AWS_PROFILE AWS_DEFAULT_PROFILE CLOUDSDK_ACTIVE_CONFIG_NAME CLOUDSDK_CORE_PROJECT DOCKER_HOST DOCKER_CONTEXT TF_WORKSPACE VAULT_ADDR PGHOST PGSERVICE"

value() { eval "printf '%s' \"\${$1-}\""; }

# A proxy address may hold a password. Elsewhere an @ is none: Homebrew's node is in .../node@22/bin.
secret() {
	case $1 in
	HTTP_PROXY | HTTPS_PROXY | ALL_PROXY | http_proxy | https_proxy | all_proxy) ;;
	*) return 1 ;;
	esac
	case $(value "$1") in *@*) return 0 ;; *) return 1 ;; esac
}

# kept tells whether a variable is written. The second argument is how its user adds one that is not.
kept() {
	[ -n "$(value "$1")" ] || return 1
	secret "$1" || return 0
	echo "clawd: $1 holds a password and is not written; add it yourself: $2" >&2
	return 1
}

# The text between double quotes in a unit; as text of a property list; either in "s|...|HERE|".
unit() { printf '%s' "$1" | sed 's/[\\"]/\\&/g; s/%/%%/g'; }
xml() { printf '%s' "$1" | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'; }
replacement() { printf '%s' "$1" | sed 's/[\\|&]/\\&/g'; }

systemd() {
	dir="${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user"
	mkdir -p "$dir/clawd.service.d"
	sed "s|^ExecStart=.*|ExecStart=\"$(replacement "$(unit "$binary")")\" run|" "$here/systemd/clawd.service" >"$dir/clawd.service"
	conf="$dir/clawd.service.d/environment.conf"
	(
		umask 077
		{
			echo '# Written by "make install" from the shell that ran it.'
			echo '[Service]'
			for name in $names; do
				kept "$name" 'systemctl --user edit clawd' || continue
				printf 'Environment="%s=%s"\n' "$name" "$(unit "$(value "$name")")"
			done
		} >"$conf"
	)
	echo "installed $dir/clawd.service and $conf"
	if ! systemctl --user daemon-reload 2>/dev/null; then
		echo 'No user service manager answers here. Where there is one: systemctl --user daemon-reload && systemctl --user enable --now clawd'
		return
	fi
	if systemctl --user is-active --quiet clawd 2>/dev/null; then
		echo 'It runs as it was installed before until you restart it: systemctl --user restart clawd'
	else
		echo 'Start it: systemctl --user enable --now clawd'
	fi
	echo 'Its log:  journalctl --user -u clawd -f'
	if [ "$(loginctl show-user "$(id -un)" --property=Linger --value 2>/dev/null)" != yes ]; then
		echo "Without lingering it ends when you log out. To keep it: loginctl enable-linger $(id -un)" >&2
	fi
}

launchd() {
	label=com.github.clawd-project.clawd
	plist="$HOME/Library/LaunchAgents/$label.plist"
	mkdir -p "$HOME/Library/LaunchAgents" "$HOME/Library/Logs"
	variables=
	for name in $names; do
		! kept "$name" "$plist" || variables="$variables<key>$name</key><string>$(xml "$(value "$name")")</string>"
	done
	sed "s|@BINARY@|$(replacement "$(xml "$binary")")|; s|@HOME@|$(replacement "$(xml "$HOME")")|; s|@VARIABLES@|$(replacement "$variables")|" \
		"$here/launchd/$label.plist" >"$plist"
	echo "installed $plist"
	job="gui/$(id -u)"
	if launchctl print "$job/$label" >/dev/null 2>&1; then
		echo "It runs as it was installed before until you restart it: launchctl bootout $job/$label; launchctl bootstrap $job '$plist'"
	else
		echo "Start it: launchctl bootstrap $job '$plist'"
	fi
}

case $(uname -s) in
Darwin) launchd ;;
*) systemd ;;
esac
