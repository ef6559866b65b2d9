// SPDX-License-Identifier: GPL-2.0

// Package kmod knows how memward comes into the kernel and out of it: the module and the mount.
package kmod

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"memward/internal/groupfs"
)

// Name is the module's.
const Name = "memward"

// tested are the series of kernels that memward was tested on, as dkms.conf has them; the build sets it.
var tested string

// Version is the command's own, which the build sets.
var Version string

// Release is the kernel that runs.
func Release() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// Series is of which series a kernel is: 6.12 of 6.12.118+deb13-cloud-amd64.
func Series(release string) string {
	return regexp.MustCompile(`^\d+\.\d+`).FindString(release)
}

// IsTested says whether memward was tested on a series of kernels.
func IsTested(series string) bool { return slices.Contains(strings.Fields(tested), series) }

// Tested are the series that it was tested on.
func Tested() []string { return strings.Fields(tested) }

// IsLoaded says whether the module is in the kernel.
func IsLoaded() bool {
	_, err := os.Stat("/sys/module/" + Name)
	return err == nil
}

// LoadedVersion is the version of the module that is loaded.
func LoadedVersion() string {
	text, _ := os.ReadFile("/sys/module/" + Name + "/version")
	return strings.TrimSpace(string(text))
}

// LoadedSource is what tells the source of the module that is loaded from any other; "" if the kernel does not say.
func LoadedSource() string {
	text, _ := os.ReadFile("/sys/module/" + Name + "/srcversion")
	return strings.TrimSpace(string(text))
}

// FileSource is the same of the module that modprobe would load; "" if there is none, or no modinfo.
func FileSource() string {
	text, err := exec.Command(tool("modinfo"), "-F", "srcversion", Name).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// File is where modprobe would take the module from; "" if this kernel has none.
func File() string {
	dir := filepath.Join("/lib/modules", Release())
	text, err := os.ReadFile(filepath.Join(dir, "modules.dep"))
	if err != nil {
		return ""
	}
	return fileIn(dir, string(text))
}

// fileIn finds the module in what depmod has written: a file, a colon and what it needs in each line.
func fileIn(dir, dep string) string {
	for line := range strings.Lines(dep) {
		file, _, _ := strings.Cut(line, ":")
		if strings.HasPrefix(filepath.Base(file), Name+".ko") {
			return filepath.Join(dir, file)
		}
	}
	return ""
}

// tool is where a program of root's is, whose PATH need not have that.
func tool(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	return filepath.Join("/sbin", name)
}

// Lockdown is what the kernel's lockdown says: "none", "integrity", "confidentiality", or "" where there is none.
func Lockdown() string {
	text, err := os.ReadFile("/sys/kernel/security/lockdown")
	if err != nil {
		return ""
	}
	return regexp.MustCompile(`\[(\w+)\]`).ReplaceAllString(regexp.MustCompile(`\[\w+\]`).FindString(string(text)), "$1")
}

// ErrNotBuilt says that there is no module for the kernel that runs.
var ErrNotBuilt = errors.New("there is no module memward for this kernel")

// ErrForbidden says that the kernel lets no module in or out any more, until it is started again.
var ErrForbidden = errors.New("no module can be loaded or unloaded: kernel.modules_disabled is 1")

func isForbidden() bool {
	text, err := os.ReadFile("/proc/sys/kernel/modules_disabled")
	return err == nil && strings.TrimSpace(string(text)) == "1"
}

// IsSigned says whether the kernel loads only what is signed with a key that it knows: by its lockdown or by itself.
func IsSigned() bool {
	text, err := os.ReadFile("/sys/module/module/parameters/sig_enforce")
	return err == nil && strings.TrimSpace(string(text)) == "Y" || Lockdown() != "" && Lockdown() != "none"
}

// KeyFile is dkms's own key, for mokutil; "" if dkms has made none.
func KeyFile() string {
	for _, file := range []string{"/var/lib/dkms/mok.pub", "/var/lib/shim-signed/mok/MOK.der"} {
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return ""
}

// LoadError says that modprobe has failed.
type LoadError struct{ Said string }

func (e *LoadError) Error() string { return "modprobe " + Name + ": " + e.Said }

// ErrSignature says that the kernel takes no module that is signed so.
var ErrSignature = errors.New("the kernel refuses the module: it is not signed with a key that it knows")

// Load loads the module, if it is not.
func Load() error {
	if IsLoaded() {
		return nil
	}
	modprobe := exec.Command(tool("modprobe"), Name)
	// what is typed is for who waits for it: that may wait until the module is there
	modprobe.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := modprobe.CombinedOutput()
	if err == nil {
		return nil
	}
	said := string(bytes.TrimSpace(out))
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("modprobe is not to be found: apt install kmod")
	case os.Geteuid() != 0:
		return &groupfs.PermissionError{What: "loading the module"}
	case isForbidden():
		return ErrForbidden
	case File() == "":
		return ErrNotBuilt
	case strings.Contains(said, "Key was rejected"), IsSigned() && strings.Contains(said, "not permitted"):
		return ErrSignature
	}
	return &LoadError{said}
}

// RefusedError says that the module does not attach to this kernel.
type RefusedError struct {
	Err error
	Log []string
}

func (e *RefusedError) Error() string {
	text := fmt.Sprintf("the mount was refused: %v", e.Err)
	for _, line := range e.Log {
		text += "\n  " + line
	}
	return text
}

func (e *RefusedError) Unwrap() error { return e.Err }

// Mount mounts the tree of groups; options are those of mount(8).
func Mount(dir string, options []string) error {
	log := openLog()
	defer log.close()
	err := unix.Mount(Name, dir, groupfs.Type, unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, strings.Join(options, ","))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EPERM):
		return &groupfs.PermissionError{What: "mounting memward"}
	case errors.Is(err, unix.EINVAL) && len(options) > 0:
		return fmt.Errorf("memward does not take the options %s", groupfs.Quote(strings.Join(options, ",")))
	}
	return &RefusedError{err, log.said()}
}

