module judge

go 1.26.0

require (
	github.com/mattn/go-sqlite3 v1.14.49
	go.mau.fi/whatsmeow v0.0.0-20260821141805-33cfac511629
	google.golang.org/protobuf v1.36.12
)
