package secrets

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
)

// holdoutSet returns all kinds. This file contains no secret: each is drawn from the alphabet, the length and the
// checksum that its issuer documents or that public scanners know.
func holdoutSet() []kind {
	var all []kind
	for _, some := range [][]kind{cloudKinds(), hostKinds(), serviceKinds(), passwordKinds(), keyKinds(), webKinds()} {
		all = append(all, some...)
	}
	return all
}

func cloudKinds() []kind {
	return []kind{
		{"aws access key id", func(g *gen) example {
			return g.token("AWS_ACCESS_KEY_ID", "AWS access key", g.pick("AKIA", "AKIA", "ASIA")+g.of(base32Chars, 16))
		}},
		{"aws secret access key", func(g *gen) example {
			s, id := g.b64(30), "AKIA"+g.of(base32Chars, 16)
			if g.IntN(2) == 0 {
				return g.named("AWS_SECRET_ACCESS_KEY", "AWS secret access key", s)
			}
			return g.in(s, "[default]\naws_access_key_id = "+id+"\naws_secret_access_key = %s\nregion = eu-west-1\n",
				"s3 = boto3.client(\n    's3',\n    aws_access_key_id='"+id+"',\n    aws_secret_access_key='%s',\n)",
				"new BasicAWSCredentials(\""+id+"\", \"%s\")", "new AWS.S3({ accessKeyId: '"+id+"', secretAccessKey: '%s' })",
				"AWS Access Key ID [None]: "+id+"\nAWS Secret Access Key [None]: %s\n", "<SecretAccessKey>%s</SecretAccessKey>",
				"Access key ID,Secret access key\n"+id+",%s\n", "aws configure set aws_secret_access_key %s",
				"credentials.NewStaticCredentialsProvider(\""+id+"\", \"%s\", \"\")", "secret_key = %s\nuse_https = True",
				"provider \"aws\" {\n  access_key = \""+id+"\"\n  secret_key = \"%s\"\n}",
				`{"AccessKey":{"UserName":"ci","AccessKeyId":"`+id+`","SecretAccessKey":"%s","Status":"Active"}}`)
		}},
		{"aws session token", func(g *gen) example {
			s := g.pick("IQoJb3JpZ2luX2Vj", "FwoGZXIvYXdzE") + g.b64(g.between(200, 500))
			if g.IntN(2) == 0 {
				return g.named("AWS_SESSION_TOKEN", "AWS session token", s)
			}
			return g.in(s, "aws_session_token = %s", `    "SessionToken": "%s",`, "x-amz-security-token: %s",
				"aws_session_token='%s')",
				`\"SessionToken\": \"%s\",`, "+aws_session_token=%s")
		}},
		{"gcp service account", func(g *gen) example {
			return g.pem("PRIVATE KEY", g.rsa(true), `{"type":"service_account","project_id":"shop-1","private_key_id":"`+
				g.hex(40)+
				`","private_key":"%k","client_email":"ci@shop-1.iam.gserviceaccount.com"}`, `  "private_key": "%k",`,
				`+  "private_key": "%k",`, `GOOGLE_CREDENTIALS='{"type":"service_account","private_key":"%k"}'`,
				`{"content":"{\"type\":\"service_account\",\"private_key\":\"%K\"}"}`)
		}},
		{"gcp api key", func(g *gen) example {
			return g.token("GOOGLE_MAPS_API_KEY", "Google API key", "AIza"+"Sy"+g.of(urlChars, 33))
		}},
		{"google oauth", func(g *gen) example {
			switch g.IntN(3) {
			case 0:
				return g.token("GOOGLE_CLIENT_SECRET", "Google client secret", "GOCSPX-"+g.of(urlChars, 28))
			case 1:
				return g.token("GOOGLE_ACCESS_TOKEN", "access token", "ya29.a0A"+g.of(urlChars, g.between(150, 200)))
			}
			return g.token("GOOGLE_REFRESH_TOKEN", "refresh token", "1//0"+g.of(decimals, 1)+g.of(urlChars, 98))
		}},
		{"azure storage key", func(g *gen) example {
			s := g.b64(64)
			if g.IntN(3) == 0 {
				return g.named("AZURE_STORAGE_KEY", "storage account key", s)
			}
			c := "DefaultEndpointsProtocol=https;AccountName=shopdata;AccountKey=%s;EndpointSuffix=core.windows.net"
			return g.in(s, c, "AZURE_STORAGE_CONNECTION_STRING=\""+c+"\"", `"AzureWebJobsStorage": "`+c+`",`,
				"BlobServiceClient.from_connection_string('"+c+"')",
				"az storage blob list --account-name shopdata --account-key %s",
				`[{"keyName":"key1","permissions":"FULL","value":"%s"}]`, "+  connection: "+c)
		}},
		{"azure shared access key", func(g *gen) example {
			c := "Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=%s"
			return g.in(g.b64(32), c, c+";EntityPath=orders", "SERVICEBUS_CONNECTION_STRING='"+c+"'", `"EventHub": "`+c+`"`,
				"HostName=hub.azure-devices.net;DeviceId=d1;SharedAccessKey=%s",
				"AccountEndpoint=https://c.documents.azure.com:443/;AccountKey=%s;")
		}},
		{"azure client secret", func(g *gen) example {
			s := g.of(base62Chars+"_~.-", 3) + g.of(decimals, 1) + "Q~" + g.of(base62Chars+"_~.-", 33) + g.of(base62Chars, 1)
			if g.IntN(2) == 0 {
				return g.token("AZURE_CLIENT_SECRET", "client secret", s)
			}
			return g.in(s, "az login --service-principal -u "+g.uuid()+" -p %s --tenant "+g.uuid(),
				`{"appId":"`+g.uuid()+`","displayName":"ci","password":"%s"}`, "client_secret   = \"%s\"", "ARM_CLIENT_SECRET=%s",
				"new ClientSecretCredential(tenantId, clientId, \"%s\")", "grant_type=client_credentials&client_secret=%s&scope=x")
		}},
		{"azure sas", func(g *gen) example {
			s := url.QueryEscape(g.b64(32))
			q := "?sv=2022-11-02&ss=b&srt=sco&sp=rwdl&se=2026-01-01T00:00:00Z&spr=https&sig=%s"
			return g.in(s, "https://shopdata.blob.core.windows.net/backup"+q, "AZURE_STORAGE_SAS_TOKEN=\""+q+"\"",
				"azcopy copy ./x 'https://shopdata.blob.core.windows.net/c"+q+"'", `"sasToken": "`+q+`",`,
				"PUT https://a.blob.core.windows.net/c/f?sig=%s&se=2026-01-01&sp=r 403",
				"upload url: https://a.blob.core.windows.net/c"+q+" (1h)")
		}},
		{"digitalocean", func(g *gen) example {
			return g.token("DIGITALOCEAN_TOKEN", "DigitalOcean token", g.pick("dop", "doo", "dor")+"_v1_"+g.hex(64))
		}},
		{"heroku", func(g *gen) example {
			if g.IntN(2) == 0 {
				return g.token("HEROKU_API_KEY", "Heroku API key", "HRKU-AA"+g.of(urlChars, 58))
			}
			return g.named("HEROKU_API_KEY", "Heroku API key", g.uuid())
		}},
		{"cloudflare", func(g *gen) example {
			if g.IntN(2) == 0 {
				return g.named("CLOUDFLARE_API_TOKEN", "Cloudflare API token", g.of(urlChars, 40))
			}
			return g.in(g.hex(37), "X-Auth-Email: a@example.com\nX-Auth-Key: %s", "CF_API_KEY=%s", "cloudflare_api_key = \"%s\"",
				"curl -H 'X-Auth-Key: %s' https://api.cloudflare.com/client/v4/zones", "my Cloudflare global API key is %s",
				"dns_cloudflare_api_key = %s", `"CLOUDFLARE_API_KEY": "%s"`)
		}},
	}
}

