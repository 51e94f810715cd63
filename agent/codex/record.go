package codex

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// record is one line of a rollout, as far as clawd looks at it.
type record struct {
	Timestamp string  `json:"timestamp"`
	Ordinal   *int64  `json:"ordinal"` // from 0.150 on
	Type      string  `json:"type"`
	Payload   payload `json:"payload"`

	at time.Time
}

// payload has the fields of all kinds of records; Type tells which of an event_msg or a
// response_item it is.
type payload struct {
	Type   string `json:"type"`
	ID     string `json:"id"`
	TurnID string `json:"turn_id"`

	// session_meta
	Timestamp    string          `json:"timestamp"`
	CLIVersion   string          `json:"cli_version"`
	Source       json.RawMessage `json:"source"` // a word; an object for sub-agents
	ThreadSource string          `json:"thread_source"`
	Provider     string          `json:"model_provider"`

	// session_meta and turn_context
	CWD      string          `json:"cwd"`
	Model    string          `json:"model"`
	Approval json.RawMessage `json:"approval_policy"` // a word, or an object with one key
	Sandbox  json.RawMessage `json:"sandbox_policy"`
	Effort   json.RawMessage `json:"effort"` // a word; absent: the default
	Profile  struct {
		ID string `json:"id"` // with a colon before those of the agent's own
	} `json:"active_permission_profile"`

	// task_started
	Attribution struct {
		TurnID  string `json:"turn_id"`
		Trigger string `json:"turn_trigger"`
	} `json:"turn_attribution"`

	// task_complete; error has the fields of its Error itself
	LastMessage json.RawMessage `json:"last_agent_message"`
	Error       *turnError      `json:"error"`
	turnError

	// token_count
	Info *struct {
		Last struct {
			Total int64 `json:"total_tokens"`
		} `json:"last_token_usage"`
	} `json:"info"`
	Limits *limits `json:"rate_limits"`

	// thread_settings_applied
	Settings struct {
		Provider string `json:"model_provider_id"`
	} `json:"thread_settings"`

	// item_completed
	ThreadID string `json:"thread_id"`
	Item     struct {
		Type      string     `json:"type"`
		Source    string     `json:"source"`
		Content   content    `json:"content"`
		Receivers []receiver `json:"receiver_agents"`
	} `json:"item"`

	// message
	Role string `json:"role"`
}

// receiver is a sub-agent that a session has to do with.
type receiver struct {
	ID   string `json:"thread_id"`
	Name string `json:"agent_nickname"`
}

type turnError struct {
	Message string          `json:"message"`
	Info    json.RawMessage `json:"codex_error_info"`
}

// content is a list of typed parts, of which the texts count.
type content []struct {
	Text string `json:"text"`
}

