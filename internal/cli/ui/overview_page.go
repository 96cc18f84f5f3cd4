package ui

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
	"time"

	"remanence/internal/mem"
	"remanence/internal/views"
	"remanence/internal/workstate"
)

// sheet is how the page looks.
const sheet = `:root{color-scheme:light dark;font:14px/1.5 system-ui,sans-serif;` +
	`background:light-dark(#fcfcfb,#131416);color:light-dark(#1d1f21,#d9dbdd)}
body{max-width:70rem;margin:2rem auto;padding:0 1rem}h1{font-size:1.35rem}h2{font-size:1.1rem;margin-top:2.2rem;` +
	`border-top:1px solid light-dark(#dedfdb,#2c2f33);padding-top:.8rem}h3{font-size:1rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.25rem .8rem .25rem 0;` +
	`border-bottom:1px solid light-dark(#dedfdb,#2c2f33);overflow-wrap:anywhere}
.n{text-align:right}.m{color:light-dark(#5e6266,#979ca2)}.w{color:light-dark(#855300,#dcae55)}` +
	`.b{color:light-dark(#b0261d,#ff8f86)}dt{color:light-dark(#5e6266,#979ca2)}dd{margin:0 0 .4rem}` +
	`li{overflow-wrap:anywhere}`

// markup writes HTML of which every text is text.
type markup struct{ strings.Builder }

// add writes a format of ours, with %s for every argument: each is escaped.
func (m *markup) add(format string, args ...any) {
	for i, a := range args {
		args[i] = html.EscapeString(Safe(fmt.Sprint(a)))
	}
	fmt.Fprintf(m, format, args...)
}

func (m *markup) listed(title string, items []string) {
	if len(items) == 0 {
		return
	}
	m.add("<h3>%s</h3><ul>", title)
	for _, it := range items {
		m.add("<li>%s</li>", it)
	}
	m.add("</ul>\n")
}

// OverviewPage returns where the projects stand, as an HTML page that needs nothing else.
func OverviewPage(f views.OverviewResponse) string {
	var m markup
	m.add("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" " +
		"content=\"width=device-width\">")
	m.WriteString(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ` +
		`'unsafe-inline'"><title>Where projects stand</title><style>` + sheet + "</style></head>\n<body>\n")
	m.add("<h1>Where projects stand</h1><p class=\"m\">Written by Remanence, %s. Without any event for 7 days a "+
		"project is stale.</p>\n", f.At.Local().Format("2006-01-02 15:04"))
	m.add("<table><thead><tr><th>project</th><th>phase</th><th>in hand</th><th class=\"n\">blockers</th><th " +
		"class=\"n\">memories</th><th class=\"n\">sessions</th><th>last event</th></tr></thead><tbody>\n")
	for _, p := range f.Projects {
		s := p.State
		m.add("<tr><td><a href=\"#%s\">%s</a></td><td>%s</td><td>%s</td>", s.Project.Key, projectName(s.Project), s.Phase,
			firstNonEmpty(s.Active, s.Status))
		m.add("<td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td>%s", strconv.Itoa(len(s.Blockers)),
			strconv.Itoa(p.Memories), strconv.Itoa(p.Sessions), dayText(s.Project.LastEvent))
		if p.Stale {
			m.add(" <span class=\"w\">stale</span>")
		}
		m.add("</td></tr>\n")
	}
	m.add("</tbody></table>\n")
	for _, p := range f.Projects {
		m.project(p.State)
	}
	m.add("</body></html>\n")
	return m.String()
}

func (m *markup) project(s workstate.State) {
	m.add("<h2 id=\"%s\">%s</h2>\n<dl>", s.Project.Key, projectName(s.Project))
	for _, row := range [][2]string{{"phase", s.Phase}, {"status", s.Status}, {"next", s.Next}} {
		if row[1] != "" {
			m.add("<dt>%s</dt><dd>%s</dd>", row[0], row[1])
		}
	}
	m.add("</dl>\n")
	m.listed("In hand", s.Active)
	m.listed("In the way", s.Blockers)
	var work []string
	for _, it := range s.Progress {
		done := ""
		if it.Done {
			done = " (done)"
		}
		work = append(work, it.Section+": "+it.Text+done)
	}
	m.listed("Progress", work)
	if len(s.Decisions) > 0 {
		m.add("<h3>Decisions</h3><ul>")
		for _, d := range slices.Backward(s.Decisions) {
			m.add("<li><strong>%s</strong> %s <span class=\"m\">%s %s</span></li>", d.Title, unlike(d.Text, d.Title),
				d.Rationale, d.Date)
		}
		m.add("</ul>\n")
	}
	var sessions []string
	for _, x := range slices.Backward(s.Sessions) {
		sessions = append(sessions, cmp.Or(x.Title, "session")+": "+x.Summary)
	}
	m.listed("Sessions", sessions)
}

func projectName(p mem.Project) string { return cmp.Or(p.Name, p.Key) }

func firstNonEmpty(list []string, other string) string {
	if len(list) > 0 {
		return list[0]
	}
	return other
}

// unlike returns s, or "" if it repeats the title.
func unlike(s, title string) string {
	if s == title {
		return ""
	}
	return s
}

func dayText(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Local().Format("2006-01-02")
}