func hostKinds() []kind {
	return []kind{
		{"github classic", func(g *gen) example {
			return g.git("GITHUB_TOKEN", "GitHub token", g.checked("ghp_"), "github.com")
		}},
		{"github fine-grained", func(g *gen) example {
			return g.git("GH_PAT", "GitHub PAT", "github_pat_"+g.of(base62Chars, 22)+"_"+g.of(base62Chars, 59), "github.com")
		}},
		{"github app and oauth", func(g *gen) example {
			return g.git("GH_TOKEN", "token", g.checked(g.pick("gho_", "ghu_", "ghs_", "ghr_")), "github.com")
		}},
		{"gitlab pat", func(g *gen) example {
			s := "glpat-" + g.of(urlChars, 20)
			if g.IntN(3) == 0 {
				s = "glpat-" + g.of(urlChars, 27) + g.pick(".", ".01.") + g.of(decimals+lowers, 9)
			}
			return g.git("GITLAB_TOKEN", "GitLab token", s, "gitlab.com")
		}},
		{"gitlab runner and deploy", func(g *gen) example {
			return g.token("CI_TOKEN", "runner token", g.pick("glrt-"+g.of(urlChars, 20), "gldt-"+g.of(urlChars, 20),
				"glptt-"+g.hex(40),
				"GR1348941"+g.of(urlChars, 20), "glcbt-64_"+g.of(urlChars, 20), "glft-"+g.of(urlChars, 20)))
		}},
		{"bitbucket", func(g *gen) example {
			s := "ATBB" + g.of(base62Chars, 24) + g.of(decimals+"ABCDEF", 8)
			if g.IntN(2) == 0 {
				s = "ATCTT3xFfGN0" + g.of(urlChars, 159) + "=" + g.of(decimals+"ABCDEF", 8)
			}
			return g.git("BITBUCKET_TOKEN", "Bitbucket token", s, "bitbucket.org")
		}},
		{"atlassian", func(g *gen) example {
			return g.token("JIRA_API_TOKEN", "Jira token", "ATATT3xFfGF0"+g.of(urlChars, 171)+"="+g.of(decimals+"ABCDEF", 8))
		}},
		{"npm", func(g *gen) example {
			if g.IntN(3) == 0 {
				return g.in(g.uuid(), "//npm.example.com/:_authToken=%s", "npm config set //npm.example.com/:_authToken %s")
			}
			s := g.checked("npm_")
			if g.IntN(2) == 0 {
				return g.in(s, "//npm.example.com/:_authToken=%s\nalways-auth=true",
					"npm publish --//npm.example.com/:_authToken=%s",
					"npmAuthToken: \"%s\"", "echo '//npm.example.com/:_authToken=%s' > ~/.npmrc")
			}
			return g.token("NPM_TOKEN", "npm token", s)
		}},
		{"pypi", func(g *gen) example {
			s := "pypi-" + "AgEIcHlwaS5vcmc" + g.of(urlChars, g.between(140, 170))
			if g.IntN(2) == 0 {
				return g.in(s, "[pypi]\nusername = __token__\npassword = %s", "twine upload -u __token__ -p %s dist/*",
					"poetry config pypi-token.pypi %s", "TWINE_PASSWORD=%s twine upload dist/*", "uv publish --token %s")
			}
			return g.token("PYPI_API_TOKEN", "PyPI token", s)
		}},
		{"crates", func(g *gen) example {
			return g.in("cio"+g.of(base62Chars, 32), "cargo login %s", "CARGO_REGISTRY_TOKEN=%s", "[registry]\ntoken = \"%s\"",
				"cargo publish --token %s", "the crates.io token is %s", `"CARGO_REGISTRY_TOKEN": "%s",`,
				"          CARGO_REGISTRY_TOKEN: %s")
		}},
		{"docker hub", func(g *gen) example {
			s := g.pick("dckr_pat_", "dckr_oat_") + g.of(urlChars, 26) + g.of(base62Chars, 1)
			if g.IntN(2) == 0 {
				return g.in(s, "docker login -u shop -p %s", "echo %s | docker login -u shop --password-stdin",
					"docker login --username shop --password '%s' docker.io", "sh 'echo %s | docker login -u shop --password-stdin'")
			}
			return g.token("DOCKERHUB_TOKEN", "Docker Hub token", s)
		}},
		{"docker config auth", func(g *gen) example {
			s := base64.StdEncoding.EncodeToString([]byte(g.user() + ":" + g.password("!@#")))
			return g.in(s, "{\n\t\"auths\": {\n\t\t\"https://index.docker.io/v1/\": {\n\t\t\t\"auth\": \"%s\"\n\t\t}\n\t}\n}",
				`{"auths":{"ghcr.io":{"auth":"%s"}}}`, `{\"auths\":{\"ghcr.io\":{\"auth\":\"%s\"}}}`, "//npm.example.com/:_auth=%s",
				`      "registry.example.com": { "username": "ci", "auth": "%s" }`)
		}},
		{"nuget", func(g *gen) example {
			s := "oy2" + g.of(lowers+decimals, 43)
			if g.IntN(2) == 0 {
				return g.in(s, "dotnet nuget push a.nupkg --api-key %s --source https://api.nuget.org/v3/index.json",
					"nuget push a.nupkg -ApiKey %s",
					"dotnet nuget push a.nupkg -k %s -s nuget.org", "nuget setApiKey %s", "X-NuGet-ApiKey: %s")
			}
			return g.token("NUGET_API_KEY", "NuGet key", s)
		}},
		{"rubygems", func(g *gen) example {
			s := "rubygems_" + g.hex(48)
			if g.IntN(2) == 0 {
				return g.in(s, "---\n:rubygems_api_key: %s\n", "GEM_HOST_API_KEY=%s gem push a.gem", "Authorization: %s")
			}
			return g.token("RUBYGEMS_API_KEY", "RubyGems key", s)
		}},
	}
}

