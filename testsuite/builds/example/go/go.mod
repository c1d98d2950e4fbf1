module prog

go 1.19
