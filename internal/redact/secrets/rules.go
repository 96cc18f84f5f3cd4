package secrets

// rule finds one kind of secret. A match begins with one of heads; tail, a regular expression, continues after the
// head. The heads are not repeated in tail, so the two cannot contradict each other.
type rule struct {
	kind  string   // in the marker: lower-case letters, digits and '-'
	heads []string // three bytes or more; [abc] matches one of a, b and c
	fold  bool     // heads are lower case and match any ASCII case
	left  edge     // which character may precede the head
	tail  string   // group 1, if there is one, is the secret; else head and tail are
	reach int      // bytes after the head in which tail must match; 0 means defaultReach
	back  int      // at most so many bytes before the head belong to the secret
	check func(secret string) bool
	flag  string                                              // in place of tail: the secret is the argument of this flag
	find  func(s string, at, end int) (from, to int, ok bool) // in place of tail: head at s[at:end]
	named bool                                                // the head is part of a name that may also head a column
	sure  bool                                                // the format alone proves it, also in an id or a path
}

const defaultReach = 512

// builtin is the table of the built-in rules: by provider, then those without a provider. It is data, and no code runs
// on it at start-up.
//
// How to add a pattern:
//
//   - A token with a prefix is a row here: kind, heads (the prefix) and tail (the rest). Set left to edgeWord if the
//     prefix may end a longer word, check to isMixed or isRandom if ordinary text may have the same form, and sure if
//     none has. The prefix of a service without a kind of its own joins a row of kind service-token.
//   - A format that a regular expression cannot find is a row with find in place of tail; see provider.go.
//   - A name beside which a secret stands, such as "passphrase", is a word in package names; if no row below has a head
//     that is part of it, add one with findAssignment and named.
//   - A service whose keys have no format is a name in vendor.go.
//   - The argument of a command's flag is a row with flag; for other arguments see command.go and argument.go.
//
// Test data: the format in serviceTokens of forms_test.go, or text around a password or a token, with %s for it, in
// passwordPlaces or tokenPlaces of places_test.go; a new kind is also a row of secretKinds in corpus_test.go. Texts
// that must stay belong to lookalikes in lookalikes_test.go. Families of secrets and their disguises are in
// families_test.go. Never fit holdout_gen_test.go to a rule. Run go test ./internal/redact/secrets:
// TestServiceTokensAreRecognisedByFormat and TestSecretsAreRecognisedByContext prove the pattern,
// TestEveryHeadIsFound the row, and TestOrdinarySourceIsLeftAlone that it finds little in source code.
var builtin = [...]rule{
	// Clouds and hosts.
	{
		kind: "aws-key-id", heads: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, left: edgeWord, tail: `[A-Z0-9]{16}`,
		sure: true,
	},
	{
		kind: "aws-secret", heads: []string{"AKIA", "ASIA"}, left: edgeWord,
		tail: `[A-Z0-9]{16}["']?[\s,;:|/]{1,8}["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+]|$)`, check: isMixed,
	},
	{
		kind: "aws-secret", fold: true, heads: []string{
			"aws", "secret_access", "secret-access", "secretaccess", "secret access",
		},
		find: findAWSSecret,
	},
	{
		kind: "aws-session", heads: []string{"IQoJb3JpZ2lu", "FwoGZXIvYXdz"},
		tail: `(?:[A-Za-z0-9+/]|%[0-9A-F]{2}){80,}={0,2}`, reach: 4096,
	},
	{kind: "aws-mws", heads: []string{"amzn.mws."}, tail: `[0-9a-f-]{36}`, sure: true},
	{
		kind: "azure-storage", fold: true, heads: []string{"accountkey=", "sharedaccesskey="},
		tail: `([A-Za-z0-9+/]{30,}={0,2})`,
	},
	{
		kind: "azure-sas", heads: []string{"sig="}, left: edgeWord, tail: `((?:[A-Za-z0-9+/_-]|%[0-9A-Fa-f]{2}){30,}=?)`,
		check: isMixed,
	},
	{kind: "azure-secret", heads: []string{"[0123456789]Q~"}, tail: `[A-Za-z0-9_~.-]{31,34}`, back: 3},
	{kind: "google-api-key", heads: []string{"AIza", "AQ.Ab8"}, left: edgeWord, tail: `[A-Za-z0-9_-]{33,}`, sure: true},
	{kind: "google-oauth", heads: []string{"GOCSPX-", "ya29."}, tail: `(?:c\.)?[A-Za-z0-9_-]{20,}`, sure: true},
	{kind: "google-oauth", heads: []string{"1//0"}, left: edgeWord, tail: `[A-Za-z0-9_-]{40,}`, check: isMixed},
	{kind: "firebase", heads: []string{":APA91b"}, tail: `[A-Za-z0-9_-]{60,}`, back: 32},
	{kind: "digitalocean", heads: []string{"do[opr]_v1_"}, tail: `[A-Fa-f0-9]{40,}`, sure: true},
	{
		kind: "azure-storage", fold: true, heads: []string{`"value`, `"key`},
		tail: `[12]?\\{0,4}"\s{0,4}:\s{0,4}\\{0,4}"([A-Za-z0-9+/]{86}==)`,
	},
	{kind: "heroku", heads: []string{"HRKU-"}, tail: `[A-Za-z0-9_-]{30,}`, sure: true},
	{kind: "heroku", fold: true, heads: []string{"heroku"}, find: findHerokuKey},
	{kind: "alibaba", heads: []string{"LTAI"}, left: edgeWord, tail: `[A-Za-z0-9]{12,30}`, check: isMixed},
	{
		kind: "flyio", heads: []string{"fo1_", "fm1a_", "fm1r_", "fm2_"}, left: edgeWord, tail: `[A-Za-z0-9+/_-]{30,}={0,3}`,
		check: isMixed,
	},
	{kind: "netlify", heads: []string{"nfp_"}, left: edgeWord, tail: `[A-Za-z0-9]{30,}`, sure: true},
	{kind: "supabase", heads: []string{"sbp_"}, left: edgeWord, tail: `[A-Za-z0-9_-]{20,}`, check: isMixed, sure: true},
	{
		kind: "supabase", heads: []string{"sb_secret_"}, left: edgeWord, tail: `[A-Za-z0-9_-]{20,}`, check: hasUpperAndLower,
		sure: true,
	},
	{
		kind: "planetscale", heads: []string{"pscale_tkn_", "pscale_pw_", "pscale_oauth_"}, tail: `[A-Za-z0-9_.=-]{20,}`,
		sure: true,
	},
	{kind: "cloudflare", heads: []string{"v1.0-"}, left: edgeWord, tail: `[a-f0-9]{24}-[a-f0-9]{100,}`},

	// Code hosts, registries, build services.
	{kind: "github-pat", heads: []string{"gh[opusr]_"}, tail: `[A-Za-z0-9_]{30,}`, sure: true},
	{kind: "github-pat", heads: []string{"github_pat_"}, tail: `[A-Za-z0-9_]{22,}`, sure: true},
	{kind: "gitlab-pat", heads: []string{
		"glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glsoat-", "glft-", "glimt-", "glagent-", "gloas-", "glffct-",
		"glrtr-", "glwt-", "GR1348941",
	}, tail: `[A-Za-z0-9_.-]{18,}`, sure: true},
	{
		kind: "atlassian", heads: []string{"ATATT3", "ATCTT3", "ATBB"}, left: edgeWord, tail: `[A-Za-z0-9_=-]{20,}`,
		check: isMixed, sure: true,
	},
	{kind: "npm-token", heads: []string{"npm_"}, left: edgeWord, tail: `[A-Za-z0-9]{30,}`, sure: true},
	{kind: "pypi-token", heads: []string{"pypi-"}, left: edgeWord, tail: `[A-Za-z0-9_-]{40,}`, sure: true},
	{kind: "crates", heads: []string{"cio"}, left: edgeWord, tail: `[A-Za-z0-9]{32}\b`, check: hasUpperAndLower},
	{
		kind: "docker-auth", heads: []string{`"auth`}, tail: `\\{0,4}"\s{0,4}:\s{0,4}\\{0,4}"([A-Za-z0-9+/]{8,}={0,2})`,
		check: isUserPair,
	},
	{kind: "tailscale", heads: []string{"tskey-"}, tail: `[a-z]{2,12}-[A-Za-z0-9]{8,}(?:-[A-Za-z0-9]{8,})?`, sure: true},
	{kind: "rubygems", heads: []string{"rubygems_"}, tail: `[a-f0-9]{40,}`, sure: true},
	{kind: "nuget", heads: []string{"oy2"}, left: edgeWord, tail: `[a-z0-9]{43}`, check: isMixed},
	{kind: "docker-pat", heads: []string{"dckr_pat_", "dckr_oat_"}, tail: `[A-Za-z0-9_-]{20,}`, sure: true},
	{kind: "jfrog", heads: []string{"AKCp", "cmVmdGtu"}, left: edgeWord, tail: `[A-Za-z0-9]{50,}`, check: isMixed},
	{kind: "circleci", heads: []string{"CCIPAT_", "CCIPRJ_"}, tail: `[A-Za-z0-9_]{30,}`, sure: true},
	{kind: "buildkite", heads: []string{"bkua_"}, left: edgeWord, tail: `[a-f0-9]{30,}`, sure: true},
	{kind: "sonar", heads: []string{"sq[pua]_"}, left: edgeWord, tail: `[a-f0-9]{40}`, sure: true},
	{
		kind: "consul", fold: true, heads: []string{"secretid"},
		tail: `["']?[ \t]{0,4}[:=][ \t]{0,24}["']?([0-9a-f-]{36})\b`,
	},
	{
		kind: "k3s", heads: []string{"K10[0123456789abcdef]"}, left: edgeWord,
		tail: `[0-9a-f]{48,}::[\w-]{1,64}(?::[0-9a-f]{16,})?`, sure: true,
	},
	{kind: "terraform", heads: []string{".atlasv1."}, tail: `[A-Za-z0-9_=-]{40,}`, back: 20, sure: true},
	{kind: "pulumi", heads: []string{"pul-"}, left: edgeToken, tail: `[a-f0-9]{40}`, sure: true},
	{kind: "vault", heads: []string{"hv[sbr]."}, left: edgeWord, tail: `[A-Za-z0-9_-]{20,}`, sure: true},
	{
		kind: "doppler", heads: []string{"dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."}, left: edgeWord,
		tail: `[A-Za-z0-9._-]{20,}`, sure: true,
	},
	{kind: "databricks", heads: []string{"dapi"}, left: edgeWord, tail: `[a-f0-9]{32}(?:-\d)?`, sure: true},
	{kind: "sentry", heads: []string{"sntry[su]_"}, tail: `[A-Za-z0-9_+/=-]{30,}`, sure: true},
	{kind: "grafana", heads: []string{"glsa_"}, tail: `[A-Za-z0-9]{20,}_[A-Fa-f0-9]{8}`, sure: true},
	{kind: "grafana", heads: []string{"glc_"}, left: edgeWord, tail: `[A-Za-z0-9+/]{32,}={0,2}`, sure: true},
	{kind: "grafana", heads: []string{"eyJrIjoi"}, left: edgeToken, tail: `[A-Za-z0-9+/]{40,}={0,2}`},
	{
		kind: "new-relic", heads: []string{"NRAK-", "NRAA-", "NRJS-", "NRII-", "NRIQ-", "NRRA-"}, left: edgeWord,
		tail: `[A-Za-z0-9_-]{19,}`, sure: true,
	},
	{kind: "new-relic", heads: []string{"NRAL"}, find: findNewRelicKey, sure: true},
	{kind: "dynatrace", heads: []string{"dt0[cs]0[0123456789]."}, tail: `[A-Z0-9]{24}\.[A-Z0-9]{40,}`, sure: true},
	{kind: "postman", heads: []string{"PMAK-"}, tail: `[a-f0-9]{24}-[a-f0-9]{30,}`, sure: true},

	// Messaging, payment, commerce.
	{
		kind: "slack-token", heads: []string{"xox[abceoprs]-", "xox[abceoprs].", "xapp-"}, left: edgeWord,
		tail: `[A-Za-z0-9%/+._=-]{10,}`,
		sure: true,
	},
	{kind: "slack-token", heads: []string{"xoxd-"}, tail: `[A-Za-z0-9%/+._=-]{20,}`, sure: true},
	{
		kind: "slack-webhook", heads: []string{"hooks.slack.com/"},
		tail: `(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,})`,
	},
	{kind: "discord-webhook", heads: []string{"/api/webhooks/"}, tail: `\d{10,20}/([A-Za-z0-9_-]{40,})`},
	{
		kind: "teams-webhook", heads: []string{".webhook.office.com/", "outlook.office.com/"},
		tail: `(?:webhook\w*/)?([A-Za-z0-9@/-]{60,})`,
	},
	{
		kind: "discord-token", heads: []string{"[MNO][DTjz][AEIMQUYcgk]"}, left: edgeToken,
		tail: `[A-Za-z0-9_-]{19,25}\.[A-Za-z0-9_-]{5,7}\.[A-Za-z0-9_-]{25,}`,
	},
	{kind: "discord-token", heads: []string{"mfa."}, left: edgeWord, tail: `[A-Za-z0-9_-]{60,}`},
	{kind: "telegram", heads: []string{":AA"}, left: edgeDigit, tail: `[A-Za-z0-9_-]{31,35}`, back: 12},
	{kind: "twilio", heads: []string{"SK[0123456789abcdef]"}, left: edgeWord, tail: `[0-9a-f]{31}\b`},
	{
		kind: "twilio", heads: []string{"AC[0123456789abcdef]"}, left: edgeWord,
		tail: `[0-9a-f]{31}\\{0,4}["']?[ \t]{0,4}[,:][ \t]{0,4}\\{0,4}["']?([0-9a-f]{32})\b`,
	},
	{kind: "twilio", fold: true, heads: []string{"twilio"}, find: findTwilioToken},
	{kind: "sendgrid", heads: []string{"SG."}, left: edgeWord, tail: `[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`, sure: true},
	{kind: "mailgun", heads: []string{"key-"}, left: edgeToken, tail: `[0-9a-zA-Z]{32}\b`, check: isMixed},
	{kind: "mailgun", fold: true, heads: []string{"mailgun"}, tail: `[^\n]{0,40}?\b([0-9a-f]{32}(?:-[0-9a-f]{8}){2})\b`},
	{kind: "pagerduty", fold: true, heads: []string{"routing_key", "pagerduty"}, tail: `.{0,24}?[ "':=]([0-9a-f]{32})\b`},
	{kind: "mailchimp", heads: []string{"-us[123456789]"}, find: findMailchimpKey},
	{kind: "brevo", heads: []string{"xkeysib-", "xsmtpsib-"}, tail: `[a-f0-9]{40,}(?:-[A-Za-z0-9]{10,})?`, sure: true},
	{
		kind: "stripe-key", heads: []string{"[sr]k_live_", "[sr]k_test_", "whsec_"}, left: edgeWord,
		tail: `[A-Za-z0-9+/=]{10,}`, sure: true,
	},
	{kind: "square", heads: []string{"EAAA"}, left: edgeWord, tail: `[A-Za-z0-9_-]{56,}`, check: isMixed},
	{kind: "square", heads: []string{"sq0atp-", "sq0csp-"}, tail: `[A-Za-z0-9_-]{22,}`, sure: true},
	{
		kind: "facebook", heads: []string{"EAAC", "EAAB", "EAAG", "EAAE"}, left: edgeWord, tail: `[A-Za-z0-9]{60,}`,
		check: isMixed,
	},
	{
		kind: "plaid", heads: []string{"access-production-", "access-development-", "access-sandbox-"}, tail: `[0-9a-f-]{36}`,
		sure: true,
	},
	{kind: "shopify", heads: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, tail: `[A-Fa-f0-9]{32}`, sure: true},
	{kind: "okta", heads: []string{"SSWS "}, tail: `([A-Za-z0-9_-]{30,})`},

	// Project management.
	{kind: "linear", heads: []string{"lin_api_", "lin_oauth_"}, tail: `[A-Za-z0-9]{32,}`, sure: true},
	{kind: "notion", heads: []string{"ntn_"}, left: edgeWord, tail: `[A-Za-z0-9]{40,}`, sure: true},
	{kind: "notion", heads: []string{"secret_"}, left: edgeWord, tail: `[A-Za-z0-9]{43}`, check: isMixed},
	{kind: "airtable", heads: []string{"pat"}, left: edgeWord, find: findAirtableToken, sure: true},
	{kind: "figma", heads: []string{"fig[dour]_"}, left: edgeWord, tail: `[A-Za-z0-9_-]{36,}`},
	{kind: "contentful", heads: []string{"CFPAT-"}, tail: `[A-Za-z0-9_-]{40,}`, sure: true},
	{
		kind: "mapbox", heads: []string{"sk.eyJ"}, left: edgeWord, tail: `[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}`,
		sure: true,
	},

	// Language models.
	{kind: "anthropic", heads: []string{"sk-ant-"}, tail: `[A-Za-z0-9_-]{20,}`, sure: true},
	{
		kind: "openai", heads: []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"}, tail: `[A-Za-z0-9_-]{20,}`,
		sure: true,
	},
	{kind: "openai", heads: []string{"sk-"}, left: edgeToken, tail: `(?:or-v1-)?[A-Za-z0-9]{20,}`, check: isMixed},
	{kind: "huggingface", heads: []string{"hf_", "api_org_"}, left: edgeWord, tail: `[A-Za-z0-9]{30,}`, sure: true},
	{kind: "groq", heads: []string{"gsk_"}, left: edgeWord, tail: `[A-Za-z0-9]{40,}`, sure: true},
	{kind: "perplexity", heads: []string{"pplx-"}, left: edgeWord, tail: `[A-Za-z0-9]{40,}`, sure: true},
	{kind: "replicate", heads: []string{"r8_"}, left: edgeWord, tail: `[A-Za-z0-9]{36,}`},
	{kind: "xai", heads: []string{"xai-"}, left: edgeWord, tail: `[A-Za-z0-9]{60,}`, sure: true},
	{kind: "tavily", heads: []string{"tvly-"}, left: edgeWord, tail: `[A-Za-z0-9-]{20,}`, sure: true},
	{kind: "langsmith", heads: []string{"lsv2_pt_", "lsv2_sk_"}, tail: `[a-f0-9]{32}(?:_[a-f0-9]+)?`, sure: true},

	// Services whose tokens begin with a prefix, by the form of the rest.
	{kind: "service-token", heads: []string{
		"p8e-", "ico-", "pnu_", "CLOJARS_", "vcp_", "vci_", "vca_", "vcr_", "vck_", "napi_", "rnd_", "phx_", "csk-", "e2b_",
		"rpa_", "rdme_", "shippo_live_", "shippo_test_", "sgp_", "unkey_", "apify_api_", "packagist_uut_", "packagist_ort_",
		"packagist_out_", "os_v2_app_", "hcaik_", "hcxik_", "hcalk_", "cfk_", "cfut_", "cfat_", "dnsimple_[ua]_", "bt-st-",
		"nsec1", "xprv9s21", "secret-", "fw_", "EZAK", "EZTK", "ATTA",
	}, left: edgeWord, tail: `(?:[a-f0-9]{16}_[a-f0-9]{40}|[A-Za-z0-9]{22,})`, check: isRandom},
	{kind: "service-token", heads: []string{
		"duffel_live_", "duffel_test_", "fio-u-", "tk-us-", "tfp_", "tgp_v1_", "jina_", "nvapi-", "bb_live_", "AQVN",
		"mdb_sa_sk_", "sha256~", "ABSK", "essu_", "ops_eyJ", "cflt", "vercel_blob_rw_", "pcsk_", "CCDB1_", "pdl_live_apikey_",
		"pdl_sdbx_apikey_", "live_",
	}, left: edgeWord, tail: `[A-Za-z0-9_+/-]{27,}={0,2}`, reach: 4096, check: isManyCased},
	{
		kind: "service-token", heads: []string{"sm_pat_", "sm_aat_", "sm_sat_", "AVNS_", "npg_", "re_"}, left: edgeWord,
		tail: `[A-Za-z0-9]{8}[A-Za-z0-9_-]{4,}`, check: isManyCased,
	},
	{kind: "service-token", heads: []string{
		"pat-[abcdefghijklmnopqrstuvwxyz][abcdefghijklmnopqrstuvwxyz][123456789]-", "sk-lf-", "xaat-", "xapt-", "ctx7sk-",
	}, left: edgeWord, tail: `[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`},
	{kind: "service-token", heads: []string{"md-"}, left: edgeToken, tail: `[A-Za-z0-9_-]{22}\b`, check: isManyCased},
	{kind: "service-token", heads: []string{"fc-"}, left: edgeToken, tail: `[0-9a-f]{32}\b`, check: isMixed},
	{kind: "service-token", heads: []string{"sk_"}, left: edgeWord, tail: `[0-9a-f]{48}\b`, check: isMixed},
	{kind: "service-token", heads: []string{"pk_"}, left: edgeWord, tail: `\d{4,12}_[A-Z0-9]{32}\b`},
	{kind: "service-token", heads: []string{"API-"}, left: edgeWord, tail: `[A-Z0-9]{26}\b`, check: isRandom},
	{kind: "service-token", heads: []string{"KEY0"}, left: edgeWord, tail: `[0-9A-F]{31}_[A-Za-z0-9]{22}\b`},
	{kind: "service-token", heads: []string{"FLWSECK-", "FLWSECK_TEST-"}, left: edgeWord, tail: `[0-9a-f]{12,}(?:-X)?\b`},
	{
		kind: "service-token", heads: []string{"pat.", "sat."}, left: edgeToken,
		tail: `[A-Za-z0-9_-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}\b`,
	},
	{
		kind: "service-token", heads: []string{"st."}, left: edgeToken,
		tail: `[0-9a-f-]{24,36}\.[0-9a-f]{32}\.[0-9a-f]{32}\b`,
	},
	{kind: "service-token", heads: []string{"t1."}, left: edgeToken, tail: `[A-Za-z0-9_=-]{20,}\.[A-Za-z0-9_-]{86}={0,2}`},
	{kind: "service-token", heads: []string{"pa-"}, left: edgeToken, tail: `[A-Za-z0-9_-]{43}\b`, check: isManyCased},
	{kind: "service-token", heads: []string{"access_token$"}, tail: `[a-z]{4,12}\$[a-z0-9]{16}\$[0-9a-f]{32}`},
	{kind: "service-token", heads: []string{"!AQ"}, tail: `[A-Za-z0-9._]{60,}`, back: 18},
	{kind: "service-token", heads: []string{"_mmk"}, find: findMaxMindKey},
	{
		kind: "service-token", heads: []string{"A3-"}, left: edgeToken,
		tail: `[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}\b`,
	},
	{kind: "azure-key", heads: []string{
		"AzFu", "AzSe", "AzCa", "+ASt", "ACDb", "APIM", "+ABa", "+AMC", "+ARm", "+ACR", "+AIoT", "+AEh", "AZDO", "JQQJ99",
	}, find: findAzureKey},

	// Key blocks.
	{kind: "private-key", heads: []string{"-----BEGIN", "---- BEGIN"}, find: findKeyBlock, sure: true},
	{kind: "private-key", heads: []string{"-----END"}, find: findKeyBlockTail, sure: true},
	{kind: "private-key", heads: []string{"Private-Lines:"}, find: findPuttyKey},
	// Beginnings of keys in base64, with or without a BEGIN: RSA, both forms of EC, Ed25519, encrypted, OpenSSH.
	{
		kind: "private-key", heads: []string{"IBAAKC", "IBAAKB", "IBADANBgkqhkiG9w0BAQEFAASC"},
		tail: `[A-Za-z0-9+/]{20,}={0,2}`, back: 6, sure: true,
	},
	{kind: "private-key", heads: []string{
		"MHcCAQEEI", "MHQCAQEEI", "MIGkAgEBBD", "MIHcAgEBBEI", "MIGHAgEAMBMGByqGSM49AgEG", "MIG2AgEAMBAGByqGSM49AgEG",
		"MIHuAgEAMBAGByqGSM49AgEG", "MC4CAQAwBQYDK2V", "BgkqhkiG9w0BBQ0w", "b3BlbnNzaC1rZXktdjEA",
	}, tail: `[A-Za-z0-9+/]{20,}={0,2}`, sure: true},
	{kind: "age-key", fold: true, heads: []string{"age-secret-key-1"}, tail: `[A-Za-z0-9]{40,}`, sure: true},
	{
		kind: "jwt", heads: []string{"eyJ"}, left: edgeToken,
		tail: `[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*){0,3}`, reach: 8192, sure: true,
	},
	{kind: "password-hash", heads: []string{"$2[abxy]$"}, tail: `\d\d\$[./A-Za-z0-9]{53}`, sure: true},
	{
		kind: "password-hash", heads: []string{"$[156]$", "$apr1$"},
		tail: `(?:rounds=\d+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}`, sure: true,
	},
	{
		kind: "password-hash", heads: []string{"$y$", "$gy$", "$7$"},
		tail: `[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}`, sure: true,
	},
	{
		kind: "password-hash", fold: true, heads: []string{"{sha}", "{ssha}", "{smd5}", "{sha256}", "{ssha256}", "{ssha512}"},
		tail: `[A-Za-z0-9+/]{22,}={0,2}`, sure: true,
	},
	{
		kind: "password-hash", heads: []string{"$argon2"},
		tail: `(?:id|i|d)\$v=\d+\$[a-z0-9=,]+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+`, sure: true,
	},

	{
		kind: "private-key", fold: true, heads: []string{"client-key-data"},
		tail: `\\{0,4}["']?\s{0,4}:\s{0,4}\\{0,4}["']?([A-Za-z0-9+/]{40,}={0,2})`, reach: 16 << 10,
	},
	{kind: "private-key", fold: true, heads: []string{
		"wallet(", "accounts:", "accounts\"", "privatekeytoaccount(", "hextoecdsa(", "from_key(", "fromprivatekey(",
	}, tail: `[^\n]{0,16}?["'](?:0x)?([0-9a-fA-F]{64})\b`},
	{
		kind: "seed-phrase", fold: true, heads: []string{"mnemonic", "seed phrase", "recovery phrase", "seedphrase"},
		tail: `["']?(?: is)?[ \t]{0,4}[:=]?[ \t]{0,4}["'` + "`" + `]?((?:[a-z]{3,8} {1,2}){11,23}[a-z]{3,8})\b`,
	},
	{
		kind: "otp-secret", fold: true, heads: []string{"otpauth://"},
		tail: `[^\s"'<>]{0,256}?[?&]secret=([A-Za-z2-7=%]{8,})`,
	},
	{kind: "otp-secret", fold: true, heads: []string{
		"otp", "2fa", "mfa", "setup key", "authenticator", "code manually", "key manually",
	}, tail: `[^\n]{0,24}?["' =:(]([A-Z2-7]{16,128})(?:[^A-Za-z0-9_]|$)`, check: isBase32Secret},
	{
		kind: "printed-key", heads: []string{
			"wg genkey", "wg genpsk", "rails secret", "rake secret", "rails/secret", "rand -hex", "rand -base64", "master.key",
			"token.txt", "secret.txt", "password.txt", "pwgen", "print-access-token", "auth token", "get-login-password",
			"print-identity-token",
		}, tail: `[^\n\\]{0,48}(?:\\r|\r)?(?:\n|\\{1,4}n)([A-Za-z0-9+/=_.~-]{12,})`, check: isRandom,
	},

	// Contexts in which a secret is expected.
	{
		kind: "wordpress-key", heads: []string{"define("},
		tail:  `\s{0,4}["'][A-Z0-9_]{0,48}(?:_KEY|_SALT|TOKEN|SECRET)["']\s{0,4},\s{0,16}["']([^'"\n]{16,256})["']`,
		check: isRandom,
	},
	{
		kind: "password", heads: []string{"define("},
		tail:  `\s{0,4}["'][A-Z0-9_]{0,48}(?:PASS|PASSWD|PASSWORD|PWD)["']\s{0,4},\s{0,16}["']([^'"\n]{4,128})["']`,
		check: notPlaceholder,
	},
	{
		kind: "authorization", fold: true, heads: []string{"basic "}, left: edgeWord, tail: `([A-Za-z0-9+/]{8,}={0,2})`,
		check: isUserPair,
	},
	{kind: "url-password", heads: []string{"://"}, find: findURLPassword},
	{
		kind: "url-password", fold: true, heads: []string{"%3a%2f%2f"},
		tail: `[^%\s&"'<>]{0,64}%3[Aa]([^\s&"'<>]{3,256}?)%40`, check: notPlaceholder,
	},
	{kind: "authorization", fold: true, heads: []string{"authorization"}, find: findAuthorization},
	{
		kind: "url-key", heads: []string{
			"/with/key/", "?key=", "&key=", "&amp;key=", "?auth=", "&auth=", "?appid=",
			"&appid=",
		},
		tail: `([A-Za-z0-9_-]{20,})`, check: isRandom,
	},
	{kind: "signed-url", fold: true, heads: []string{"x-amz-signature=", "x-goog-signature="}, tail: `([0-9A-Fa-f]{40,})`},
	{
		kind: "bearer", fold: true, heads: []string{"bearer "}, left: edgeWord, tail: `([A-Za-z0-9._~+/-]{16,}=*)`,
		check: isMixed,
	},
	{
		kind: "cookie", fold: true, heads: []string{"cookie:", `cookie"`, `cookie\`, "cookie'", "cookie ="},
		find: findCookie,
	},
	{kind: "cookie", fold: true, heads: []string{"curl"}, left: edgeWord, find: findSentCookie},
	{
		kind: "session-cookie", heads: []string{"\tTRUE\t", "\tFALSE\t", `\tTRUE\t`, `\tFALSE\t`},
		tail: `\d{1,12}(?:\t|\\t)[^\t\n\\]{1,64}(?:\t|\\t)([^\s"'\\]{8,})`, check: isMixed,
	},
	{
		kind: "session-cookie", fold: true, heads: []string{
			"session", "asp.net_sessionid", "connect.sid", ".aspnetcore.", ".aspxauth", "phpsessid", "jsessionid",
		},
		tail: `[A-Za-z.]{0,24}\\{0,4}["']?\]?[ \t]{0,4}[:=][ \t]{0,4}\\{0,4}["']?([A-Za-z0-9%._+/=-]{20,})`, reach: 2048,
		check: isSessionValue,
	},
	{
		kind: "session-cookie", fold: true, heads: []string{
			"sessionid=", "phpsessid=", "jsessionid=", "connect.sid=", "_session=",
		},
		tail: `([A-Za-z0-9%._+/=-]{16,})`, check: isSessionValue,
	},
	{
		kind: "password", fold: true, heads: []string{"mysql", "mariadb", "7z ", "7za ", "rar ", "unrar "}, left: edgeWord,
		find: findGluedPassword,
	},
	{kind: "password", fold: true, heads: []string{"ssh-keygen"}, left: edgeWord, flag: " -N "},
	{
		kind: "password", fold: true, heads: []string{"openssl enc", "openssl aes"}, left: edgeWord,
		flag: " -k ",
	},
	{
		kind: "password", fold: true, heads: []string{"net user", "add_user", "change_password", "wpa_passphrase"},
		left: edgeWord, tail: `[ \t]{1,4}[^\s"'=:]{1,64}[ \t]{1,4}["']?([^\s"'/*-][^\s"']{3,127})`, check: isPasswordLike,
	},
	{kind: "password", fold: true, heads: []string{
		"sshpass", "docker login", "podman login", "registry login", "az login", "oc login", "cf login", "mongo", "cqlsh",
		"rabbitmqadmin", "useradd", "usermod", "arangosh", "twine", "skopeo login", "cypher-shell", "unlock-keychain",
		"set-keychain", "psexec", "certutil", "winrs", "winexe",
	}, left: edgeWord, find: findSpacedPassword},
	{kind: "password", fold: true, heads: []string{"redis-cli"}, left: edgeWord, flag: " -a "},
	{
		kind: "password", fold: true, heads: []string{"curl", "wget", "http ", "https ", "xh "}, left: edgeWord,
		find: findUserPassword,
	},
	{kind: "password", fold: true, heads: []string{
		"ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldappasswd", "ldapwhoami",
	}, left: edgeWord, flag: " -w "},
	//nolint:misspell // a program
	{kind: "password", fold: true, heads: []string{
		"ssh-keygen", "sqlcmd", "unzip", "zip ", "mosquitto_pub", "mosquitto_sub", "bcp ", "ipmitool",
	}, left: edgeWord, flag: " -P "},
	{
		kind: "password", fold: true, heads: []string{"snmpwalk", "snmpget", "snmpset", "snmpbulkwalk"}, left: edgeWord,
		tail: `[^\n]{0,128}? -A ["']?([^\s"']{4,128})`, check: notPlaceholder,
	},
	{
		kind: "password", fold: true, heads: []string{"snmpwalk", "snmpget", "snmpset", "snmpbulkwalk"}, left: edgeWord,
		tail: `[^\n]{0,128}? -X ["']?([^\s"']{4,128})`, check: notPlaceholder,
	},
	{
		kind: "password", fold: true, heads: []string{"acl setuser"}, left: edgeWord, tail: `[^\n]{1,64}? >([^\s"']{4,128})`,
		check: notPlaceholder,
	},
	{
		kind: "password", fold: true, heads: []string{"sp_addlogin"},
		tail: ` {1,4}N?'[^'\n]{1,64}' {0,4}, {0,4}N?'([^'\n]{4,128})'`, check: notPlaceholder,
	},
	{
		kind: "password", fold: true, heads: []string{"smbclient", "rpcclient", "smbmap", "net rpc"}, left: edgeWord,
		find: findSambaPassword,
	},
	{
		kind: "password", fold: true, heads: []string{"net use", "xfreerdp", "rdesktop", "wfreerdp", "cmdkey", "signtool"},
		left: edgeWord, find: findSlashPassword,
	},
	{kind: "password", fold: true, heads: []string{"htpasswd"}, left: edgeWord, find: findBatchPassword},
	{
		kind: "password", fold: true, heads: []string{"jdbc:oracle:"}, tail: `\w{1,8}:[^/\s"']{1,64}/([^\s"']{1,128})@`,
		check: notPlaceholder,
	},
	{kind: "password", fold: true, heads: []string{"@tcp(", "@unix(", "@tcp6("}, find: findDSNPassword},
	{kind: "password", heads: []string{`("jdbc:`, `('jdbc:`}, left: edgeAny, find: findJDBCPassword},
	{
		kind: "password", fold: true, heads: []string{"scram-sha-256$", "scram-sha-1$"},
		tail: `[0-9]{3,8}:[A-Za-z0-9+/=]{8,}\$[A-Za-z0-9+/=:]{40,}`,
	},
	{
		kind: "password", fold: true, heads: []string{
			"networkcredential", "basicauth", "basic_auth", "userpassword", ".login", "auth=", "passwordauthentication",
			"usernamepasswordcredentials", "passwordcredential", "usernamepasswordauthenticationtoken", "authenticate",
			"sign_in", "signin", "credentials.basic", "simple_bind", "simple_bind_s", "changeuserpassword", ".auth", "jwt.sign",
			"jwt.verify", "jwt.encode", "jwt.decode",
		}, find: findSecondArgument,
	},
	{kind: "password", fold: true, heads: []string{
		"getconnection", "mysqli", "mysqli_connect", "plainauth", "new pdo", "new sequelize", "psycopg2.connect",
		"pymysql.connect", "mysql_connect",
	}, find: findThirdArgument},
	{kind: "password", fold: true, heads: []string{
		"hashpw", "hashsync", "bcrypt.hash", "argon2.hash", "generatefrompassword", "encoder().encode", "crypt.crypt",
		"bcrypt", "hash::make", "hmacshakeyfor", "symmetricsecuritykey", "cookieparser", "fernet",
	}, left: edgeAny, find: findFirstArgument},
	{kind: "password", heads: []string{"hmac.new"}, left: edgeWord, find: findFirstArgument},
	{
		kind: "password", heads: []string{"hmac.New", "WiFi.begin", "username_pw_set"}, left: edgeWord,
		find: findSecondArgument,
	},
	{
		kind: "password", heads: []string{"sshpass"}, tail: `[^\n]{1,8}["']-p["'],?[ \n]{0,16}["']([^"'\n]{4,128})`,
		check: notPlaceholder,
	},
	{
		kind: "password", fold: true, heads: []string{"assword"},
		tail: `[^\n]{0,16}["']\)?[\s;]{1,16}[\w.]{0,24}sendline\(["']([^"'\n]{4,128})`, check: notPlaceholder,
	},
	{kind: "password", fold: true, heads: []string{
		"login", "authenticationheadervalue", "sqlcredential", "sharedkeycredential", "namedkeycredential", "cosmosclient",
		"createhmac", "algoliasearch", "set_cookie", "setcookie", "res.cookie", "aes_encrypt", "aes_decrypt",
		"pgp_sym_encrypt", "pgp_sym_decrypt",
	}, find: findSecondPassword},
	{
		kind: "password", fold: true, heads: []string{
			"withemailandpassword", "create_user", "create_superuser", "createuser", "set_password", "client.connect", "login",
			"dbi->connect", "->__construct", "setvapiddetails",
		},
		find: findThirdPassword,
	},
	{
		kind: "password", fold: true, heads: []string{"b64encode(", "btoa(", "base64encode("},
		tail: `b?["'][^"':\s]{1,64}:([^"'\n]{4,128})["']`, check: isPasswordLike,
	},
	{
		kind: "password", heads: []string{".auth(", ".Auth("}, tail: `["']([^"'\n]{6,128})["']\s{0,4}\)`,
		check: isPasswordLike,
	},
	{
		kind: "password", fold: true, heads: []string{`bind("cn=`, `bind('cn=`, `bind("uid=`, `bind('uid=`},
		tail: `[^"'\n]{0,128}["']\s{0,4},\s{0,4}["']([^"'\n]{4,128})["']`, check: notPlaceholder,
	},
	{kind: "password", fold: true, heads: []string{"| base64"}, find: findPipedLogin},
	{kind: "password", fold: true, heads: []string{
		"temporary password", "initial password", "generated password", "default password",
	}, tail: `[^:\n]{1,64}: {1,4}(\S{6,128})`, check: isPasswordLike},
	{
		kind: "password", fold: true, heads: []string{"convertto-securestring"},
		tail: `\s{1,4}(?:-[A-Za-z]{1,16}\s{1,4}){0,3}["']([^"'\n]{1,128})["']`, check: notPlaceholder,
	},
	{kind: "password", heads: []string{
		"sudo -S", "--password-stdin", "chpasswd", "docker secret create", "podman secret create", "cryptsetup",
		"passwd --stdin", "su -", "kinit ", "--with-token", "wg pubkey", "p4 login", "bw unlock",
	}, left: edgeWord, find: findPipedPassword},
	{
		kind: "password", fold: true, heads: []string{"identified by", "identified with"},
		tail: `\s{1,4}(?i:\w{1,32}\s+(?:by|as)\s+)?(?i:password\s+)?["']([^"'\n]{1,128})["']`, check: notPlaceholder,
	},
	{
		kind: "password", fold: true, heads: []string{"login "}, left: edgeWord,
		tail: `\S{1,64}\s{1,8}password\s{1,8}(\S{1,128})`, check: notPlaceholder,
	},
	{
		kind: "password", fold: true, heads: []string{"login "}, left: edgeWord,
		tail: `["']?[^\s"'@]{1,64}@[^\s"']{1,64} {1,4}["']?([^\s"']{6,128})`, check: isPasswordLike,
	},
	{
		kind: "password", fold: true, heads: []string{"lftp "}, left: edgeWord,
		tail: `(?:[^\n]{0,64} )?-u {0,2}["']?[^\s,"']{1,64},([^\s"']{4,128})`, check: notPlaceholder,
	},
	{
		kind: "password", fold: true, heads: []string{"assword"},
		tail: `[^"\n]{0,16}"[\s{]{1,8}send (?:-- )?"([^"\\\n]{4,128})\\[rn]`, check: notPlaceholder,
	},
	{
		kind: "password", heads: []string{":543[0123456789]:", ":6432:", "*:*:"},
		tail: `[^:\s]{1,64}:[A-Za-z0-9_.@-]{1,64}:([^\s"']{1,128})`, check: notPlaceholder,
	},
	{
		kind: "password", heads: []string{":*:*:"}, tail: `[A-Za-z0-9_.@-]{1,64}:([^\s"':]{4,128})(?:\s|\\n|$)`,
		check: notPlaceholder,
	},
	{
		kind: "password", heads: []string{":*:"}, left: edgeDigit, tail: `[A-Za-z0-9_.@-]{1,64}:([^\s"']{1,128})`,
		check: notPlaceholder,
	},
	{
		kind: "password", fold: true, heads: []string{"type=\"password\"", "type='password'"},
		tail: `[^<>\n]{0,128}?\svalue=["']([^"'\n]{4,128})["']`, check: notPlaceholder,
	},
	{kind: "secret", heads: []string{"::add-mask::"}, tail: `([^\s"']{4,256})`, check: notPlaceholder},

	{
		kind: "saml", fold: true, heads: []string{"samlresponse", "saml-assertion"},
		tail: `["']?(?:\s{1,4}value)?\s{0,4}[ =:]{1,4}["']?((?:[A-Za-z0-9+/]|%[0-9A-Fa-f]{2}){80,}={0,2})`, reach: 16 << 10,
	},
	{kind: "private-key", heads: []string{
		`"d"`, `"k"`, `"p"`, `"q"`, `"dp"`, `"dq"`, `"qi"`, `\"d\"`, `\"k\"`, `\"p\"`, `\"q\"`,
	}, find: findKeyMember},
	{
		kind: "password", fold: true, heads: []string{"sqlplus ", "sqlldr ", "expdp ", "impdp ", "rman target "},
		left: edgeWord, tail: `(?:-\w{1,4} ){0,3}["']?[A-Za-z0-9_]{1,32}/["']?([^\s"'/]{3,128})`, check: notPlaceholder,
	},
	{
		kind: "password", heads: []string{`random_password`}, left: edgeWord,
		tail: `\\{0,4}"(?s:.*?)"result\\{0,4}":\s{0,4}\\{0,4}"((?:[^"\\]|\\.){4,128})`, reach: 2048, check: notPlaceholder,
	},
	{kind: "password", fold: true, heads: []string{
		"password 0 ", "password 7 ", "secret 0 ", "key 7 ", "snmp-server community ", "rootpw --plaintext ",
		"pass phrase: ", "pass phrase is ", "p/w: ",
	}, tail: `["']?([^\s"']{4,128})`, check: isPasswordLike},
	{
		kind: "password", fold: true, heads: []string{"chpasswd:"},
		tail:  `[^\n]{0,8}\n[ \t]{0,12}list: ?\|?[^\n]{0,4}\n[ \t-]{0,16}[\w.-]{1,32}:([^\s"']{4,128})`,
		check: notPlaceholder,
	},
	{kind: "password", heads: []string{"successfully reset."}, tail: `(?:\s|\\n){1,4}New value: (\S{6,64})`},
	{
		kind: "password", fold: true, heads: []string{"> auth ", "redis-cli auth "},
		tail: `(?:[\w-]{1,64} )?["']?([^\s"']{4,128})`, check: isPasswordLike,
	},
	{kind: "password", heads: []string{" on >"}, tail: `([^\s"']{4,128}) [~&+]`, check: notPlaceholder},
	{kind: "password", heads: []string{" -p "}, find: findPasswordFlag},
	{
		kind: "password", heads: []string{" --auth ", " --auth=", " -auth ", " --user ", " --user=", "stats auth "},
		tail: `["']?[\w.@-]{1,64}:([^\s"']{6,128})`, check: isPasswordLike,
	},
	//nolint:misspell // a program
	{kind: "password", fold: true, heads: []string{
		"mkpasswd", "openssl passwd", "hash-password", "mosquitto_passwd -b", "user:password", "drush upwd",
	}, find: findLastPassword},
	{
		kind: "token", heads: []string{" --auth ", " --auth=", " --session ", "<(echo "},
		tail: `["']?([A-Za-z0-9_+/=-]{20,256})`, check: isOpaque,
	},
	{
		kind: "token", fold: true, heads: []string{"login ", "auth init ", "authtoken ", "unseal ", "nuget push "},
		left: edgeWord, tail: `(?:[^\s;|&]{1,64} )??(?:(?:-t|-k|--token|--key)[ =])?["']?([A-Za-z0-9_+/=-]{20,256})`,
		check: isOpaque,
	},
	{kind: "token", heads: []string{".login(", ".run("}, tail: `["']([A-Za-z0-9_.-]{20,256})["']`, check: isOpaque},
	{kind: "token", fold: true, heads: []string{"bearer -a "}, tail: `["']?([^\s"']{16,256})`, check: isMixed},
	{
		kind: "password", fold: true, heads: []string{"pragma key", "pragma rekey"},
		tail: `\s{0,4}=\s{0,4}["']([^"'\n]{4,128})["']`, check: notPlaceholder,
	},
	{kind: "password", fold: true, heads: []string{"+= credentials"}, find: findFourthArgument},
	{
		kind: "token", fold: true, heads: []string{"unseal key ", "recovery key "},
		tail: `\d{1,2}[^:\n]{0,24}: ["']?([A-Za-z0-9+/=]{32,})`,
	},
	{
		kind: "token", fold: true, heads: []string{"unseal_keys", "keys_base64"},
		tail: `\w{0,8}\\{0,4}["']?\s{0,4}[:=]\s{0,4}\[\s{0,16}` +
			`((?:\\{0,4}["'][A-Za-z0-9+/=]{32,}\\{0,4}["'],?\s{0,16}){1,12})`,
		reach: 1024,
	},
	{
		kind: "token", heads: []string{"github-oauth"},
		tail: `\\{0,4}"\s{0,4}:\s{0,4}\{\s{0,16}\\{0,4}"[^"]{1,64}"\s{0,4}:\s{0,4}\\{0,4}"([^"\\]{20,256})`,
	},
	{kind: "token", heads: []string{"hooks.zapier.com/hooks/catch/"}, tail: `\d{1,12}/([A-Za-z0-9]{6,64})`},
	{
		kind: "password", heads: []string{"http-basic."}, tail: `\S{1,64} \S{1,64} ["']?([^\s"']{6,256})`,
		check: notPlaceholder,
	},
	{
		kind: "password", fold: true, heads: []string{"npmauthident"},
		tail: `["']?[ \t:]{1,4}["']?[^\s:"']{1,64}:([^\s"']{6,256})`, check: notPlaceholder,
	},
	{
		kind: "password", heads: []string{"bundle config "},
		tail: `(?:set )?(?:--\w{1,8} ){0,2}\S{1,64} [^\s:/]{1,64}:([^\s"']{6,256})`, check: notPlaceholder,
	},
	{
		kind: "cookie", fold: true, heads: []string{"cookie"},
		tail: `[^\n]{0,24}?\b(?i:name)["']?\s{0,2}[:=]\s{0,2}["'][\w.-]{2,40}["'],?\s{0,40}["']?(?i:value)["']?\s{0,` +
			`2}[:=]\s{0,2}["']([^"'\s]{16,})`, check: isMixed,
	},
	{kind: "cookie", fold: true, heads: []string{"added cookie "}, tail: `[\w.-]{1,64}="([^"\s]{8,})"`, check: isMixed},
	{
		kind: "password", fold: true, heads: []string{
			"login", "credentials", "creds", "zugangsdaten", "anmeldedaten", "log in", "log into", "account", "melde dich",
		},
		tail: `(?:-[Dd]aten)?(?: [\w ]{1,24}?)?(?: is| are| ist| sind| mit| with|:| =| ->){1,2} {1,4}["'` + "`" +
			`]?[\w.@-]{2,64} ?[/:] ?["'` + "`" + `]?([^\s"'` + "`" + `/]{6,128})`, check: isLoginPassword,
	},

	// Assignments to a name that suggests a secret.
	{kind: "password", fold: true, heads: []string{"pass", "pwd"}, find: findAssignment, named: true},
	{kind: "password", fold: true, heads: []string{"pw=", "pw:", "pw "}, find: findShortAssignment},
	{
		kind: "password", fold: true, heads: []string{"bindpw", "psk", "rootpw", "dbpw", "userpw", "masterauth"},
		find: findAssignment, named: true,
	},
	{
		kind: "password", fold: true, heads: []string{
			"kennwort", "contrase", "senha", "palavra-passe", "has\u0142o", "wachtwoord", "mot de passe", "motdepasse", "parola",
			"adgangskode", "lösenord", "heslo", "jelsz", "salasana", "şifre", "пароль", "Пароль", "ПАРОЛЬ", "密码", "密碼", "口令",
			"パスワード", "パスフレーズ", "비밀번호", "mật khẩu", "κωδικός", "kata sandi", "passord", "clave",
			"كلمة المرور", "كلمة السر", "סיסמה", "पासवर्ड", "รหัสผ่าน", "парола", "лозинка", "lozinka",
			"slaptažodis", "гасло", "zaporka",
		}, find: findForeignPassword,
	},
	{
		kind: "api-key", fold: true, heads: []string{"schlüssel", "clé", "ключ", "chiave", "chave", "llave"},
		tail: `[^\n]{0,16}?[ :=]["'` + "`" + `]?([A-Za-z0-9_/+-]{20,256}=*)`, check: isOpaque,
	},
	{
		kind: "api-key", fold: true, heads: []string{
			"api-schl", "clé api", "clé d'api", "clave api", "clave de api", "chave api", "chave de api", "密钥", "秘钥", "密鑰",
			"apiキー", "ключ api", "jeton", "令牌", "トークン", "токен",
		},
		tail: `[^\n]{0,32}?[ :=：]["'` + "`" + `]?([A-Za-z0-9_./+-]{20,256}=*)`, check: isRandom,
	},
	{kind: "secret", fold: true, heads: []string{"secret"}, find: findAssignment, named: true},
	{kind: "token", fold: true, heads: []string{"token"}, find: findAssignment, named: true},
	{kind: "api-key", fold: true, heads: []string{
		"[abcdefghijklmnopqrstuvwxyz0123456789._-]key", "[abcdefghijklmnopqrstuvwxyz] key",
	}, find: findAssignment, named: true},
	{
		kind: "credential", fold: true, heads: []string{"credential", "_auth", "-auth", "_pat", "-pat"},
		find: findAssignment, named: true,
	},

	// Keys without a name of their own.
	{kind: "service-key", fold: true, heads: services, find: findVendorKey},
	{kind: "service-key", fold: true, heads: []string{
		"client(", "clientv2(", "client.new(", "client::new(", "api(", "sdk(", "bot(", "auth(", "credential(", "credentials(",
		"credentialsprovider(", "apikey(", "authapikey(", "translator(", "access_token(", "signer(", "cipheriv(",
	}, find: findClientKey},
	{kind: "password", fold: true, heads: []string{
		"connect(", "connection(", "driver(", "redis(", "auth.basic(", "userinfo(", "attempt(", "httpbasicauth(",
		"creds = (", "creds=(", "auth: (", "auth = (", "auth=(",
	}, find: findLoginArgument},
	{
		kind: "token", heads: []string{"--key", "--pat", "--jwt", "--sas", "--auth", "--bearer"},
		tail: `[= ]["']?([A-Za-z0-9_.~+/=-]{20,512})`, check: isOpaque,
	},
	{kind: "url-password", heads: []string{
		"?parseTime", "?charset", "?tls=", "@10.", "@192.168", "@127.0",
		"@localhost",
	}, find: findBarePassword},
	{
		kind: "url-password", fold: true, heads: []string{`open("mysql", "`, `open("postgres", "`, `open("sqlserver", "`},
		tail: `[\w.-]{1,32}:([^\s"'@]{4,128})@`, check: notPlaceholder,
	},
	{
		kind: "url-key", fold: true, heads: []string{
			"?code=", "&code=", "?api=", "&api=", "?sig=", "&sig=", "?apikey=",
			"?hmac=",
		},
		tail: `([A-Za-z0-9_%+/=-]{20,512})`, check: isOpaque,
	},
	{
		kind: "url-key", heads: []string{"tgram://", "slack://", "discord://", "pushover://", "ntfy://", "gotify://"},
		tail: `[\w.:@/-]{0,64}?([A-Za-z0-9_-]{24,256})`, check: isManyCased,
	},
	{
		kind: "password", fold: true, heads: []string{"pwd={", "password={"}, tail: `([^}\n]{4,128})\}`,
		check: notPlaceholder,
	},

	// Key material in other notations.
	{kind: "private-key", fold: true, heads: []string{
		"<d>", "<p>", "<q>", "<dp>", "<dq>", "<inverseq>", "plainvalue>", "privatekey>", "signingkey>", "<value>", "<data>",
		"type=\"private\">",
	}, tail: `\s{0,16}([A-Za-z0-9+/]{40,}={0,2})\s{0,16}</`, reach: 8 << 10, check: isKeyText},
	{kind: "private-key", fold: true, heads: []string{
		"static key v1-----", "nkey seed-----", "tarsnap key file", "secret key\n", "secret key\r\n", `secret key\n`,
		"type0 ==",
		"borg_key ",
	}, find: findKeyLines},
	{
		kind: "private-key", fold: true, heads: []string{
			"privateexponent:", "priv:", "prime1:", "prime2:", "exponent1:", "exponent2:", "coefficient:",
		},
		tail: `\s{0,12}((?:[0-9a-f]{2}:\s{0,12}){8}(?:[0-9a-f]{2}:?\s{0,12})*)`, reach: 8 << 10,
	},
	{
		kind: "private-key", fold: true, heads: []string{
			"privateexponent: ", "prime1: ", "prime2: ", "exponent1: ", "exponent2: ", "coefficient: ",
		},
		tail: `([A-Za-z0-9+/]{20,}={0,2})`, reach: 4096,
	},
	{
		kind: "private-key", heads: []string{"(d #", "(p #", "(u #"}, tail: `([0-9A-Fa-f\s]{24,})#`, reach: 4096,
	},
	{
		kind: "private-key", heads: []string{"Algorithm: "},
		tail: `\d{1,3}[^\n]{0,32}\n(?:Key|PrivateKey): ([A-Za-z0-9+/]{16,}={0,2})`,
	},
	{
		kind: "private-key", fold: true, heads: []string{"hmac-"}, tail: `\w{2,8}:[\w.-]{1,64}:([A-Za-z0-9+/]{16,}={0,2})`,
	},
	{
		kind: "private-key", heads: []string{"S[AOU][ABCD]"}, left: edgeWord,
		tail: `[A-Z2-7]{55}\b`, check: isRandom,
	},
	{
		kind: "private-key", fold: true, heads: []string{"importprivkey ", "wif: ", "wif private key", "wif=", "\"wif\": "},
		tail: `[:= "']{0,4}([5KLc9][A-Za-z0-9]{50,51})\b`,
	},
	{
		kind: "service-token", heads: []string{"sdk-", "api-", "mob-"}, left: edgeToken,
		tail: `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`,
	},
	{kind: "service-token", heads: []string{"live_", "test_"}, left: edgeWord, tail: `[0-9a-f]{35}\b`, check: isMixed},
	{kind: "service-token", heads: []string{"oauth:"}, left: edgeWord, tail: `([a-z0-9]{30})\b`, check: isMixed},
	{kind: "service-token", heads: []string{"dG9rO"}, left: edgeWord, tail: `[A-Za-z0-9]{48,}={0,2}`, check: isMixed},
	{
		kind: "service-token", heads: []string{"sl.", "aio_"}, left: edgeToken, tail: `[A-Za-z0-9_-]{28,}`,
		check: isManyCased,
	},
	{
		kind: "token", heads: []string{"influx ", "codecov ", "codecov.sh ", "vault ", "doctl ", "fly "}, left: edgeWord,
		tail: `(?:[^\n]{0,48}? )?(?:-t|-k|--token)[ =]["']?([A-Za-z0-9_.+/=-]{20,256})`, check: isRandom,
	},
}
