package redact
import ("testing";"os";"path/filepath";"strings";"fmt";"time";"runtime")
func TestZZStd(t *testing.T) {
	d := &Door{}
	var n, hits int
	var dur time.Duration
	filepath.Walk(runtime.GOROOT()+"/src", func(p string, fi os.FileInfo, err error) error {
		if err!=nil || fi.IsDir() || !strings.HasSuffix(p,".go") || strings.HasSuffix(p,"_test.go") || strings.Contains(p,"testdata") { return nil }
		b,_ := os.ReadFile(p); s := string(b); n += len(s)
		st := time.Now()
		f := d.secrets(s)
		dur += time.Since(st)
		hits += len(f)
		for _, x := range f { a:=max(0,x.from-40); fmt.Printf("%s %s: …%q «%q»\n", strings.TrimPrefix(p,runtime.GOROOT()+"/src/"), x.kind, s[a:x.from], s[x.from:min(x.to,x.from+60)]) }
		st = time.Now(); _ = firstTag(s); tagDur += time.Since(st)
		if firstTag(s)>=0 { fmt.Println("TAG", p) }
		return nil
	})
	fmt.Printf("%d bytes, %d hits = %.2f/MB, %.1f MB/s secrets, %.1f MB/s tags\n", n, hits, float64(hits)/float64(n)*1e6, float64(n)/1e6/dur.Seconds(), float64(n)/1e6/tagDur.Seconds())
}
var tagDur time.Duration
