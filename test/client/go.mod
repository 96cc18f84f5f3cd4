module remanence/test/client

go 1.26
