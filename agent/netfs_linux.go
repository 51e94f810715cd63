package agent

import "golang.org/x/sys/unix"

// NetworkFS names the file system of a path if it is one on which changes come late; empty: it
// is local, or the path is not there.
func NetworkFS(path string) string {
	var st unix.Statfs_t
	if unix.Statfs(path, &st) != nil {
		return ""
	}
	return map[int64]string{
		unix.NFS_SUPER_MAGIC: "nfs", unix.SMB_SUPER_MAGIC: "smb", unix.CIFS_SUPER_MAGIC: "cifs", unix.SMB2_SUPER_MAGIC: "smb2",
		unix.FUSE_SUPER_MAGIC: "fuse", unix.V9FS_MAGIC: "9p", unix.CEPH_SUPER_MAGIC: "ceph", unix.AFS_SUPER_MAGIC: "afs",
	}[int64(st.Type)]
}
