package secrets

import (
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"
)

// family is one way in which a secret is written: the form of the secret, see draw, and texts with %s in its place. The
// form "word" is a password as people choose them.
type family struct {
	name, secret string
	texts        []string
}

// plainFamilies are credentials of services in the places where people usually write them.
var plainFamilies = []family{
	{"adafruit", "aio_#{28}", []string{"ADAFRUIT_IO_KEY=%s", "aio = Client('bob', '%s')"}},
	{"algolia", "~{32}", []string{"algolia_admin_key: %s", "ALGOLIA_API_KEY=%s", "algoliasearch('7QX2ABCDEF', '%s')"}},
	{"asana", "1/^{16}:~{32}", []string{"ASANA_ACCESS_TOKEN=%s", "asana.Client.access_token('%s')"}},
	{"beamer", "b_#{44}", []string{"BEAMER_API_KEY=%s", "Beamer-Api-Key: %s"}},
	{"bitbucket", "ATBB#{28}", []string{"git clone https://bob:%s@bitbucket.org/x/y.git", "BITBUCKET_TOKEN=%s"}},
	{"cloudflare global key", "~{37}", []string{
		"CLOUDFLARE_API_KEY=%s", "-H \"X-Auth-Key: %s\"", "cloudflare.key = '%s'",
	}},
	{"cloudinary", "#{27}", []string{
		"CLOUDINARY_URL=cloudinary://123456789012345:%s@demo", "CLOUDINARY_API_SECRET=%s",
	}},
	{"codecov", "~{8}-~{4}-~{4}-~{4}-~{12}", []string{"CODECOV_TOKEN=%s", "bash codecov.sh -t %s", "codecov -t %s"}},
	{"cohere", "#{40}", []string{"COHERE_API_KEY=%s", "co = cohere.Client('%s')", "cohere.ClientV2(\"%s\")"}},
	{"confluent", "#{64}", []string{"confluent.sasl.password=%s", "'sasl.password': '%s'"}},
	{"coinbase", "#{32}", []string{"CB-ACCESS-KEY: %s", "coinbase_secret = \"%s\""}},
	{"datadog", "~{32}", []string{"DD_API_KEY=%s", "DD-API-KEY: %s", "datadog.api.key: %s", "DD_APP_KEY: \"%s\""}},
	{"deepseek", "sk-~{32}", []string{"DEEPSEEK_API_KEY=%s", "client = OpenAI(api_key=\"%s\")", "use %s here"}},
	{"dropbox", "sl.#{135}", []string{"dbx = dropbox.Dropbox('%s')", "DROPBOX_TOKEN=%s", "token %s"}},
	{"elevenlabs", "sk_~{48}", []string{"xi-api-key: %s", "ELEVENLABS=%s"}},
	{"etsy", "%{24}", []string{"ETSY_KEYSTRING_SECRET=%s", "x-api-key: %s"}},
	{"fastly", "#{32}", []string{"Fastly-Key: %s", "FASTLY_API_TOKEN=%s", "fastly_token = \"%s\""}},
	{"finnhub", "%{20}", []string{"https://finnhub.io/api/v1/quote?symbol=A&token=%s", "FINNHUB_KEY=%s"}},
	{"frameio", "fio-u-#{64}", []string{"FRAMEIO=%s", "Bearer %s"}},
	{"grafana cloud", "glc_eyJ#{80}", []string{"GRAFANA=%s", "password: %s"}},
	{"hubspot", "pat-eu1-~{8}-~{4}-~{4}-~{4}-~{12}", []string{"hubspot: %s", "new Client({ accessToken: '%s' })"}},
	{"honeycomb", "#{22}", []string{"x-honeycomb-team: %s", "HONEYCOMB_API_KEY=%s", "--honeycomb-writekey=%s"}},
	{"influx", "#{86}==", []string{"INFLUX_TOKEN=%s", "InfluxDBClient(url='http://x', token=\"%s\")", "influx -t %s"}},
	{"intercom", "dG9rO#{52}=", []string{"INTERCOM_ACCESS_TOKEN=%s", "intercom.token = '%s'"}},
	{"jenkins", "11~{32}", []string{
		"curl -u bob:%s https://ci/job/x/build", "JENKINS_TOKEN=%s", "JENKINS_API_TOKEN: %s",
	}},
	{"kubeconfig", "#{40}", []string{
		"users:\n- name: a\n  user:\n    token: %s\n",
		"current-context: x\nusers:\n- user:\n    client-key-data: %s\n",
	}},
	{"launchdarkly", "sdk-~{8}-~{4}-~{4}-~{4}-~{12}", []string{
		"LAUNCHDARKLY_SDK_KEY=%s", "LDClient.init('%s')", "key %s",
	}},
	{"lob", "live_~{35}", []string{"LOB_API_KEY=%s", "curl -u %s: https://api.lob.com/v1/x"}},
	{"mattermost", "%{26}", []string{"MATTERMOST_TOKEN=%s", "mattermost_access_token: %s"}},
	{"meraki", "~{40}", []string{"X-Cisco-Meraki-API-Key: %s", "MERAKI_DASHBOARD_API_KEY=%s"}},
	{"mistral", "#{32}", []string{"MISTRAL_API_KEY=%s", "Mistral(api_key=\"%s\")", "new MistralClient('%s')"}},
	{"mixpanel", "~{32}", []string{"MIXPANEL_SECRET=%s", "mixpanel.init('x', {secret: '%s'})"}},
	{"mongodb", "word", []string{
		"mongodb+srv://app:%s@c0.ab1cd.mongodb.net/x", "mongo --host h -u bob -p %s",
		"MONGO_INITDB_ROOT_PASSWORD: %s",
	}},
	{"nats", "SUA@{55}", []string{
		"seed: %s", "-----BEGIN USER NKEY SEED-----\n%s\n------END USER NKEY SEED------", "x %s y",
	}},
	{"ngrok", "2#{26}_#{21}", []string{"ngrok config add-authtoken %s", "authtoken: %s", "NGROK_AUTHTOKEN=%s"}},
	{"okta", "00#{40}", []string{"OKTA_TOKEN=%s", "Authorization: SSWS %s", "okta.client.token=%s"}},
	{"openweather", "~{32}", []string{
		"https://api.openweathermap.org/data/2.5/weather?q=x&appid=%s", "OWM_API_KEY=%s",
	}},
	{"pagerduty", "#{20}", []string{"Authorization: Token token=%s", "PAGERDUTY_TOKEN=%s", "pagerduty_key: %s"}},
	{"paypal", "E#{79}", []string{"PAYPAL_SECRET=%s", "paypal_client_secret: %s", "PAYPAL_CLIENT_SECRET: \"%s\""}},
	{"pinecone", "~{8}-~{4}-~{4}-~{4}-~{12}", []string{
		"PINECONE_API_KEY=%s", "Pinecone(api_key=\"%s\")", "Api-Key: %s",
	}},
	{"postgres", "word", []string{
		"postgresql://app:%s@db:5432/x", "host=db user=app password=%s dbname=x", "POSTGRES_PASSWORD=%s",
	}},
	{"postmark", "~{8}-~{4}-~{4}-~{4}-~{12}", []string{
		"X-Postmark-Server-Token: %s", "POSTMARK_API_TOKEN=%s", "new postmark.ServerClient(\"%s\")",
	}},
	{"rabbitmq", "word", []string{"amqps://app:%s@mq/v", "RABBITMQ_DEFAULT_PASS=%s", "spring.rabbitmq.password=%s"}},
	{"rapidapi", "%{50}", []string{"X-RapidAPI-Key: %s", "'x-rapidapi-key': '%s'", "RAPIDAPI_KEY=%s"}},
	{"redis", "word", []string{"redis://default:%s@cache:6379/0", "REDIS_PASSWORD=%s", "redis-cli -h x -a %s"}},
	{"segment", "#{32}", []string{
		"SEGMENT_WRITE_KEY=%s", "new Analytics({ writeKey: '%s' })", "analytics.write_key = '%s'",
	}},
	{"sentry dsn", "~{32}", []string{
		"SENTRY_DSN=https://%s@o12.ingest.sentry.io/34", "dsn: \"https://%s@sentry.io/1\"",
	}},
	{"smtp", "word", []string{"SMTP_PASSWORD=%s", "smtp://bob:%s@mail:587", "EMAIL_HOST_PASSWORD = '%s'"}},
	{"snowflake", "word", []string{
		"snowflake://bob:%s@acc/db", "SNOWFLAKE_PASSWORD=%s", "snowsql -u bob --password %s",
	}},
	{"snyk", "~{8}-~{4}-~{4}-~{4}-~{12}", []string{"SNYK_TOKEN=%s", "snyk auth %s", "snyk config set api=%s"}},
	{"spotify", "~{32}", []string{"SPOTIFY_CLIENT_SECRET=%s", "spotify_secret: %s"}},
	{"splunk", "~{8}-~{4}-~{4}-~{4}-~{12}", []string{"Authorization: Splunk %s", "SPLUNK_HEC_TOKEN=%s"}},
	{"squarespace", "~{8}-~{4}-~{4}-~{4}-~{12}", []string{"SQUARESPACE_API_KEY=%s"}},
	{"sumologic", "#{64}", []string{"SUMO_ACCESS_KEY=%s", "sumologic_access_key: %s"}},
	{"trello", "~{64}", []string{
		"https://api.trello.com/1/x?key=~{32}&token=%s", "TRELLO_TOKEN=%s", "trello.token: %s",
	}},
	{"twitch", "oauth:%{30}", []string{"TWITCH_OAUTH=%s", "twitch_pass: %s", "PASS %s"}},
	{"twitter", "#{50}", []string{
		"TWITTER_ACCESS_TOKEN=1234567890-%s", "consumer_secret = '%s'", "auth = tweepy.OAuthHandler('abc', '%s')",
	}},
	{"upstash", "A#{50}=", []string{"UPSTASH_REDIS_REST_TOKEN=%s", "new Redis({ url: 'https://x', token: '%s' })"}},
	{"voyage", "pa-#{43}", []string{"VOYAGE_API_KEY=%s", "vo = voyageai.Client('%s')"}},
	{"wandb", "~{40}", []string{"WANDB_API_KEY=%s", "wandb login %s", "wandb.login(key=\"%s\")"}},
	{"weaviate", "#{36}", []string{"weaviate.auth.AuthApiKey(\"%s\")", "WEAVIATE_API_KEY=%s"}},
	{"zendesk", "#{40}", []string{"ZENDESK_API_TOKEN=%s", "curl -u bob@x.io/token:%s https://x"}},
	{"zoom", "#{32}", []string{"ZOOM_CLIENT_SECRET=%s", "zoom_api_secret: %s"}},
	{"azure devops", "%{52}", []string{
		"AZURE_DEVOPS_EXT_PAT=%s", "SYSTEM_ACCESSTOKEN=%s", "az devops login --token %s",
	}},
	{"gitea", "~{40}", []string{"GITEA_TOKEN=%s", "Authorization: token %s", "tea login add --token %s"}},
	{"hex key", "~{64}", []string{
		"SECRET_KEY_BASE=%s", "ENCRYPTION_KEY=%s", "\"jwtSecret\": \"%s\"", "PRIVATE_KEY=0x%s",
	}},
	{"wif", "K#{51}", []string{"bitcoin-cli importprivkey %s", "wif: %s", "WIF private key: %s"}},
	{"wireguard", "#{42}8=", []string{"PrivateKey = %s", "PresharedKey = %s", "wg_private_key: %s"}},
	{"wifi", "word", []string{
		"  psk=\"%s\"", "nmcli dev wifi connect home password %s", "WIFI_PASS=%s", "wpa_psk: %s",
	}},
	{"ansible", "word", []string{"ansible_ssh_pass=%s", "ansible_become_password: %s", "ansible_password: \"%s\""}},
	{"java keystore", "word", []string{
		"keytool -genkey -storepass %s -alias x", "server.ssl.key-store-password=%s",
		"-Djavax.net.ssl.trustStorePassword=%s",
	}},
	{"docker compose", "word", []string{
		"environment:\n  - POSTGRES_PASSWORD=%s\n", "environment:\n  MYSQL_PASSWORD: %s\n",
		"docker run -e DB_PASS=%s x",
	}},
	{"spoken password", "word", []string{
		"the password is %s", "password: %s", "use the password %s to log in", "my new password is `%s`",
		"log in as admin with password %s", "user admin, password %s", "pw: %s",
	}},
	{"spoken key", "#{40}", []string{
		"here's the api key: %s", "the API key is %s", "my token is %s", "token: %s", "API key %s",
		"this is our secret: %s", "the access token for staging: %s",
	}},
}

