// SPDX-License-Identifier: GPL-2.0

package conf

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"memward/internal/groupfs"
)

// A table of TOML has no order, and its values no lines; what this package needs is both.  So a document is decoded first,
// which finds all that is wrong with it as TOML, and then read again, statement by statement.

// Parse reads a document.
func Parse(name string, text []byte) (*File, *Error) {
	var whole map[string]any
	if err := toml.Unmarshal(text, &whole); err != nil {
		return nil, inTOML(name, text, err)
	}
	r := &reader{file: &File{Path: name, Text: string(text)}}
	r.parser.Reset(text)
	for r.parser.NextExpression() {
		if err := r.expression(r.parser.Expression()); err != nil {
			return nil, &Error{name, r.line, err}
		}
	}
	return r.file, nil
}

func inTOML(name string, text []byte, err error) *Error {
	said, advice := strings.TrimPrefix(err.Error(), "toml: "), "how a file is written: memward.conf(5)"
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		line, _ := decode.Position()
		return &Error{name, line, groupfs.Advise(advice, "%s", said)}
	}
	if strings.Contains(said, "to be a table, not a value") {
		advice = "where one name begins with all of another, it stands in quotes: \"memory.high.stall_max\" = 5000000"
	}
	return &Error{name, lineOf(text), groupfs.Advise(advice, "%s", said)}
}

// lineOf finds the line of what the decoder finds wrong and does not tell the line of, as what is there twice: the first up to which it finds that.
func lineOf(text []byte) int {
	line, whole := 0, map[string]any{}
	for end, char := range text {
		if char != '\n' && end != len(text)-1 {
			continue
		}
		line++
		err := toml.Unmarshal(text[:end+1], &whole)
		var decode *toml.DecodeError
		if err != nil && !errors.As(err, &decode) {
			return line
		}
	}
	return 0
}

// reader goes through a document.
type reader struct {
	parser unstable.Parser
	file   *File
	// table is where what comes next belongs.
	table []string
	// line is where it is.
	line int
}

func (r *reader) expression(node *unstable.Node) error {
	switch node.Kind {
	case unstable.Table:
		r.table = r.key(node.Key())
		return r.begin(r.table)
	case unstable.KeyValue:
		return r.keyValue(r.table, node)
	case unstable.ArrayTable:
		r.key(node.Key())
		return errors.New("[[…]] is a list of tables, which there are none of: write it with one bracket")
	}
	return nil
}

// key is a dotted key, part by part; what is said of it is said of its line.
func (r *reader) key(parts unstable.Iterator) (key []string) {
	for parts.Next() {
		node := parts.Node()
		if len(key) == 0 {
			r.line = r.parser.Shape(node.Raw).Start.Line
		}
		key = append(key, string(node.Data))
	}
	return key
}

func (r *reader) keyValue(table []string, node *unstable.Node) error {
	key := append(append([]string{}, table...), r.key(node.Key())...)
	if node.Value().Kind != unstable.InlineTable {
		return r.value(key, node.Value())
	}
	if err := r.begin(key); err != nil {
		return err
	}
	for inner := node.Value().Children(); inner.Next(); {
		if err := r.keyValue(key, inner.Node()); err != nil {
			return err
		}
	}
	return nil
}

// begin is for a table that may be empty: a group without settings is one.
func (r *reader) begin(key []string) error {
	switch {
	case key[0] == "mount" && len(key) == 1:
		r.mount()
		return nil
	case key[0] == "mount":
		return groupfs.Advise("there are mirror and untested", "[mount] has no table %s", groupfs.Quote(key[1]))
	case key[0] != "group" && key[0] != "unit":
		return unknownKey(key)
	case len(key) == 1:
		return nil
	case len(key) > 2 && !isFile(key[2]):
		return groupfs.Advise(inQuotes(key[0], key[1:]), "[%s] is no table of %s", strings.Join(key, "."), groupfs.Quote(key[1]))
	case len(key) > 2 && key[2] == "bind":
		return errBind
	case key[0] == "group":
		_, err := r.group(key[1])
		return err
	}
	_, err := r.unit(key[1])
	return err
}

