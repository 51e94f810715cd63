package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// The texts of testdata/messages*.tsv are planted into recorded sessions that finished: wherever a
// person, the model or a tool speaks. Not one of them may then look stopped.

// seed is one text to plant: as it is, and as a value for the places that hold objects.
type seed struct {
	text  string
	value any
}

// seeds gives each text plain, and in one of the further forms: in a file, in a commit, as JSON
// within a text, and quoted in the failure records of the agents.
func seeds(texts []string) []seed {
	var all []seed
	for n, t := range texts {
		claude := map[string]any{"type": "assistant", "uuid": "00000000-1111-4222-8333-444444444444", "isApiErrorMessage": true, "error": "rate_limit",
			"apiErrorStatus": 429, "message": map[string]any{"role": "assistant", "model": "<synthetic>", "content": []any{map[string]any{"type": "text", "text": t}}}}
		opencode := map[string]any{"role": "assistant", "error": map[string]any{"name": "APIError",
			"data": map[string]any{"message": t, "statusCode": 429, "isRetryable": true, "responseHeaders": map[string]any{"retry-after": "60"}}}}
		codex := map[string]any{"type": "event_msg", "payload": map[string]any{"type": "error", "message": t, "codex_error_info": "usage_limit_exceeded"}}
		gemini := map[string]any{"type": "error", "content": t, "result": map[string]any{"status": "error", "error": map[string]any{"message": t, "code": 429}}}
		forms := []seed{
			{"package limit\n\nconst banner = `" + t + "`\n", opencode},
			{"commit 3f2a1bc\nAuthor: dev <dev@example.org>\n\n    " + t + "\n", codex},
			{text(map[string]any{"type": "error", "error": map[string]any{"type": "rate_limit_error", "message": t}}), gemini},
			{text(claude), claude}, {text(opencode), opencode}, {text(codex), codex}, {text(gemini), gemini},
		}
		further := forms[n%len(forms)]
		all = append(all, seed{t, further.value}, further)
	}
	return all
}

func text(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // maps of strings and numbers only
	}
	return strings.TrimSpace(b.String())
}

// Keys under which people, models and tools are quoted, in the records of all agents.
var (
	textKeys = []string{"text", "thinking", "content", "stdout", "stderr", "output", "arguments", "command", "description", "title", "display",
		"lastPrompt", "prompt", "message", "summary", "result", "resultDisplay", "aggregated_output", "formatted_output", "last_agent_message", "subject", "diff",
		"gitBranch", "branch", "file_path", "filePath", "absolute_path", "path", "filename", "file", "pattern", "cmd"}
	objectKeys = []string{"input", "args", "arguments", "metadata", "toolUseResult", "parameters", "response"}
	// ownTypes are records in which the agent speaks for itself.
	ownTypes = []string{"system", "error", "info", "warning", "stream_error"}
)

// pair is one member of an object. The order of members stays as it was: readers look into the
// first bytes of a file.
type pair struct {
	key   string
	value json.RawMessage
}

func own(record []pair) bool {
	for _, p := range record {
		switch p.key {
		case "type":
			if slices.Contains(ownTypes, unquoted(p.value)) {
				return true
			}
		case "isApiErrorMessage":
			if string(p.value) == "true" {
				return true
			}
		case "payload":
			if payload, err := members(p.value); err == nil && own(payload) {
				return true
			}
		}
	}
	return false
}

// unquoted gives a JSON string's text; any other value gives nothing.
func unquoted(v json.RawMessage) string {
	var s string
	_ = json.Unmarshal(v, &s)
	return s
}

// members takes an object apart.
func members(raw json.RawMessage) ([]pair, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.Join(errors.New("not an object"), err)
	}
	var all []pair
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		p := pair{key: fmt.Sprint(key)}
		if err := d.Decode(&p.value); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	_, err := d.Token()
	return all, err
}

func note(spots map[string]bool, in []pair, key string) {
	if spots == nil {
		return
	}
	role, kind := "", ""
	for _, p := range in {
		switch p.key {
		case "role":
			role = unquoted(p.value)
		case "type":
			kind = unquoted(p.value)
		}
	}
	spots[strings.Join(strings.Fields(role+" "+kind+" "+key), " ")] = true
}

// speaks takes note of who speaks: some agents write the words of all in one form.
func speaks(spots map[string]bool, in []pair) {
	for _, p := range in {
		if role := unquoted(p.value); p.key == "role" && role != "" && spots != nil {
			spots["as "+role] = true
		}
	}
}