// disguisedFamilies are secrets whose name is not directly before them, or that another notation covers.
var disguisedFamilies = []family{
	// Tables, lists, the next line.
	{"list item below", "word", []string{
		"- Password\n  - %s\n", "* **Password**\n  `%s`\n", "1. Password\n   %s\n", "- Password:\n    - `%s`\n",
	}},
	{"next line", "word", []string{
		"Password\n%s\n", "Password:\n\n%s\n", "## Password\n\n%s\n", "**Password**\n\n`%s`\n",
	}},
	{"next line key", "#{32}", []string{
		"API key\n%s\n", "API key:\n\n%s\n", "### Access token\n\n```\n%s\n```\n", "Your API key is:\n\n    %s\n",
		"Token\n\t%s\n",
	}},
	{"definition", "word", []string{
		"Password\n: %s\n", "<dt>Password</dt>\n<dd>%s</dd>", "Password ........ %s\n", "Password\t\t%s\n",
		"\\item[Password] %s\n", "Username    admin\nPassword    %s\n", "Password ::= %s\n",
	}},
	{"html row", "word", []string{
		"<tr><th>Password</th><td>%s</td></tr>", "<tr>\n  <td>Password</td>\n  <td><code>%s</code></td>\n</tr>",
		"<label>Password</label> <span>%s</span>", "<li><b>Password</b>: <tt>%s</tt></li>",
	}},
	{"html row key", "#{36}", []string{
		"<tr><th>API key</th><td>%s</td></tr>", "<td>Secret key</td>\n<td><code>%s</code></td>",
		"<dt>API token</dt><dd>%s</dd>",
	}},
	{"markdown row", "word", []string{
		"| Field | Value |\n|---|---|\n| User | admin |\n| Password | %s |\n", "| Password | `%s` |\n",
		"| 3 | db password | %s |\n", "|Password|%s|\n", "| **Password** | %s |", "| Password (staging) | %s |",
	}},
	{"markdown row key", "#{36}", []string{
		"| Field | Value |\n|---|---|\n| API key | %s |\n", "| Stripe secret key | `%s` |",
		"| prod | API token | %s |", "| Client secret | %s | rotates in May |",
	}},
	{"markdown column", "word", []string{
		"| Host | User | Password | Note |\n|---|---|---|---|\n| a | bob | %s | x |\n",
		"| Host | DB Password (prod) |\n|:--|:--|\n| a | `%s` |\n",
		"Host | User | Password\n--- | --- | ---\na | bob | %s\n", "| user | pass |\n|--|--|\n| bob | %s |\n",
	}},
	{"markdown column key", "#{36}", []string{
		"| Service | API key |\n|---|---|\n| mail | %s |\n", "| Service | Secret |\n|---|---|\n| mail | `%s` |\n",
		"Service | Access token\n------- | ------------\nmail | %s\n",
		"| Service | Key |\n|---|---|\n| mail | %s |\n",
	}},
	{"aligned column", "word", []string{
		"HOST      USER   PASSWORD\ndb1       bob    %s\n", "NAME   PASSWORD     AGE\nbob    %s   5d\n",
		"User  Password\n----  --------\nbob   %s\n",
	}},
	{"aligned column key", "#{36}", []string{
		"NAME   TOKEN   AGE\nbob    %s   5d\n",
		"ID   API KEY                                CREATED\n17   %s   today\n", "SERVICE  SECRET\nmail     %s\n",
	}},
	{"grid", "word", []string{
		"+------+----------+\n| User | Password |\n+======+==========+\n| bob  | %s |\n+------+----------+\n",
		"====  ========\nUser  Password\n====  ========\nbob   %s\n====  ========\n",
		"||User||Password||\n|bob|%s|\n", "User & Password \\\\ \\hline\nbob & %s \\\\\n",
		"{| class=\"wikitable\"\n! User !! Password\n|-\n| bob || %s\n|}",
	}},
	{"key-value csv", "word", []string{
		"key,value\nDB_HOST,x\nDB_PASSWORD,%s\n", "\"DB_PASSWORD\",\"%s\"\n", "DB_PASSWORD;%s\n", "DB_PASSWORD\t%s\n",
	}},
	{"csv with blanks", "word", []string{
		"user, password, role\nbob, %s, admin\n", "user ; password\nbob ; %s\n",
		"\"User\", \"Password\"\n\"bob\", \"%s\"\n",
	}},
	{"label and content", "#{32}", []string{
		"{\"label\": \"API key\", \"content\": \"%s\"}", "{\"field\":\"token\",\"text\":\"%s\"}",
		"- label: API token\n  content: %s\n", "{\"title\":\"Secret key\",\"data\":\"%s\"}", "[\"api_key\", \"%s\"]",
		"('api_key', '%s'),", "{\"k\":\"API_TOKEN\",\"v\":\"%s\"}", "{name: 'apiKey', secret: '%s'}",
	}},
	{"label and content password", "word", []string{
		"{\"label\": \"Password\", \"content\": \"%s\"}", "{\"type\":\"password\",\"value\":\"%s\"}",
		"- label: password\n  text: %s\n", "[[\"user\",\"bob\"],[\"password\",\"%s\"]]", "(\"password\", \"%s\")",
		"{\"id\":\"password\",\"type\":\"CONCEALED\",\"label\":\"password\",\"value\":\"%s\"}",
	}},
	// Constructors and calls by position.
	{"client of one key", "#{32}", []string{
		"new Stripe('%s')", "client = Anthropic(\"%s\")", "c := sendgrid.NewSendClient(\"%s\")",
		"OpenAI::Client.new(\"%s\")", "const sg = new MailService(\"%s\");", "api = shodan.Shodan('%s')",
		"gh = Github(\"%s\")", "Octokit::Client.new('%s')", "let client = AcmeClient::new(\"%s\");",
		"$client = new \\Acme\\ApiClient('%s');", "deepl.Translator(\"%s\")", "resend := resend.NewClient(\"%s\")",
		"new TelegramBot('%s', {polling: true})", "Client(\"%s\")", "new AzureKeyCredential(\"%s\")",
		"linode_api4.LinodeClient('%s')", "groq = Groq('%s')",
	}},
	{"client of a hex key", "~{32}", []string{
		"googlemaps.Client('%s')", "new Mixpanel('x', '%s')", "datadog.NewClient(\"%s\")", "NewsApiClient('%s')",
		"dns := cloudflare.New(\"%s\", \"bob@x.io\")", "TwilioClient(\"AC0123456789abcdef0123456789abcdef\", \"%s\")",
	}},
	{"client of two", "#{40}", []string{
		"boto3.client('s3', 'eu-west-1', 'AKIA' + x, '%s')", "Minio(\"play.min.io\", \"user1\", \"%s\")",
		"credentials.NewStaticCredentials(\"id1\", \"%s\", \"\")", "new BasicAWSCredentials(\"id1\", \"%s\")",
		"new Pusher('123456', 'abcdef', '%s', 'eu')", "Client(account_sid, \"%s\")",
		"tweepy.OAuth1UserHandler(\"a\", \"%s\")", "new StorageSharedKeyCredential('acct', '%s')",
		"ClientSecretCredential(tenant, client, \"%s\")", "InfluxDBClient('http://localhost:8086', '%s', org)",
		"algoliasearch.NewClient(\"APP1\", \"%s\")", "weaviate.Client(\"https://x.weaviate.net\", \"%s\")",
		"new OAuth2Client('id.apps', '%s')", "Aws::Credentials.new('id1', '%s')",
		"credentials.NewStaticCredentialsProvider(\"id1\", \"%s\", \"\")",
	}},
	{"connection of a password", "word", []string{
		"psycopg2.connect(\"db\", \"app\", \"%s\")", "new Connection('db', 'app', '%s')",
		"MySQLdb.connect('h', 'u', '%s', 'd')", "new mysqli('localhost', 'root', '%s', 'x')",
		"redis.Redis('h', 6379, 0, '%s')", "DriverManager.getConnection(u, \"a\", \"%s\")",
		"imap.login('bob@x.io', '%s')", "ftp.login(\"bob\", \"%s\")", "HTTPBasicAuth('bob', '%s')",
		"ssh.connect(h, 22, 'bob', '%s')", "sql.Open(\"mysql\", \"app:%s@/shop\")",
		"new Neo4jDriver('bolt://x', 'neo4j', '%s')", "Auth::attempt('bob', '%s')", "neo4j.auth.basic('neo4j', '%s')",
		"new PDO('mysql:host=x', 'root', '%s')", "Elasticsearch('https://x', basic_auth=('e', '%s'))",
		"pymysql.connect('h', 'root', '%s', 'd')", "nats.UserInfo(\"bob\", \"%s\")", "new Sequelize('d', 'u', '%s')",
	}},
	// Headers and flags named after a vendor.
	{"vendor header", "#{32}", []string{
		"X-Stripe: %s", "-H 'X-Datadog: %s'", "headers = {\"X-Acme-Auth\": \"%s\"}", "X-Vault-Namespace-Token: %s",
		"x-goog-api-key: %s", "X-Shopify-Storefront-Access-Token: %s", "x-algolia-api-key: %s", "X-TrackerToken: %s",
		"X-Airtable: %s", "-H \"X-Sendgrid: %s\"", "X-MBX-APIKEY: %s", "X-Honeycomb-Team: %s", "Circle-Token: %s",
		"X-Figma-Token: %s", "X-Sentry-Auth: Sentry sentry_key=%s", "x-functions-key: %s", "X-Gitlab: %s",
		"apikey: %s", "Authorization: ApiKey %s", "Authorization: Key %s", "authorization: GenieKey %s", "X-Auth: %s",
	}},
	{"vendor flag", "#{32}", []string{
		"tool --stripe=%s", "tool --datadog %s", "deploy --sendgrid-key %s", "run --openai \"%s\" --verbose",
		"bot --slack=%s", "tool -stripe %s", "acme --auth %s", "deploy --github=%s", "cli --with-pagerduty %s",
		"tool --cloudflare='%s'", "tool --apikey %s", "tool --key=%s", "tool --pat %s", "tool --sas %s",
		"tool --jwt %s",
	}},
	{"vendor variable", "#{32}", []string{
		"STRIPE=%s", "export SENDGRID=%s", "PROD_STRIPE_LIVE=%s", "stripe: %s", "openai = \"%s\"",
		"const sendgrid = '%s';", "datadog: \"%s\"", "GITHUB_PAT=%s", "SLACK_BOT=%s", "\"mailgun\": \"%s\"",
		"OPENAI=%s", "my.stripe.live=%s", "slack_hook_signing: %s", "TELEGRAM_BOT=%s",
		"\"algolia\": {\"admin\": \"%s\"}", "CLOUDFLARE=%s", "twilio_auth: %s",
	}},
	{"vendor prose", "#{32}", []string{
		"our Stripe key %s", "Datadog: %s", "the sendgrid one is %s", "OpenAI => %s", "Stripe (live): %s",
		"stripe live %s", "for Mailgun use %s", "pagerduty - %s",
	}},
	// Connection strings.
	{"dsn key", "word", []string{
		"Server=db;Uid=sa;Pwd=%s;", "Driver={ODBC Driver 17};Server=x;UID=sa;PWD={%s};", "user=app pass=%s host=db",
		"sqlserver://sa:%s@h?database=x", "jdbc:mysql://h/db?user=app&password=%s",
		"jdbc:sqlserver://h;user=sa;password=%s;", "mysql:host=h;dbname=x;user=u;password=%s",
		"Data Source=h;User ID=sa;Password=\"%s\"", "oracle://scott:%s@h/x", "clickhouse://default:%s@h:9000/d",
		"h:5432:db:app:%s\n", "ftp://bob:%s@h/x", "bob:%s@tcp(h)/d", "tcp://h:9000?username=u&password=%s&database=d",
		"ldap://cn=admin:%s@h", "kafka: user=bob;pw=%s", "bob:%s@/shop?parseTime=true",
	}},
	{"dsn token", "#{40}", []string{
		"nats://%s@h:4222", "Endpoint=sb://x/;SharedAccessKeyName=r;SharedAccessKey=%s=",
		"AccountName=x;AccountKey=%s", "libsql://x.turso.io?authToken=%s", "cloudinary://1234567890:%s@demo",
		"s3://id1:%s@bucket/x", "mailgun+api://%s@h", "https://x/rest?apikey=%s", "wss://x/socket?access_token=%s",
		"slack://%s@general", "sentry://%s@h/1", "tgram://1234:%s/chat", "HostName=x;DeviceId=y;SharedAccessKey=%s",
		"https://x.io/hook?code=%s", "https://x/api?sig=%s", "postgres://%s@h/d", "sendgrid+smtp://KEY:%s@default",
		"redis+sentinel://:%s@h", "datadog://app?api=%s",
	}},
	// Key material.
	{"xml key", "#{60}==", []string{
		"<RSAKeyValue><Modulus>abc=</Modulus><Exponent>AQAB</Exponent><D>%s</D></RSAKeyValue>",
		"<P>%s</P><Q>x</Q><DP>y</DP>", "<InverseQ>%s</InverseQ>", "<PrivateKey>%s</PrivateKey>",
		"<ds:PrivateKey>\n%s\n</ds:PrivateKey>", "<key name=\"signing\"><value>%s</value></key>",
		"<pskc:Secret><pskc:PlainValue>%s</pskc:PlainValue></pskc:Secret>",
		"<secretKey encoding=\"base64\">%s</secretKey>",
		"<masterKey requiresEncryption=\"true\"><value>%s</value></masterKey>", "<privateKeyData>%s</privateKeyData>",
		"<saml:SigningKey>%s</saml:SigningKey>", "<rsa><d>%s</d></rsa>", "<Key Id=\"1\" Type=\"private\">%s</Key>",
		"<dict><key>PrivateKey</key><data>%s</data></dict>",
	}},
	{"machine key", "~{128}", []string{
		"<machineKey validationKey=\"%s\" validation=\"SHA1\" />",
		"<machineKey decryption=\"AES\" decryptionKey=\"%s\" />",
	}},
	{"bind key", "#{43}=", []string{
		"key \"ddns\" {\n  algorithm hmac-sha256;\n  secret \"%s\";\n};",
		"Private-key-format: v1.3\nAlgorithm: 13\nPrivateKey: %s\n", "Algorithm: 165 (HMAC_SHA256)\nKey: %s\n",
		"nsupdate -y hmac-sha256:ddns:%s", "PrivateExponent: %s",
	}},
	{"openssl text", "~{2}:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}", []string{
		"privateExponent:\n    %s:\n    %s:\n    %s\nprime1:\n", "priv:\n    %s:\n    %s:\n    %s\npub:\n    04:aa\n",
		"prime1:\n    %s:\n    %s\n",
	}},
	{"openvpn static", "~{32}", []string{
		"-----BEGIN OpenVPN Static key V1-----\n%s\n%s\n%s\n%s\n-----END OpenVPN Static key V1-----",
		"<tls-auth>\n-----BEGIN OpenVPN Static key V1-----\n%s\n%s\n%s\n-----END OpenVPN Static key V1-----\n</tls-auth>",
	}},
	{"other blocks", "#{64}", []string{
		"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: x\n%s\n%s\n---- END SSH2 ENCRYPTED PRIVATE KEY ----",
		"-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\n%s\n%s\n-----END ENCRYPTED SIGSTORE PRIVATE KEY-----",
		"untrusted comment: minisign encrypted secret key\nRWRTY0Iy%s\n",
		"untrusted comment: signify secret key\nRWRCSwAAAAA%s\n", "== ed25519v1-secret: type0 ==\n%s",
		"# START OF TARSNAP KEY FILE\n%s\n%s\n# END OF TARSNAP KEY FILE", "BORG_KEY 0123456789abcdef\n%s\n%s\n",
		"PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n%s\nPrivate-MAC: 00\n",
		"x\n-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n%s\n%s\n=aaaa\n-----END PGP PRIVATE KEY BLOCK-----",
		"Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n%s\n%s\n", "-----BEGIN TSS2 PRIVATE KEY-----\n%s\n%s\n",
	}},
	{"s-expression", "~{64}", []string{
		"(private-key\n (ecc\n  (curve Ed25519)\n  (q #40AA#)\n  (d #%s#)))",
		"(protected-private-key (rsa (n #00#) (d #%s#)))",
	}},
	// Keys glued to a word.
	{"glued aws", "AKIA^{16}", []string{
		"deploy%s", "prod_%s", "key%s", "xx%sdeploy", "id=deploy%s;", "my-%s", "backup%s,x", "v1%s", "AWS%s",
		"KEY_%s_OLD",
	}},
	{"glued tokens", "#{44}", []string{
		"deployghp_%s", "ciglpat-%s", "tokennpm_%s", "mykeysk-proj-%s", "prod_hf_%s", "botxoxb-%s",
		"oldgithub_pat_%s", "stagingsk_live_%s", "cisk-ant-api03-%s", "deployAIzaSy%s", "prod_gsk_%s", "keypypi-%s",
		"myglsa_%s_~{8}", "old_sk-%s", "ci_dckr_pat_%s",
	}},
	// Further ones of each sort, written after the rules.
	{"more labels", "word", []string{
		"Credentials\n-----------\nHost     : db1\nUsername : app\nPassword : %s\n",
		"| Parameter | Value | Notes |\n|:----------|:-----:|------|\n| `db_password` | `%s` | rotate |\n",
		"* User: bob\n* Pass: %s\n", "1) login: bob\n2) password: %s\n", "- **user**: bob\n- **password**: %s\n",
		"Username: bob\tPassword: %s\n", "username | password\nbob | %s\n",
		"┌──────┬──────────┐\n│ User │ Password │\n├──────┼──────────┤\n│ bob  │ %s │\n└──────┴──────────┘\n",
		"User:\n  bob\nPassword:\n  %s\n", "Passwort\n%s\n", "Kennwort:\n\n    %s\n", "Contraseña:\n%s\n",
		"Mot de passe\n`%s`\n", "<tr><td>DB password</td><td>%s</td></tr>", "<p><strong>Password</strong><br/>%s</p>",
		"<span class=\"label\">Password</span><span class=\"value\">%s</span>",
		"Your temporary password is:\n\n  %s\n\nPlease change it.", "Here is the password:\n> %s\n",
		"root password\n=============\n%s\n", "login: bob\npassword (temporary): %s\n",
		"PASSWORD\n--------\n%s\n(1 row)\n", "[password]\n%s\n", "Password •  %s", "password ⇒ %s", "pass phrase: %s",
		"Login      Password\nbob        %s\nalice      x\n",
		"ID  USERNAME  PASSWORD   ROLE\n1   bob       %s   admin\n", "db.password\n  %s\n", "\"password\",\n\"%s\"",
		"password|%s", "user=bob|password=%s|host=x", "password~%s", "Password #1: %s", "password1 = %s",
		"Passwd.: %s", "PW  %s", "pwd -> %s",
	}},
	{"more labels of keys", "#{40}", []string{
		"| Stripe | %s |\n", "| Provider | Token |\n|---|---|\n| GitHub | %s |\n| x | y |\n",
		"Access key ID\nid1\nSecret access key\n%s\n", "Client secret\n\n%s\n",
		"- Client ID: abc\n- Client secret: %s\n", "Consumer key (API key)\n%s\n", "API Key:\t%s\n",
		"Bearer token\n```\n%s\n```\n", "<dt>Client secret</dt>\n<dd><code>%s</code></dd>",
		"<td>Access Key</td><td class=\"mono\">%s</td>", "Secret: `%s`", "KEY ........ %s", "API-Key → %s",
		"token\n-----\n%s\n", "Your new API token (copy it now):\n%s\n",
		"{\"credential\":{\"type\":\"token\",\"value\":\"%s\"}}", "[\"Authorization\", \"Bearer %s\"]",
		"{\"header\":\"X-Api-Key\",\"val\":\"%s\"}", "key: api_token, val: %s", "- key: API_TOKEN\n  val: %s\n",
		"name=\"API_TOKEN\" data=\"%s\"", "setting API_TOKEN %s", "API_TOKEN\t%s", "api_token,%s\n",
		"Webhook signing secret\nwhsec\n%s\n",
	}},
	{"more calls", "#{32}", []string{
		"const s = require('stripe')('%s')", "stripe.api_key = '%s'", "openai.api_key=\"%s\"",
		"Stripe.setApiKey(\"%s\")", "sgMail.setApiKey('%s')", "\\Stripe\\Stripe::setApiKey('%s');",
		"client := openai.NewClient(\"%s\")", "new OpenAI({ apiKey: '%s' })", "Anthropic(api_key='%s')",
		"twilio(accountSid, '%s')", "require('twilio')('ACxx', '%s')", "new Twilio('id', '%s')", "Telegraf('%s')",
		"new Telegraf(\"%s\")", "bot = telebot.TeleBot('%s')", "updater = Updater('%s')", "client.run('%s')",
		"discord.login('%s')", "WebClient(token='%s')", "new WebClient('%s')", "slack_sdk.WebClient(\"%s\")",
		"App(token=\"%s\", signing_secret=\"x\")", "sentry_sdk.init(\"https://%s@o1.ingest.sentry.io/2\")",
		"Raven.config('https://%s@sentry.io/1')", "github3.login(token='%s')", "gitlab.Gitlab('https://x', '%s')",
		"gitlab.Gitlab('https://x', private_token='%s')", "jenkins.Jenkins('http://x', 'bob', '%s')",
		"JIRA('https://x', basic_auth=('bob', '%s'))", "Mailgun('%s', 'x.io')",
		"mailgun.client({username: 'api', key: '%s'})", "new Algolia('A', '%s')", "hvac.Client('http://x', '%s')",
		"hvac.Client(url='http://x', token='%s')", "pinecone.init(api_key='%s')", "dd.initialize(api_key='%s')",
		"newrelic.Agent('%s')", "mapboxgl.accessToken = '%s'", "L.mapbox.accessToken = '%s';",
		"new google.maps.Geocoder('%s')", "rollbar.init('%s', 'production')", "Bugsnag.start('%s')",
		"Rollbar.init({ accessToken: '%s' })", "analytics.load('%s')", "mixpanel.init('%s')",
		"amplitude.getInstance().init('%s')", "posthog.init('%s', {})", "LaunchDarkly.initialize('%s')",
		"Honeybadger.configure({ apiKey: '%s' })", "cloudinary.config('demo', '123', '%s')",
		"new ImageKit('pub', '%s', 'url')", "Aws::S3::Client.new('id', '%s')",
		"S3Client.builder().credentials(\"id\", \"%s\")", "AwsBasicCredentials.create(\"id\", \"%s\")",
		"new AWS.Credentials('id', '%s')", "ServicePrincipalCredentials('id', '%s', 't')",
		"new ClientSecretCredential('t','c','%s')", "BlobServiceClient(url, '%s')",
		"new CosmosClient('https://x', '%s')", "SearchClient('x', '%s')", "WithToken(\"%s\")", "withApiKey('%s')",
		".WithAPIKey(\"%s\")", "option.WithAPIKey(\"%s\")", "oauth2.Token{AccessToken: \"%s\"}",
		"set_api_key(\"%s\")", "configure(api_key=\"%s\")", "auth.SetToken('%s')", ".bearer_auth(\"%s\")",
		".header(\"X-Token\", \"%s\")", "req.Header.Set(\"Authorization\", \"Bearer %s\")",
		"req.Header.Set(\"X-Api-Key\", \"%s\")", "r.headers['X-Auth-Token'] = '%s'",
		"setRequestHeader('X-Access-Token', '%s')", ".set('x-api-key', '%s')", ".addHeader(\"apikey\", \"%s\")",
	}},
	{"more flags and headers", "#{32}", []string{
		"curl -H 'X-Stripe-Signature-Secret: %s' https://x", "curl -H \"Fastly-Key: %s\"",
		"http POST x.io X-Vault:%s", "curl --header 'x-datadog: %s'", "vault write x token=%s", "curl -u sk:%s x",
		"curl -u %s: https://api.stripe.com/v1/charges", "stripe listen --api-key %s", "heroku auth --token=%s",
		"sentry-cli --auth-token %s releases", "newman run --env-var key=%s", "helm install x --set openai.key=%s",
		"helm upgrade --set secrets.stripe=%s", "kubectl create secret generic x --from-literal=stripe=%s",
		"docker run -e STRIPE=%s x", "docker build --build-arg NPM=%s .", "terraform plan -var 'datadog=%s'",
		"gh secret set STRIPE -b %s", "fly secrets set OPENAI=%s", "heroku config:set SENDGRID=%s",
		"vercel env add STRIPE %s", "npm config set //registry.x/:_authToken %s", "//registry.x/:_authToken=%s",
		"pip install --index-url https://u:%s@x/simple", "git clone https://oauth2:%s@gitlab.x/a.git",
		"git clone https://x-access-token:%s@github.com/a/b", "git remote set-url origin https://%s@github.com/x/y",
		"aws configure set aws_secret_access_key %s", "gcloud auth activate --key %s",
		"az login --service-principal -u x -p %s --tenant y", "snowsql -a x -u y -p %s", "consul acl -token=%s",
		"nomad job run -token=%s x", "rclone --s3-secret-access-key %s", "restic --password-command 'echo %s'",
		"wg set wg0 private-key <(echo %s)", "ansible-playbook -e api_token=%s", "openssl enc -pass pass:%s -in x",
		"openssl dgst -hmac %s f", "mqttx pub -u u -P %s -t x", "Authorization: OAuth %s", "Authorization: %s",
		"Proxy-Authorization: Basic %s", "X-Access: %s", "X-Hub-Secret: %s", "Cookie: token=%s; a=b",
	}},
	{"more connection strings", "word", []string{
		"DATABASE_URL=postgres://u:%s@h/d", "server=h;database=d;uid=u;password=%s",
		"Data Source=h;Initial Catalog=d;User Id=u;Password='%s';", "amqp://u:%s@h//", "sftp://u:%s@h/p",
		"smb://d;u:%s@h/s", "rtsp://admin:%s@10.0.0.2/cam", "http://u:%s@proxy:3128",
		"mssql+pyodbc://u:%s@h/d?driver=x", "couchbase://u:%s@h", "bolt://neo4j:%s@h:7687",
		"mongodb://u:%s@a:1,b:2/d?replicaSet=r", "user='u' password='%s' host='h'", "h=x;u=y;p=%s",
		"(DESCRIPTION=(ADDRESS=(HOST=h)))(USER=u)(PASSWORD=%s)", "u/%s@ORCL", "jdbc:oracle:thin:u/%s@h:1521:x",
		"jdbc:postgresql://u:%s@h/d", "Provider=SQLOLEDB;UID=u;PWD=%s", "mysql -h h -u u -p'%s' d",
		"mysql://u:%s@h/d?ssl=true", "PGPASSWORD='%s' psql -h x", "imap://u%%40x.io:%s@h", "ldap_bind_pw: %s",
		"bindpw %s", "userPassword: %s", "rootpw %s", "admin:%s@10.0.0.5:8080", "dsn = u:%s@unix(/tmp/s)/d",
		"DB_DSN=\"u:%s@(h:3306)/d\"", "redis://h:6379?password=%s", "rediss://:%s@h",
		"kafka.sasl.jaas.config=org.apache.kafka.PlainLoginModule required username=\"u\" password=\"%s\";",
		"SASL_JAAS='username=u password=%s'",
	}},
	{"more elements", "#{64}", []string{
		"<ApiKey>%s</ApiKey>", "<api:token>%s</api:token>", "<add name=\"StripeKey\" value=\"%s\"/>",
		"<secret>%s</secret>", "<string name=\"stripe_key\">%s</string>", "<entry key=\"token\">%s</entry>",
		"<bean><property name=\"apiKey\" value=\"%s\"/></bean>", "<env><name>API_TOKEN</name><value>%s</value></env>",
		"<D>%s</D>", "<DQ>%s</DQ>", "<xenc:CipherValue>x</xenc:CipherValue><PrivateExponent>%s</PrivateExponent>",
		"<Secret><![CDATA[%s]]></Secret>", "<password><![CDATA[%s]]></password>",
		"<k:SymmetricKey>%s</k:SymmetricKey>", "<MasterKey>%s</MasterKey>",
		"<wsse:BinarySecret>%s</wsse:BinarySecret>", "<t:BinarySecret Type=\"x\">%s</t:BinarySecret>",
		"<encryption><key>%s</key></encryption>", "<keys><private>%s</private></keys>", "<KeyData>%s</KeyData>",
		"<AESKey>%s</AESKey>", "<sharedSecret>%s</sharedSecret>", "<token type='bearer'>%s</token>",
		"<Param Name=\"Key\">%s</Param>", "<key algorithm=\"HS256\">%s</key>",
		"<credential password=\"%s\" user=\"x\"/>", "<SSHKey>%s</SSHKey>", "<licenseKey>%s</licenseKey>",
	}},
	{"more keys", "#{64}", []string{
		"-----BEGIN PRIVATE KEY-----%s%s-----END PRIVATE KEY-----",
		"-----END EC PARAMETERS-----\n-----BEGIN EC PRIVATE KEY-----\n%s\n-----END EC PRIVATE KEY-----",
		"-----BEGIN DSA PRIVATE KEY-----\n> %s\n> %s\n", "-----BEGIN OPENSSH PRIVATE KEY-----\\n%s\\n%s\\n",
		"<key>\n-----BEGIN PRIVATE KEY-----\n%s\n%s\n-----END PRIVATE KEY-----\n</key>",
		"[Interface]\nPrivateKey = %s=\nAddress = 10.0.0.1\n",
		"private_key: |\n  -----BEGIN RSA PRIVATE KEY-----\n  %s\n  %s\n  -----END RSA PRIVATE KEY-----\n",
		"ssh_host_key: \"-----BEGIN RSA PRIVATE KEY-----\\n%s\\n-----END\"",
		"key=-----BEGIN+RSA+PRIVATE+KEY-----%%0A%s%%0A", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n%s\n%s\n",
		"$ANSIBLE_VAULT_PASSWORD=%s", "{\"kty\":\"oct\",\"k\":\"%s\"}", "{\"d\":\"%s\",\"kty\":\"OKP\"}",
		"private_key_pem = <<EOF\n-----BEGIN RSA PRIVATE KEY-----\n%s\n%s\n", "type0 == %s",
		"hostkey: %s\nprivkey: %s", "privkey=%s", "\"private_key_id\":\"x\",\"private_key\":\"%s\"", "sk: %s",
		"seed = \"%s\"", "mnemonic_seed: %s", "secretKey: Uint8Array.from(atob('%s'))", "HMAC_KEY: %s",
		"aes_key = b'%s'", "iv = '0'; key = '%s'", "salt+key: %s", "Fernet(b'%s')", "AES.new('%s', AES.MODE_CBC)",
		"crypto.createCipheriv('aes', '%s', iv)", "jwt.encode(p, '%s', 'HS256')", "secret_key_base: %s",
		"signing.secret=%s",
	}},
	// A third set, of which 87 % were found on first sight.
}

