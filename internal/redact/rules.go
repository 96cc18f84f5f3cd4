package redact

// rule finds one kind of secret. One of its heads begins the match; tail, a regular expression, goes on where the
// head ends. So the head that the finder looks for cannot fall out of step with the pattern: they never overlap.
type rule struct {
	kind  string
	heads []string // ASCII, three bytes or more; [abc] stands for one of a, b and c
	fold  bool     // heads are lower case and match any case
	left  edge     // what may stand before the head
	tail  string   // group 1, if there is one, is the secret; else head and tail are
	reach int      // bytes after the head that tail may look at; 0 means defaultReach
	back  int      // bytes before the head that belong to the secret, at most
	check func(secret string) bool
	find  func(s string, at, end int) (from, to int, ok bool) // in place of tail: head at s[at:end]
	sure  bool                                                // the form alone proves it, also in an id or a path
}

const defaultReach = 512

// builtin are the rules, provider by provider, then the forms without a provider. It is data and nothing runs over
// it at start-up.
var builtin = [...]rule{
	// Clouds and hosts.
	{kind: "aws-key-id", heads: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, left: edgeWord, tail: `[A-Z0-9]{16}`, sure: true},
	{
		kind: "aws-secret", heads: []string{"AKIA", "ASIA"}, left: edgeWord,
		tail: `[A-Z0-9]{16}["']?[\s,;:|/]{1,8}["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+]|$)`, check: isMixed,
	},
	{
		kind: "aws-secret", fold: true, heads: []string{"aws", "secret_access", "secret-access", "secretaccess", "secret access"},
		find: findAWSSecret,
	},
	{kind: "aws-mws", heads: []string{"amzn.mws."}, tail: `[0-9a-f-]{36}`, sure: true},
	{kind: "azure-storage", fold: true, heads: []string{"accountkey=", "sharedaccesskey="}, tail: `([A-Za-z0-9+/]{30,}={0,2})`},
	{kind: "azure-sas", heads: []string{"sig="}, left: edgeWord, tail: `((?:[A-Za-z0-9+/_-]|%[0-9A-Fa-f]{2}){30,}=?)`, check: isMixed},
	{kind: "azure-secret", heads: []string{"[0123456789]Q~"}, tail: `[A-Za-z0-9_~.-]{31,34}`, back: 3},
	{kind: "google-api-key", heads: []string{"AIza"}, left: edgeWord, tail: `[A-Za-z0-9_-]{33,}`, sure: true},
	{kind: "google-oauth", heads: []string{"GOCSPX-", "ya29."}, tail: `[A-Za-z0-9_-]{20,}`, sure: true},
	{kind: "google-oauth", heads: []string{"1//0"}, left: edgeWord, tail: `[A-Za-z0-9_-]{40,}`, check: isMixed},
	{kind: "firebase", heads: []string{":APA91b"}, tail: `[A-Za-z0-9_-]{60,}`, back: 32},
	{kind: "digitalocean", heads: []string{"do[opr]_v1_"}, tail: `[A-Fa-f0-9]{40,}`, sure: true},
	{kind: "heroku", heads: []string{"HRKU-"}, tail: `[A-Za-z0-9_-]{30,}`, sure: true},
	{kind: "heroku", fold: true, heads: []string{"heroku"}, find: findHerokuKey},
	{kind: "alibaba", heads: []string{"LTAI"}, left: edgeWord, tail: `[A-Za-z0-9]{12,30}`, check: isMixed},
	{kind: "flyio", heads: []string{"fo1_", "fm1a_", "fm1r_", "fm2_"}, left: edgeWord, tail: `[A-Za-z0-9+/_-]{30,}={0,3}`, check: isMixed},
	{kind: "netlify", heads: []string{"nfp_"}, left: edgeWord, tail: `[A-Za-z0-9]{30,}`, sure: true},
	{kind: "supabase", heads: []string{"sbp_", "sb_secret_"}, left: edgeWord, tail: `[A-Za-z0-9_-]{20,}`, check: isMixed, sure: true},
	{kind: "planetscale", heads: []string{"pscale_tkn_", "pscale_pw_", "pscale_oauth_"}, tail: `[A-Za-z0-9_.=-]{20,}`, sure: true},
	{kind: "cloudflare", heads: []string{"v1.0-"}, left: edgeWord, tail: `[a-f0-9]{24}-[a-f0-9]{100,}`},

	// Code hosts, registries, build services.
	{kind: "github-pat", heads: []string{"gh[opusr]_"}, tail: `[A-Za-z0-9_]{30,}`, sure: true},
	{kind: "github-pat", heads: []string{"github_pat_"}, tail: `[A-Za-z0-9_]{22,}`, sure: true},
	{kind: "gitlab-pat", heads: []string{
		"glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glsoat-", "glft-", "glimt-", "glagent-", "gloas-", "GR1348941",
	}, tail: `[A-Za-z0-9_.-]{18,}`, sure: true},
	{kind: "atlassian", heads: []string{"ATATT3", "ATCTT3", "ATBB"}, left: edgeWord, tail: `[A-Za-z0-9_=-]{20,}`, check: isMixed, sure: true},
	{kind: "npm-token", heads: []string{"npm_"}, left: edgeWord, tail: `[A-Za-z0-9]{30,}`, sure: true},
	{kind: "pypi-token", heads: []string{"pypi-"}, left: edgeWord, tail: `[A-Za-z0-9_-]{40,}`, sure: true},
	{kind: "rubygems", heads: []string{"rubygems_"}, tail: `[a-f0-9]{40,}`, sure: true},
	{kind: "nuget", heads: []string{"oy2"}, left: edgeWord, tail: `[a-z0-9]{43}`, check: isMixed},
	{kind: "docker-pat", heads: []string{"dckr_pat_", "dckr_oat_"}, tail: `[A-Za-z0-9_-]{20,}`, sure: true},
	{kind: "jfrog", heads: []string{"AKCp"}, left: edgeWord, tail: `[A-Za-z0-9]{50,}`, check: isMixed},
	{kind: "circleci", heads: []string{"CCIPAT_", "CCIPRJ_"}, tail: `[A-Za-z0-9_]{30,}`, sure: true},
	{kind: "buildkite", heads: []string{"bkua_"}, left: edgeWord, tail: `[a-f0-9]{30,}`, sure: true},
	{kind: "sonar", heads: []string{"sq[pua]_"}, left: edgeWord, tail: `[a-f0-9]{40}`, sure: true},
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
	{kind: "new-relic", heads: []string{"NRAK-", "NRAA-", "NRJS-", "NRII-", "NRIQ-", "NRRA-"}, left: edgeWord, tail: `[A-Za-z0-9_-]{19,}`, sure: true},
	{kind: "dynatrace", heads: []string{"dt0[cs]0[0123456789]."}, tail: `[A-Z0-9]{24}\.[A-Z0-9]{40,}`, sure: true},
	{kind: "postman", heads: []string{"PMAK-"}, tail: `[a-f0-9]{24}-[a-f0-9]{30,}`, sure: true},

	// Talking, paying, selling.
	{
		kind: "slack-token", heads: []string{"xox[abceoprs]-", "xox[abceoprs].", "xapp-"}, left: edgeWord, tail: `[A-Za-z0-9%/+._=-]{10,}`,
		sure: true,
	},
	{kind: "slack-token", heads: []string{"xoxd-"}, tail: `[A-Za-z0-9%/+._=-]{20,}`, sure: true},
	{kind: "slack-webhook", heads: []string{"hooks.slack.com/"}, tail: `(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,})`},
	{kind: "discord-webhook", heads: []string{"/api/webhooks/"}, tail: `\d{10,20}/([A-Za-z0-9_-]{40,})`},
	{kind: "teams-webhook", heads: []string{".webhook.office.com/"}, tail: `(?:webhook\w*/)?([A-Za-z0-9@/-]{60,})`},
	{
		kind: "discord-token", heads: []string{"[MNO][DTjz][AEIMQUYcgk]"}, left: edgeToken,
		tail: `[A-Za-z0-9_-]{19,25}\.[A-Za-z0-9_-]{5,7}\.[A-Za-z0-9_-]{25,}`,
	},
	{kind: "discord-token", heads: []string{"mfa."}, left: edgeWord, tail: `[A-Za-z0-9_-]{60,}`},
	{kind: "telegram", heads: []string{":AA"}, left: edgeDigit, tail: `[A-Za-z0-9_-]{31,35}`, back: 12},
	{kind: "twilio", heads: []string{"SK[0123456789abcdef]"}, left: edgeWord, tail: `[0-9a-f]{31}\b`},
	{kind: "twilio", fold: true, heads: []string{"twilio"}, find: findTwilioToken},
	{kind: "sendgrid", heads: []string{"SG."}, left: edgeWord, tail: `[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`, sure: true},
	{kind: "mailgun", heads: []string{"key-"}, left: edgeToken, tail: `[0-9a-zA-Z]{32}\b`, check: isMixed},
	{kind: "mailchimp", heads: []string{"-us[123456789]"}, find: findMailchimpKey},
	{kind: "brevo", heads: []string{"xkeysib-", "xsmtpsib-"}, tail: `[a-f0-9]{40,}(?:-[A-Za-z0-9]{10,})?`, sure: true},
	{kind: "stripe-key", heads: []string{"[sr]k_live_", "[sr]k_test_", "whsec_"}, left: edgeWord, tail: `[A-Za-z0-9+/=]{10,}`, sure: true},
	{kind: "square", heads: []string{"EAAA"}, left: edgeWord, tail: `[A-Za-z0-9_-]{56,}`, check: isMixed},
	{kind: "square", heads: []string{"sq0atp-", "sq0csp-"}, tail: `[A-Za-z0-9_-]{22,}`, sure: true},
	{kind: "facebook", heads: []string{"EAAC", "EAAB", "EAAG", "EAAE"}, left: edgeWord, tail: `[A-Za-z0-9]{60,}`, check: isMixed},
	{kind: "plaid", heads: []string{"access-production-", "access-development-", "access-sandbox-"}, tail: `[0-9a-f-]{36}`, sure: true},
	{kind: "shopify", heads: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, tail: `[A-Fa-f0-9]{32}`, sure: true},
	{kind: "okta", heads: []string{"SSWS "}, tail: `([A-Za-z0-9_-]{30,})`},

	// Work tools.
	{kind: "linear", heads: []string{"lin_api_", "lin_oauth_"}, tail: `[A-Za-z0-9]{32,}`, sure: true},
	{kind: "notion", heads: []string{"ntn_"}, left: edgeWord, tail: `[A-Za-z0-9]{40,}`, sure: true},
	{kind: "notion", heads: []string{"secret_"}, left: edgeWord, tail: `[A-Za-z0-9]{43}`, check: isMixed},
	{kind: "figma", heads: []string{"fig[dour]_"}, left: edgeWord, tail: `[A-Za-z0-9_-]{36,}`},
	{kind: "contentful", heads: []string{"CFPAT-"}, tail: `[A-Za-z0-9_-]{40,}`, sure: true},
	{kind: "mapbox", heads: []string{"sk.eyJ"}, left: edgeWord, tail: `[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}`, sure: true},

	// Models.
	{kind: "anthropic", heads: []string{"sk-ant-"}, tail: `[A-Za-z0-9_-]{20,}`, sure: true},
	{kind: "openai", heads: []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"}, tail: `[A-Za-z0-9_-]{20,}`, sure: true},
	{kind: "openai", heads: []string{"sk-"}, left: edgeToken, tail: `(?:or-v1-)?[A-Za-z0-9]{20,}`, check: isMixed},
	{kind: "huggingface", heads: []string{"hf_", "api_org_"}, left: edgeWord, tail: `[A-Za-z0-9]{30,}`, sure: true},
	{kind: "groq", heads: []string{"gsk_"}, left: edgeWord, tail: `[A-Za-z0-9]{40,}`, sure: true},
	{kind: "perplexity", heads: []string{"pplx-"}, left: edgeWord, tail: `[A-Za-z0-9]{40,}`, sure: true},
	{kind: "replicate", heads: []string{"r8_"}, left: edgeWord, tail: `[A-Za-z0-9]{36,}`},
	{kind: "xai", heads: []string{"xai-"}, left: edgeWord, tail: `[A-Za-z0-9]{60,}`, sure: true},
	{kind: "tavily", heads: []string{"tvly-"}, left: edgeWord, tail: `[A-Za-z0-9-]{20,}`, sure: true},
	{kind: "langsmith", heads: []string{"lsv2_pt_", "lsv2_sk_"}, tail: `[a-f0-9]{32}(?:_[a-f0-9]+)?`, sure: true},

	// Keys that say so.
	{kind: "private-key", heads: []string{"-----BEGIN", "---- BEGIN"}, find: findKeyBlock},
	{kind: "private-key", heads: []string{"-----END"}, find: findKeyBlockTail},
	{kind: "private-key", heads: []string{"Private-Lines:"}, find: findPuttyKey},
	{kind: "age-key", fold: true, heads: []string{"age-secret-key-1"}, tail: `[A-Za-z0-9]{40,}`, sure: true},
	{kind: "jwt", heads: []string{"eyJ"}, left: edgeToken, tail: `[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*){0,3}`, reach: 8192, sure: true},
	{kind: "password-hash", heads: []string{"$2[abxy]$"}, tail: `\d\d\$[./A-Za-z0-9]{53}`, sure: true},
	{kind: "password-hash", heads: []string{"$[156]$", "$apr1$"}, tail: `(?:rounds=\d+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}`, sure: true},
	{kind: "password-hash", heads: []string{"$argon2"}, tail: `(?:id|i|d)\$v=\d+\$[a-z0-9=,]+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+`, sure: true},

	// Where a secret stands by custom.
	{kind: "url-password", heads: []string{"://"}, find: findURLPassword},
	{kind: "authorization", fold: true, heads: []string{"authorization"}, find: findAuthorization},
	{kind: "signed-url", fold: true, heads: []string{"x-amz-signature=", "x-goog-signature="}, tail: `([0-9A-Fa-f]{40,})`},
	{kind: "bearer", fold: true, heads: []string{"bearer "}, left: edgeWord, tail: `([A-Za-z0-9._~+/-]{16,}=*)`, check: isMixed},
	{kind: "cookie", fold: true, heads: []string{"cookie:"}, find: findCookie},
	{
		kind: "session-cookie", fold: true, heads: []string{"sessionid=", "phpsessid=", "jsessionid=", "connect.sid=", "_session="},
		tail: `([A-Za-z0-9%._+/=-]{16,})`, check: isSessionValue,
	},
	{kind: "password", fold: true, heads: []string{"mysql", "mariadb"}, left: edgeWord, find: findGluedPassword},
	{kind: "password", fold: true, heads: []string{"sshpass", "docker login", "podman login", "az login", "mongo"}, left: edgeWord, find: findSpacedPassword},
	{kind: "password", fold: true, heads: []string{"redis-cli"}, left: edgeWord, find: findRedisPassword},
	{kind: "password", fold: true, heads: []string{"curl", "wget", "http "}, left: edgeWord, find: findUserPassword},
	{kind: "password", heads: []string{"sudo -S", "--password-stdin", "chpasswd"}, find: findPipedPassword},
	{kind: "password", fold: true, heads: []string{"identified by", "identified with"}, tail: `\s{1,4}(?:\w{1,32}\s+(?:by|as)\s+)?(?:password\s+)?["']([^"'\n]{1,128})["']`, check: notPlaceholder},
	{kind: "password", fold: true, heads: []string{"login "}, left: edgeWord, tail: `\S{1,64}\s{1,8}password\s{1,8}(\S{1,128})`, check: notPlaceholder},
	{kind: "password", heads: []string{":5432:", ":6432:"}, tail: `[^:\s]{1,64}:[^:\s]{1,64}:(\S{1,128})`, check: notPlaceholder},

	// A name that says secret, and what is given to it.
	{kind: "password", fold: true, heads: []string{"pass", "pwd"}, find: findAssignment},
	{kind: "password", fold: true, heads: []string{"pw=", "pw:", "pw "}, find: findShortAssignment},
	{kind: "secret", fold: true, heads: []string{"secret"}, find: findAssignment},
	{kind: "token", fold: true, heads: []string{"token"}, find: findAssignment},
	{kind: "api-key", fold: true, heads: []string{
		"apikey", "api_key", "api-key", "api key", "accesskey", "authkey", "masterkey", "signingkey",
		"encryptionkey", "privatekey", "subscriptionkey", "_key", "-key",
	}, find: findAssignment},
	{kind: "credential", fold: true, heads: []string{"credential", "_auth"}, find: findAssignment},
}
