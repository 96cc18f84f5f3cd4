package rank

import (
	"math/bits"
	"strings"
	"sync"
	"unicode"
)

// languages is a set of languages, a bit each.
type languages uint8

const (
	german languages = 1 << iota
	french
	spanish
	portuguese
	italian
	dutch
	everywhere // English, and languages whose script is theirs alone
)

// everydayKeys returns the languages in which prompts of any topic are made of a key.
var everydayKeys = sync.OnceValue(func() map[string]languages {
	keys := map[string]languages{}
	for language, words := range map[languages]string{
		everywhere: everydayWords, german: germanWords, french: frenchWords, spanish: spanishWords,
		portuguese: portugueseWords, italian: italianWords, dutch: dutchWords,
	} {
		for _, w := range strings.Fields(words) {
			keys[keyOf(w)] |= language
		}
	}
	return keys
})

// maxLanguageText is how many bytes of a text decide on its languages.
const maxLanguageText = 2 << 10

// EverydayIn returns a function that reports whether a key is a stop word, a single letter, or one of the words that
// prompts of any topic are made of in English or in a language of the text. Such a word counts little for what the
// text is about, and never makes a memory relevant alone.
func EverydayIn(text string) func(key string) bool {
	spoken := languagesOf(text[:min(len(text), maxLanguageText)])
	return func(key string) bool { return everydayKeys()[key]&spoken != 0 || stopWord(key) || len(key) < 2 }
}

// languagesOf returns the languages of which a text has two everyday words that are not English; one in a short text.
func languagesOf(text string) languages {
	words, seen := 0, map[string]bool{}
	var counts [8]int
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), notLetter) {
		key := keyOf(w)
		if seen[key] {
			continue
		}
		seen[key], words = true, words+1
		if in := everydayKeys()[key]; in&everywhere == 0 && !stopWord(w) {
			for ; in != 0; in &= in - 1 {
				counts[bits.TrailingZeros8(uint8(in))]++
			}
		}
	}
	spoken := everywhere
	for i, n := range counts {
		if n >= 2 || 3*n >= words && n > 0 {
			spoken |= 1 << i
		}
	}
	return spoken
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// The words of requests and of programming at large, then the function words of Russian, then endings and particles of
// Japanese, Chinese and Korean.
const everydayWords = `
able add adjust allow already always another answer anything apply around ask away back bad based basically begin best
better big bit bring broken bug build call care case catch certain change check choose class clean clear code come
comment commit common compare complete completely component consider continue convert copy correct create current
currently data day decide default define delete dependency describe detail different directory discuss document done
easy edit else end ensure entire error exactly example exist expect explain extract fail failed far fast feature feel
file fill final find fine finish first fix folder follow following format found full fully function general generate
get give go going good got great guess handle happen hard hello help hey helper hi idea implement implementation
import improve include instead issue item job keep kind know large last later lead learn least leave left let like
line list little long look lot made main make message manage many matter mean mention method mind minute miss module
move much name near need never new next nice note nothing now number ok okay old one open option order organize output
part pass people perhaps place plan point possible prefer prepare pretty print problem proceed produce program project
proper properly put question quick quickly quite rather read ready real reason refactor regarding related remember
remove rename repeat replace report request require result return review rewrite right run same save say search second
see seem send set several short show side similar simple simplify simply since single small solution solve someone
something sometimes soon sorry sort specific start step stop stuff suggest summarize summary support suppose sure take
talk task tell test text thank thanks thing think though thought three time today together tomorrow top total try turn
two type understand update use useful user usual usually value variable various verify version via view wait want way
week well whole word work worked write wrong yes yesterday public private static async sync log row column loop select
sql query syntax random string array object class variable parameter argument feature button page screen style color
script snippet readme changelog unit documentation project app application software program programming language user
interface bash python javascript typescript java rust golang go py js ts md txt json yaml html css

actually afraid afterwards ahead almost alone along although altogether amount anybody anymore anyone anyway anywhere
apart appear arrive aside away awful barely became become begun behave behind belong besides beyond bother bought
brought busy carry caught cause certainly chance choice clearly close come concern couple couldn crazy curious
currently deal definitely despite die difficult double early eight either else elsewhere enjoy entirely especially
essentially eventually ever everybody everyone everything everywhere exact except fall familiar fault favor favourite
fear feeling fifth five forget forgot forgotten former forth fortunately forward four fourth frequently funny further
gone gotten grow guy half hand hardly hate heard heavy held hence hint hold hope huge hundred immediately important
inside instance interesting involve kept knew knowledge lack lately latter lay lie likely listen live lose lost lots
love luck mainly mere mid middle million mine mostly moment mood morning myself namely necessary neither nine nobody
none normally nowhere obvious obviously occasionally occur offer often ones ought outside overall particular
particularly perfectly personally pick piece pile play plenty possibly potentially practically precisely present
previous previously pretty prior probably quiet ran rarely real realise realize reality relatively remain said sad saw
scared seemingly seen sense serious seriously settle seven sheer sick sit six slight slightly slow smart somehow
somewhat somewhere speak spend spent stand stay strange strongly stuck stupid sudden suddenly suit supposed surely
surprise taken taught tend terrible therefore thoroughly thousand throughout thus tiny till tired told tonight toward
towards tried trouble true truly trust twice ugly unfortunately unless unlike usually waste watch weird whatever
whenever whereas wherever whichever whoever willing wish wonder wondering worry worse worst worth

а бы в вам вас во вот все всё вы где да для до его ее если есть ещё же за здесь и из или им их к как какой когда кто
ли меня мне мы на над нам нас не него нет но ну о об он она они от очень по под после почему при с сделай сейчас со
так также там то только тут у уже хочу чего чем что чтобы эта эти это этот я

です ます した して する ない なく たい った って から まで より こと もの この その あの どの これ それ ため よう ので のは のを には では とは にも でも った いる ある れる られ せる てく くだ
ださ さい なぜ どう です か ませ せん ました まし 这个 那个 什么 怎么 为什 么会 一个 我们 你们 他们 可以 没有 不是 就是 还是 如何 请帮 帮我 一下 现在 已经 因为 所以 但是 如果 的是 了吗 是不 하는
하고 해서 있는 없는 그리 리고 그런 니다 습니 세요 해줘 어떻 떻게 에서 으로 하다 했다 주세 합니 입니
`