// encodedFamilies are secrets that another notation hides. Each example is a text and what may not remain of it.
var encodedFamilies = []struct {
	name string
	make func(d dice) (text string, hidden []string)
}{
	{"zero width in the label", func(d dice) (string, []string) {
		return folded(d, func(label, value string) (string, string) { return between(d, label, invisible), value })
	}},
	{"zero width in the value", func(d dice) (string, []string) {
		return folded(d, func(label, value string) (string, string) { return label, between(d, value, invisible) })
	}},
	{"zero width in a token", func(d dice) (string, []string) {
		return foldedToken(d, func(c byte) string {
			return string(c) + d.one("", "", "", d.one(invisible...))
		})
	}},
	{"full width label", func(d dice) (string, []string) {
		return folded(d, func(label, value string) (string, string) { return eachByte(label, wide), value })
	}},
	{"full width value", func(d dice) (string, []string) {
		return folded(d, func(label, value string) (string, string) { return label, eachByte(value, wide) })
	}},
	{"full width token", func(d dice) (string, []string) { return foldedToken(d, wide) }},
	{"entities in the label", func(d dice) (string, []string) {
		return folded(d, func(label, value string) (string, string) { return eachByte(label, d.entity), value })
	}},
	{"entities in the value", func(d dice) (string, []string) {
		return folded(d, func(label, value string) (string, string) { return label, eachByte(value, d.entity) })
	}},
	{"entities in a token", func(d dice) (string, []string) { return foldedToken(d, d.entity) }},
	{"entities around", func(d dice) (string, []string) {
		pw := d.word()
		return strings.ReplaceAll(d.one("password=&quot;%s&quot;", "password&#61;%s\n", "&lt;password&gt;%s&lt;/password&gt;",
				"{&#34;password&#34;:&#34;%s&#34;}", "DB_PASSWORD&equals;%s", "password&colon; %s", "password:&nbsp;%s",
				"&apos;password&apos;: &apos;%s&apos;", "{&amp;quot;password&amp;quot;:&amp;quot;%s&amp;quot;}"), "%s", pw),
			[]string{pw}
	}},
	{"percent", func(d dice) (string, []string) {
		return foldedToken(d, func(c byte) string {
			return d.one(string(c), string(c), "%"+strings.ToUpper(hex.EncodeToString([]byte{c})))
		})
	}},
	{"escapes", func(d dice) (string, []string) {
		return foldedToken(d, func(c byte) string {
			return d.one(string(c), string(c), `\u00`+hex.EncodeToString([]byte{c}), `\x`+hex.EncodeToString([]byte{c}))
		})
	}},
	{"odd blanks and quotes", func(d dice) (string, []string) {
		pw := d.word()
		return strings.ReplaceAll(d.one("password:\u00a0%s", "password = “%s”", "password: «%s»", "the password is ‘%s’",
			"Password\u2009:\u2009%s", "password\uff1a%s", "password\u3000%s\n", "DB_PASSWORD\uff1d%s", "password﹕ %s",
			"password \u2236 %s\n", "| password \uff5c %s |"), "%s", pw), []string{pw}
	}},
	{"look-alike letters", func(d dice) (string, []string) {
		return folded(d, func(label, value string) (string, string) {
			return strings.NewReplacer("a", "а", "o", "о", "e", "е", "p", "р").Replace(label), value
		})
	}},
	{"mathematical letters", func(d dice) (string, []string) {
		return folded(d, func(label, value string) (string, string) {
			return strings.Map(func(r rune) rune {
				if r >= 'a' && r <= 'z' {
					return 0x1D5EE + r - 'a'
				}
				return r
			}, label), value
		})
	}},
	{"key in base64", func(d dice) (string, []string) { return encodedKey(d, base64.StdEncoding.EncodeToString) }},
	{"key in base64 for URLs", func(d dice) (string, []string) {
		return encodedKey(d,
			base64.RawURLEncoding.EncodeToString)
	}},
	{"key in hex", func(d dice) (string, []string) {
		return encodedKey(d, hex.EncodeToString)
	}},
	{"login in base64", func(d dice) (string, []string) {
		whole := base64.StdEncoding.EncodeToString([]byte("password=" + d.word() + "\nuser=bob\n"))
		return d.one("data: ", "echo ", "x=", "blob ") + whole + d.one("", " | base64 -d", "\n"),
			[]string{strings.TrimRight(whole, "=")}
	}},
	{"two literals", func(d dice) (string, []string) {
		a, b := "ghp_"+d.of(alnum, 14), d.of(alnum, 22)
		return d.one(`x = "`+a+`" + "`+b+`"`, `x = '`+a+`' + '`+b+`'`, `x = "`+a+"\" +\n    \""+b+`"`,
			"x = `"+a+"` + `"+b+"`"), []string{a[8:], b[4:]}
	}},
}