func unknownKey(key []string) error {
	return groupfs.Advise("there are [mount], [group.NAME] and [unit.\"NAME\"]: memward.conf(5)", "there is nothing called %s", groupfs.Quote(key[0]))
}

func (r *reader) value(key []string, node *unstable.Node) error {
	switch {
	case key[0] == "mount":
		return r.mountValue(key, node)
	case key[0] != "group" && key[0] != "unit":
		return unknownKey(key)
	case len(key) < 3:
		return fmt.Errorf("%s is no table: settings stand below [%s.NAME]", key[len(key)-1], key[0])
	case !isFile(key[2]):
		return noFile(key)
	case key[0] == "group":
		return r.groupValue(key, node)
	}
	return r.unitValue(key, node)
}

func isFile(first string) bool {
	first, _, _ = strings.Cut(first, ".")
	return first == "memory" || first == "cgroup" || first == "memward" || first == "bind"
}

// noFile is for a key whose third part cannot begin the name of a file: mostly a name with dots and no quotes.
func noFile(key []string) error {
	whole := strings.Join(key[1:], ".")
	if len(key) > 3 {
		rest := len(key) - 1
		for i := 3; i < len(key); i++ {
			if isFile(key[i]) {
				rest = i
				break
			}
		}
		return groupfs.Advise(inQuotes(key[0], key[1:rest]), "there is no file %s", groupfs.Quote(strings.Join(key[2:], ".")))
	}
	return groupfs.Advise("memward.conf(5) and memward-files(5)", "%s is no setting", groupfs.Quote(whole))
}

func inQuotes(kind string, parts []string) string {
	return fmt.Sprintf("a name that has dots or slashes stands in quotes: [%s.\"%s\"]; a group in another one is [group.\"a/b\"]", kind, strings.Join(parts, "."))
}

func (r *reader) mount() *Mount {
	if r.file.Mount == nil {
		r.file.Mount = &Mount{Line: r.line}
	}
	return r.file.Mount
}

func (r *reader) mountValue(key []string, node *unstable.Node) error {
	mount, word := r.mount(), strings.Join(key[1:], ".")
	mount.Said = mount.Said || word == "mirror"
	isTrue := node.Kind == unstable.Bool && string(node.Data) == "true"
	switch {
	case word == "mirror" && node.Kind == unstable.Bool:
		mount.Mirror = map[bool]string{true: "/"}[isTrue]
	case word == "mirror" && node.Kind == unstable.String && strings.HasPrefix(string(node.Data), "/"):
		mount.Mirror = path.Clean(string(node.Data))
		if strings.ContainsAny(mount.Mirror, ",\x00") {
			return fmt.Errorf("mirror: a path with a comma cannot be an option of a mount")
		}
	case word == "mirror":
		return errors.New("mirror is true, false or the path of a cgroup, such as \"/system.slice\"")
	case word == "untested" && node.Kind == unstable.Bool:
		mount.Untested = isTrue
	case word == "untested":
		return errors.New("untested is true or false")
	default:
		return groupfs.Advise("there are mirror and untested", "[mount] has nothing called %s", groupfs.Quote(word))
	}
	return nil
}

// group is the group of that name, which the table that is being read may have begun.
func (r *reader) group(name string) (*Group, error) {
	clean, err := groupfs.CleanName(name)
	if err != nil {
		return nil, err
	}
	for i := range r.file.Groups {
		if r.file.Groups[i].Name == clean {
			return &r.file.Groups[i], nil
		}
	}
	r.file.Groups = append(r.file.Groups, Group{Line: r.line, Name: clean})
	return &r.file.Groups[len(r.file.Groups)-1], nil
}

