package cli

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '\n'
	}
	return len(p), nil
}

// What does not fit is no shorter export: a line that was cut off is not the end.
func TestAnExportThatIsTooLargeIsTakenOverInNoPart(t *testing.T) {
	line := `{"kind":"fact","title":"the till closes at six"}` + "\n"
	_, err := readForeign(t.Context(), bufio.NewReader(io.MultiReader(strings.NewReader(line), blanks{})), "")
	if err == nil || !strings.Contains(err.Error(), "larger than 256 MB") {
		t.Errorf("error %v", err)
	}
}