// git returns a token of a code host, in one of three cases as part of a remote's address.
func (g *gen) git(name, say, s, host string) example {
	if g.IntN(3) > 0 {
		return g.token(name, say, s)
	}
	return g.in(s, "git clone https://%s@"+host+"/acme/shop.git", "origin\thttps://x-access-token:%s@"+host+
		"/acme/shop.git (fetch)",
		"fatal: unable to access 'https://oauth2:%s@"+host+"/acme/shop.git/': 403", "https://ci:%s@"+host,
		"[remote \"origin\"]\n\turl = https://x-token-auth:%s@"+host+"/acme/shop.git",
		"machine "+host+" login ci password %s",
		"git+https://%s:x-oauth-basic@"+host+"/acme/lib.git", "PRIVATE-TOKEN: %s", "Authorization: token %s")
}

func serviceKinds() []kind {
	simple := func(kindName, name, say string, secret func(g *gen) string) kind {
		return kind{kindName, func(g *gen) example { return g.token(name, say, secret(g)) }}
	}
	return []kind{
		simple("slack bot", "SLACK_BOT_TOKEN", "bot token", func(g *gen) string {
			return "xoxb-" + g.of("123456789", 1) + g.of(decimals, 11) + "-" + g.of(decimals, 13) + "-" + g.of(base62Chars, 24)
		}),
		simple("slack user", "SLACK_TOKEN", "Slack token", func(g *gen) string {
			return "xoxp-" + g.of(decimals, 12) + "-" + g.of(decimals, 12) + "-" + g.of(decimals, 13) + "-" + g.hex(32)
		}),
		simple("slack app", "SLACK_APP_TOKEN", "app-level token", func(g *gen) string {
			return "xapp-1-A0" + g.of(decimals+uppers, 9) + "-" + g.of(decimals, 13) + "-" + g.hex(64)
		}),
		{"slack webhook", func(g *gen) example {
			s := "T0" + g.of(decimals+uppers, 9) + "/B0" + g.of(decimals+uppers, 9) + "/" + g.of(base62Chars, 24)
			u := "https://hooks.slack.com/services/%s"
			return g.in(s, "SLACK_WEBHOOK_URL="+u, "curl -X POST -d '{\"text\":\"hi\"}' "+u, `"webhook": "`+u+`",`,
				"posting to "+u+" failed: 404",
				"  url: "+u, "slack_api_url: '"+u+"'", "[hook]("+u+")", `{\"url\":\"`+u+`\"}`, "+const HOOK = \""+u+"\";")
		}},
		simple("discord bot", "DISCORD_TOKEN", "Discord bot token", func(g *gen) string {
			id := base64.RawStdEncoding.EncodeToString([]byte(g.of("123456789", 1) + g.of(decimals, 17)))
			return id + "." + g.of("GHXY", 1) + g.of(urlChars, 5) + "." + g.of(urlChars, g.between(37, 37)) +
				g.of(base62Chars, 1)
		}),
		{"discord webhook", func(g *gen) example {
			u := g.pick("https://discord.com/api/webhooks/", "https://discordapp.com/api/webhooks/") + "1" + g.of(decimals, 18) +
				"/%s"
			return g.in(g.of(urlChars, 67)+g.of(base62Chars, 1), "DISCORD_WEBHOOK="+u, `"url": "`+u+`"`, "requests.post('"+u+
				"', json=body)",
				"webhook "+u+" is dead", u, "  webhook_url: "+u, "-WEBHOOK = \""+u+"?wait=true\"")
		}},
		{"telegram bot", func(g *gen) example {
			s := g.of("123456789", 1) + g.of(decimals, 9) + ":AA" + g.of(urlChars, 32) + g.of(base62Chars, 1)
			if g.IntN(3) == 0 {
				return g.in(s, "curl https://api.telegram.org/bot%s/getMe", "POST https://api.telegram.org/bot%s/sendMessage 401",
					"Application.builder().token(\"%s\").build()", "new Telegraf('%s')")
			}
			return g.token("TELEGRAM_BOT_TOKEN", "Telegram bot token", s)
		}},
		simple("openai", "OPENAI_API_KEY", "OpenAI key", func(g *gen) string {
			return "sk-" + g.of(base62Chars, 20) + "T3BlbkFJ" + g.of(base62Chars, 20)
		}),
		simple("openai project", "OPENAI_API_KEY", "OpenAI key", func(g *gen) string {
			return g.pick("sk-proj-", "sk-proj-", "sk-svcacct-", "sk-admin-") + g.of(urlChars, 74) + "T3BlbkFJ" +
				g.of(urlChars, 73) + g.of(base62Chars, 1)
		}),
		simple("anthropic", "ANTHROPIC_API_KEY", "Anthropic key", func(g *gen) string {
			return g.pick("sk-ant-api03-", "sk-ant-api03-", "sk-ant-admin01-", "sk-ant-oat01-") + g.of(urlChars, 93) + "AA"
		}),
		simple("hugging face", "HF_TOKEN", "Hugging Face token", func(g *gen) string { return "hf_" + g.of(bothCases, 34) }),
		simple("other models", "LLM_API_KEY", "API key", func(g *gen) string {
			return g.pick("gsk_"+g.of(base62Chars, 52), "r8_"+g.of(base62Chars, 37), "xai-"+g.of(base62Chars, 80),
				"pplx-"+g.of(base62Chars, 48),
				"sk-or-v1-"+g.hex(64), "sk-"+g.hex(32), "lsv2_pt_"+g.hex(32)+"_"+g.hex(10))
		}),
		simple("stripe", "STRIPE_SECRET_KEY", "Stripe key", func(g *gen) string {
			return g.pick("sk_live_", "sk_test_", "rk_live_", "rk_test_") + "51" + g.of(base62Chars, g.either(22, 97))
		}),
		simple("stripe webhook", "STRIPE_WEBHOOK_SECRET", "signing secret", func(g *gen) string {
			return "whsec_" + g.of(base62Chars, 32)
		}),
		{"twilio", func(g *gen) example {
			s, sid := g.hex(32), "AC"+g.hex(32)
			return g.in(s, "TWILIO_ACCOUNT_SID="+sid+"\nTWILIO_AUTH_TOKEN=%s", "client = Client(\""+sid+"\", \"%s\")",
				"curl -u "+sid+":%s https://api.twilio.com",
				"const client = require('twilio')('"+sid+"', '%s');", `"twilio": {"accountSid":"`+sid+`","authToken":"%s"}`,
				"auth_token = \"%s\"", "  twilio_auth_token: %s", "twilio auth token: %s", "Twilio.init(\""+sid+"\", \"%s\");")
		}},
		simple("sendgrid", "SENDGRID_API_KEY", "SendGrid key", func(g *gen) string {
			return "SG." + g.of(urlChars, 22) + "." + g.of(urlChars, 42) + g.of(base62Chars, 1)
		}),
		{"mailgun and mailchimp", func(g *gen) example {
			switch g.IntN(3) {
			case 0:
				return g.token("MAILGUN_API_KEY", "Mailgun key", "key-"+g.hex(32))
			case 1:
				return g.named("MAILCHIMP_API_KEY", "Mailchimp key", g.hex(32)+"-us"+g.of("123456789", 1))
			}
			return g.named("MAILGUN_API_KEY", "Mailgun API key", g.hex(32)+"-"+g.hex(8)+"-"+g.hex(8))
		}},
		simple("square", "SQUARE_ACCESS_TOKEN", "Square token", func(g *gen) string {
			return g.pick("EAAA"+g.of(urlChars, 59)+g.of(base62Chars, 1), "sq0atp-"+g.of(urlChars, 22),
				"sq0csp-"+g.of(urlChars, 43))
		}),
		simple("shopify", "SHOPIFY_ACCESS_TOKEN", "Shopify token", func(g *gen) string {
			return g.pick("shpat_", "shpca_", "shppa_", "shpss_") + g.hex(32)
		}),
		{"datadog", func(g *gen) example {
			if g.IntN(2) == 0 {
				return g.named("DD_APP_KEY", "Datadog application key", g.hex(40))
			}
			s := g.hex(32)
			if g.IntN(2) == 0 {
				return g.in(s, "DD-API-KEY: %s", "api_key: %s\nsite: datadoghq.eu",
					"curl -H \"DD-API-KEY: %s\" https://api.datadoghq.com/api/v1/validate",
					"helm install dd datadog/datadog --set datadog.apiKey=%s",
					"DD_API_KEY=%s DD_SITE=\"datadoghq.eu\" bash -c \"$(curl -L x)\"")
			}
			return g.named("DD_API_KEY", "Datadog API key", s)
		}},
		simple("new relic", "NEW_RELIC_LICENSE_KEY", "New Relic key", func(g *gen) string {
			return g.pick("NRAK-"+g.of(uppers+decimals, 27), "NRII-"+g.of(urlChars, 31)+g.of(base62Chars, 1), g.hex(36)+"NRAL")
		}),
		simple("sentry auth token", "SENTRY_AUTH_TOKEN", "Sentry token", func(g *gen) string {
			claim := base64.StdEncoding.EncodeToString(fmt.Appendf(nil, `{"iat":17%s.1,"url":"https://sentry.io","org":"acme"}`,
				g.of(decimals, 8)))
			return g.pick("sntrys_"+claim+"_"+g.of(base62Chars, 43), "sntryu_"+g.hex(64))
		}),
		simple("linear", "LINEAR_API_KEY", "Linear key", func(g *gen) string { return "lin_api_" + g.of(base62Chars, 40) }),
		simple("notion", "NOTION_TOKEN", "Notion token", func(g *gen) string {
			return g.pick("secret_"+g.of(base62Chars, 43), "ntn_"+g.of(decimals, 11)+g.of(base62Chars, 35))
		}),
		simple("airtable", "AIRTABLE_API_KEY", "Airtable token", func(g *gen) string {
			return "pat" + g.of(base62Chars, 14) + "." + g.hex(64)
		}),
		simple("supabase", "SUPABASE_SERVICE_ROLE_KEY", "service role key", func(g *gen) string {
			return g.pick("sbp_"+g.hex(40), g.jwt(`{"iss":"supabase","ref":"`+g.of(lowers, 20)+
				`","role":"service_role","iat":1700000000}`),
				"sb_secret_"+g.of(urlChars, 22)+"_"+g.of(urlChars, 7)+g.of(base62Chars, 1))
		}),
		{"vault", func(g *gen) example {
			if g.IntN(4) == 0 {
				return g.named("VAULT_TOKEN", "Vault token", "s."+g.of(base62Chars, 24))
			}
			s := g.pick("hvs.CAES", "hvb.AAAA") + g.of(urlChars, g.between(88, 140)) + g.of(base62Chars, 1)
			if g.IntN(2) == 0 {
				return g.in(s,
					"Key                  Value\n---                  -----\ntoken                %s\ntoken_duration       768h",
					"X-Vault-Token: %s",
					"vault login %s", "Initial Root Token: %s")
			}
			return g.token("VAULT_TOKEN", "Vault token", s)
		}},
		{"terraform cloud", func(g *gen) example {
			s := g.of(base62Chars, 14) + ".atlasv1." + g.of(base62Chars, 67)
			return g.pickOf(g.token("TFE_TOKEN", "Terraform token", s),
				one("credentials \"app.terraform.io\" {\n  token = \"%s\"\n}", s),
				one(`{"credentials":{"app.terraform.io":{"token":"%s"}}}`, s), one("TF_TOKEN_app_terraform_io=%s terraform init",
					s))
		}},
		simple("planetscale", "PLANETSCALE_TOKEN", "PlanetScale token", func(g *gen) string {
			return g.pick("pscale_pw_", "pscale_tkn_", "pscale_oauth_") + g.of(urlChars, 42) + g.of(base62Chars, 1)
		}),
		simple("databricks", "DATABRICKS_TOKEN", "Databricks token", func(g *gen) string {
			return "dapi" + g.hex(32) + g.pick("", "-2", "-3")
		}),
		simple("other services", "SERVICE_TOKEN", "token", func(g *gen) string {
			return g.pick("glsa_"+g.of(base62Chars, 32)+"_"+g.hex(8), "PMAK-"+g.hex(24)+"-"+g.hex(34),
				"dp.pt."+g.of(base62Chars, 43),
				"tskey-auth-k"+g.of(base62Chars, 11)+"CNTRL-"+g.of(base62Chars, 32), "figd_"+g.of(urlChars, 39)+
					g.of(base62Chars, 1), "pul-"+g.hex(40),
				"FlyV1 fm2_"+g.b64(120), "nfp_"+g.of(base62Chars, 36), "CFPAT-"+g.of(urlChars, 42)+g.of(base62Chars, 1))
		}),
	}
}

