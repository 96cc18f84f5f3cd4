package daemon

import "golang.org/x/sys/unix"

// FileSystem names the network or shared file system that a directory is on, ""
// for a local one. The numbers are those of statfs(2).
func FileSystem(dir string) string {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return ""
	}
	switch uint32(st.Type) {
	case unix.NFS_SUPER_MAGIC:
		return "NFS"
	case unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC:
		return "SMB"
	case unix.V9FS_MAGIC:
		return "9P, a share of a virtual machine"
	case 0x786f4256:
		return "a VirtualBox share"
	case unix.FUSE_SUPER_MAGIC:
		return "FUSE"
	}
	return ""
}

// FreeBytes is the space that is left for a directory's files.
func FreeBytes(dir string) (int64, bool) {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return 0, false
	}
	return int64(st.Bavail) * st.Bsize, true
}