var invisible = []string{
	"\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u200e", "\u180e", "\ufe0f",
	"\u2062",
}

// between puts one of the texts somewhere between the bytes of s.
func between(d dice, s string, texts []string) string {
	for range 2 {
		i := 1 + d.IntN(len(s)-1)
		s = s[:i] + d.one(texts...) + s[i:]
		if !strings.Contains(s[i:], "a") && d.IntN(2) == 0 {
			break
		}
	}
	return s
}

func eachByte(s string, change func(c byte) string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteString(change(s[i]))
	}
	return b.String()
}

func wide(c byte) string {
	if c > ' ' && c < 0x7F {
		return string(rune(c) + 0xFEE0)
	}
	return string(c)
}

func (d dice) entity(c byte) string {
	code := hex.EncodeToString([]byte{c})
	return d.one(string(c), string(c), "&#x"+code+";", "&#"+itoa(c)+";", "&#0"+itoa(c)+";")
}

func itoa(c byte) string {
	if c < 10 {
		return string('0' + c)
	}
	return itoa(c/10) + string('0'+c%10)
}

// folded returns a label with a password, each in another notation.
func folded(d dice, change func(label, value string) (string, string)) (string, []string) {
	value := d.word()
	label, shown := change(d.one("password", "db_password", "passphrase"), value)
	return d.one("x\n", "", "env: ") + label + d.one(": ", "=", " = ") + shown + d.one("", "\nnext", "\n"),
		[]string{shown, value}
}

