// SPDX-License-Identifier: GPL-2.0

package cli

import (
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"memward/internal/cgroup"
	"memward/internal/groupfs"
	"memward/internal/kmod"
)

// nextStep is what whoever reads an error can do about it; "" if nobody knows.
func nextStep(err error) string {
	var (
		usage   usageError
		missing *groupfs.NoGroupError
		file    *groupfs.NoFileError
		denied  *groupfs.PermissionError
		mirror  *groupfs.MirrorError
		busy    *groupfs.BusyError
		value   *groupfs.ValueError
		refused *kmod.RefusedError
		inUse   *kmod.InUseError
		unknown *cgroup.UnknownError
		several *cgroup.UmbrellaError
		hidden  *groupfs.HiddenError
		load    *kmod.LoadError
		itself  interface{ Next() string }
	)
	switch {
	case errors.As(err, &itself):
		return itself.Next()
	case errors.As(err, &usage):
		return "memward --help shows what there is"
	case errors.Is(err, groupfs.ErrNotMounted):
		return "mount it: memward mount"
	case errors.As(err, &missing):
		return "memward ls shows those there are; memward create makes one"
	case errors.As(err, &file):
		return "memward show " + groupfs.Quote(file.Group) + " names those there are"
	case errors.As(err, &denied):
		return nextOfDenied()
	case errors.As(err, &mirror):
		return "who makes, moves or removes a cgroup (systemctl, systemd-run, mkdir in " + cgroup.Root() + ") does it to its group"
	case errors.As(err, &busy):
		return nextOfBusy(busy)
	case errors.As(err, &value):
		return nextOfValue(value)
	case errors.Is(err, kmod.ErrNotBuilt):
		return "build it: apt install linux-headers-" + kmod.Release() + " && dkms autoinstall; dkms status memward says what there is"
	case errors.Is(err, kmod.ErrSignature):
		return nextOfSignature()
	case errors.Is(err, kmod.ErrForbidden):
		return "only a reboot changes that; something has set it (grep -r modules_disabled /etc/sysctl.*)"
	case errors.As(err, &load):
		return "dmesg | tail says more; a module of another kernel is built anew by dkms autoinstall"
	case errors.As(err, &hidden):
		return "unmount that first: findmnt " + groupfs.Quote(hidden.Dir)
	case errors.As(err, &refused):
		return nextOfRefused(refused)
	case errors.As(err, &inUse):
		return nextOfInUse(inUse)
	case errors.As(err, &several):
		return "bind those: memward bind GROUP " + strings.Join(several.Parts, " ")
	case errors.As(err, &unknown):
		return "systemctl status and podman ps (docker ps) show those there are; a path is as below " + cgroup.Root()
	}
	return ""
}

func nextOfDenied() string {
	if os.Geteuid() != 0 {
		return "this needs root: sudo memward …; or be given the group by chown (see Delegation in memward-files(5))"
	}
	return "being root is not enough: it takes CAP_SYS_ADMIN on the host, which a container does not have"
}

func nextOfSignature() string {
	key := kmod.KeyFile()
	if key == "" {
		return "dkms has no key of its own here: sign the module with one that you enroll (mokutil --import), or switch Secure Boot off in the firmware"
	}
	return "enroll dkms's key: mokutil --import " + key + ", boot, choose Enroll MOK; or switch Secure Boot off in the firmware"
}

// argument is a name as it can be typed after a command: one that begins with a minus would be an option.
func argument(name string) string {
	if strings.HasPrefix(name, "-") {
		name = "/" + name
	}
	return groupfs.Quote(name)
}

func nextOfBusy(busy *groupfs.BusyError) string {
	name := argument(busy.Name)
	switch {
	case len(busy.Below) > 0:
		return "with all that are below it: memward remove --recursive " + name
	case len(busy.Pids) > 0:
		return "end them: memward remove --kill " + name + "; or move one out: memward attach / PID"
	}
	return "it may be bound to cgroups that have processes: memward bind " + name
}

func nextOfValue(value *groupfs.ValueError) string {
	switch {
	case errors.Is(value, unix.EBUSY):
		return "memward reclaim asks for memory back first"
	case strings.HasPrefix(value.File, "memory.memsw.") || value.File == "memory.limit_in_bytes":
		return "memory and swap together (memsw) cannot be less than memory alone; sizes are numbers with K, M, G or T, and -1 is no limit"
	case strings.HasPrefix(value.File, "memory.") && errors.Is(value, unix.EINVAL):
		return "a size is a number with K, M, G or T, and max is no limit; memward-files(5) has all files"
	}
	return "memward-files(5) says what each file takes"
}

func nextOfRefused(refused *kmod.RefusedError) string {
	switch {
	case errors.Is(refused, unix.EOPNOTSUPP) && len(refused.Log) == 0:
		return "a mirror is not to be had on this kernel; memward mount may be, and memward status then says why"
	case errors.Is(refused, unix.EOPNOTSUPP) && !kmod.IsTested(kmod.Series(kmod.Release())):
		return "memward was tested on Linux " + strings.Join(kmod.Tested(), ", ") +
			"; on a machine that may crash, memward mount --untested tries it on this one"
	case errors.Is(refused, unix.EOPNOTSUPP):
		return "boot the kernel that it worked on, and tell us of this one"
	case errors.Is(refused, unix.EBUSY):
		return "somebody else has replaced the same functions (livepatch, bpftrace), or it is mounted otherwise: memward status"
	}
	return "memward status and dmesg may say more"
}

func nextOfInUse(inUse *kmod.InUseError) string {
	if inUse.Dir == "" {
		return "groups are left (memward unload --remove-groups), or it is mounted elsewhere: grep -l ' - memward ' /proc/[0-9]*/mountinfo"
	}
	return "somebody is in that directory or has a file of it open: fuser -vm " + groupfs.Quote(inUse.Dir)
}