// bases picks the recorded sessions to plant into: for each version of each agent the finished one
// with most kinds of places, oldest version first, and behind it one that has most of the kinds that are missing there.
func bases(runs []run) ([]run, error) {
	best, most := map[string]run{}, map[string]int{}
	all := map[string][]run{}
	var names []string
	for _, r := range runs {
		if len(r.Sessions) != 1 || len(r.Procs) > 0 || r.Sessions[0].Reason != detect.Completed {
			continue
		}
		spots, err := r.spots()
		if err != nil {
			return nil, err
		}
		who := r.Agent + " " + r.Version
		all[who] = append(all[who], r)
		if _, ok := best[who]; !ok {
			names = append(names, who)
		}
		if len(spots) > most[who] {
			best[who], most[who] = r, len(spots)
		}
	}
	slices.SortFunc(names, compareNames)
	var picked []run
	for _, n := range names {
		if most[n] == 0 {
			return nil, fmt.Errorf("%s: no place to plant a text in any finished session", n)
		}
		picked = append(picked, best[n])
		second, err := complement(best[n], all[n])
		if err != nil {
			return nil, err
		}
		picked = append(picked, second...)
	}
	return picked, nil
}

// complement gives the run that has most kinds of places that first has not; nothing: there is none.
func complement(first run, all []run) (second []run, err error) {
	has, err := first.spots()
	if err != nil {
		return nil, err
	}
	most := 0
	for _, r := range all {
		spots, err := r.spots()
		if err != nil {
			return nil, err
		}
		maps.DeleteFunc(spots, func(k string, _ bool) bool { return has[k] })
		if len(spots) > most {
			second, most = []run{r}, len(spots)
		}
	}
	return second, nil
}

// planted are the texts of a run: the second one of a version gets each fourth.
func planted(picked []run, n int, all []seed) []seed {
	if n == 0 || picked[n-1].Agent != picked[n].Agent || picked[n-1].Version != picked[n].Version {
		return all
	}
	var some []seed
	for i := n % 4; i < len(all); i += 4 {
		some = append(some, all[i])
	}
	return some
}

// spots lists the kinds of places of a run.
func (r run) spots() (map[string]bool, error) {
	spots := map[string]bool{}
	err := filepath.WalkDir(r.root(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(path) == "want.json" {
			return err
		}
		if filepath.Base(path) == "db.sql" {
			return r.dbSpots(spots)
		}
		b, err := os.ReadFile(path)
		templateOf(path, b, spots)
		return err
	})
	return spots, err
}

// maxMisses: so many wrong verdicts on one planted session are told in words.
const maxMisses = 5

// scorePlanted plants every seed into a run and counts the sessions that no longer look finished.
func (s *scores) scorePlanted(ctx context.Context, r run, all []seed) error {
	wrong := 0
	check := func(sd seed, got verdict, err error) error {
		if err != nil {
			return fmt.Errorf("%s/%s with %.80q planted: %w", r.Agent, r.name, sd.text, err)
		}
		right := !got.missing && got.stop.State == detect.Stopped && got.stop.Reason == detect.Completed
		s.count(r.Agent+" "+r.Version+" records with planted texts", right)
		if said := label(got.stop.State, got.stop.Reason); !right {
			if got.missing {
				said = "not found"
			}
			if wrong++; wrong > maxMisses {
				return nil
			}
			s.misses = append(s.misses, fmt.Sprintf("%s %s, `%s` with %.120q planted: verdict %s", r.Agent, r.Version, r.name, sd.text, said))
		}
		return nil
	}
	return inScratch(func(dir string) error {
		if _, err := os.Stat(filepath.Join(r.root(), "db.sql")); err == nil {
			return r.plantDB(ctx, dir, all, check)
		}
		return r.plantFiles(ctx, dir, all, check)
	})
}

func (r run) plantFiles(ctx context.Context, dir string, all []seed, check func(seed, verdict, error) error) error {
	folder, err := r.layOut(ctx, dir)
	if err != nil {
		return err
	}
	templates := map[string]template{}
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasPrefix(filepath.Ext(path), ".json") {
			var b []byte
			b, err = os.ReadFile(path)
			templates[path] = templateOf(path, b, nil)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, sd := range all {
		var errs []error
		for path, t := range templates {
			errs = append(errs, os.WriteFile(path, t.fill(sd), 0o600), os.Chtimes(path, r.At, r.At))
		}
		// One that has scanned before may pass over what was written long ago, as the runs were.
		a, err := openAgent(r.Agent, folder, time.UTC, table{})
		if err != nil {
			return err
		}
		found, err := a.Scan(ctx, "")
		got := verdict{missing: true}
		for _, t := range found {
			if t.Session.ID == r.Sessions[0].ID {
				got, err = look(ctx, a, t.Session)
			}
		}
		if err := check(sd, got, errors.Join(append(errs, err)...)); err != nil {
			return err
		}
	}
	return nil
}