// foldedToken returns a token whose bytes are each in another notation.
func foldedToken(d dice, change func(c byte) string) (string, []string) {
	token := d.one("ghp_"+d.of(alnum, 36), "AKIA"+d.of(upperNum, 16), "sk-ant-api03-"+d.of(b64url, 40),
		"glpat-"+d.of(alnum, 20))
	shown := eachByte(token, change)
	return d.one("use ", "key ", "x: ", "(") + shown + d.one("", " now", ")", "\n"), []string{shown, token}
}

// encodedKey returns a whole key in another encoding.
func encodedKey(d dice, encode func([]byte) string) (string, []string) {
	token := d.one("ghp_"+d.of(alnum, 36), "AKIA"+d.of(upperNum, 16), "sk-ant-api03-"+d.of(b64url, 40),
		"glpat-"+d.of(alnum, 20),
		"xoxb-"+d.of(digits, 12)+"-"+d.of(alnum, 24), "npm_"+d.of(alnum, 36), "AIza"+d.of(b64url, 35), "hf_"+d.of(letters,
			34))
	whole := encode([]byte(token + d.one("", "\n")))
	return d.one("use ", "data: ", "echo ", "x=", "(", "  key: ", "\"") + whole + d.one("", " now", ")", "\n", "\""),
		[]string{strings.TrimRight(whole, "=")}
}

