package detect_test

import (
	"fmt"
	"time"

	"github.com/clawd-project/clawd/detect"
)

func ExampleClassifier() {
	at := time.Date(2026, 11, 21, 0, 10, 3, 0, time.UTC)
	var c detect.Classifier
	c.Feed(detect.Event{Kind: detect.KindPrompt, ID: "p1", At: at})
	c.Feed(detect.Event{Kind: detect.KindFailure, ID: "f1", At: at.Add(time.Second), Failure: &detect.Failure{Reason: detect.Overloaded}})
	s := c.Stop()
	fmt.Println(s.IsStop(), s.Reason)
	c.Feed(detect.Event{Kind: detect.KindPrompt, ID: "p2", At: at.Add(time.Minute)})
	fmt.Println(c.Stop().IsStop()) // the user went on
	// Output:
	// true overloaded
	// false
}
