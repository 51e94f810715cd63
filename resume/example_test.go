package resume_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/clawd-project/clawd/resume"
)

func ExampleRetry() {
	tries := 0
	answer, err := resume.Retry(context.Background(), resume.RetryPolicy{
		Backoff: resume.Backoff{Kind: resume.Linear, Base: time.Millisecond, Jitter: -1},
		OnRetry: func(attempt int, err error, delay time.Duration) {
			fmt.Printf("try %d: %v; again in %s\n", attempt, err, delay)
		},
	}, func(context.Context) (string, error) {
		if tries++; tries < 3 {
			return "", fmt.Errorf("the line broke: %w", io.ErrUnexpectedEOF)
		}
		return "done", nil
	})
	fmt.Println(answer, err)
	// Output:
	// try 1: the line broke: unexpected EOF; again in 1ms
	// try 2: the line broke: unexpected EOF; again in 2ms
	// done <nil>
}

func ExampleRetryAfter() {
	limited := true
	_, err := resume.Retry(context.Background(), resume.RetryPolicy{
		RetryIf: func(error) bool { return true },
		OnRetry: func(_ int, _ error, delay time.Duration) { fmt.Println("the server asks for", delay) },
	}, func(context.Context) (string, error) {
		if limited {
			limited = false
			return "", resume.RetryAfter(fmt.Errorf("slow down"), 3*time.Millisecond)
		}
		return "", resume.Permanent(fmt.Errorf("the key is refused"))
	})
	fmt.Println(err)
	// Output:
	// the server asks for 3ms
	// the key is refused
}

func ExampleRetryStream() {
	tries := 0
	words := resume.RetryStream(context.Background(), resume.RetryPolicy{}, func(context.Context) iter.Seq2[string, error] {
		tries++
		return func(yield func(string, error) bool) {
			if tries == 1 { // nothing was delivered yet, so it is tried again
				yield("", io.ErrUnexpectedEOF)
				return
			}
			_ = yield("hello", nil) && yield("world", nil)
		}
	})
	for word, err := range words {
		fmt.Println(word, err)
	}
	// Output:
	// hello <nil>
	// world <nil>
}