func (g *gen) either(a, b int) int { return []int{a, b}[g.IntN(2)] }

func (g *gen) pickOf(from ...example) example { return from[g.IntN(len(from))] }

// inAddress inserts a password, escaped for an address, into one of the texts.
func (g *gen) inAddress(texts ...string) example {
	return g.in(url.QueryEscape(g.password("!@#$%&*")), texts...)
}

func passwordKinds() []kind {
	// address returns a kind of URL with a password in an environment, code, a log or a configuration.
	address := func(name, format string) kind {
		return kind{name, func(g *gen) example {
			u := strings.NewReplacer("{user}", g.user(), "{host}", g.host()).Replace(format)
			return g.inAddress("DATABASE_URL="+u, "url: "+u, `"connection": "`+u+`",`, "could not connect to "+u+": timeout",
				"engine = create('"+u+"')", "    - URL="+u, u, "+  url = \""+u+"\"", "I run it with `"+u+"`.",
				`{\"dsn\":\"`+u+`\"}`, "see <"+u+">",
				"  File \"db.py\", line 3\n    connect(\""+u+"\")\nOperationalError")
		}}
	}
	quoted, bare := "!@#$%^&*()-_=+?.,;:/~", "!@%^*-_=+?.,:/~"
	return []kind{
		address("postgres url", "postgres://{user}:%s@{host}:5432/shop?sslmode=disable"),
		address("mysql url", "mysql+pymysql://{user}:%s@{host}/shop"), address("redis url", "redis://:%s@{host}:6379/0"),
		address("amqp url", "amqps://{user}:%s@{host}:5671/vhost"),
		address("mongodb url", "mongodb+srv://{user}:%s@{host}/app?retryWrites=true"),
		address("http url", "https://{user}:%s@{host}/artifactory/api"),
		address("mail and ftp url", "smtp://{user}%40example.com:%s@{host}:587"),
		{"jdbc and ado", func(g *gen) example {
			return g.in(g.password("!@#$*-_."), "jdbc:postgresql://db:5432/shop?user=app&password=%s&ssl=true",
				"jdbc:sqlserver://db:1433;databaseName=shop;user=sa;password=%s;encrypt=true",
				"Server=db,1433;Database=Shop;User Id=sa;Password=%s;TrustServerCertificate=True",
				`"Default": "Host=db;Username=app;Password=%s;Database=shop"`, "Server=db;Uid=root;Pwd=%s;",
				"host=db port=5432 user=app password=%s dbname=shop sslmode=disable", "DSN=Shop;UID=sa;PWD=%s",
				"sql.Open(\"mysql\", \"app:%s@tcp(db:3306)/shop?parseTime=true\")", "jdbc:oracle:thin:scott/%s@//db:1521/XE")
		}},
		{"password in yaml", func(g *gen) example {
			return g.pickOf(g.in(g.password(quoted), "database:\n  host: db\n  user: app\n  password: \"%s\"\n",
				"  db_password: '%s'", "smtp:\n  pass: \"%s\"", "+  adminPassword: \"%s\"",
				"    ansible_become_password: '%s'"),
				g.in(g.password("!@^*-_=+?.~"), "datasource:\n    username: app\n    password: %s\n    pool: 5",
					"  redis_password: %s", "- password: %s", "-    passwd: %s", "rootPassword: %s # dev only"))
		}},
		{"password in ini", func(g *gen) example {
			return g.in(g.password(bare), "[client]\nuser = root\npassword = %s\n", "[smtp]\npasswd=%s", "db_pass = %s",
				"+password = %s", "requirepass %s", "rpcpassword=%s", "bindpw %s",
				"; old\npwd = %s", "[mysqldump]\npassword=\"%s\"", "smtp_sasl_password = %s")
		}},
		{"password in properties", func(g *gen) example {
			return g.in(g.password(bare), "spring.datasource.username=app\nspring.datasource.password=%s",
				"javax.net.ssl.keyStorePassword=%s", "db.password = %s", "mail.smtp.password: %s", "quarkus.datasource.password=%s",
				"storePassword=%s\nkeyAlias=upload", "+hibernate.connection.password=%s",
				"sonar.password=%s")
		}},
		{"password in env", func(g *gen) example {
			return g.in(g.password("!@%^*-_=+?.~"), "DB_HOST=db\nDB_PASSWORD=%s\nDB_PORT=5432",
				"export MYSQL_ROOT_PASSWORD='%s'", "POSTGRES_PASSWORD=\"%s\"", "ADMIN_PASS=%s", "+SMTP_PASSWD=%s",
				"MAIL_PASSWORD=%s", "    3\tREDIS_PASSWORD=%s", ".env:7:DB_PWD=%s", "KEYSTORE_PASSPHRASE=%s",
				"$ env | grep PASS\nSUDO_PASS=%s")
		}},
		{"password in json", func(g *gen) example {
			s := g.password(quoted)
			if g.IntN(4) == 0 {
				s = s[:4] + `\"` + s[4:]
			}
			return g.in(s, "{\n  \"user\": \"app\",\n  \"password\": \"%s\"\n}",
				`{"username":"bob","password":"%s","remember":true}`, `"dbPassword":"%s",`, `{"smtp":{"user":"x","pass":"%s"}}`,
				`POST /login {"email":"a@example.com","passwd":"%s"} 401`, `+    "adminPassword": "%s",`,
				`{"auth": {"passphrase": "%s"}}`)
		}},
		{"password in nested json", func(g *gen) example {
			return g.in(g.password("!@#$*-_."), `{"content":"{\"user\":\"app\",\"password\":\"%s\"}"}`,
				`{"args":"-d '{\"password\": \"%s\"}'"}`, `{"stdout":"password: %s\nuser: app\n"}`,
				`{"new_string":"DB_PASSWORD=\"%s\"\nDB_HOST=db"}`, `{"file":"a.py","text":"    password='%s',\n    host='db'"}`,
				`"body": "{\\\"password\\\":\\\"%s\\\"}"`)
		}},
		{"netrc", func(g *gen) example {
			return g.in(g.password(bare), "machine api.example.com login bob password %s",
				"machine api.example.com\n  login bob\n  password %s\n", "default login anonymous password %s",
				"+machine github.com login bob password %s", "    2→  password %s")
		}},
		{"pgpass", func(g *gen) example {
			return g.in(g.password("!@#%^*-_=+?.,~"), g.host()+":5432:shop:"+g.user()+":%s", "*:*:*:postgres:%s\n",
				"$ cat ~/.pgpass\nlocalhost:5432:*:app:%s\n",
				"echo 'db:5432:shop:app:%s' > ~/.pgpass", "db.internal:6432:*:"+g.user()+":%s")
		}},
		{"docker compose", func(g *gen) example {
			return g.in(g.password("!@^*-_=+?.~"),
				"services:\n  db:\n    image: postgres:16\n    environment:\n      POSTGRES_PASSWORD: %s\n",
				"      - MYSQL_PASSWORD=%s", "      MINIO_ROOT_PASSWORD: \"%s\"", "    command: redis-server --requirepass %s",
				"      - \"RABBITMQ_DEFAULT_PASS=%s\"", "      MONGO_INITDB_ROOT_PASSWORD: '%s'",
				"      ELASTIC_PASSWORD: %s", "      NEO4J_AUTH: neo4j/%s")
		}},
		{"kubernetes secret", func(g *gen) example {
			s := base64.StdEncoding.EncodeToString([]byte(g.password(quoted) + g.pick("", "\n")))
			head := "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ntype: Opaque\ndata:\n"
			return g.in(s, head+"  password: %s\n", head+"  username: YXBw\n  password: %s\n", head+"  DB_PASS: %s\n",
				head+"  api-key: %s\n",
				"kubectl get secret db -o yaml\napiVersion: v1\ndata:\n  postgres-password: %s\nkind: Secret\n",
				`{"apiVersion":"v1","data":{"password":"%s"},"kind":"Secret"}`)
		}},
		{"password in prose", func(g *gen) example {
			return g.in(g.password("!@#$%^&*"), "my password is %s", "My password is \"%s\", can you log in for me?",
				"the password for the staging box is %s and the user is admin", "pw: %s", "user bob, pass %s",
				"Login with admin / password `%s`.", "the root password: %s", "use the passphrase %s for the key",
				"I changed the db password to %s", "Password = %s", "credentials: bob:%s", "Username: admin\nPassword: %s",
				"- **Password:** `%s`", "| user | password |\n|---|---|\n| admin | %s |",
				"sudo password is '%s'", "wifi password is %s")
		}},
		{"password in other languages", func(g *gen) example {
			return g.in(g.password("!@#$%^&*"), "das Passwort ist %s", "Passwort: %s", "Kennwort: %s", "mot de passe : %s",
				"la contraseña es %s", "contraseña: %s", "la password è %s", "senha: %s", "пароль: %s",
				"密码: %s", "wachtwoord: %s", "hasło: %s", "パスワード: %s")
		}},
		{"mysql -p", func(g *gen) example {
			return g.in(g.password("!@%^-_=+?.,~"), "mysql -u root -p%s shop",
				"mysqldump -uroot -p'%s' --all-databases > all.sql", "mysql --user=root --password=%s -e 'show tables'",
				"mysqladmin -u root password '%s'", "docker exec db mysql -uroot -p\"%s\" -e 'select 1'",
				"+ mysql -h db -u app -p%s",
				"mysql -h db -P 3306 -u app -p%s < a.sql", "mariadb -uapp -p%s shop")
		}},
		{"sshpass", func(g *gen) example {
			return g.in(g.password("!@%^-_=+?.,~"), "sshpass -p %s ssh root@10.0.0.2", "sshpass -p '%s' scp a b@host:/tmp",
				"sshpass -p\"%s\" ssh -o StrictHostKeyChecking=no a@b", "SSHPASS=%s sshpass -e ssh a@b")
		}},
		{"PGPASSWORD", func(g *gen) example {
			return g.in(g.password("!@%^-_=+?.,~"), "PGPASSWORD=%s psql -h db -U app shop",
				"PGPASSWORD='%s' pg_dump shop > a.sql", "export PGPASSWORD=\"%s\"", "docker exec -e PGPASSWORD=%s db psql -U app",
				"RESTIC_PASSWORD=%s restic backup /", "MYSQL_PWD=%s mysql -u root", "REDISCLI_AUTH=%s redis-cli ping")
		}},
		{"password as a flag", func(g *gen) example {
			return g.in(g.password("!@%^-_=+?.,~"), "docker login -u bob -p %s registry.example.com",
				"redis-cli -h cache -a %s ping", "ldapsearch -D cn=admin -w %s -b dc=example", "smbclient //nas/x -U 'bob%%s'",
				"sqlcmd -S db -U sa -P %s -Q 'select 1'", "mongosh -u root -p %s --authenticationDatabase admin",
				"keytool -list -keystore a.jks -storepass %s", "openssl rsa -in a.pem -passin pass:%s",
				"wget --user=bob --password=%s https://x",
				"kubectl create secret docker-registry r --docker-username=b --docker-password=%s", "curl -u bob:%s https://x",
				"http -a bob:%s GET https://x", "echo '%s' | sudo -S apt update", "htpasswd -b -c .htpasswd bob %s",
				"ansible-playbook a.yml -e ansible_ssh_pass=%s", "net use Z: \\\\nas\\x /user:bob %s", "echo 'bob:%s' | chpasswd",
				"unzip -P %s a.zip", "gpg --batch --passphrase %s -d a.gpg", "xfreerdp /u:bob /p:%s /v:host")
		}},
		{"password in code", func(g *gen) example {
			return g.in(g.password("!@#%^*-_=+?.~"), "conn = psycopg2.connect(host=\"db\", user=\"app\", password=\"%s\")",
				"mysql.createConnection({ host: 'db', user: 'root', password: '%s' })",
				"$db = new PDO($dsn, $user, $password = '%s');", "String dbPassword = \"%s\";", "\tPassword: \"%s\",",
				"if password == \"%s\":", "let pwd = \"%s\";", "ALTER USER app WITH PASSWORD '%s';",
				"CREATE USER 'app'@'%' IDENTIFIED BY '%s';", "db.createUser({user:\"a\", pwd:\"%s\", roles:[]})",
				"user.setPassword(\"%s\");", "self.client.login(username='bob', password='%s')",
				"await page.fill('#password', '%s')", "cy.get('[name=password]').type('%s')",
				"ConvertTo-SecureString '%s' -AsPlainText -Force", "password: z.string().default('%s')",
				"GRANT ALL ON *.* TO 'a'@'%' IDENTIFIED BY \"%s\"")
		}},
		{"password by position", func(g *gen) example {
			return g.in(g.password("!@#%^*-_=+?.~"), "DriverManager.getConnection(url, \"app\", \"%s\")",
				"mysqli_connect('localhost', 'root', '%s', 'shop');", "smtp.login(\"bot@example.com\", \"%s\")",
				"requests.get(url, auth=(\"bob\", \"%s\"))", "new NetworkCredential(\"bob\", \"%s\")",
				"req.SetBasicAuth(\"bob\", \"%s\")", "HTTPBasicAuth('bob', '%s')", "smtp.PlainAuth(\"\", \"bob\", \"%s\", host)",
				"ssh.Password(\"%s\")", "url.UserPassword(\"bob\", \"%s\")", ".basic_auth(\"bob\", Some(\"%s\"))",
				"options.setPassword(\"%s\".toCharArray())")
		}},
	}
}

