# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Gets Debian packages without installing them, from the mirrors that this machine
# already uses. Sourced after common.sh, never run.

KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# host_sources: prints "URI SUITE" for each Debian archive that this machine's apt uses.
# apt itself reads its configuration, in any format.
host_sources()
{
	local empty
	empty=$(mktemp -d)
	apt-get update --print-uris -o Dir::State::lists="$empty" \
		-o Debug::NoLocking=1 2>/dev/null |
		sed -n "s|^'\(.*\)/dists/\(.*\)/main/binary-[^/]*/Packages.*|\1 \2|p" |
		sort -u
	rm -rf "$empty"
}

# The main archive also has the -updates suites. Third-party archives, which may use
# the same suite names, do not.
main_archive()
{
	local uris
	uris=$(awk '$2 !~ /-security$|\/updates$/ { print $1 }' <<<"$1")
	{ awk '$2 ~ /-updates$/ { print $1 }' <<<"$1"
	  grep '/debian/*$' <<<"$uris" || true
	  echo "$uris"; } | awk 'NF' | sed -n 1p
}

security_archive()
{
	awk '$2 ~ /-security$/ { print $1; exit }' <<<"$1"
}

# write_sources SUITES FILE: writes a sources.list of these suites.
write_sources()
{
	local sources main security suite uri
	sources=$(host_sources)
	main=$(main_archive "$sources")
	security=$(security_archive "$sources")
	[ -n "$main" ] || die "apt has no Debian archive configured: add one to sources.list"
	for suite in $1; do
		uri=$main
		[[ $suite != *-security ]] || uri=$security
		[ -z "$uri" ] ||
			echo "deb [signed-by=$KEYRING] $uri $suite main"
	done >"$2"
}

# start_apt DIR SUITES [ARCH]: sets up a private apt in DIR, for ARCH and for this
# machine. Sets APT_CONFIG.
start_apt()
{
	local dir=$1 arch=${3:-amd64}
	mkdir -p "$dir/lists/partial" "$dir/archives/partial" "$dir/empty"
	: >"$dir/status"
	write_sources "$2" "$dir/sources.list"
	cat >"$dir/apt.conf" <<END
Dir::State "$dir";
Dir::State::status "$dir/status";
Dir::State::lists "$dir/lists";
Dir::Cache "$dir";
Dir::Etc::sourcelist "$dir/sources.list";
Dir::Etc::sourceparts "$dir/empty";
Dir::Etc::preferences "$dir/none";
Dir::Etc::preferencesparts "$dir/empty";
APT::Architecture "$arch";
APT::Architectures { "$arch"; "amd64"; };
APT::Sandbox::User "$(id -un)";
APT::Default-Release "";
Acquire::Languages "none";
Acquire::Check-Valid-Until "false";
Acquire::Retries "3";
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Post-Invoke;
END
	export APT_CONFIG=$dir/apt.conf
	apt-get update -qq >&2 || die "apt-get update failed with these sources:
$(cat "$dir/sources.list")"
}

# download DIR PACKAGE=VERSION...: downloads these packages into DIR.
download()
{
	local dir=$1
	shift
	mkdir -p "$dir"
	say "downloading $*"
	(cd "$dir" && apt-get download -qq "$@" >&2) ||
		die "download failed; try again"
}

# download_all DIR PACKAGE[=VERSION]...: downloads these and all that they depend on.
download_all()
{
	local dir=$1
	shift
	mkdir -p "$dir/partial"
	say "downloading $1 and its dependencies"
	apt-get install -qq -y --download-only --no-install-recommends \
		-o Debug::NoLocking=1 -o Dir::Cache::archives="$dir/" "$@" \
		>/dev/null || die "download failed; try again"
}