func (r *reader) unit(pattern string) (*Unit, error) {
	if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
		return nil, fmt.Errorf("%s is no pattern: * is any characters, ? is one, [a-z] one of these", groupfs.Quote(pattern))
	}
	if strings.Contains(pattern, "/") && !strings.HasPrefix(pattern, "/") {
		return nil, fmt.Errorf("%s is neither the name of a unit nor a path, which has a slash in front", groupfs.Quote(pattern))
	}
	for i := range r.file.Units {
		if r.file.Units[i].Pattern == pattern {
			return &r.file.Units[i], nil
		}
	}
	r.file.Units = append(r.file.Units, Unit{Line: r.line, Pattern: pattern})
	return &r.file.Units[len(r.file.Units)-1], nil
}

func (r *reader) groupValue(key []string, node *unstable.Node) error {
	g, err := r.group(key[1])
	if err != nil {
		return err
	}
	switch {
	case len(key) == 3 && key[2] == "bind" && g.Bind != nil:
		return fmt.Errorf("bind of %s is there twice", groupfs.Quote(g.Name))
	case len(key) == 3 && key[2] == "bind":
		g.Bind, err = r.words(node)
		return err
	}
	g.Settings, err = r.setting(g.Settings, key[2:], node)
	return err
}

func (r *reader) unitValue(key []string, node *unstable.Node) error {
	u, err := r.unit(key[1])
	if err != nil {
		return err
	}
	if key[2] == "bind" {
		return errors.New("a unit of a mirror has a group already: nothing is to be bound")
	}
	u.Settings, err = r.setting(u.Settings, key[2:], node)
	return err
}

var errBind = errors.New("bind is a list of units, or of paths of cgroups: bind = [\"redis-server.service\"]")

// words is a list of strings; one of them may stand alone.
func (r *reader) words(node *unstable.Node) ([]Word, error) {
	if node.Kind == unstable.String {
		return []Word{{r.line, string(node.Data)}}, nil
	}
	if node.Kind != unstable.Array {
		return nil, errBind
	}
	var words []Word
	for items := node.Children(); items.Next(); {
		item := items.Node()
		if item.Kind != unstable.String || len(item.Data) == 0 {
			return nil, errBind
		}
		words = append(words, Word{r.parser.Shape(item.Raw).Start.Line, string(item.Data)})
	}
	return words, nil
}

// setting is one more; however it is written, it is there once.
func (r *reader) setting(before []Setting, key []string, node *unstable.Node) ([]Setting, error) {
	file := strings.Join(key, ".")
	value, err := scalar(file, node)
	if err != nil {
		return nil, err
	}
	setting, err := groupfs.ParseSetting(file + "=" + value)
	if err != nil {
		return nil, err
	}
	for _, other := range before {
		if other.Key() == setting.Key() {
			return nil, fmt.Errorf("%s is set in line %d already, as %s", file, other.Line, other.File)
		}
	}
	return append(before, Setting{setting, r.line}), nil
}

// scalar is a value as it is written to a file.
func scalar(file string, node *unstable.Node) (string, error) {
	text := string(node.Data)
	switch node.Kind {
	case unstable.String:
		text = strings.Trim(text, " \t")
		if text == "" || strings.ContainsAny(text, "\n\x00") {
			return "", fmt.Errorf("%s: %s is no value", file, groupfs.Quote(text))
		}
		return text, nil
	case unstable.Integer:
		number, err := strconv.ParseInt(text, 0, 64)
		if err != nil {
			return "", fmt.Errorf("%s: %s is too large", file, text)
		}
		return strconv.FormatInt(number, 10), nil
	case unstable.Bool:
		return "", fmt.Errorf("%s takes 0 or 1, not %s", file, text)
	}
	return "", groupfs.Advise("such as \"500M\" or 60", "the value of %s is neither a string nor a whole number", file)
}
