package section

import (
	"errors"
	"strings"
	"testing"
)

func TestTheSectionIsPutAndCutToTheByte(t *testing.T) {
	for _, src := range []string{"", "\n", "# Mine", "# Mine\n\nBe brief.\n", "# Mine\r\nBe brief.\r\n"} {
		with, err := Put([]byte(src))
		if err != nil || !strings.HasPrefix(string(with), src) || strings.Count(string(with), begin) != 1 {
			t.Errorf("%q became %q, %v", src, with, err)
		}
		if again, err := Put(with); err != nil || string(again) != string(with) {
			t.Errorf("%q: put again %q, %v", src, again, err)
		}
		if got := Cut(with); string(got) != src {
			t.Errorf("%q: cut %q", src, got)
		}
	}
}

func TestWhatOthersWroteAfterTheSectionStays(t *testing.T) {
	for src, want := range map[string]string{"": "Theirs.\n", "Mine": "Mine\nTheirs.\n", "Mine\n": "Mine\nTheirs.\n"} {
		with, err := Put([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		with = append(with, "Theirs.\n"...)
		older := strings.Replace(string(with), "recorded history", "history", 1) // of another version
		if got, err := Put([]byte(older)); err != nil || string(got) != string(with) {
			t.Errorf("%q: an older section became %q, %v", src, got, err)
		}
		if got := Cut([]byte(older)); string(got) != want {
			t.Errorf("%q: cut %q, want %q", src, got, want)
		}
	}
}

func TestASectionWithoutAnEndIsLeftAlone(t *testing.T) {
	src := []byte("Mine.\n" + begin + "\nhalf\n")
	if _, err := Put(src); !errors.Is(err, ErrUnended) {
		t.Errorf("put: %v, want ErrUnended", err)
	}
	if got := Cut(src); string(got) != string(src) {
		t.Errorf("cut %q", got)
	}
}