func keyKinds() []kind {
	return []kind{
		{"rsa key", func(g *gen) example { return g.pem("RSA PRIVATE KEY", g.rsa(false), blocks...) }},
		{"pkcs8 key", func(g *gen) example {
			return g.pem(g.pick("PRIVATE KEY", "ENCRYPTED PRIVATE KEY"), g.rsa(true), blocks...)
		}},
		{"ec key", func(g *gen) example {
			return g.pem("EC PRIVATE KEY", append([]byte("0w\x02\x01\x01\x04 "), g.bytes(114)...), blocks...)
		}},
		{"openssh key", func(g *gen) example {
			head := "openssh-key-v1\x00\x00\x00\x00\x04none\x00\x00\x00\x04none\x00\x00\x00\x00\x00\x00\x00\x01"
			return g.pem("OPENSSH PRIVATE KEY", append([]byte(head), g.bytes(g.either(250, 1780))...), blocks...)
		}},
		{"pgp block", func(g *gen) example {
			return g.pem("PGP PRIVATE KEY BLOCK", append([]byte{0x95, 1, 0xd8, 4}, g.bytes(g.between(480, 900))...), blocks...)
		}},
		{"age key", func(g *gen) example {
			return g.token("SOPS_AGE_KEY", "age key", "AGE-SECRET-KEY-1"+g.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58))
		}},
		{"wireguard key", func(g *gen) example {
			return g.in(g.b64(32), "[Interface]\nPrivateKey = %s\nAddress = 10.0.0.2/32\n", "PrivateKey=%s", "PresharedKey = %s",
				"$ wg genkey\n%s\n", "wg_private_key: %s", "private_key = \"%s\"")
		}},
		{"ethereum key", func(g *gen) example {
			s := g.pick("0x", "") + g.hex(64)
			return g.pickOf(g.named("DEPLOYER_PRIVATE_KEY", "private key", s),
				one("sepolia: { url: RPC_URL, accounts: ['%s'] },", s), one("new ethers.Wallet('%s')", s),
				one("cast send --private-key %s 0x1", s))
		}},
		{"kubeconfig", func(g *gen) example {
			key := base64.StdEncoding.EncodeToString([]byte(g.pem("RSA PRIVATE KEY", g.rsa(false), "%b\n").text))
			return g.pickOf(one("users:\n- name: admin\n  user:\n    client-key-data: %s\n", key),
				one("    client-key-data: %s", key), one(`"client-key-data":"%s"`, key),
				one("users:\n- name: ci\n  user:\n    token: %s\n",
					g.jwt(`{"iss":"kubernetes/serviceaccount","sub":"system:serviceaccount:ci:ci"}`)),
				one("users:\n- name: eks\n  user:\n    token: %s\n", g.of(lowers+decimals, 6)+"."+g.of(lowers+decimals, 16)),
				one("kubeadm join 10.0.0.1:6443 --token %s --discovery-token-ca-cert-hash sha256:"+g.hex(64),
					g.of(lowers+decimals, 6)+"."+g.of(lowers+decimals, 16)),
				one("kubectl config set-credentials ci --token=%s", g.b64url(40)))
		}},
		{"wp-config", func(g *gen) example {
			salt := g.of(base62Chars, 4) + g.of(base62Chars+"!@#$%^&*()-_ []{}<>~`+=,.;:/?|", 59) + g.of(base62Chars, 1)
			return g.pickOf(g.in(g.password("!@#$%^&*()-_"), "define('DB_PASSWORD', '%s');",
				"/** Database password */\ndefine( 'DB_PASSWORD', '%s' );", "+define( \"DB_PASSWORD\", \"%s\" );"),
				one("define( '"+g.pick("AUTH", "SECURE_AUTH", "LOGGED_IN", "NONCE")+"_"+g.pick("KEY", "SALT")+"',         '%s' );",
					salt))
		}},
		{"django secret key", func(g *gen) example {
			s := g.of(lowers+decimals+"!@#$%^&*(-_=+)", 50)
			return g.in(g.pick("django-insecure-"+s, s), "SECRET_KEY = '%s'",
				"# SECURITY WARNING: keep the secret key used in production secret!\nSECRET_KEY = \"%s\"", "SECRET_KEY='%s'",
				"DJANGO_SECRET_KEY=\"%s\"", "+SECRET_KEY = os.environ.get('SECRET_KEY', '%s')", "app.config['SECRET_KEY'] = '%s'",
				"SECRET_KEY = env('SECRET_KEY', default='%s')", "    23→SECRET_KEY = '%s'")
		}},
		{"rails and laravel key", func(g *gen) example {
			return g.pickOf(g.in(g.hex(32), "RAILS_MASTER_KEY=%s", "$ cat config/master.key\n%s\n",
				"fly secrets set RAILS_MASTER_KEY=%s", "      RAILS_MASTER_KEY: %s"),
				g.in(g.hex(128), "production:\n  secret_key_base: %s", "SECRET_KEY_BASE=%s", "$ rails secret\n%s\n",
					"config.secret_key_base = '%s'"), g.in("base64:"+g.b64(32), "APP_KEY=%s",
					"APP_NAME=Shop\nAPP_KEY=%s\nAPP_DEBUG=false"))
		}},
		{"htpasswd", func(g *gen) example {
			crypt := decimals + uppers + lowers + "./"
			s := g.pick("$apr1$"+g.of(crypt, 8)+"$"+g.of(crypt, 22), "$2y$05$"+g.of(crypt, 53), "{SHA}"+g.b64(20),
				"$2b$12$"+g.of(crypt, 53))
			return g.in(s, g.user()+":%s", "$ cat .htpasswd\nalice:%s\n",
				"traefik.http.middlewares.auth.basicauth.users=admin:%s", "+admin:%s", "auth: bob:%s",
				"$ htpasswd -nb bob x\nbob:%s\n")
		}},
		{"shadow", func(g *gen) example {
			crypt := decimals + uppers + lowers + "./"
			s := g.pick("$6$"+g.of(crypt, 16)+"$"+g.of(crypt, 86), "$y$j9T$"+g.of(crypt, 22)+"$"+g.of(crypt, 43),
				"$5$"+g.of(crypt, 16)+"$"+g.of(crypt, 43))
			return g.in(s, "root:%s:19700:0:99999:7:::", "$ sudo cat /etc/shadow\nbob:%s:19700:0:99999:7:::\n", "    passwd: %s",
				"useradd -p '%s' bob", "rootpw --iscrypted %s", "hashed_passwd: \"%s\"")
		}},
	}
}

