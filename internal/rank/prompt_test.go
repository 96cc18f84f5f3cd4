package rank

import (
	"slices"
	"strings"
	"testing"
)

func TestTrivial(t *testing.T) {
	for _, p := range []string{
		"", "ok", "fix it", "why?", "/compact", "/review the last commit", "yes, please continue", "Looks good to me!",
		"ok thanks, go ahead", "That's right, proceed.",
		"thanks, that works", "LGTM 👍 ship it", "sounds good — let's do it", "no, never mind", "perfect!!! thank you so much",
		"Yes. Yes. Yes.",
		"ja, mach bitte weiter", "alles klar, danke", "sieht gut aus", "oui, vas-y", "d'accord, merci beaucoup",
		"ça marche, continue", "sí, por favor", "está bien, adelante", "muchas gracias",
		"sim, pode continuar", "tá bom, obrigado", "va bene, grazie mille", "sì, vai avanti", "はい、お願いします", "ありがとうございます！",
		"続けてください", "了解です。", "好的，请继续", "谢谢，非常好", "没问题",
		"네, 계속해 주세요", "감사합니다", "да, продолжай", "хорошо, спасибо", "tamam, devam et", "dobrze, dziękuję",
	} {
		if !Trivial(p) {
			t.Errorf("Trivial(%q) = false, want true", p)
		}
	}
	for _, p := range []string{
		"why did the login race happen", "continue with the parser", "ok, now fix retry.go", "no, use the session lock",
		"/srv/src/main.go is broken", "yes but the cache must stay",
		"ja, aber nimm die Sperre", "oui, mais le cache reste", "修复登录竞争问题", "ログインの競合を直して", "로그인 경쟁 수정해줘", "да, но кэш нужен",
		"continued fractions", "option c: postgres",
		strings.Repeat("yes ", 100),
	} {
		if Trivial(p) {
			t.Errorf("Trivial(%q) = true, want false", p)
		}
	}
}

func TestRefersBack(t *testing.T) {
	for _, p := range []string{
		"do it like before", "that bug we fixed in the parser", "what was it last time?", "we decided to use WAL, right?",
		"What did we agree on?", "pick up where we left off", "Do you remember the lock order?",
		"wie letztes Mal", "comme la dernière fois", "como la última vez", "da última vez funcionou", "как в прошлый раз",
		"前回と同じように", "像上次一样", "지난번처럼 해줘",
	} {
		if !RefersBack(p) {
			t.Errorf("RefersBack(%q) = false, want true", p)
		}
	}
	for _, p := range []string{
		"add a test", "write a haiku about the sea", "recalling is not a word of the list",
		"before you start, run lint", "",
	} {
		if RefersBack(p) {
			t.Errorf("RefersBack(%q) = true, want false", p)
		}
	}
}

func TestNewTask(t *testing.T) {
	for _, p := range []string{
		"Implement retries in the client", "let's add a cache", "I want to migrate to WAL",
		"please create a new endpoint", "erstelle einen Parser", "实现一个解析器", "キャッシュを追加して", "добавь кэш",
	} {
		if !NewTask(p) {
			t.Errorf("NewTask(%q) = false, want true", p)
		}
	}
	for _, p := range []string{"why does it fail?", "what is the additive model", "explain the lock order", ""} {
		if NewTask(p) {
			t.Errorf("NewTask(%q) = true, want false", p)
		}
	}
}

func TestProfileOf(t *testing.T) {
	for p, want := range map[string]Profile{
		"why does the test crash":                   Debugging,
		"der Build geht nicht":                      Debugging,
		"登录报错":                                      Debugging,
		"set up a new project from scratch":         NewProject,
		"what do I prefer for table tests":          Preferences,
		"why did we choose this design":             Architecture,
		"where is the session lock taken":           Codebase,
		"the colour of the sea":                     Balanced,
		"debugger names are not the word debugging": Debugging,
	} {
		if got := ProfileOf(p); got != want {
			t.Errorf("ProfileOf(%q) = %q, want %q", p, got, want)
		}
	}
}

func TestNamesOfThingsAreDistinguishedFromWords(t *testing.T) {
	for prompt, want := range map[string][]string{
		"retry.go":                               {"retry.go"},
		"why E1205?":                             {"E1205"},
		"parseURL or parse_url":                  {"parseURL", "parse_url"},
		"std::move, net/http and REM-D004":       {"std::move", "net/http", "REM-D004"},
		"a well-known word, don't you think: 42": nil,
		"続けて":                                    nil,
		"":                                       nil,
	} {
		if got := Names(prompt); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", prompt, got, want)
		}
	}
	if got := len(Names(strings.Repeat("a1 b2 c3 d4 e5 f6 g7 h8 i9 ", 500))); got != maxNames {
		t.Errorf("%d names of a long text, want %d", got, maxNames)
	}
}
