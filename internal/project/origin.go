package project

import (
	"path/filepath"
	"strings"
)

// normaliseOrigin turns a remote's URL into host/path, the same for all ways to
// reach it: no scheme, user, password, default port or ".git". An SSH port is
// never part of it, since one forge has other ports for SSH and HTTPS. A remote
// on this machine becomes its real path; root is where a relative one counts
// from. It is "" if the URL identifies no repository.
func normaliseOrigin(url, root string) string {
	url = strings.TrimSpace(url)
	scheme, rest, ok := strings.Cut(url, "://")
	switch {
	case url == "":
		return ""
	case ok && strings.EqualFold(scheme, "file"):
		return localOrigin(rest, root)
	case ok:
		return remoteOrigin(strings.ToLower(scheme), rest)
	}
	host, path, ok := scpForm(url)
	if !ok {
		return localOrigin(url, root)
	}
	return remoteOrigin("ssh", host+"/"+path)
}

// scpForm splits user@host:path. As in git, a slash before the colon or a
// single letter before it (a drive) makes it a local path.
func scpForm(url string) (host, path string, ok bool) {
	if strings.HasPrefix(url, "[") || strings.Contains(url, "@[") { // [::1]:path
		host, path, ok = strings.Cut(url, "]:")
		return host + "]", path, ok
	}
	host, path, ok = strings.Cut(url, ":")
	if !ok || len(host) < 2 || strings.ContainsAny(host, `/\`) {
		return "", "", false
	}
	return host, path, true
}

func remoteOrigin(scheme, rest string) string {
	host, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	host, path = withoutPort(scheme, strings.ToLower(host)), trimGit(path)
	if host == "" || path == "" {
		return ""
	}
	return host + "/" + path
}

// withoutPort drops ports that do not distinguish the services of a host.
func withoutPort(scheme, host string) string {
	colon := strings.LastIndexByte(host, ':')
	if colon < 0 || strings.HasSuffix(host, "]") {
		return host
	}
	switch name, port := host[:colon], host[colon+1:]; {
	case strings.Contains(scheme, "ssh"), port == "",
		scheme == "https" && port == "443",
		scheme == "http" && port == "80",
		scheme == "git" && port == "9418":
		return name
	}
	return host
}

func localOrigin(path, root string) string {
	real := filepath.ToSlash(realPath(from(root, path)))
	return strings.TrimSuffix(strings.TrimSuffix(real, "/.git"), ".git")
}

func trimGit(path string) string {
	path = strings.Trim(path, "/")
	path = strings.TrimSuffix(path, ".git")
	return strings.Trim(path, "/")
}
