package api

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// MetricsPath serves metrics in the text format 0.0.4 of Prometheus.
const MetricsPath = "/metrics"

// Metric is one sample.
type Metric struct {
	Name   string // without the prefix remanence_; counters end with _total
	Help   string // one line; the first of a name counts
	Labels map[string]string
	Value  float64
}

// metricsText is a response in that format.
type metricsText []Metric

// WriteTo writes metrics grouped by name, in the order of the first of each name.
// Metrics whose name ends with _total are counters, the others gauges.
func (m metricsText) WriteTo(w io.Writer) (int64, error) {
	var out bytes.Buffer
	written := map[string]bool{}
	for _, first := range m {
		if written[first.Name] {
			continue
		}
		written[first.Name] = true
		kind := "gauge"
		if strings.HasSuffix(first.Name, "_total") {
			kind = "counter"
		}
		fmt.Fprintf(&out, "# HELP remanence_%s %s\n# TYPE remanence_%s %s\n", first.Name, escaped(first.Help), first.Name,
			kind)
		for _, each := range m {
			if each.Name == first.Name {
				fmt.Fprintf(&out, "remanence_%s%s %s\n", each.Name, labels(each.Labels), strconv.FormatFloat(each.Value, 'g', -1,
					64))
			}
		}
	}
	return out.WriteTo(w)
}

func labels(of map[string]string) string {
	if len(of) == 0 {
		return ""
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(of)) {
		parts = append(parts, k+`="`+strings.ReplaceAll(escaped(of[k]), `"`, `\"`)+`"`)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func escaped(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), "\n", `\n`)
}
