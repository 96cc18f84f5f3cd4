package secrets

import (
	"strings"

	"remanence/internal/redact/ascii"
	"remanence/internal/redact/names"
)

// A key may be named only after the service that it is for: in a variable (STRIPE=…), a header (X-Datadog: …), a flag
// (--sendgrid …), a call (new Stripe("…")) or a sentence.

// services are the names of services whose keys have no format of their own, or an older one without it.
var services = []string{
	"stripe", "sendgrid", "mailgun", "mailchimp", "mandrill", "postmark", "sparkpost", "brevo", "klaviyo", "mailjet",
	"twilio", "vonage", "nexmo", "plivo", "messagebird", "telnyx", "bandwidth", "pusher", "pubnub", "onesignal",
	"pushover", "openai", "anthropic", "cohere", "mistral", "groq", "perplexity", "huggingface", "replicate", "deepseek",
	"openrouter", "gemini", "elevenlabs", "deepgram", "assemblyai", "stability", "pinecone", "weaviate", "qdrant",
	"langfuse", "wandb", "voyageai", "together_ai", "fireworks", "tavily", "serpapi", "serper", "firecrawl", "deepl",
	"azure_openai", "datadog", "newrelic", "new_relic", "sentry", "honeycomb", "logdna", "loggly", "papertrail",
	"splunk", "rollbar", "bugsnag", "airbrake", "logtail", "betterstack", "grafana", "pagerduty", "opsgenie",
	"victorops", "statuspage", "mixpanel", "amplitude", "posthog", "launchdarkly", "optimizely", "zendesk", "freshdesk",
	"hubspot", "salesforce", "pipedrive", "typeform", "contentful", "storyblok", "algolia", "cloudinary", "imgix",
	"fastly", "cloudflare", "akamai", "digitalocean", "linode", "vultr", "hetzner", "upstash", "supabase", "firebase",
	"vault", "npm", "heroku", "netlify", "vercel", "github", "gitlab", "bitbucket", "gitea", "jenkins", "circleci",
	"buildkite", "drone_ci", "travis", "codecov", "coveralls", "sonar", "snyk", "octokit", "artifactory", "jfrog",
	"pypi", "rubygems", "nuget", "slack", "discord", "telegram", "twitch", "twitter", "tweepy", "facebook", "linkedin",
	"spotify", "dropbox", "airtable", "asana", "trello", "atlassian", "figma", "todoist", "clickup", "shopify", "paypal",
	"braintree", "adyen", "mollie", "razorpay", "coinbase", "binance", "kraken", "bittrex", "kucoin", "alchemy",
	"infura", "mapbox", "googlemaps", "google_maps", "openweather", "newsapi", "shodan", "virustotal", "finnhub",
	"alphavantage", "polygon_io", "rapidapi", "okta", "auth0", "onelogin", "clerk", "stytch", "ngrok", "tailscale",
	"doppler", "databricks", "confluent", "influxdb", "elastic", "azure_devops", "snowflake", "squarespace",
	"mattermost", "meraki", "resend", "lob_live", "adafruit", "minio", "easypost", "shippo", "plaid", "yandex",
	"dynatrace", "sumologic", "recaptcha", "hcaptcha",
}

// findVendorKey finds the key of the service whose name is s[at:end].
func findVendorKey(s string, at, end int) (from, to int, ok bool) {
	left, right := nameAround(s, at, end)
	if at > left && ascii.IsLetter(s[at-1]) && (ascii.IsUpper(s[at-1]) || !ascii.IsUpper(s[at])) ||
		end < right && ascii.IsLetter(s[end]) && ascii.IsLower(s[end]) == ascii.IsLower(s[end-1]) {
		return 0, 0, false // in the middle of a word
	}
	if words := names.Words(s[end:right]); len(words) > 0 && names.IsServiceAbout(words[len(words)-1]) {
		return 0, 0, false
	}
	uuid := names.HasUUIDKeys(ascii.Lower(s[at:end]))
	if open := callAfter(s, right); open > 0 {
		return findKeyArgument(s, open, uuid)
	}
	i := ascii.SkipAny(s, right, "\"'`])*_", 4)
	if strings.HasPrefix(s[i:], " (") { // "Stripe (live): …"
		if n := strings.IndexByte(s[i:min(len(s), i+24)], ')'); n > 0 {
			i += n + 1
		}
	}
	start := i
	i = ascii.SkipAny(s, i, " \t", 8)
	if sign := ascii.SkipAny(s, i, ":=>~", 3); sign > i {
		return findVendorValue(s, ascii.SkipAny(s, sign, " \t", 16), uuid)
	}
	if i == start || i == len(s) {
		return 0, 0, false
	}
	if s[left] == '-' && !strings.HasPrefix(s[i:], "-") {
		return findVendorValue(s, i, uuid)
	}
	return findVendorWord(s, i, uuid)
}

