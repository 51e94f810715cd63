package agent

import (
	"strings"
	"testing"
)

// A list of empty objects takes a hundred times its length in memory. A long text of commas and quotes does not.
func TestUnmarshalBounds(t *testing.T) {
	var v struct{ Text string }
	for in, ok := range map[string]bool{
		`{"list":[` + strings.Repeat("{},", maxValues+1) + `{}],"text":"x"}`:                          false,
		`{"list":[` + strings.Repeat("1,", maxValues/2) + `1],"text":"x"}`:                            true,
		`{"list":"` + strings.Repeat(`,\",{},\\`, maxValues) + `","text":"x"}`:                        true,
		`{"list":"` + strings.Repeat(`\\`, maxValues) + `",` + strings.Repeat(" ", 9) + `"text":"x"}`: true,
	} {
		v.Text = ""
		if err := Unmarshal([]byte(in), &v); (err == nil) != ok || ok && v.Text != "x" {
			t.Errorf("%.40s...: %q, %v", in, v.Text, err)
		}
	}
}