// InUseError says why memward cannot go.
type InUseError struct {
	Dir string
	Err error
}

func (e *InUseError) Error() string {
	if e.Dir == "" {
		return fmt.Sprintf("the module is in use: %v", e.Err)
	}
	return fmt.Sprintf("%s cannot be unmounted: %v", e.Dir, e.Err)
}

func (e *InUseError) Unwrap() error { return e.Err }

// UnmountAll unmounts every mount of it, the last first: that may be on one before it.
func UnmountAll() error {
	for {
		trees, err := groupfs.Mounts()
		if err != nil || len(trees) == 0 {
			return err
		}
		tree := &trees[len(trees)-1]
		if err := tree.Check(); err != nil {
			return err
		}
		if err := unix.Unmount(tree.Root, unix.UMOUNT_NOFOLLOW); err != nil {
			return unmountError(tree, err)
		}
	}
}

// CheckUnmount says whether nobody is in any of the mounts.
//
// MNT_EXPIRE unmounts what was asked about before and not used since.  Check() uses it, so that is not done here, unless
// two do this at once.
func CheckUnmount() error {
	trees, err := groupfs.Mounts()
	if err != nil {
		return err
	}
	for i := range trees {
		if err := trees[i].Check(); err != nil {
			return err
		}
		switch err := unix.Unmount(trees[i].Root, unix.MNT_EXPIRE); {
		case errors.Is(err, unix.EAGAIN):
		case err == nil:
			return fmt.Errorf("%s is being unmounted by somebody else", groupfs.Quote(trees[i].Root))
		default:
			return unmountError(&trees[i], err)
		}
	}
	return nil
}

func unmountError(tree *groupfs.Tree, err error) error {
	if errors.Is(err, unix.EPERM) {
		return &groupfs.PermissionError{What: "unmounting " + tree.Root}
	}
	return &InUseError{tree.Root, err}
}

// Unload takes the module out of the kernel, and waits as long for those who are in it for a moment.
func Unload(patience time.Duration) error {
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		err := unix.DeleteModule(Name, unix.O_NONBLOCK)
		switch {
		case err == nil, errors.Is(err, unix.ENOENT):
			return nil
		case errors.Is(err, unix.EPERM) && isForbidden():
			return ErrForbidden
		case errors.Is(err, unix.EPERM):
			return &groupfs.PermissionError{What: "unloading the module"}
		case !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EBUSY) || time.Now().After(end):
			return &InUseError{"", err}
		}
	}
}