// callAfter returns the position of the bracket that opens the arguments of the function whose name ends at s[:i], or
// 0.
func callAfter(s string, i int) int {
	for n := 0; n < 4; n++ {
		next := ascii.SkipAny(s, i, `:\`, 2)
		for next > i && next < len(s) && next-i < maxName && isNamePart(s[next]) {
			next++
		}
		if next == i || !isNamePart(s[next-1]) {
			break
		}
		i = next
	}
	if i < len(s) && s[i] == '(' {
		return i
	}
	return 0
}

// findVendorValue reads the value at s[i:], or the members of the object there.
func findVendorValue(s string, i int, uuid bool) (from, to int, ok bool) {
	if i < len(s) && s[i] == '{' {
		object, _, _ := strings.Cut(s[i:min(len(s), i+2*pairReach)], "}")
		for n := strings.IndexByte(object, ':'); n >= 0; {
			name := strings.TrimRight(object[:n], "\"' ")
			words := names.Words(name[strings.LastIndexAny(name, "\"' {,")+1:])
			if from, to = tokenAt(s, i+ascii.SkipAny(object, n+1, " \t\"'\\", 8)); len(words) > 0 &&
				!names.IsServiceAbout(words[len(words)-1]) && isVendorKey(s[from:to], uuid) {
				return from, to, true
			}
			next := strings.IndexByte(object[n+1:], ':')
			if next < 0 {
				break
			}
			n += 1 + next
		}
		return 0, 0, false
	}
	from, to = tokenAt(s, ascii.SkipAny(s, i, "\"'`\\", 6))
	return from, to, isVendorKey(s[from:to], uuid)
}

// tokenAt returns the position of the run of bytes of a token at s[i:].
func tokenAt(s string, i int) (from, to int) {
	for to = i; to < len(s) && to-i < maxLong && ascii.IsToken(s[to]); {
		to++
	}
	return i, i + len(strings.TrimRight(s[i:to], "."))
}

// findVendorWord finds a key among the next words of a sentence or a command.
func findVendorWord(s string, i int, uuid bool) (from, to int, ok bool) {
	for limit := min(len(s), i+nearby); i < limit && s[i] != '\n' && s[i] != '\\'; {
		from, to = tokenAt(s, ascii.SkipAny(s, i, "\"'`(:=-> \t", 8))
		from += strings.LastIndexByte(strings.TrimRight(s[from:to], "="), '=') + 1
		word := s[from:to]
		switch {
		case len(word) >= 20 && isManyCased(word) && isVendorKey(word, false) && ascii.All(word, isNamePart),
			uuid && names.IsUUID(word):
			return from, to, true
		case names.IsServiceAbout(ascii.Lower(word)) || strings.Contains(word, "/"):
			return 0, 0, false
		}
		i = max(to, i+1)
	}
	return 0, 0, false
}

// isVendorKey reports whether v may be a key, and not an id, a version, a path or a name.
func isVendorKey(v string, uuid bool) bool {
	switch {
	case names.IsUUID(v):
		return uuid
	case len(v) < 16 || !ascii.All(v, ascii.IsToken) || !isRandom(v) || isWordy(v) || names.IsVersion(v) ||
		isDottedName(v) || looksLikePath(v) || names.IsObjectID(v) || !notPlaceholder(v):
		return false
	case hasUpperAndLower(v):
		return (count(v, decimalDigits) >= 2 && entropy(v) >= 3.2 || isJumbled(v)) && strings.Count(v, "/") <= len(v)/20
	}
	return count(v, decimalDigits) >= 3 && !strings.ContainsAny(v, "/.%~") && strings.Count(v, "-") <= 1
}
