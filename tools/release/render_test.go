package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/test/golden"
)

// whole is a release for all platforms, with an archive of each that is only named.
func whole(t *testing.T) (*release, []program) {
	t.Helper()
	r := &release{
		version: "1.2.3", repository: "https://example.com/owner/remanence", out: t.TempDir(),
		date: time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC),
	}
	var built []program
	for i, name := range platforms {
		goos, arch, _ := strings.Cut(name, "/")
		ending := ".tar.gz"
		if goos == "windows" {
			ending = ".zip"
		}
		built = append(built, program{
			OS: goos, Arch: arch, Archive: "remanence_1.2.3_" + goos + "_" + arch + ending,
			SHA256: strings.Repeat(string(rune('a'+i)), 64),
		})
	}
	return r, built
}

func TestFormulaAndManifestNameEveryPlatformOfTheirs(t *testing.T) {
	r, built := whole(t)
	if err := r.render(built); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"remanence.rb", "scoop-remanence.json"} {
		got, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, filepath.Join("testdata", name), got)
	}
}

func TestALicenceThatAsksMoreThanItsNoticeIsRefused(t *testing.T) {
	const mit = "\n\nPermission is hereby granted, free of charge, to any person obtaining a copy"
	for text, want := range map[string]string{
		"Permission is hereby granted, free of charge, to any\nperson obtaining a copy":                         "MIT",
		"                                 Apache License\n                           Version 2.0, January 2004": "Apache-2.0",
		"Redistribution and use in source and binary forms, with or without":                                    "BSD",
		"GNU LESSER GENERAL\nPUBLIC LICENSE Version 3" + mit:                                                    "",
		"GNU LESSER GENERAL PUBLIC LICENSE Version 3" + mit:                                                     "",
		"Mozilla Public License, version 2.0" + mit:                                                             "",
		"All rights reserved.": "",
	} {
		if got := license([]byte(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestArchivesOfTheSameFilesAreTheSame(t *testing.T) {
	files := []file{{"a/b", 0o755, []byte("b")}, {"a/c", 0o644, nil}}
	at := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	for name, pack := range map[string]func([]file, time.Time) ([]byte, error){"tar.gz": tarball, "zip": zipped} {
		one, err := pack(files, at)
		if err != nil {
			t.Fatal(err)
		}
		two, err := pack(files, at.In(time.FixedZone("elsewhere", 3600)))
		if err != nil || string(one) != string(two) {
			t.Errorf("%s: two archives of the same files differ, %v", name, err)
		}
	}
}