// Function words, and the verbs of requests.
const (
	germanWords = `
aber ab alle als also am an andere anderen auch auf aus bei bin bis bitte da damit danke das dass dem den der des die
dies diese dieser doch du durch ein eine einem einen einer eines er es für haben hat hier ich ihr im in ist ja jetzt
kann kannst kein keine können mach machen man mein mich mir mit nach nein nicht noch nur oder ohne schon sein sich sie
sind so soll über um und uns unser vom von war warum was wenn wer werden wie wir wird wo zu zum zur bau baue bräuchte
brauche brauchen dabei dafür dann davon dazu denn dort eben einfach einmal ergänze erkläre erstelle erzeuge etwas euch
füge ganz genau gerade gibt gleich habe hatte heute hinzu immer jede jeden jeder jedes könnte könntest mal mehr meine
muss müssen nehmen neue neuen neuer neues nichts nochmal nun ob schau schreib schreibe schreiben sehr seit selbst
setze sollte sollten unsere unserem unseren unserer viel weiter welche welchen welcher welches wieder will wollen
würde wurde wurden zeig zeige zurück zwischen ändere`
	frenchWords = `
au aux avec avons bien ce ces cette comme comment dans de des deux du elle en est et être faire fait faut il je la le
les leur lui mais merci moi mon nous on ou où par pas peux plus pour pourquoi que quel quelle qui sa sans se ses si
son sont sur te tout tu un une veux vous`
	spanishWords = `
al algo como con cual cuando cuál de del donde el ella en entre era es esta este esto está estoy fue gracias ha hacer
hay la las lo los me mi muy más no nos nuestro o para pero por porque puede puedes qué que se ser si sin sobre son su
sí también te tiene tu un una y ya yo`
	portugueseWords = `
ao aos com como da das de dele do dos e ela ele em essa esse este eu foi isso isto já mais mas me meu na nas no nos
não num o obrigado os ou para pela pelo por porque pode qual quando que quem se sem ser seu sua são tem também um uma
você`
	italianWords = `
alla anche che chi ci come con cosa da dal dalla degli dei del della delle di è e fa fare gli grazie ha ho i il la le
lo ma mi nel nella non o per perché più può puoi quale quando questo qui se sei si sono su sul un una uno vi`
	dutchWords = `
aan als dat de deze die dit door een en er had heb het hij hoe ik in is je kan maar met mijn naar niet nog of om ook
op te tot uit van voor waar waarom was wat we wel wij ze zijn`
)
