// A gateway that stands on whatsmeow, as far as a move sees one: it links numbers, keeps their keys where its kind
// keeps them, writes down what comes, and sends. It is killed, and started again on what is left. Its calls and
// arguments are those of `../processes/baileys.ts`.
package main

import (
	"context"
	"crypto/tls"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	_ "github.com/lib/pq"
	_ "github.com/mattn/go-sqlite3"
	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/store/sqlstore"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	waLog "go.mau.fi/whatsmeow/util/log"
	"google.golang.org/protobuf/proto"
)

var ctx = context.Background()

var given struct {
	// Of the network.
	TLSURL  string `json:"tlsUrl"`
	RootKey string `json:"rootKey"`
	Folder  string `json:"folder"`
	// An address of PostgreSQL, for the layout "wuzapi".
	Database string `json:"database"`
	// Whose files these are like: "gowa", "gows" (WAHA), "wuzapi".
	Layout string `json:"layout"`
	// Where it writes down what comes, a line for each message.
	Told string `json:"told"`
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// number is a linked number, or one that is to be linked.
type number struct {
	*whatsmeow.Client
	name string
	qr   chan string
	open chan struct{}
	once sync.Once
}

// layout is how a kind of gateway keeps its numbers.
type layout struct {
	// The device of this name; a new one if it is not there.
	device func(name string) *store.Device
	// The names of all that are there.
	names func() []string
	// Notes whose name a device has.
	linked func(name string, device *store.Device)
}

func main() {
	must(0, json.Unmarshal([]byte(os.Args[1]), &given))
	copy(whatsmeow.WACertPubKey[:], must(hex.DecodeString(given.RootKey)))
	must(0, os.MkdirAll(given.Folder, 0o700))
	kept := layouts[given.Layout]()
	var mutex sync.Mutex
	numbers := map[string]*number{}
	for _, name := range kept.names() {
		numbers[name] = newNumber(name, kept)
	}
	http.HandleFunc("/{name}/{what}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		mutex.Lock()
		if r.PathValue("what") == "link" {
			numbers[name] = newNumber(name, kept)
		}
		one := numbers[name]
		mutex.Unlock()
		if one == nil {
			http.Error(w, "no number "+name, 500)
			return
		}
		answer, err := one.answer(r)
		if err != nil {
			http.Error(w, err.Error(), 500)
			return
		}
		json.NewEncoder(w).Encode(answer)
	})
	// It ends with its input, and so with whoever started it.
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	fmt.Printf("{\"base_url\":\"http://%s\"}\n", listener.Addr())
	must(0, http.Serve(listener, nil))
}

func (n *number) answer(r *http.Request) (map[string]any, error) {
	var body struct{ Chat, Body, Name string }
	json.NewDecoder(r.Body).Decode(&body)
	switch r.PathValue("what") {
	case "link":
		return map[string]any{"qr": <-n.qr}, nil
	case "send":
		if !strings.Contains(body.Chat, "@") {
			body.Chat += "@s.whatsapp.net"
		}
		to, err := types.ParseJID(body.Chat)
		if err != nil {
			return nil, err
		}
		// Resolves when the network has it.
		sent, err := n.SendMessage(ctx, to, &waE2E.Message{Conversation: proto.String(body.Body)})
		return map[string]any{"message_id": sent.ID}, err
	default:
		<-n.open
		return map[string]any{"jid": n.Store.ID.String(), "lid": n.Store.LID.String()}, nil
	}
}

func newNumber(name string, kept layout) *number {
	made := &number{
		Client: whatsmeow.NewClient(kept.device(name), waLog.Noop),
		name:   name,
		qr:     make(chan string, 100),
		open:   make(chan struct{}),
	}
	there := must(url.Parse(given.TLSURL))
	over := &http.Client{Transport: toNetwork{path: there.Path, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		DialContext: func(c context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(c, network, there.Host)
		},
	}}}
	made.SetWebsocketHTTPClient(over)
	made.SetPreLoginHTTPClient(over)
	made.SetMediaHTTPClient(over)
	made.AddEventHandler(func(event any) {
		switch it := event.(type) {
		case *events.QR:
			made.qr <- it.Codes[0]
		case *events.PairSuccess:
			kept.linked(name, made.Store)
		case *events.Connected:
			made.once.Do(func() { close(made.open) })
		case *events.Message:
			made.tell(it)
		}
	})
	must(0, made.Connect())
	return made
}

// toNetwork asks the simulated network, whose WebSocket has a secret in its path.
type toNetwork struct {
	*http.Transport
	path string
}

