// SPDX-License-Identifier: GPL-2.0

package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memward/internal/conf"
	"memward/internal/groupfs"
	"memward/internal/kmod"
	"memward/internal/text"
)

// state is all that there is to say of memward on this machine.
type state struct {
	Kernel     string         `json:"kernel"`
	Tested     bool           `json:"tested"`
	Command    string         `json:"command"`
	Loaded     bool           `json:"loaded"`
	Module     string         `json:"module"`
	Source     string         `json:"srcversion"`
	File       string         `json:"file"`
	FileSource string         `json:"file_srcversion"`
	Lockdown   string         `json:"lockdown"`
	Mounts     []mountInfo    `json:"mounts"`
	Groups     int64          `json:"groups"`
	Hooks      []kmod.Hook    `json:"hooks"`
	Counters   groupfs.Counts `json:"counters"`
	Configured configured     `json:"configuration"`
	Next       []string       `json:"next"`
	failure    error          // of what could not be read
}

type mountInfo struct {
	Dir    string `json:"dir"`
	Mirror string `json:"mirror"`
}

func mountOf(tree *groupfs.Tree) mountInfo { return mountInfo{tree.Root, tree.Mirror} }

// statusNotRunning is what systemctl status says of a unit that does not run.
const statusNotRunning = 3

func (a *app) statusCommand() *cobra.Command {
	var hooks bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show whether memward is at work, and what to do if not",
		Long: `Shows whether the module is there, loaded, mounted and attached to the kernel, and the files of ` + conf.Dir + ` applied, and what
to do if not. The exit status is 0 if all is as it should be, 1 if something that was attached does not work, or if those files have mistakes or
something else is applied than what they say, and 3 if it is not loaded or not mounted. Who is not root is told of what he may read.`,
		Args: takes(0, 0),
		RunE: func(*cobra.Command, []string) error {
			s := a.look()
			if a.json {
				if err := a.printJSON(s); err != nil {
					return err
				}
			} else {
				a.printState(s, hooks)
			}
			return s.verdict()
		},
	}
	cmd.Flags().BoolVar(&hooks, "hooks", false, "list each hook: where it is, and how often it ran")
	return cmd
}

func (a *app) look() *state {
	release := kmod.Release()
	s := &state{
		Kernel: release, Tested: kmod.IsTested(kmod.Series(release)), Command: kmod.Version, Lockdown: kmod.Lockdown(),
		Loaded: kmod.IsLoaded(), Module: kmod.LoadedVersion(), File: kmod.File(),
		Mounts: []mountInfo{}, Hooks: []kmod.Hook{}, Configured: configured{Mistakes: []mistake{}}, Next: []string{},
	}
	if s.Loaded {
		s.Source, s.FileSource = kmod.LoadedSource(), kmod.FileSource()
		s.lookAtMounts(a)
	}
	if err := s.lookAtFiles(a, conf.Dir); s.failure == nil {
		s.failure = err
	}
	s.Next = append(s.Next, s.steps()...)
	return s
}

func (s *state) lookAtMounts(a *app) {
	trees, err := groupfs.Mounts()
	if err != nil {
		s.failure = err
		return
	}
	for i := range trees {
		s.Mounts = append(s.Mounts, mountOf(&trees[i]))
	}
	root, err := a.group("/")
	if err != nil {
		if len(trees) > 0 {
			s.failure = err
		}
		return
	}
	hooks, counters, err := kmod.Hooks(root)
	s.Hooks, s.Counters, s.failure = append(s.Hooks, hooks...), counters, err
	if text, err := root.Read("cgroup.stat"); err == nil {
		s.Groups = groupfs.ParseCounts(text).Values["nr_descendants"]
	}
}

func (s *state) ill() (ill []kmod.Hook) {
	for _, hook := range s.Hooks {
		if !hook.IsWell() {
			ill = append(ill, hook)
		}
	}
	return ill
}

func (s *state) verdict() error {
	switch {
	case s.failure != nil:
		return s.failure
	case !s.Loaded, len(s.Mounts) == 0:
		return exitError(statusNotRunning)
	case len(s.ill()) > 0, !s.Configured.isWell():
		return exitError(statusFailed)
	}
	return nil
}

// steps are what is to be done next.
func (s *state) steps() (steps []string) {
	switch {
	case !s.Loaded && s.File == "":
		steps = append(steps, nextStep(kmod.ErrNotBuilt))
	case !s.Loaded, len(s.Mounts) == 0:
		steps = append(steps, "memward mount loads and mounts it")
	}
	if !s.Loaded && kmod.IsSigned() {
		steps = append(steps, "if it refuses the module: "+nextStep(kmod.ErrSignature))
	}
	if !s.Tested && len(kmod.Tested()) > 0 {
		steps = append(steps, "memward was tested on Linux "+strings.Join(kmod.Tested(), ", ")+
			"; on a machine that may crash, memward mount --untested tries it on this one")
	}
	return slices.Concat(steps, s.stepsOfVersions(), s.stepsOfHooks(), s.Configured.steps())
}

