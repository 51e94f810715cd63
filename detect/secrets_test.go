package detect

import (
	"strings"
	"testing"
)

// Forms in which providers, gateways and agents print a secret. "hunter" and "42" stand for it.
var printed = []string{
	// JSON in a text of JSON, and what stands around a sign.
	`{\"api_key\":\"hunter\"}`, `{\"password\": \"hunter\"}`, `{\\\"token\\\":\\\"hunter\\\"}`, `{"password":"ab\"hunter"}`, `{\"password\":\"ab\\\"hunter\"}`,
	`{"password":"correct hunter battery"}`, `OPENAI_API_KEY="ab hunter"`, `OPENAI_API_KEY='ab hunter'`, `refresh_token\u0022:\u0022hunter\u0022`,
	"password=  hunter", "PASSWORD  =  hunter", `"token" => "hunter"`, "token: `hunter`", `{"keys":["ab","hunter"]}`, "keys: [ab, hunter]", "password: correct hunter",
	"key%3Dhunter", "token%3A%20hunter", "Bearer: hunter", `Bearer "hunter"`, "Bearer 'hunter'", `Bearer\u0020hunter`, "token is: hunter",
	// Other names.
	"credentials: hunter", "credential=hunter", "pwd=hunter", "pass=hunter", "PGPASS: hunter", "passphrase: hunter", "passphrase: ab hunter", "auth=hunter", "_auth=hunter", `"auth":"hunter"`,
	"sessionid=hunter", "session=hunter", "sid=hunter", "JSESSIONID=hunter", "sig=hunter", "signature=hunter", "otp=hunter", "PIN: hunter", "passcode=hunter", "accessKeyId:hunter", "jwt=hunter",
	"X-Amz-Signature=hunter", "X-Amz-Security-Token hunter", "X-Vault-Token: hunter", "Digest username=\"ab\", response=\"hunter\"", "AWS4-HMAC-SHA256 Credential=ab/2026, Signature=hunter",
	"?api-version=1&sig=hunter&se=2026", "/v1/x?code=hunter", `x?a=1\u0026sig=hunter`,
	// In words.
	"Incorrect API key provided: hunter. You can", "the token received: 'hunter'", "API key 'hunter' is invalid", "API key `hunter` is invalid", "API key [hunter] is invalid", `token "hunter" has expired`,
	"the key (hunter) is no key", "key is hunter42", "token was hunter42", "ANTHROPIC_API_KEY hunter42", "secretAccessKey hunter42", "wrong passcode hunter42", "key ending in hunter42",
	// Masked, as it is less than a secret, but tells whose it is.
	"sk-proj-*******hunter", "key ****hunter", "sk-...hunter", "sk-ab…hunter", "sk-ab••••hunter",
	// With a user before the host.
	"user:hunter@gw", "//user:hunter@gw:8080", "lookup user:pa$$hunter!x@gw", "user:hunter@", "user:hun@hunter@gw:80/x", "proxy user:hunter/2@gw failed",
	// A private key, whole or cut.
	"-----BEGIN RSA PRIVATE KEY-----\nMII hunter\n-----END RSA PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\\nMII\\nhunter\\n", "-----BEGIN OPENSSH PRIVATE KEY-----\nMII\nhunter",
	// Keys of providers, also short ones: what an agent cut.
	"gsk_hunterhunter", "xai-hunterhunter", "pplx-hunterhunter", "nvapi-hunterhunter", "r8_hunterhunter", "tgp_v1_hunterhunter", "fw_hunterhunter", "csk-hunterhunter", "AIzahunter", "ghp_hunter", "GHP_HUNTER",
	"github_pat_hunter", `\nghp_hunter`, `\nsk-hunterhunter`, "\\neyJhunter", "sk-ant-hunter\x1b[0mhunter", "\x1b[31msk-\x1b[0mhunterhunter",
	// An AWS secret, in which a path was seen.
	"hunterFEMI/K7MDENG/bPxRfiCYEXAMPLEKEYabc", "K7MDENG+hunter+bPxRfiCYEXAMPLEKEYabcdefg",
	// Broken over two lines by whoever showed it.
	"sk-ant-api03-AbCdEfGhIj\nhunter42", "ghp_AbCdEfGhIjKlMn\n    hunter42_x",
}

func TestRedactPrinted(t *testing.T) {
	for _, text := range printed {
		for _, around := range []string{"", "it failed: ", "401 "} {
			got := Redact(around + text)
			if strings.Contains(strings.ToLower(got), "hunter") {
				t.Errorf("%q gives %q", around+text, got)
			}
			if !strings.HasPrefix(got, strings.TrimSuffix(around, " ")) {
				t.Errorf("%q: too much is gone: %q", around+text, got)
			}
		}
	}
}

// What looks like one of these forms and says why a turn ended stays.
func TestRedactKeepsReasons(t *testing.T) {
	for _, text := range []string{
		"code: 429, type: tokens", "max_tokens: 4096 > 2048", "prompt tokens: 12, limit 4096", "API key is invalid", "the token has expired", "authentication: failed", "session limit reached", "your pass ends",
		"invalid key", "the password is wrong"[:13], "no credentials were found", "auth failed at 12:30:45", "Error: 401 Unauthorized: not logged in", "a ** b", "wait... then try again", "retry in 5s: 3 of 10",
	} {
		if got := Redact(text); got != text {
			t.Errorf("%q gives %q", text, got)
		}
	}
}