const familySamples = 12 // examples of each text of a family

// measure returns how many families have no surviving secret, and how many texts have one.
func (f *Finder) measure(t testing.TB, d dice, families []family) (caught, total int) {
	for _, fam := range families {
		missed := 0
		for _, text := range fam.texts {
			left := ""
			for range familySamples {
				secret := fam.example(d)
				var parts []string
				whole := draw(d.Rand, text)
				for strings.Contains(whole, "%s") {
					parts = append(parts, secret)
					whole = strings.Replace(whole, "%s", secret, 1)
					secret = fam.example(d)
				}
				if got := f.redact(whole); survivor(got, parts) != "" {
					left = got
				}
			}
			if left != "" {
				missed++
				t.Logf("%s: %q", fam.name, left)
			}
		}
		total += len(fam.texts)
		caught += len(fam.texts) - missed
	}
	return caught, total
}

func (fam *family) example(d dice) string {
	if fam.secret == "word" {
		return d.word()
	}
	return draw(d.Rand, fam.secret)
}

func TestPlainFamiliesAreRedacted(t *testing.T) {
	caught, total := New(nil).measure(t, dice{rand.New(rand.NewPCG(11, 12))}, plainFamilies)
	t.Logf("%d of %d (%.1f %%)", caught, total, 100*float64(caught)/float64(total))
	if caught*100 < total*95 {
		t.Errorf("%d of %d, want 95 of 100", caught, total)
	}
}

func TestDisguisedFamiliesAreRedacted(t *testing.T) {
	caught, total := New(nil).measure(t, dice{rand.New(rand.NewPCG(13, 14))}, disguisedFamilies)
	t.Logf("%d of %d (%.1f %%)", caught, total, 100*float64(caught)/float64(total))
	if caught*100 < total*95 {
		t.Errorf("%d of %d, want 95 of 100", caught, total)
	}
}

func TestEncodedFamiliesAreRedacted(t *testing.T) {
	f, d := New(nil), dice{rand.New(rand.NewPCG(15, 16))}
	caught, total := 0, 0
	for _, fam := range encodedFamilies {
		missed := 0
		for range 60 {
			text, hidden := fam.make(d)
			if got := f.redact(text); survivor(got, hidden) != "" {
				if missed++; missed < 4 {
					t.Logf("%s: %q -> %q", fam.name, text, got)
				}
			}
		}
		total += 60
		caught += 60 - missed
		t.Logf("%s: %d of 60 missed", fam.name, missed)
	}
	t.Logf("%d of %d (%.1f %%)", caught, total, 100*float64(caught)/float64(total))
	if caught*100 < total*95 {
		t.Errorf("%d of %d, want 95 of 100", caught, total)
	}
}
