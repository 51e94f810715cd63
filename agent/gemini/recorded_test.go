package gemini

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/detect"
)

// What the provider answered in each recorded run, by its about.txt and requests.jsonl, and how much
// of that the agent's files tell: a report lies in tmp where the run's own temporary folder was kept.
// Columns: case, session, live, reason, window, key (what the record begins with that the last
// request ended with, cut: for a turn that is only unfinished), reset, "fresh" when the first turn failed.
// An empty reason: it goes on.
const wants = `
400-context-json                  39fd7503 gone  context_full -     e220     -        fresh
400-context-sj                    61639244 gone  unknown      -     03a5     -        fresh
400-key-sj                        076640bc gone  unknown      -     c79c     -        fresh
401-json                          0bf9e3b1 gone  unknown      -     c03d     -        fresh
401-sj                            a45b379d gone  unknown      -     af26     -        fresh
401-text                          de44aefe gone  unknown      -     94ca     -        fresh
403-billing-sj                    0a7507c7 gone  unknown      -     640a     -        fresh
403-sj                            98d64ef7 gone  unknown      -     ccc5     -        fresh
403-text                          107a2df4 gone  auth         -     87ac     -        fresh
403-validation-sj                 d86d8d7f gone  unknown      -     ac0b     -        fresh
404-sj                            e35edf80 gone  unknown      -     15ba     -        fresh
429-capacity-sj                   00f99cde gone  unknown      -     a759     -        fresh
429-cc-quota-plain-sj             46592743 gone  usage_limit  -     27f0     05:28:06 fresh
429-cc-quota-sj                   83cb6f5d alive -            -     d5db     -        -
429-cc-quota-sj                   83cb6f5d gone  interrupted  -     cut:d5db -        -
429-cc-rate-sj                    d0018ff9 gone  completed    -     8821     -        -
429-credits-sj                    99ed2fd9 gone  unknown      -     469e     -        fresh
429-daily-after-tool-sj           45552893 gone  interrupted  -     cut:a896 -        -
429-daily-json                    a7fcbe73 gone  unknown      -     fc2b     -        fresh
429-daily-sj                      b01f28de gone  unknown      -     bfae     -        fresh
429-daily-text                    e66f3f2b gone  unknown      -     8f8e     -        fresh
429-daily-tmp-text                dcf1e748 gone  usage_limit  daily a2f6     -        fresh
429-header-retryafter-sj          3f8dad48 gone  completed    -     22d2     -        -
429-html-sj                       cbe07842 gone  interrupted  -     cut:d469 -        -
429-limit0-sj                     dfd01b6a gone  unknown      -     4005     -        fresh
429-maxattempts-1                 c0c1ef02 gone  rate_limit   -     5dc3     -        fresh
429-msg-retryin-sj                da4ebbb5 gone  completed    -     6799     -        -
429-nodetails-text                bbb41da4 gone  unknown      -     e167     -        fresh
429-retryinfo-large-json          47a8404f gone  unknown      -     bcfb     -        fresh
429-retryinfo-large-sj            8840b32f gone  unknown      -     7ebb     -        fresh
429-retryinfo-large-text          0ced379f gone  unknown      -     e7e8     -        fresh
429-retryinfo-small-forever-sj    84c945eb alive -            -     c892     -        -
429-retryinfo-small-sj            ebdca88b gone  completed    -     6d24     -        -
500-json                          e04c84c5 gone  unknown      -     cf2e     -        fresh
503-sj                            61c2c002 gone  unknown      -     6d44     -        fresh
503-then-ok-text                  8fb90840 gone  completed    -     d38e     -        -
broken-clean-sj                   bbf9621d gone  unknown      -     b28a     -        fresh
broken-rst-sj                     ffa8bc46 gone  network      -     6f73     -        fresh
broken-sj                         b06bb276 gone  unknown      -     f4fa     -        fresh
broken-then-ok-sj                 9ea7fc0a gone  network      -     64bf     -        fresh
bug-resume-deletes-0              93f117e1 gone  usage_limit  daily 9dd7     -        -
bug-resume-deletes-1-resume       93f117e1 gone  completed    -     fcec     -        -
bug-resume-deletes-2-other-new    5cf4e0d3 gone  completed    -     3921     -        -
bug-resume-deletes-3-resume-again 5cf4e0d3 gone  completed    -     3921     -        -
empty-sj                          5f742853 gone  unknown      -     142b     -        fresh
finish                            e8cd2055 gone  completed    -     fcc5     -        -
finish-json                       e1c30f8f gone  completed    -     e5f7     -        -
finish-sj                         f7a2525c gone  completed    -     c353     -        -
hooks-429daily                    04bc65a3 gone  usage_limit  daily cc40     -        fresh
hooks-after-tool-429              215cc86a gone  usage_limit  daily 997a     -        -
hooks-finish                      7684ec40 gone  completed    -     e20c     -        -
hooks-retry                       41354e0f gone  completed    -     f0be     -        -
hooks-sigterm                     cd1fd946 gone  interrupted  -     cut:b40e -        -
max-tokens-sj                     5bcbdc36 gone  completed    -     aea4     -        -
old20-429-daily-text              816505ad gone  completed    -     5b6c     -        -
old20-429-daily-text              23d08343 gone  usage_limit  daily 0c4d     -        -
old20-resume                      816505ad gone  completed    -     5b6c     -        -
old34-cc-quota                    1b0a6b6d gone  interrupted  -     cut:61a7 -        -
old34-cc-quota                    579a35bc gone  completed    -     b2fe     -        -
old34-cc-quota                    f296ff09 gone  usage_limit  -     e7ff     11:32:36 -
refused-sj                        eda20c3a gone  unknown      -     80a7     -        fresh
resume-00-quota-stop              df27f882 gone  usage_limit  daily c143     -        -
resume-01-list                    df27f882 gone  usage_limit  daily c143     -        -
resume-02-uuid-ok                 df27f882 gone  completed    -     b768     -        -
resume-03-latest-ok               df27f882 gone  completed    -     3027     -        -
resume-04-index-ok                df27f882 gone  completed    -     e1ff     -        -
resume-05-still-limited           df27f882 gone  usage_limit  daily 6308     -        -
resume-06-no-such-uuid            df27f882 gone  usage_limit  daily 6308     -        -
resume-07-bad-index               df27f882 gone  usage_limit  daily 6308     -        -
resume-08-noprompt                df27f882 gone  usage_limit  daily 6308     -        -
resume-09-other-cwd               df27f882 gone  usage_limit  daily 6308     -        -
resume-10-other-cwd-latest        601b74e2 gone  completed    -     b151     -        -
resume-11-subdir                  df27f882 gone  usage_limit  daily 6308     -        -
resume-12-stdin-only              df27f882 gone  completed    -     f425     -        -
resume-13-session-id-existing     df27f882 gone  completed    -     f425     -        -
resume-14-session-id-new          22222222 gone  completed    -     6e67     -        -
retention-off-0                   9c87d2d3 gone  usage_limit  daily 8609     -        -
retention-off-1-resume            9c87d2d3 gone  completed    -     642b     -        -
retention-off-2-other-new         2df3dc74 gone  completed    -     a5a1     -        -
retention-off-3-resume-again      9c87d2d3 gone  completed    -     f432     -        -
retention-off-4-session-file      efefba9e gone  completed    -     fc7f     -        -
safety-sj                         68b7d368 gone  unknown      -     f475     -        fresh
sigint-child-hang                 3b38b037 gone  interrupted  -     cut:0c16 -        -
sigkill-child-slowtool            201ef42e gone  interrupted  -     cut:9cfc -        -
sigkill-child-tool-hang           af4ad01d gone  interrupted  -     cut:9b2a -        -
sigkill-parent-hang               7f47a295 gone  interrupted  -     cut:c834 -        -
sigterm-child-429wait             f510a8ce alive -            -     e24f     -        -
sigterm-child-hang                b7566dbe gone  interrupted  -     cut:8008 -        -
sigterm-child-slowtool            c1759c20 gone  interrupted  -     cut:2288 -        -
sigterm-parent-hang               9288f331 gone  interrupted  -     cut:0bbf -        -
sse-429-sj                        9d8ce7ea gone  unknown      -     ecc5     -        fresh
tool-finish-json                  97e6ff0b gone  completed    -     82a2     -        -
tool-finish-sj                    0d66ac3e gone  completed    -     4288     -        -
tui-401                           a8d39d9f alive auth         -     e9d3     -        fresh
tui-cc-quota-11h                  141ae7c0 alive -            -     f824     -        -
tui-cc-quota-plain                937ebb91 alive -            -     9ac3     -        -
tui-ctrlc                         4c7da66e gone  interrupted  -     b065     -        -
tui-daily                         bd61be13 alive -            -     f03d     -        -
tui-daily-esc-2                   fc0721a8 alive -            -     fe28     -        -
tui-daily-keep-trying             57630f32 alive completed    -     c962     -        -
tui-daily-model-pro               84f169ca alive -            -     578e     -        -
tui-esc-mid-turn                  ec324054 alive -            -     bd07     -        -
tui-permission                    4a1adeed gone  completed    -     9bdf     -        -
tui-resume-0                      22b6eba1 gone  usage_limit  daily d357     -        -
tui-resume-1-i                    22b6eba1 alive completed    -     9c82     -        -
tui-resume-2-shared               22b6eba1 alive -            -     429e     -        -
tui-resume-3-headless-while-open  22b6eba1 alive completed    -     a022     -        -
tui-retryinfo-1h                  42fcb1ee alive -            -     8779     -        -
write-noapproval-sj               d146d634 gone  completed    -     46fe     -        -
write-yolo-sj                     7480c67a gone  completed    -     a5c9     -        -
`

