package rank

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"remanence/internal/mem"
)

func TestTerms(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"words", "Why did the login race happen?", []string{"login", "race", "happen"}},
		{"only stop words", "what was it", []string{"what", "was", "it"}},
		{"clitics", "don't use Bob's parser, it'll break", []string{"use", "bob", "parser", "break"}},
		{"curly clitics", "it’s the parser’s fault", []string{"parser", "fault"}},
		{"dotted", "retry.go", []string{"retry.go", "retry", "go"}},
		{"kebab", "the pack-revindex file", []string{"pack-revindex", "pack", "revindex", "file"}},
		{"option", "use --no-daemon here", []string{"use", "--no-daemon", "daemon"}},
		{"path", "see internal/net/client.go.", []string{
			"see", "internal/net/client.go", "client.go", "internal", "net",
			"client", "go",
		}},
		{"snake", "max_retry_count", []string{"max_retry_count", "max", "retry", "count"}},
		{"camel", "parseHTTPRequest fails", []string{"parsehttprequest", "parse", "http", "request", "fails"}},
		{"version", "upgrade to v1.22.3", []string{"upgrade", "v1.22.3", "v1", "22"}},
		{"signs", "port c++ to c#", []string{"port", "c++", "c#"}},
		{"once", "retry Retry RETRY", []string{"retry"}},
		{"email", "mail bob@example.com", []string{"mail", "bob@example.com", "bob", "example", "com"}},
		{"scoped name", "std::vector", []string{"std::vector", "std", "vector"}},
		{"han", "数据库连接", []string{"数据", "据库", "库连", "连接"}},
		{"one han", "猫", []string{"猫"}},
		{"kana", "キャッシュ", []string{"キャ", "ャッ", "ッシ", "シュ"}},
		{"hangul", "세션 잠금", []string{"세션", "잠금"}},
		{"thai without marks", "กินข้าว", []string{"กน", "นข", "ขา", "าว"}},
		{"mixed script", "APIキー", []string{"apiキー", "api", "キー"}},
		{"accents", "Größe café", []string{"größe", "café"}},
		{"quotes and operators", `"foo" AND (bar* OR NEAR/3)`, []string{"foo", "bar", "near/3", "near"}},
		{"NUL", "a\x00lock", []string{"lock"}},
		{"nothing", "?!… \x00 \u200b", []string{}},
		{"empty", "", []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Terms(tt.text)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Terms(%q) (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestLongTextKeepsItsRarestTerms(t *testing.T) {
	var words []string
	for i := range 500 {
		words = append(words, "w"+strings.Repeat("x", i%7)+string(rune('a'+i%26)))
	}
	got := Terms(strings.Join(words, " ") + " store/sqlite.go resumeSessionLock")
	if len(got) != mem.MaxTerms {
		t.Errorf("got %d terms, want %d", len(got), mem.MaxTerms)
	}
	for _, want := range []string{"store/sqlite.go", "sqlite.go", "resumesessionlock"} {
		if !slices.Contains(got, want) {
			t.Errorf("got %v, want %q among them", got, want)
		}
	}
}

func TestQuestionAtTheEndOfALongPasteIsRead(t *testing.T) {
	got := Terms(strings.Repeat("line of a log\n", 20000) + "why does revindex_builder stall?")
	if !slices.Contains(got, "revindex_builder") {
		t.Errorf("got %v, want the question's terms among them", got)
	}
}

func TestAnyTextIsLegal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-zA-Z0-9_./:'#+@ -]{0,80}`)).Draw(t, "text")
		terms := Terms(text)
		if len(terms) > mem.MaxTerms {
			t.Fatalf("%d terms, want at most %d", len(terms), mem.MaxTerms)
		}
		seen := map[string]bool{}
		for _, term := range terms {
			if seen[term] {
				t.Fatalf("term %q twice in %q", term, terms)
			}
			seen[term] = true
			if len(searchWords(term)) == 0 {
				t.Fatalf("term %q of %q has nothing to search for", term, text)
			}
		}
	})
}

// searchWords cuts a text as a full-text index does: at whatever is neither
// letter nor number; marks are part of the rule there that differs, so a text
// with marks is cut at them.
func searchWords(s string) []string {
	words := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	for i, w := range words {
		words[i] = stem(fold(w))
	}
	return words
}

// finds reports whether any term is in the text as a phrase of words.
func finds(terms []string, text string) bool {
	words := searchWords(text)
	return slices.ContainsFunc(terms, func(term string) bool {
		phrase := searchWords(term)
		for i := 0; i+len(phrase) <= len(words); i++ {
			if slices.Equal(words[i:i+len(phrase)], phrase) {
				return true
			}
		}
		return false
	})
}

func shown(m mem.Memory) string {
	return strings.Join([]string{m.Title, m.Body, strings.Join(m.Facts, "\n"), Index(m)}, "\n")
}

