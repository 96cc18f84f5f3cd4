package sqlite

import (
	"cmp"
	"encoding/binary"
	"io"
	"slices"
)

// The functions of this file find the pages of the schema table of a database whose
// first page is lost. The layout of pages: https://www.sqlite.org/fileformat2.html

const (
	pageSize     = 4096 // of every database that this program makes
	fileHeader   = 100  // bytes before the first page's own header
	interiorPage = 5    // of a table: cells point to other pages
	leafPage     = 13   // of a table: cells are rows
)

// leaf is a page with rows of a schema table.
type leaf struct {
	page        int // from 1
	first, last uint64
}

// firstPage makes the first page of a database: the header of a similar database,
// and an interior page that leads to the leaves of the schema table. It returns nil
// if fewer than two leaves are found, or two have the same rows.
func firstPage(header []byte, pages io.ReaderAt) []byte {
	leaves := leavesOf(pages)
	slices.SortStableFunc(leaves, func(a, b leaf) int { return cmp.Compare(a.first, b.first) })
	for i := 1; i < len(leaves); i++ {
		if leaves[i].first <= leaves[i-1].last {
			return nil
		}
	}
	if len(leaves) < 2 { // so few rows would be on the first page itself
		return nil
	}
	page := make([]byte, pageSize)
	copy(page, header[:fileHeader])
	end, cells := pageSize, leaves[:len(leaves)-1]
	for i, l := range cells {
		cell := appendVarint(binary.BigEndian.AppendUint32(nil, uint32(l.page)), l.last)
		end -= len(cell)
		if end < fileHeader+12+2*len(cells) {
			return nil
		}
		copy(page[end:], cell)
		binary.BigEndian.PutUint16(page[fileHeader+12+2*i:], uint16(end))
	}
	page[fileHeader] = interiorPage
	binary.BigEndian.PutUint16(page[fileHeader+3:], uint16(len(cells)))
	binary.BigEndian.PutUint16(page[fileHeader+5:], uint16(end))
	binary.BigEndian.PutUint32(page[fileHeader+8:], uint32(leaves[len(leaves)-1].page))
	return page
}

// leavesOf finds the leaves of the schema table.
func leavesOf(pages io.ReaderAt) []leaf {
	var out []leaf
	for n := 2; ; n++ {
		page := pageAt(pages, n)
		if page == nil {
			return out
		}
		if rows := rowsOf(page); len(rows) > 0 {
			out = append(out, leaf{n, rows[0], rows[len(rows)-1]})
		}
	}
}

// pageAt returns a page by its number, from 1; nil if the file has no such page.
func pageAt(file io.ReaderAt, n int) []byte {
	page := make([]byte, pageSize)
	if read, _ := file.ReadAt(page, int64(n-1)*pageSize); n < 1 || read < pageSize {
		return nil
	}
	return page
}

// cellsOf returns the offsets of a leaf's cells.
func cellsOf(page []byte) []int {
	const header = 8
	var out []int
	for i := range int(binary.BigEndian.Uint16(page[3:])) {
		p := header + 2*i
		if p+2 > len(page) {
			return nil
		}
		at := int(binary.BigEndian.Uint16(page[p:]))
		if at+4 > len(page) {
			return nil
		}
		out = append(out, at)
	}
	return out
}

// rowsOf returns the numbers of the rows on a leaf of the schema table; nil for any
// other page.
func rowsOf(page []byte) []uint64 {
	if len(page) < pageSize || page[0] != leafPage {
		return nil
	}
	var out []uint64
	for _, at := range cellsOf(page) {
		_, n := varint(page[at:])
		row, m := varint(page[at+n:])
		if n == 0 || m == 0 || !isSchemaRow(page[at+n+m:]) {
			return nil
		}
		out = append(out, row)
	}
	return out
}

// isSchemaRow reports whether a record has the columns of a schema table and begins
// with the type of an object.
func isSchemaRow(record []byte) bool {
	const columns = 5
	var types [columns]uint64
	size, at := varint(record)
	if at == 0 || int(size) > len(record) {
		return false
	}
	for i := range types {
		n := 0
		if types[i], n = varint(record[at:]); n == 0 {
			return false
		}
		at += n
	}
	length := int(types[0]-13) / 2 // of a text
	if at != int(size) || types[0] < 13 || types[0]%2 == 0 || length < 0 || at+length > len(record) {
		return false
	}
	return slices.Contains([]string{"table", "index", "trigger", "view"}, string(record[at:at+length]))
}

// appendVarint appends SQLite's variable-length integer of a value below 2⁵⁶.
func appendVarint(b []byte, v uint64) []byte {
	for shift := 49; shift > 0; shift -= 7 {
		if v>>shift > 0 {
			b = append(b, byte(v>>shift)|0x80)
		}
	}
	return append(b, byte(v&0x7f))
}