type row struct{ Live, State, Reason, Window, Key, Reset, Fresh string }

func TestRecordings(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(wants) {
		f := strings.Fields(strings.ReplaceAll(line, " -", " ~"))
		if len(f) == 0 {
			continue
		}
		for i := range f {
			f[i] = strings.TrimPrefix(f[i], "~")
		}
		seen[f[0]] = true
		t.Run(f[0]+"/"+f[1]+"/"+f[2], func(t *testing.T) {
			want := row{Live: f[2], State: "stopped", Reason: f[3], Window: f[4], Key: f[5], Reset: f[6], Fresh: f[7]}
			if want.Reason == "" {
				want.State = "running"
			}
			g, _ := recorded(t, f[0])
			s := named(t, g, f[1])
			stop, b := verdict(t, g, s, detect.Liveness(f[2]))
			got := row{Live: f[2], State: string(stop.State), Reason: string(stop.Reason), Window: string(stop.Window)}
			got.Key = stop.Key[:min(len(stop.Key), len(want.Key))]
			if !stop.ResetAt.IsZero() {
				got.Reset = stop.ResetAt.Format(time.TimeOnly)
			}
			if stop.NotResumable {
				got.Fresh = "fresh"
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if b.Skipped != 0 || b.Problem != "" {
				t.Errorf("skipped %d records: %s", b.Skipped, b.Problem)
			}
			if want.Reason == "" && len(stop.CouldBe) < 2 {
				t.Errorf("an open request may be at work or waiting, not only %v", stop.CouldBe)
			}
			if tui := strings.HasPrefix(f[0], "tui-") && f[0] != "tui-resume-0"; b.Info.Interactive != tui {
				t.Errorf("interactive = %v", b.Info.Interactive)
			}
			if old := strings.HasPrefix(f[0], "old20"); !old && !strings.HasPrefix(b.Info.Dir, "/home/dev/work/") {
				t.Errorf("folder %q", b.Info.Dir)
			}
			maybe, _, err := g.Tail(t.Context(), s)
			if err != nil || maybe != (want.Reason != "completed") {
				t.Errorf("Tail = %v, err %v", maybe, err)
			}
		})
	}
	cases, err := os.ReadDir(recordings)
	must(t, err)
	for _, c := range cases {
		if !seen[c.Name()] {
			t.Errorf("no expectation for %s", c.Name())
		}
	}
}

// TestScanListsOnce: a resume leaves a second file of the same session, which holds only context.
func TestScanListsOnce(t *testing.T) {
	for name, want := range map[string]string{
		"bug-resume-deletes-1-resume":  "session-2026-11-21T00-22-93f117e1.jsonl",
		"resume-12-stdin-only":         "session-2026-11-21T00-06-df27f882.jsonl",
		"retention-off-4-session-file": "session-1795221263214-efefba9e.jsonl",
	} {
		g, home := recorded(t, name)
		all, err := g.Scan(t.Context(), "")
		must(t, err)
		ids := map[string]int{}
		for _, x := range all {
			ids[x.Session.ID]++
		}
		for id, n := range ids {
			if n != 1 {
				t.Errorf("%s: session %s is listed %d times", name, id, n)
			}
		}
		short := want[strings.LastIndex(want, "-")+1:][:8]
		s := named(t, g, short)
		if !strings.HasSuffix(s.Path, "/"+want) {
			t.Errorf("%s: listed by %s, want %s", name, s.Path, want)
		}
		// Whichever of its files changed, it is the session's own that is listed.
		again, err := g.Scan(t.Context(), home+"/tmp/demo/chats/session-2026-11-21T00-59-"+short+".jsonl")
		if err != nil || len(again) != 1 || again[0].Session != s {
			t.Errorf("%s: the hint gave %v, err %v", name, again, err)
		}
	}
}
