package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"

	"github.com/clawd-project/clawd/internal/plain"
)

// hook posts notices. Its URL is a secret: whoever has it can post.
type hook struct{ url string }

func (h *hook) send(ctx context.Context, n Notice) error {
	body, err := json.Marshal(n)
	body = plain.Escaped(body)
	if err != nil {
		return err
	}
	client := http.Client{Timeout: patience,
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url, bytes.NewReader(body))
	if err != nil {
		return errors.New("the address is no URL")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "clawd")
	resp, err := client.Do(req)
	if err != nil {
		return errors.New(failure(err))
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("the server answers %d", resp.StatusCode)
	}
	return nil
}

// failure words a failed request in our own words: the library's name the URL, the host, or both.
func failure(err error) string {
	var u *url.Error
	var dns *net.DNSError
	var op *net.OpError
	var errno syscall.Errno
	var cert *tls.CertificateVerificationError
	switch {
	case errors.As(err, &u) && u.Timeout():
		return "no answer in time"
	case errors.As(err, &dns):
		return "the server's name is not known"
	case errors.As(err, &cert):
		return "the server's certificate is not valid"
	case errors.As(err, &op) && errors.As(op.Err, &errno):
		return "the server cannot be reached: " + errno.Error()
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	return "the request failed"
}