func webKinds() []kind {
	return []kind{
		{"basic header", func(g *gen) example {
			s := base64.StdEncoding.EncodeToString([]byte(g.user() + ":" + g.password("!@#$%^&*:")))
			return g.in(s, "Authorization: Basic %s", "curl -H 'Authorization: Basic %s' https://x",
				`"Authorization": "Basic %s",`, "> authorization: Basic %s\r\n> accept: */*",
				"headers={'Authorization': 'Basic %s'}", "Proxy-Authorization: Basic %s", `{\"authorization\":\"Basic %s\"}`,
				"req.Header.Set(\"Authorization\", \"Basic %s\")", "AUTH_HEADER=\"Basic %s\"")
		}},
		{"curl -u", func(g *gen) example {
			return g.in(g.password("!@%^-_=+?.,~"), "curl -u "+g.user()+":%s https://api.example.com", "curl -sS --user '"+
				g.user()+":%s' https://x", "curl -X POST -u \"bob:%s\" -d a=b https://x", "curl -ubob:%s ftp://host/a",
				"curl https://bob:%s@api.example.com/v1", "curl --proxy-user bob:%s https://x",
				"$ curl -v -u bob:%s http://localhost:9200", "curl -d 'username=bob&password=%s' https://x/login",
				"curl -F password=%s https://x/login")
		}},
		{"bearer header", func(g *gen) example {
			s := g.pick(g.of(base62Chars, g.between(24, 64)), g.b64(32), g.hex(40), g.uuid(), g.b64url(48))
			return g.in(s, "Authorization: Bearer %s", "curl -H 'Authorization: Bearer %s' https://x",
				`"Authorization": "Bearer %s"`, "< authorization: bearer %s", "headers: { Authorization: `Bearer %s` }",
				"req.Header.Set(\"Authorization\", \"Bearer %s\")", `{\"Authorization\":\"Bearer %s\"}`,
				"+  -H \"Authorization: Bearer %s\" \\", "'Authorization' => 'Bearer %s',", "http GET x 'Authorization:Bearer %s'",
				"Authorization: Token %s", "X-Auth-Token: %s")
		}},
		{"oauth answer", func(g *gen) example {
			s := g.pick(g.of(base62Chars, 40), g.b64url(32), g.b64url(64))
			return g.in(s, `{"access_token":"%s","token_type":"bearer","expires_in":3600}`, `"refresh_token": "%s",`,
				"GET /callback?access_token=%s&state=x", "grant_type=refresh_token&refresh_token=%s",
				"client_secret=%s&grant_type=client_credentials", `{\"id_token\":\"%s\"}`, "oauth_token: %s",
				"#access_token=%s&token_type=bearer", "  clientSecret: '%s',")
		}},
		{"jwt", func(g *gen) example {
			s := g.jwt(fmt.Sprintf(`{"sub":"%s","name":"Bob","iat":17%s,"roles":["admin"]}`, g.of(decimals, 10),
				g.of(decimals, 8)))
			return g.token("ACCESS_TOKEN", "JWT", s)
		}},
		{"session cookie", func(g *gen) example {
			value := func(name, s string) example {
				c := name + "=%s"
				return g.in(s, "Cookie: "+c, "Cookie: theme=dark; "+c+"; lang=en", "Set-Cookie: "+c+"; Path=/; HttpOnly; Secure",
					"curl -b '"+c+"' https://x", "curl --cookie \""+c+"; a=b\" https://x",
					`"cookie": "`+c+`",`, "document.cookie = \""+c+"\"", `{\"Cookie\":\"`+c+`\"}`,
					"< set-cookie: "+c+"; Max-Age=1209600", "curl -H 'Cookie: "+c+"' https://x",
					"example.com\tFALSE\t/\tTRUE\t1790000000\t"+name+"\t%s", "cookies = {'"+name+"': '%s'}")
			}
			return g.pickOf(value("sessionid", g.of(lowers+decimals, 32)), value("PHPSESSID", g.of(lowers+decimals, 26)),
				value("JSESSIONID", g.of(decimals+"ABCDEF", 32)),
				value("connect.sid", "s%3A"+g.of(urlChars, 32)+"."+g.of(base62Chars, 43)),
				value("_shop_session", url.QueryEscape(g.b64(120))+"--"+g.hex(40)),
				value("ASP.NET_SessionId", g.of(lowers+decimals, 24)), value(".AspNetCore.Cookies", "CfDJ8"+g.of(urlChars, 200)),
				value("__Secure-next-auth.session-token", g.jwt(`{"name":"Bob"}`)),
				value("session", g.b64url(40)+"."+g.of(urlChars, 6)+"."+g.of(urlChars, 27)), value("auth_token", g.hex(40)))
		}},
		{"otp", func(g *gen) example {
			s := g.of(base32Chars, g.either(16, 32))
			return g.in(s, "otpauth://totp/ACME:alice@example.com?secret=%s&issuer=ACME",
				"otpauth://totp/GitHub:bob?issuer=GitHub&secret=%s&digits=6", `"uri": "otpauth://hotp/x?secret=%s&counter=1"`,
				"oathtool --totp -b %s",
				"pyotp.TOTP('%s').now()", "TOTP_SECRET=%s", "Can't scan? Enter this setup key: %s", "mfa_secret: %s")
		}},
		{"webhook and signing secret", func(g *gen) example {
			return g.named(g.pick("JWT_SECRET", "SESSION_SECRET", "NEXTAUTH_SECRET", "WEBHOOK_SECRET", "ENCRYPTION_KEY",
				"CSRF_SECRET", "SIGNING_KEY"), "signing secret", g.pick(g.hex(64), g.b64(32), g.of(base62Chars, 40), g.b64url(48)))
		}},
		{"client secret", func(g *gen) example {
			return g.named(g.pick("CLIENT_SECRET", "FACEBOOK_APP_SECRET", "AUTH0_CLIENT_SECRET", "OAUTH_CLIENT_SECRET",
				"TWITTER_API_SECRET"), "client secret", g.pick(g.hex(32), g.of(base62Chars, 50), g.of(urlChars, 64), g.uuid()))
		}},
		{"plain api key", func(g *gen) example {
			return g.named(g.pick("API_KEY", "ALGOLIA_ADMIN_KEY", "WEATHER_API_KEY", "PAGERDUTY_API_KEY", "SNYK_TOKEN",
				"CIRCLECI_TOKEN", "SONAR_TOKEN", "API_TOKEN"), "API key", g.pick(g.hex(32), g.hex(40), g.of(base62Chars, 32),
				g.uuid(), g.of(urlChars, 20)))
		}},
	}
}
