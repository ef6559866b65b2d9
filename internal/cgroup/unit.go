// SPDX-License-Identifier: GPL-2.0

package cgroup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/dbus"

	"memward/internal/groupfs"
)

// systemdPatience is how long systemd may take to answer.
const systemdPatience = 10 * time.Second

// ofService is the cgroup of NAME.service, if systemd knows one.
func ofService(name string) (string, error) {
	found, err := ofUnit(name + ".service")
	var missing *noUnitError
	if errors.As(err, &missing) {
		return "", errNone
	}
	return found, err
}

type noUnitError struct{ name string }

// ErrNoUnit says that systemd knows no such unit, or is told to have none of it.
var ErrNoUnit = errors.New("systemd knows no such unit")

func (e *noUnitError) Unwrap() error { return ErrNoUnit }

func (e *noUnitError) Error() string { return "systemd knows no unit " + groupfs.Quote(e.name) }

// Next is what whoever reads it can do.
func (e *noUnitError) Next() string { return "systemctl list-unit-files shows those there are" }

// UmbrellaError says that a unit has no processes, but stands for others that have: on Debian postgresql.service for
// postgresql@17-main.service.
type UmbrellaError struct {
	Unit  string
	Parts []string
}

func (e *UmbrellaError) Error() string {
	return fmt.Sprintf("%s has no processes of its own: it stands for %s", groupfs.Quote(e.Unit), strings.Join(e.Parts, ", "))
}

// ofUnit is the cgroup that a unit of systemd has, or will have when it is started.
func ofUnit(name string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), systemdPatience)
	defer cancel()
	conn, err := connect(ctx)
	if err != nil {
		return "", groupfs.Advise("give the path of its cgroup, as below "+Root(), "systemd cannot be asked for %s: %v", groupfs.Quote(name), err)
	}
	defer conn.Close()
	return unit{ctx, conn, name}.cgroup()
}

// connect asks systemd itself where that is allowed, as systemctl does: early in the boot, and on some hosts always, there is no bus.
func connect(ctx context.Context) (*dbus.Conn, error) {
	if os.Geteuid() == 0 {
		if conn, err := dbus.NewSystemdConnectionContext(ctx); err == nil {
			return conn, nil
		}
	}
	return dbus.NewWithContext(ctx)
}

type unit struct {
	ctx  context.Context
	conn *dbus.Conn
	name string
}

func (u unit) cgroup() (string, error) {
	state, err := u.text("Unit", "LoadState")
	switch {
	case err != nil:
		return "", notBound(u.name, err)
	case state == "not-found":
		return "", &noUnitError{u.name}
	case state == "masked":
		return "", &noUnitError{u.name}
	case state != "loaded":
		return "", groupfs.Advise("systemctl status "+groupfs.Quote(u.name)+" says why", "systemd has not loaded %s: it is %s", groupfs.Quote(u.name), state)
	}
	// what was asked for may be another name of it
	id, err := u.text("Unit", "Id")
	if err != nil {
		return "", notBound(u.name, err)
	}
	u.name = id
	if parts := u.parts(); len(parts) > 0 {
		return "", &UmbrellaError{u.name, parts}
	}
	return u.place()
}

func (u unit) place() (string, error) {
	kind := kindOf(u.name)
	if kind == "Slice" {
		return ofSlice(u.name), nil
	}
	if now, err := u.text(kind, "ControlGroup"); err == nil && now != "" {
		return now, nil
	}
	slice, err := u.text(kind, "Slice")
	if err != nil {
		return "", notBound(u.name, err)
	}
	if slice == "" {
		slice = "system.slice"
	}
	return path.Join(ofSlice(slice), escape(u.name)), nil
}

// Guess is the cgroup of a unit that systemd does not know: where it is if it has no slice of its own.  A scope has the slice that whoever makes it says, so
// that is the least sure.  What systemd takes for no unit's name is nowhere.
func Guess(name string) (string, bool) {
	if !unitName.MatchString(name) {
		return "", false
	}
	kind := path.Ext(name)
	if kind == ".slice" {
		return ofSlice(name), isSlice(name)
	}
	prefix, _, isInstance := strings.Cut(strings.TrimSuffix(name, kind), "@")
	slice := "system.slice"
	switch {
	case isInstance && kind != ".service" && kind != ".socket":
		return "", false
	case isInstance:
		slice = "system-" + escapePrefix.Replace(prefix) + ".slice"
	}
	return path.Join(ofSlice(slice), escape(name)), true
}

// escapePrefix is what systemd's unit_name_escape() does to what the names of units have.
var escapePrefix = strings.NewReplacer("-", `\x2d`, `\`, `\x5c`)

// isSlice says whether a slice's name is one: no part of it is empty.
func isSlice(name string) bool {
	return name == "-.slice" || !slices.Contains(strings.Split(strings.TrimSuffix(name, ".slice"), "-"), "")
}

// parts are the units that stop and start with this one, which does nothing itself.
func (u unit) parts() []string {
	if kind, err := u.text("Service", "Type"); err != nil || kind != "oneshot" {
		return nil
	}
	property, err := u.conn.GetUnitTypePropertyContext(u.ctx, u.name, "Unit", "ConsistsOf")
	if err != nil {
		return nil
	}
	parts, _ := property.Value.Value().([]string)
	return parts
}

func (u unit) text(iface, name string) (string, error) {
	property, err := u.conn.GetUnitTypePropertyContext(u.ctx, u.name, iface, name)
	if err != nil {
		return "", err
	}
	text, _ := property.Value.Value().(string)
	return text, nil
}

// kindOf is what D-Bus calls a unit's type.
func kindOf(name string) string {
	return map[string]string{
		".service": "Service", ".slice": "Slice", ".scope": "Scope", ".socket": "Socket", ".mount": "Mount", ".swap": "Swap",
	}[path.Ext(name)]
}
