package sqlite
import ("testing";"remanence/internal/mem";"time")
func BenchmarkTmp(b *testing.B) {
	s := library(b, 100000)
	for name, q := range map[string]mem.Query{
		"noproject": {Project:"p_none"}, "p": {Project:"p_1"}, "session":{Session:"s33"}, "within": {Within:"s33", Scopes: []mem.Scope{mem.ScopeSession}}, "file":{File:"dir3/file3.go", Project:"p_1"}, "dir":{File:"dir3/", Project:"p_1"}, "ext": {File:".go"}, "kind":{Kinds:[]mem.Kind{mem.Todo}, Project:"p_1", Open:true}, "imp":{Order:mem.ByImportance, Project:"p_1"}, "prompt": {PromptID:"x", Session:"s33"}, "pinned":{MinImportance:.9, Project:"p_1"}, "command":{Command:"x"},
	} {
		b.Run(name, func(b *testing.B) { for b.Loop() { if _, err := s.List(b.Context(), q); err != nil { b.Fatal(err) } } })
	}
	b.Run("stats", func(b *testing.B) { for b.Loop() { s.Stats(b.Context(), "p_1", time.Time{}) } })
	b.Run("session", func(b *testing.B) { for b.Loop() { s.Session(b.Context(), "s33") } })
	b.Run("sessions", func(b *testing.B) { for b.Loop() { s.Sessions(b.Context(), mem.SessionQuery{Project:"p_1"}) } })
	b.Run("projects", func(b *testing.B) { for b.Loop() { s.Projects(b.Context(), "p_1") } })
}