// isOther says whether modprobe would load another module than is loaded.
func (s *state) isOther() bool {
	return s.Source != "" && s.FileSource != "" && s.Source != s.FileSource
}

// stepsOfVersions are for who has upgraded memward: what was loaded before works on, so that is not ill.
func (s *state) stepsOfVersions() []string {
	const anew = "systemctl restart memward, or memward unload --remove-groups && memward mount; both remove all groups"
	switch {
	case !s.Loaded:
		return nil
	case s.isOther():
		return []string{"the next boot loads the module that is built now; so does " + anew}
	case s.Command == "" || s.Module == s.Command:
		return nil
	case s.FileSource != "":
		return []string{"dkms status memward says which versions are built for this kernel: memward and memward-dkms are to be of the same"}
	}
	return []string{"if dkms status memward says that version " + s.Command + " is built for this kernel, the next boot loads it; so does " + anew}
}

func (s *state) stepsOfHooks() (steps []string) {
	for _, hook := range s.Hooks {
		switch {
		case hook.IsRefused():
			steps = append(steps, fmt.Sprintf("%s (%s) is not to be had on this kernel, and what needs it is refused; all else works", hook.Feature, hook.Function))
		case hook.State == "shadowed":
			steps = append(steps, fmt.Sprintf("%s: take out the livepatch that has replaced it, or live without", hook.Function))
		case hook.State == "lost":
			return append(steps, "memward unload --remove-groups and memward mount attach it again")
		}
	}
	return steps
}

func (a *app) printState(s *state, hooks bool) {
	line := func(what, format string, args ...any) {
		fmt.Fprintf(a.out, "%-8s %s\n", what, fmt.Sprintf(format, args...))
	}
	line("kernel", "%s, %s", s.Kernel, s.tested())
	line("module", "%s", s.module())
	if kmod.IsSigned() {
		line("lockdown", "%s: the kernel loads only what is signed with a key that it knows", nonEmpty(s.Lockdown, "sig_enforce"))
	}
	for _, mount := range s.Mounts {
		line("mounted", "%s, %s", mount.Dir, kindOf(&groupfs.Tree{Mirror: mount.Mirror}))
	}
	if len(s.Mounts) == 0 {
		line("mounted", "no")
	}
	if len(s.Hooks) > 0 {
		line("hooks", "%s", s.hookLine())
		line("groups", "%d", s.Groups)
		line("counters", "%s", text.Counts(s.Counters, true))
	}
	if s.Configured.Files > 0 || !s.Configured.isWell() {
		line("config", "%v", &s.Configured)
	}
	a.printHooks(s, hooks)
	for _, step := range s.Next {
		line("next", "%s", step)
	}
}

func (s *state) tested() string {
	switch {
	case s.Tested:
		return "of a series that memward was tested on"
	case len(kmod.Tested()) == 0:
		return "and this command was built without knowing where memward was tested"
	}
	return "of a series that memward was not tested on"
}

func nonEmpty(text, instead string) string { return choose(text != "", text, instead) }

func choose(which bool, yes, no string) string {
	if which {
		return yes
	}
	return no
}

func (s *state) module() string {
	switch {
	case s.Loaded && s.Module != s.Command && s.Command != "":
		return fmt.Sprintf("loaded, version %s (this command is of %s%s)", s.Module, s.Command, choose(s.isOther(), "; what is built now is another", ""))
	case s.isOther():
		return fmt.Sprintf("loaded, version %s (what is built now is another)", s.Module)
	case s.Loaded:
		return "loaded, version " + s.Module
	case s.File != "":
		return "not loaded: " + s.File
	}
	return "not built for this kernel"
}

func (s *state) hookLine() string {
	ill := s.ill()
	refused := 0
	for _, hook := range s.Hooks {
		if hook.IsRefused() {
			refused++
		}
	}
	text := fmt.Sprintf("%d attached", len(s.Hooks)-len(ill)-refused)
	if len(ill) > 0 {
		text += fmt.Sprintf(", %d no longer", len(ill))
	}
	if refused > 0 {
		text += fmt.Sprintf(", %d not to be had on this kernel", refused)
	}
	return text
}

// printHooks lists those that are not well, or all.
func (a *app) printHooks(s *state, all bool) {
	hooks := s.Hooks
	if !all {
		hooks = s.ill()
	}
	if len(hooks) == 0 {
		return
	}
	table := text.Table{Tail: true, Width: a.width()}
	for _, hook := range hooks {
		table.Add("  "+hook.Function, hook.Feature, hook.How, hook.State, fmt.Sprint(hook.Hits), hook.Remark)
	}
	_ = table.Print(a.out)
}