func TestTermsMeetIndex(t *testing.T) {
	for _, tt := range []struct {
		name, query string
		memory      mem.Memory
	}{
		{"camel by its parts", "login handler", mem.Memory{Title: "loginHandler is slow"}},
		{"camel by part", "request parser", mem.Memory{Body: "see parseHTTPRequest"}},
		{"camel by itself", "parseHTTPRequest", mem.Memory{Body: "see parseHTTPRequest"}},
		{"camel by snake", "login_handler", mem.Memory{Facts: []string{"loginHandler"}}},
		{"snake by camel", "loginHandler", mem.Memory{Title: "login_handler"}},
		{"snake by part", "retry count", mem.Memory{Title: "max_retry_count"}},
		{"kebab by word", "revindex", mem.Memory{Title: "pack-revindex"}},
		{"kebab by itself", "pack-revindex", mem.Memory{Title: "pack-revindex"}},
		{"file by base name", "client.go", mem.Memory{Files: []string{"internal/net/client.go"}}},
		{"file by path", "internal/net/client.go", mem.Memory{Files: []string{"internal/net/client.go"}}},
		{
			"file by absolute path", "/home/x/src/app/internal/net/client.go",
			mem.Memory{Files: []string{"internal/net/client.go"}},
		},
		{"file by windows path", `internal\net\client.go`, mem.Memory{Files: []string{"internal/net/client.go"}}},
		{"file by directory", "the net directory", mem.Memory{Files: []string{"internal/net/client.go"}}},
		{"camel file by word", "login form", mem.Memory{Files: []string{"src/LoginForm.tsx"}}},
		{"option", "--no-daemon", mem.Memory{Command: "server --no-daemon"}},
		{"command", "gofumpt", mem.Memory{Command: "gofumpt -l ."}},
		{"tag", "release", mem.Memory{Tags: []string{"release-train"}}},
		{"concept", "locking", mem.Memory{Concepts: []string{"session lock"}}},
		{"plural by stem", "races", mem.Memory{Title: "login race"}},
		{"accent", "Grösse", mem.Memory{Title: "Größe der Grösse"}},
		{"han inside a sentence", "连接池", mem.Memory{Body: "我们修复了数据库连接池的泄漏"}},
		{"one han", "锁", mem.Memory{Title: "会话锁的顺序"}},
		{"kana", "キャッシュ", mem.Memory{Title: "セッションキャッシュを消す"}},
		{"japanese", "認証エラー", mem.Memory{Title: "ログイン時の認証エラーを直した"}},
		{"hangul with particle", "세션", mem.Memory{Title: "세션을 잠근다"}},
		{"thai", "เข้าระบบ", mem.Memory{Title: "แก้ไขการเข้าระบบแล้ว"}},
		{"latin inside han", "token", mem.Memory{Title: "刷新token失败"}},
		{"han beside latin", "刷新", mem.Memory{Title: "刷新token失败"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			terms := Terms(tt.query)
			if text := shown(tt.memory); !finds(terms, text) {
				t.Errorf("terms %q do not meet %q", terms, text)
			}
		})
	}
}

func TestTermsOfANameMeetTheMemoryThatHoldsIt(t *testing.T) {
	name := rapid.StringMatching(`[a-zA-Z][a-z]{2,6}([A-Z_./-]?[a-zA-Z][a-z0-9]{1,5}){0,4}`)
	rapid.Check(t, func(t *rapid.T) {
		n := name.Draw(t, "name")
		for _, m := range []mem.Memory{
			{Title: "about " + n},
			{Files: []string{n}},
			{Command: "run " + n},
			{Tags: []string{n}},
		} {
			if !finds(Terms(n), shown(m)) {
				t.Fatalf("terms %q do not meet %q", Terms(n), shown(m))
			}
		}
	})
}

func TestIndexIsBounded(t *testing.T) {
	if n := len(Index(mem.Memory{Body: strings.Repeat("某甲乙丙丁戊己庚辛 a_b"+string(rune('a'))+" ", 100000)})); n > maxIndex+
		1000 {
		t.Errorf("index of %d bytes, want about %d at most", n, maxIndex)
	}
}

func TestPlainTextNeedsNoIndex(t *testing.T) {
	if got := Index(mem.Memory{Title: "the login race is fixed", Body: "It was the lock."}); got != "" {
		t.Errorf("got %q, want nothing beside the text", got)
	}
}

func FuzzTerms(f *testing.F) {
	f.Add("don't --no-daemon c++ 数据库 กิน")
	f.Fuzz(func(t *testing.T, text string) {
		terms := Terms(text)
		if len(terms) > mem.MaxTerms {
			t.Fatalf("%d terms", len(terms))
		}
		m := mem.Memory{ID: "m_1", Title: text, Body: text, Files: []string{text}}
		Index(m)
		q := Ask{Terms: terms}
		Floor(q, Order(q, []mem.Hit{{Memory: m, Score: 1}}), LeastRelevance, nil)
		Trivial(text)
		RefersBack(text)
	})
}

func TestAPastedLogDoesNotHideTheQuestion(t *testing.T) {
	var log strings.Builder
	for i := range 300 {
		fmt.Fprintf(&log, "goroutine %d [running]: 0xc000%06x main.worker%d(0x%x) /srv/app/worker_%d.go:%d +0x%x\n", i,
			i*7919, i, i*104729, i, i, i*31)
	}
	const question = "how often does the webhook sender retry, with exponential backoff?"
	for name, text := range map[string]string{"first": question + "\n" + log.String(), "last": log.String() + "\n" +
		question + "\n"} {
		got := Terms(text)
		if len(got) > mem.MaxTerms {
			t.Errorf("%s: %d terms", name, len(got))
		}
		for _, want := range []string{"webhook", "sender", "retry", "exponential", "backoff"} {
			if !slices.Contains(got, want) {
				t.Errorf("question %s: %q is not among %q", name, want, got)
			}
		}
	}
}
