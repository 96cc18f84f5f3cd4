// The viewer's bundler. A module of its own: nothing of it is linked into the program.
module remanence/internal/web/build

go 1.26.0

require github.com/evanw/esbuild v0.28.2

require golang.org/x/sys v0.0.0-20220715151400-c0bba94af5f8 // indirect
