package config

import (
	"fmt"
	"regexp"
	"strings"

	"remanence/internal/redact"
)

// OwnRules are the configured ones: NAME=PATTERN each.
func (c Config) OwnRules() []string { return Get[[]string](c, "privacy.rules") }

// OwnRules reads rules; one without a name has the pattern alone.
func OwnRules(list []string) []redact.Rule {
	var rules []redact.Rule
	for _, entry := range list {
		name, pattern, named := strings.Cut(entry, "=")
		if !named || !isRuleName(name) {
			name, pattern = "", entry
		}
		rules = append(rules, redact.Rule{Name: name, Pattern: pattern})
	}
	return rules
}

// checkRules finds the first of the person's rules that is no pattern.
func checkRules(list any) error {
	for _, r := range OwnRules(list.([]string)) {
		if _, err := regexp.Compile(r.Pattern); err != nil {
			return fmt.Errorf("%q is no pattern: %w", r.Pattern, err)
		}
	}
	return nil
}

func isRuleName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_. ") == ""
}