func (t toNetwork) RoundTrip(asked *http.Request) (*http.Response, error) {
	if asked.URL.Path == "/ws/chat" {
		asked = asked.Clone(asked.Context())
		asked.URL.Path = t.path
	}
	return t.Transport.RoundTrip(asked)
}

var telling sync.Mutex

func (n *number) tell(message *events.Message) {
	text := message.Message.GetConversation() + message.Message.GetExtendedTextMessage().GetText()
	if message.Info.IsFromMe || text == "" {
		return
	}
	line := must(json.Marshal(map[string]string{"name": n.name, "id": message.Info.ID, "text": text}))
	telling.Lock()
	defer telling.Unlock()
	file := must(os.OpenFile(given.Told, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))
	defer file.Close()
	must(file.Write(append(line, '\n')))
}

var layouts = map[string]func() layout{
	// One store, and a table of names in another file.
	"gowa": func() layout {
		container := openStore("sqlite3", sqlite("whatsapp.db"))
		names := must(sql.Open("sqlite3", sqlite("chatstorage.db")))
		must(names.Exec(`CREATE TABLE IF NOT EXISTS devices (
			device_id VARCHAR(255) PRIMARY KEY, display_name VARCHAR(255) DEFAULT '', jid VARCHAR(255) DEFAULT '',
			created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
			webhook_url TEXT DEFAULT NULL, ad_jid VARCHAR(255) DEFAULT '')`))
		return inTable(container, names, "device_id", "ad_jid", func(name string, device *store.Device) {
			must(names.Exec(`INSERT INTO devices (device_id, jid, ad_jid, webhook_url) VALUES ($1, $2, $3, $4)`,
				name, device.ID.ToNonAD().String(), device.ID.String(), "https://"+name+".example.com/gowa"))
		}, "devices")
	},
	// One store and a table of names in the same database.
	"wuzapi": func() layout {
		database := given.Database + "?sslmode=disable"
		container := openStore("postgres", database)
		names := must(sql.Open("postgres", database))
		must(names.Exec(`CREATE TABLE IF NOT EXISTS users (
			id TEXT PRIMARY KEY, name TEXT NOT NULL, token TEXT NOT NULL, webhook TEXT NOT NULL DEFAULT '',
			jid TEXT NOT NULL DEFAULT '', qrcode TEXT NOT NULL DEFAULT '', connected INTEGER, expiration INTEGER,
			events TEXT NOT NULL DEFAULT 'All')`))
		return inTable(container, names, "name", "jid", func(name string, device *store.Device) {
			must(names.Exec(`INSERT INTO users (id, name, token, webhook, jid) VALUES ($1, $1, $1, $2, $3)`,
				name, "https://"+name+".example.com/wuzapi", device.ID.String()))
		}, "users")
	},
	// A folder for each number, by its name.
	"gows": func() layout {
		return layout{
			device: func(name string) *store.Device {
				must(0, os.MkdirAll(filepath.Join(given.Folder, name), 0o700))
				return must(openStore("sqlite3", sqlite(filepath.Join(name, "gows.db"))).GetFirstDevice(ctx))
			},
			names: func() (names []string) {
				for _, folder := range must(os.ReadDir(given.Folder)) {
					names = append(names, folder.Name())
				}
				return names
			},
			linked: func(string, *store.Device) {},
		}
	},
}

func inTable(container *sqlstore.Container, names *sql.DB, name, jid string, linked func(string, *store.Device), table string) layout {
	return layout{
		linked: linked,
		device: func(asked string) *store.Device {
			var kept string
			names.QueryRow("SELECT "+jid+" FROM "+table+" WHERE "+name+" = $1", asked).Scan(&kept)
			if kept == "" {
				return container.NewDevice()
			}
			return must(container.GetDevice(ctx, must(types.ParseJID(kept))))
		},
		names: func() (found []string) {
			rows := must(names.Query("SELECT " + name + " FROM " + table))
			defer rows.Close()
			for rows.Next() {
				var one string
				must(0, rows.Scan(&one))
				found = append(found, one)
			}
			return found
		},
	}
}

func openStore(dialect, address string) *sqlstore.Container {
	return must(sqlstore.New(ctx, dialect, address, waLog.Noop))
}

// sqlite opens files as GOWA does.
func sqlite(name string) string {
	return "file:" + filepath.Join(given.Folder, name) + "?_foreign_keys=on&_journal_mode=WAL&_busy_timeout=5000"
}
