package rank

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// minPrompt is the least length of a prompt worth a search, in characters. A
// character of an unsegmented script counts two: four of them can be a sentence.
const minPrompt = 8

// Trivial reports whether a prompt asks for nothing that memory could help
// with: it is very short, a slash command, or nothing but assent or courtesy in
// one of a dozen languages.
func Trivial(prompt string) bool {
	return breadth(strings.TrimSpace(prompt)) < minPrompt || Courtesy(prompt)
}

// Courtesy reports whether a prompt is a slash command or nothing but assent or
// courtesy, however long it is.
func Courtesy(prompt string) bool {
	p := strings.TrimSpace(prompt)
	return slashCommand(p) || len(p) < 200 && bareAssent(p)
}

// maxNames is how many names of a prompt are looked at.
const maxNames = 8

// Names are what in a prompt names a thing of the code: a path, a file, an
// identifier, the code of an error. Each is once in the list.
func Names(prompt string) []string {
	var out []string
	for name := range names(head(prompt, 2*maxText)) {
		if len(out) < maxNames && isName(name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// isName distinguishes a name from a word: words of other alphabets have no parts and
// no digits within either.
func isName(s string) bool {
	list := atoms(s)
	if len(list) > 1 {
		return strings.ContainsAny(s, "./_:\\#") || strings.ContainsFunc(s, unicode.IsDigit)
	}
	letter, digit := strings.IndexFunc(s, unicode.IsLetter), strings.IndexFunc(s, unicode.IsDigit)
	return len(camel(s)) > 1 || letter >= 0 && digit > letter
}

func breadth(s string) int {
	n := utf8.RuneCountInString(s)
	for _, r := range s {
		if unsegmented(r) {
			n++
		}
	}
	return n
}

// slashCommand distinguishes /compact and /review now from a path at the start of a prompt.
func slashCommand(p string) bool {
	if !strings.HasPrefix(p, "/") {
		return false
	}
	first, _, _ := strings.Cut(p[1:], " ")
	first, _, _ = strings.Cut(first, "\n")
	return first != "" && !strings.ContainsAny(first, "/.")
}

// bareAssent reports whether the words of p are phrases of assent, one after
// another, and nothing else.
func bareAssent(p string) bool {
	rest := plain(p)
	for rest != "" {
		n := assentAt(rest)
		if n == 0 {
			return false
		}
		rest = strings.TrimPrefix(rest[n:], " ")
	}
	return true
}

// maxPhraseBytes bounds a phrase of assent.
const maxPhraseBytes = 40

// assentAt is the length of the longest phrase of assent that s begins with. A
// phrase ends where a word ends; in an unsegmented script, anywhere.
func assentAt(s string) int {
	for n := min(len(s), maxPhraseBytes); n > 0; n-- {
		if n < len(s) && !utf8.RuneStart(s[n]) {
			continue
		}
		last, _ := utf8.DecodeLastRuneInString(s[:n])
		if n < len(s) && s[n] != ' ' && !unsegmented(last) {
			continue
		}
		if last != ' ' && listed(assents, s[:n]) {
			return n
		}
	}
	return 0
}

// plain is s in lower case with one space for whatever is not a word.
func plain(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(s) {
		switch {
		case r == '\'' || r == '’':
		case !wordRune(r) || unicode.Is(unicode.Variation_Selector, r):
			gap = true
		default:
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			b.WriteRune(r)
		}
	}
	return b.String()
}

// listed reports whether phrase is one of a list written with a bar around each.
func listed(list, phrase string) bool {
	return !strings.Contains(phrase, "|") && strings.Contains(list, "|"+phrase+"|")
}

// Phrases in the form of plain. The list is searched as it stands, so that it
// costs nothing at start-up.
const assents = "|yes|yep|yeah|yup|ya|y|ok|okay|k|kk|sure|sure thing|of " +
	"course|absolutely|definitely|correct|right|exactly|agreed|fine|good|great|nice|" +
	"cool|perfect|awesome|excellent|amazing|wonderful|brilliant|lovely|done|alright|all right|very good|very nice|good " +
	"job|great job|nice job|" +
	"nice work|great work|good work|well done|good idea|makes sense|that makes sense|fair enough|got it|i " +
	"see|understood|i agree|" +
	"thanks|thank you|thx|ty|cheers|thanks a lot|thanks so much|thank you so much|thank you very much|many " +
	"thanks|appreciate it|" +
	"please|pls|please do|do it|do that|do this|do so|please do it|lets do it|lets do that|lets do this|lets go|lets go " +
	"with that|go|go on|go ahead|go for it|" +
	"continue|carry on|keep going|keep it up|keep at it|proceed|resume|next|next one|next step|try " +
	"again|again|retry|once more|one more time|" +
	"looks good|looks good to me|looks great|looks fine|looks right|looks ok|looks perfect|lgtm|sounds good|sounds " +
	"great|sounds good to me|sounds right|" +
	"that works|works|it works|works for me|that works for me|it works now|works now|that worked|it worked|worked|thats " +
	"right|thats correct|thats it|thats fine|" +
	"thats good|thats great|thats perfect|that is right|that is correct|that is fine|that is good|that looks good|that " +
	"looks great|this looks good|this is good|this is great|" +
	"all good|no problem|np|no|nope|nah|no thanks|not now|not yet|never mind|nevermind|stop|wait|hold " +
	"on|cancel|skip|skip it|hmm|hm|ah|oh|wow|" +
	"hi|hello|hey|hi there|hello there|hey there|good morning|good evening|bye|goodbye|see you|as you like|up to " +
	"you|your call|you decide|you choose|" +
	"yes please|yes do it|yes go ahead|yes continue|i approve|approved|approve|accept|accepted|confirm|confirmed|ship " +
	"it|merge it|commit|commit it|push it|and|then|so|now|for now|it|" +
	"that|this|the first one|the second one|option a|option b|option 1|option 2|both|either|whatever|" +
	// German
	"ja|jawohl|jo|jep|klar|genau|richtig|stimmt|passt|passt so|gut|sehr gut|super|prima|toll|bestens|alles klar|alles " +
	"gut|in ordnung|einverstanden|mach das|mach weiter|mach bitte weiter|mach ruhig weiter|" +
	"mach mal|weiter|weiter so|weitermachen|bitte|bitte weiter|bitte mach weiter|danke|danke dir|vielen dank|danke " +
	"schön|dankeschön|nein|nein danke|nee|sieht gut aus|das sieht gut aus|klingt gut|gerne|nochmal|" +
	"noch mal|noch einmal|fertig|los|los gehts|funktioniert|das funktioniert|das passt|perfekt|ja bitte|fahre " +
	"fort|fortfahren|hallo|guten morgen|ist gut|das ist gut|wunderbar|" +
	// French
	"oui|ouais|daccord|dacc|bien|très bien|tres bien|parfait|super|génial|exactement|exact|merci|merci beaucoup|non|non " +
	"merci|vas y|vas y continue|allez y|allez|continue|continuez|" +
	"ça marche|ca marche|ça me va|ca me va|cest bon|cest bien|cest parfait|bien sûr|bien sur|sil te plaît|sil te " +
	"plait|sil vous plaît|sil vous plait|encore|ça a lair bien|bonjour|salut|entendu|poursuis|" +
	// Spanish
	"sí|si|claro|claro que sí|vale|de acuerdo|bien|muy bien|perfecto|genial|exacto|correcto|gracias|muchas gracias|no " +
	"gracias|adelante|sigue|continúa|continua|continuar|hazlo|dale|" +
	"por favor|listo|está bien|esta bien|se ve bien|me parece bien|funciona|eso funciona|otra vez|de nuevo|hola|buenos " +
	"días|buenas|por supuesto|así es|excelente|" +
	// Portuguese
	"sim|claro|tá|tá bom|ta bom|está bom|beleza|certo|isso|isso mesmo|ótimo|otimo|perfeito|legal|muito bem|muito " +
	"bom|obrigado|obrigada|muito obrigado|muito obrigada|não|nao|pode continuar|pode ser|" +
	"continue por favor|vai|vamos|vamos lá|segue|siga|faça isso|pode fazer|por favor continue|funciona|funcionou|parece " +
	"bom|de novo|olá|bom dia|com certeza|" +
	// Italian
	"sì|certo|certamente|va bene|vabbè|bene|molto " +
	"bene|benissimo|perfetto|ottimo|giusto|esatto|esattamente|grazie|grazie mille|no grazie|continua|continua " +
	"pure|vai|vai avanti|avanti|procedi|fallo|" +
	"per favor|per favore|sembra buono|funziona|daccordo|ancora|di nuovo|ciao|buongiorno|prego|" +
	// Dutch, Polish, Turkish
	"ja graag|prima zo|goed|goed zo|ga door|ga verder|doorgaan|dank je|dank je " +
	"wel|bedankt|dankjewel|nee|klopt|precies|akkoord|alsjeblieft|ziet er goed uit|" +
	"tak|dobrze|dobra|jasne|świetnie|super|dziękuję|dziekuje|dzięki|dzieki|kontynuuj|dalej|proszę|nie|zgoda|" +
	"evet|tamam|olur|devam|devam et|teşekkürler|teşekkür ederim|sağol|hayır|harika|güzel|lütfen|" +
	// Russian, Ukrainian
	"да|ага|угу|ок|окей|хорошо|ладно|конечно|верно|правильно|точно|отлично|супер|класс|согласен|согласна|спасибо|" +
	"большое спасибо|спасибо большое|пожалуйста|продолжай|продолжайте|давай|давай дальше|дальше|" +
	"нет|не надо|сделай это|делай|выглядит хорошо|все хорошо|всё хорошо|все отлично|всё отлично|работает|это " +
	"работает|понятно|понял|поняла|еще раз|ещё раз|привет|так|добре|дякую|" +
	// Japanese
	"はい|うん|ええ|そう|そうです|そうですね|そうしてください|オーケー|オッケー|了解|了解です|了解しました|わかりました|分かりました|承知しました|いいです|いいですね|いいよ|良いです|良いですね|大丈夫|" +
	"大丈夫です|問題ありません|問題ないです|" +
	"お願いします|おねがいします|よろしく|よろしくお願いします|どうぞ|続けて|続けてください|つづけて|続行|続行してください|進めて|進めてください|次|次へ|次に進んでください|ありがとう|ありがとうございます|" +
	"ありがとうございました|完璧|完璧です|素晴らしい|素晴らしいです|" +
	"いいえ|もう一度|もう一度お願いします|それで|それでお願いします|それでいいです|やって|やってください|それで|ok です|です|" +
	// Chinese
	"是|是的|对|對|对的|對的|没错|沒錯|好|好的|好吧|好了|可以|可以的|行|行的|嗯|嗯嗯|当然|當然|没问题|沒問題|继续|繼續|请继续|請繼續|继续吧|继续做|接着|接着做|下一步|谢谢|謝謝|谢谢你|多谢|非常好|" +
	"很好|太好了|太棒了|完美|不错|不|不用|不用了|不是|" +
	"同意|确认|確認|明白|明白了|知道了|了解|收到|辛苦了|开始|开始吧|开始做|再试|再试一次|看起来不错|看起来很好|就这样|就这样做|这样可以|请|吧|" +
	// Korean
	"네|네네|예|응|어|그래|그래요|좋아|좋아요|좋습니다|좋네요|알겠습니다|알겠어요|알았어|알았어요|맞아|맞아요|맞습니다|물론|물론이죠|계속|계속해|계속해줘|계속해 줘|계속해주세요|계속해 " +
	"주세요|계속하세요|계속 진행해줘|계속 진행해 주세요|진행해|진행해줘|진행해 주세요|진행해주세요|" +
	"다음|고마워|고마워요|감사합니다|고맙습니다|완벽해|완벽합니다|훌륭해|아니|아니요|아니오|다시|다시 해줘|해줘|해주세요|그렇게 해줘|그렇게 해주세요|확인|오케이|부탁해|부탁해요|부탁합니다|부탁드립니다|" +
	// Arabic, Hindi, Vietnamese
	"نعم|حسنا|حسناً|تمام|شكرا|شكراً|استمر|ممتاز|لا|हाँ|हां|ठीक है|ठीक|धन्यवाद|शुक्रिया|जारी रखें|जारी " +
	"रखो|बढ़िया|अच्छा|नहीं|जी|जी हाँ|vâng|được|đồng ý|cảm ơn|tiếp tục|tốt|đúng|đúng rồi|không|ừ|dạ|"

// RefersBack reports whether a prompt speaks of what was done or decided before.
func RefersBack(prompt string) bool { return speaks(prompt, backwards) }

// NewTask reports whether a prompt begins a piece of work, rather than asks or goes on.
func NewTask(prompt string) bool { return speaks(prompt, beginnings) }

// speaks reports whether a phrase of the list stands in the text at a word's
// beginning and end; phrases of unsegmented scripts may stand anywhere.
func speaks(text, list string) bool {
	p := " " + plain(head(text, 2*maxText)) + " "
	for phrase := range strings.SplitSeq(strings.Trim(list, "|"), "|") {
		first, _ := utf8.DecodeRuneInString(phrase)
		if !unsegmented(first) {
			phrase = " " + phrase + " "
		}
		if strings.Contains(p, phrase) {
			return true
		}
	}
	return false
}

const backwards = "|last time|like before|as before|same as before|like last time|as last time|did before|done " +
	"before|seen before|had before|happened before|" +
	"same way as|we decided|we decide|did we decide|was decided|we agreed|did we agree|we chose|did we choose|why did " +
	"we|when did we|how did we|what did we|where did we|did we|have we|had we|we discussed|we talked|" +
	"we fixed|i fixed|you fixed|we solved|we solve|that bug we|the bug we|the fix we|we used|we did|we had|we tried|we " +
	"learned|we learnt|we found|we wrote|we built|we added|we made|we removed|we changed|we were|" +
	"you said|you told|you mentioned|you suggested|you did|i said|i told you|i mentioned|i asked|as i said|as " +
	"discussed|as agreed|as decided|previously|earlier|yesterday|the other day|last week|last month|last " +
	"session|previous session|" +
	"earlier session|the previous|another session|remember|do you recall|recall|remind me|back when|in the past|used " +
	"to|once again|already tried|already fixed|already did|still remember|from before|where were we|where we left|left " +
	"off|pick up where|" +
	"letztes mal|beim letzten mal|wie vorher|wie zuvor|wie damals|wie gestern|gestern|letzte woche|haben wir|hatten " +
	"wir|wir haben|entschieden|erinnerst du|erinnere|weißt du noch|früher|damals|vorhin|wie besprochen|" +
	"la dernière fois|dernière fois|comme avant|comme la dernière|on avait|nous avons|nous avions|on a décidé|avons " +
	"nous|hier|la semaine dernière|souviens|tu te souviens|rappelle|précédemment|" +
	"la última vez|última vez|como antes|decidimos|acordamos|arreglamos|hicimos|usamos|ayer|la semana " +
	"pasada|recuerdas|recuerda|anteriormente|" +
	"da última vez|como antes|fizemos|combinamos|ontem|semana passada|lembra|lembras|lultima volta|ultima volta|come " +
	"prima|abbiamo deciso|abbiamo|ieri|ricordi|ricorda|" +
	"в прошлый раз|прошлый раз|как раньше|как в прошлый|мы решили|мы делали|мы исправили|мы " +
	"использовали|вчера|помнишь|напомни|ранее|раньше|на прошлой неделе|" +
	"前回|以前|この前|先日|昨日|先週|さっき|覚えて|決めた|決定した|直した|修正した|使った|同じように|上次|之前|以前|昨天|上周|刚才|剛才|还记得|記得|记得|我们决定|我们修|我们用|我们讨论|跟以前一样|像之前|" +
	"지난번|저번|이전에|예전에|전에|어제|지난주|기억|결정했|고쳤|수정했|사용했|"

const beginnings = "|implement|build|create|write|develop|design|set " +
	"up|setup|scaffold|bootstrap|introduce|migrate|port|rewrite|integrate|add|add a|add an|add support|make a|make " +
	"an|new feature|new project|new service|new module|" +
	"new endpoint|new command|new page|new component|new task|start a|start on|start with|start working|begin|lets " +
	"build|lets add|lets implement|lets write|lets create|lets start|lets make|i want to|i want you to|i need|we " +
	"need|id like|i would like|your task|the task|work on|next task|" +
	"implementiere|baue|erstelle|schreibe|entwickle|füge|ergänze|neues feature|neue funktion|ich möchte|ich will|ich " +
	"brauche|wir brauchen|" +
	"implémente|crée|créer|ajoute|ajouter|écris|développe|construis|je veux|je voudrais|il faut|" +
	"implementa|crea|añade|agrega|escribe|desarrolla|construye|quiero|necesito|necesitamos|implemente|crie|adicione|" +
	"escreva|desenvolva|quero|preciso|aggiungi|scrivi|sviluppa|voglio|vorrei|" +
	"реализуй|создай|добавь|напиши|сделай|разработай|нужно|хочу|" +
	"実装して|作って|作成して|追加して|書いて|新しい|实现|實現|创建|創建|添加|新增|编写|編寫|写一个|做一个|开发|我想|我要|구현해|만들어|추가해|작성해|새로운|"

// ProfileOf guesses from a prompt's words what sort of question it is.
func ProfileOf(prompt string) Profile {
	for _, p := range []struct {
		profile Profile
		phrases string
	}{
		{
			NewProject,
			"|new project|new repo|new repository|from scratch|scaffold|bootstrap|greenfield|neues projekt|nouveau " +
				"projet|nuevo proyecto|novo projeto|nuovo progetto|новый проект|新项目|新プロジェクト|새 프로젝트|",
		},
		{
			Debugging,
			"|bug|bugs|debug|debugging|error|errors|exception|crash|crashes|crashed|panic|panics|traceback|stack " +
				"trace|stacktrace|fails|failed|failing|failure|broken|not working|doesnt work|does not work|" +
				"segfault|deadlock|race|flaky|hangs|regression|fehler|absturz|geht nicht|funktioniert nicht|erreur|plante|ne " +
				"marche pas|falla|no funciona|erro|não funciona|errore|non funziona|ошибка|не " +
				"работает|エラー|バグ|动かない|動かない|错误|报错|崩溃|오류|에러|버그|",
		},
		{
			Preferences,
			"|prefer|preference|preferences|my style|i like|i usually|i always|my " +
				"usual|favourite|favorite|bevorzuge|préfère|prefiero|prefiro|preferisco|предпочитаю|好み|偏好|喜欢|선호|",
		},
		{
			Architecture,
			"|architecture|architectural|design|designed|trade off|tradeoff|tradeoffs|why is it|why do we|why did " +
				"we|decision|decisions|decide|decided|rationale|architektur|entscheidung|conception|arquitectura|arquitetura|" +
				"architettura|архитектура|設計|架构|设计|아키텍처|설계|",
		},
		{
			Codebase,
			"|where is|where are|which file|which function|what file|codebase|repo|repository|convention|conventions|how " +
				"does|how do we|implemented|defined|code style|wo ist|où est|dónde está|onde está|dove|где|どこ|在哪里|哪里|어디|",
		},
	} {
		if speaks(prompt, p.phrases) {
			return p.profile
		}
	}
	return Balanced
}
