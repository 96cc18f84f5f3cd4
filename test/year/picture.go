package main

import (
	"bytes"
	"fmt"
	"strings"
)

// The picture's measures, in its own units.
const (
	width, height = 760, 190 // of one chart
	left, right   = 60, 150  // beside its lines; the names stand at the right
	top, bottom   = 30, 30
)

// line is one row of figures over the sessions.
type line struct {
	name, colour string
	dashed       bool
	of           func(look) float64
}

// picture draws the two years as an SVG: what is with consolidation in full
// lines, what is without in dashed ones.
func picture(with, without []look) []byte {
	const strong, second, third = "#1f6feb", "#b35900", "#2a7d3f"
	charts := []struct {
		title, unit string
		lines       []line
	}{
		{"Memories", "", []line{
			{"active", strong, false, func(l look) float64 { return float64(l.active) }},
			{"archived", third, false, func(l look) float64 { return float64(l.archived) }},
			{"active, without", second, true, func(l look) float64 { return float64(l.active) }},
		}},
		{"Database, MB", "", []line{
			{"with", strong, false, func(l look) float64 { return mb(l.bytes) }},
			{"without", second, true, func(l look) float64 { return mb(l.bytes) }},
		}},
		{"Stale, share of what is active", " %", []line{
			{"with", strong, false, func(l look) float64 { return 100 * l.stale }},
			{"without", second, true, func(l look) float64 { return 100 * l.stale }},
		}},
		{"Pairs that say the same", "", []line{
			{"with", strong, false, func(l look) float64 { return float64(l.twice) }},
			{"without", second, true, func(l look) float64 { return float64(l.twice) }},
		}},
		{"Injected when work came back to it", " %", []line{
			{"with", strong, false, func(l look) float64 { return 100 * l.needed }},
			{"without", second, true, func(l look) float64 { return 100 * l.needed }},
		}},
		{"Injected in an exam on all that was ever learned", " %", []line{
			{"≤ 90 days", strong, false, func(l look) float64 { return 100 * l.fresh }},
			{"older", third, false, func(l look) float64 { return 100 * l.old }},
			{"≤ 90 days, without", second, true, func(l look) float64 { return 100 * l.fresh }},
			{"older, without", "#7d5ba6", true, func(l look) float64 { return 100 * l.old }},
		}},
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+
		"\n", width, height*len(charts))
	fmt.Fprintf(&b, `<title>A year of memory, with consolidation and without</title>`+"\n"+
		`<rect width="100%%" height="100%%" fill="#fff"/>`+"\n")
	for i, c := range charts {
		most := 1.0
		for _, ln := range c.lines {
			for _, l := range rows(ln, with, without) {
				most = max(most, ln.of(l))
			}
		}
		fmt.Fprintf(&b, `<g transform="translate(0 %d)">`+"\n"+`<text x="%d" y="18" font-weight="bold">%s</text>`+"\n",
			i*height, left, c.title)
		fmt.Fprintf(&b, `<path d="M%d %dV%dH%d" fill="none" stroke="#888"/>`+"\n", left, top, height-bottom, width-right)
		for _, v := range []float64{0, most / 2, most} {
			fmt.Fprintf(&b, `<text x="%d" y="%.1f" text-anchor="end">%s%s</text>`+"\n", left-6, y(v, most)+4, round(v), c.unit)
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%d sessions</text>`+"\n", width-right, height-8,
			with[len(with)-1].sessions)
		names := ""
		for j, ln := range c.lines {
			dash := ""
			if ln.dashed {
				dash = ` stroke-dasharray="5 4"`
			}
			fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"%s/>`+"\n",
				points(ln, rows(ln, with, without), most), ln.colour, dash)
			names += fmt.Sprintf(`<path d="M%d %dh18" stroke="%s" stroke-width="2"%s/><text x="%d" y="%d">%s</text>`+"\n",
				width-right+8, top+8+18*j, ln.colour, dash, width-right+32, top+12+18*j, ln.name)
		}
		b.WriteString(names + "</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func rows(ln line, with, without []look) []look {
	if ln.dashed {
		return without
	}
	return with
}

func points(ln line, looks []look, most float64) string {
	var out []string
	for i, l := range looks {
		x := left + float64(width-left-right)*float64(i+1)/float64(len(looks))
		out = append(out, fmt.Sprintf("%.1f,%.1f", x, y(ln.of(l), most)))
	}
	return strings.Join(out, " ")
}

func y(v, most float64) float64 { return height - bottom - (height-top-bottom)*v/most }

func round(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