func (c content) text() string {
	var texts []string
	for _, part := range c {
		if part.Text != "" {
			texts = append(texts, part.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// parse reads a line.
func parse(line []byte) (*record, error) {
	r := new(record)
	if agent.Record(line, r) != nil {
		return nil, agent.ErrShape
	}
	at, _ := time.Parse(time.RFC3339, r.Timestamp)
	r.at = detect.Clamp(at)
	return r, nil
}

// idle are the kinds of records that say nothing of a session's state, and are long.
var idle = [][]byte{[]byte(`"world_state"`), []byte(`"compacted"`), []byte(`"token_usage_record"`)}

var typeKey = []byte(`"type":`)

// mayMatter spares the parser long lines of bookkeeping. The agent writes the type of a record
// before its payload; where it does not, the line is parsed.
func mayMatter(line []byte) bool {
	head := line[:min(len(line), 160)]
	i := bytes.Index(head, typeKey)
	if i < 0 || bytes.Contains(head[:i], []byte(`"payload"`)) {
		return true
	}
	for _, t := range idle {
		if bytes.HasPrefix(head[i+len(typeKey):], t) {
			return false
		}
	}
	return true
}

// word gives a JSON string, or the only key of an object: the two forms in which the agent writes
// a choice without and with particulars.
func word(raw json.RawMessage) (name string, value json.RawMessage) {
	if json.Unmarshal(raw, &name) == nil {
		return name, nil
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) == nil && len(object) == 1 {
		for name, value = range object {
			return name, value
		}
	}
	return "", nil
}

// mode joins what a session may do: SANDBOX[+network][+roots][+notmp][+notmpdir]/APPROVAL, e.g.
// "workspace-write+network/on-request".
//
// SANDBOX is the type of the sandbox policy (read-only, workspace-write, danger-full-access);
// +network: commands may use the network; +roots: more folders than its own may be written;
// +notmp, +notmpdir: /tmp may not, and the folder that $TMPDIR names may not.
// APPROVAL is the approval policy (untrusted, on-failure, on-request, never). A half that was
// not told is empty.
func mode(sandbox, approval json.RawMessage) string {
	var s struct {
		Type    string            `json:"type"`
		Network json.RawMessage   `json:"network_access"` // true, or "enabled"
		Roots   []json.RawMessage `json:"writable_roots"`
		NoTmp   bool              `json:"exclude_slash_tmp"`
		NoDir   bool              `json:"exclude_tmpdir_env_var"`
	}
	if json.Unmarshal(sandbox, &s) != nil && s.Type == "" {
		s.Type, _ = word(sandbox)
	}
	if n := string(s.Network); n == "true" || n == `"enabled"` {
		s.Type += "+network"
	}
	if len(s.Roots) > 0 {
		s.Type += "+roots"
	}
	if s.NoTmp {
		s.Type += "+notmp"
	}
	if s.NoDir {
		s.Type += "+notmpdir"
	}
	a, _ := word(approval)
	if s.Type == "" && a == "" {
		return ""
	}
	return s.Type + "/" + a
}

// rootsMax bounds the folders that are kept.
const rootsMax = 50

// roots gives the folders that a sandbox lets be written to beside the session's own; nil: there is no sandbox in
// the record. The agent leaves an empty list out.
func roots(sandbox json.RawMessage) []string {
	var s struct {
		Roots []string `json:"writable_roots"`
	}
	if len(sandbox) == 0 {
		return nil
	}
	_ = json.Unmarshal(sandbox, &s) // another form names none
	all := []string{}
	for _, r := range s.Roots {
		if filepath.IsAbs(r) && len(all) < rootsMax && !strings.HasSuffix(r, "/.codex/memories") { // the agent adds that one itself
			all = append(all, r)
		}
	}
	return all
}

// sourceMax is the longest source that is looked into, in bytes; the agent's own have some hundred.
const sourceMax = 4 << 10

// parentOf gives the session that started a sub-agent's, or a word where it does not say which;
// empty: a person's session.
func (p *payload) parentOf() string {
	if len(p.Source) > sourceMax {
		return "unknown" // a person's session has a word there
	}
	kind, value := word(p.Source)
	if value == nil {
		if p.ThreadSource != "" && p.ThreadSource != "user" {
			return p.ThreadSource
		}
		return ""
	}
	// {"subagent": {"thread_spawn": {"parent_thread_id": "…", "depth": 1}}}, {"subagent": "review"}
	for range 4 {
		var parent struct {
			ID string `json:"parent_thread_id"`
		}
		if json.Unmarshal(value, &parent) == nil && agent.IsUUID(parent.ID) {
			return parent.ID
		}
		if _, value = word(value); value == nil {
			break
		}
	}
	return kind
}

// headless: the session was started by `codex exec`. "vscode" is what a terminal on the background
// server writes, too.
func (p *payload) headless() bool {
	if len(p.Source) > sourceMax {
		return false
	}
	source, _ := word(p.Source)
	return source == "exec"
}

// entry is detect.ByAgent of a session of `codex mcp-server`, which agents start as a server of tools.
func (p *payload) entry() string {
	if string(p.Source) != `"mcp"` {
		return ""
	}
	return detect.ByAgent
}
