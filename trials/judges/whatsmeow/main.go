// A client of whatsmeow goes through what a client does on the simulated network, step by step. It gets the line that
// `npm run simulator` prints, as a file, and ends with how many steps passed.
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	_ "github.com/mattn/go-sqlite3"
	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/appstate"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/store/sqlstore"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	waLog "go.mau.fi/whatsmeow/util/log"
	"google.golang.org/protobuf/proto"
)

var ctx = context.Background()

var at struct {
	TLS     string `json:"tls_url"`
	Control string `json:"control_url"`
	RootKey string `json:"root_key"`
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// control asks the network's control API.
func control(method, path string, body any) (string, error) {
	request := must(http.NewRequest(method, at.Control+path, bytes.NewReader(must(json.Marshal(body)))))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	said := string(must(io.ReadAll(answer.Body)))
	if answer.StatusCode >= 300 {
		return said, fmt.Errorf("%s %s answered %d: %s", method, path, answer.StatusCode, said)
	}
	return said, nil
}

type object = map[string]any

// person is a phone of the network.
type person struct {
	Number string `json:"number"`
	LID    string `json:"lid"`
	JID    string `json:"jid"`
}

func newPerson(name string) person {
	var made person
	json.Unmarshal([]byte(must(control("POST", "/phones", object{"name": name}))), &made)
	return made
}

func (p person) jid() types.JID { return types.NewJID(p.Number, types.DefaultUserServer) }
func (p person) lid() types.JID { return must(types.ParseJID(p.LID)) }

// post sends something from the phone, and gives its id.
func (p person) post(to string, content object) (string, error) {
	content["to"] = to
	said, err := control("POST", "/phones/"+p.Number+"/messages", content)
	var sent struct{ ID, Error string }
	json.Unmarshal([]byte(said), &sent)
	if err == nil && sent.Error != "" {
		err = errors.New("refused with " + sent.Error)
	}
	return sent.ID, err
}

// reads waits until the phone has read a message that matches.
func (p person) reads(match url.Values) error {
	match.Set("wait", "8000")
	said, err := control("GET", "/phones/"+p.Number+"/messages?"+match.Encode(), nil)
	if err == nil && said == "[]" {
		err = fmt.Errorf("not read: %s", match.Encode())
	}
	return err
}

func text(value string) url.Values { return url.Values{"text": {value}} }
func kind(value string) url.Values { return url.Values{"kind": {value}} }

// client is whatsmeow's, with all that it was told.
type client struct {
	*whatsmeow.Client
	mutex sync.Mutex
	told  []any
}

func newClient(name string) *client {
	path := fmt.Sprintf("file:%s?mode=memory&cache=shared&_foreign_keys=on", name)
	container := must(sqlstore.New(ctx, "sqlite3", path, waLog.Noop))
	made := &client{Client: whatsmeow.NewClient(container.NewDevice(), waLog.Stdout(name, os.Getenv("LEVEL"), false))}
	there := must(url.Parse(at.TLS)).Host
	over := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		DialContext: func(c context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(c, network, there)
		},
	}}
	made.SetWebsocketHTTPClient(over)
	made.SetPreLoginHTTPClient(over)
	made.SetMediaHTTPClient(over)
	made.AddEventHandler(func(event any) {
		made.mutex.Lock()
		defer made.mutex.Unlock()
		made.told = append(made.told, event)
	})
	return made
}

// hears waits for an event of this type that fits, and takes it away.
func hears[T any](c *client, fits func(T) bool) (T, error) {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		c.mutex.Lock()
		for i, event := range c.told {
			if found, ok := event.(T); ok && fits(found) {
				c.told = slices.Delete(c.told, i, i+1)
				c.mutex.Unlock()
				return found, nil
			}
		}
		c.mutex.Unlock()
	}
	var none T
	return none, fmt.Errorf("no %T came", none)
}

func anyOf[T any](T) bool { return true }

// gets waits for the message of this id.
func (c *client) gets(id string) (*events.Message, error) {
	return hears(c, func(m *events.Message) bool { return m.Info.ID == id })
}

// getsText waits for that text under this id. What brings a key of its group comes under the same id.
func (c *client) getsText(id, want string) error {
	return both(hears(c, func(m *events.Message) bool {
		return m.Info.ID == id && m.Message.GetConversation()+m.Message.GetExtendedTextMessage().GetText() == want
	}))
}

func (c *client) say(to types.JID, message *waE2E.Message) (string, error) {
	sent, err := c.SendMessage(ctx, to, message)
	return sent.ID, err
}

func words(value string) *waE2E.Message { return &waE2E.Message{Conversation: proto.String(value)} }

func expect(holds bool, otherwise string, about ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(otherwise, about...)
}

// both is the error of either.
func both[T any](_ T, err error) error { return err }

var passed, failed int

func step(name string, run func() error) {
	err := func() (err error) {
		defer func() {
			if failure := recover(); failure != nil {
				err = fmt.Errorf("panic: %v", failure)
			}
		}()
		return run()
	}()
	if err != nil {
		failed++
		fmt.Println("FAILED", name+":", err)
		return
	}
	passed++
	fmt.Println("passed", name)
}

func picture() []byte {
	var out bytes.Buffer
	jpeg.Encode(&out, image.NewRGBA(image.Rect(0, 0, 640, 640)), nil)
	return out.Bytes()
}

func main() {
	json.Unmarshal(must(os.ReadFile(os.Args[1])), &at)
	copy(whatsmeow.WACertPubKey[:], must(hex.DecodeString(at.RootKey)))
	ada, bob, eve := newPerson("Ada"), newPerson("Bob"), newPerson("Eve")
	one, two := newClient("one"), newClient("two")
	link(one, two, ada, eve)
	chats(one, ada, bob)
	retries(one, ada, bob)
	files(one, ada, bob)
	group := groups(one, two, ada, bob, eve)
	communities(one, ada, bob, group)
	statuses(one, ada, bob)
	people(one, ada, bob)
	settings(one, ada, bob)
	newsletters(one, two)
	calls(one, ada, bob)
	connections(one, two, ada, bob, eve)
	fmt.Printf("%d of %d steps passed\n", passed, passed+failed)
	if failed > 0 {
		os.Exit(1)
	}
}

func link(one, two *client, ada, eve person) {
	step("links by a QR code", func() error {
		must(0, one.Connect())
		code, err := hears(one, anyOf[*events.QR])
		if err != nil {
			return err
		}
		if _, err = control("POST", "/phones/"+ada.Number+"/scan", object{"qr": code.Codes[0]}); err != nil {
			return err
		}
		return both(hears(one, anyOf[*events.Connected]))
	})
	step("is told its history", func() error { return both(hears(one, anyOf[*events.HistorySync])) })
	step("links with a passkey, by a code that both show", func() error {
		path := "/phones/" + eve.Number + "/passkey"
		must(control("POST", path, object{}))
		must(0, two.Connect())
		code, err := hears(two, anyOf[*events.QR])
		if err != nil {
			return err
		}
		control("POST", "/phones/"+eve.Number+"/scan", object{"qr": code.Codes[0]})
		asked, err := hears(two, anyOf[*events.PairPasskeyRequest])
		if err != nil {
			return err
		}
		var options struct{ Challenge string }
		json.Unmarshal(must(json.Marshal(asked.PublicKey)), &options)
		var signed types.WebAuthnResponse
		said := must(control("POST", path+"/assertions", object{"challenge": options.Challenge}))
		must(0, json.Unmarshal([]byte(said), &signed))
		if err := two.SendPasskeyResponse(ctx, &signed); err != nil {
			return err
		}
		shown, err := hears(two, anyOf[*events.PairPasskeyConfirmation])
		if err != nil {
			return err
		}
		phone, err := control("GET", path+"?stage=code&wait=5000", nil)
		if err != nil || !strings.Contains(phone, shown.Code) {
			return fmt.Errorf("the client shows %s, and the phone %s", shown.Code, phone)
		}
		if err := two.SendPasskeyConfirmation(ctx); err != nil {
			return err
		}
		return both(hears(two, anyOf[*events.Connected]))
	})
	step("links by a code that is typed", func() error {
		phone, typed := newPerson("Typed"), newClient("typed")
		must(0, typed.Connect())
		if _, err := hears(typed, anyOf[*events.QR]); err != nil {
			return err
		}
		code, err := typed.PairPhone(ctx, phone.Number, true, whatsmeow.PairClientChrome, "Chrome (Linux)")
		if err != nil {
			return err
		}
		if _, err := control("POST", "/phones/"+phone.Number+"/link-code", object{"code": code, "hellos": 2}); err != nil {
			return err
		}
		defer typed.Disconnect()
		return both(hears(typed, anyOf[*events.Connected]))
	})
}

func chats(one *client, ada, bob person) {
	var first string
	step("a text to a phone", func() (err error) {
		if first, err = one.say(bob.jid(), words("hello Bob")); err != nil {
			return err
		}
		return bob.reads(text("hello Bob"))
	})
	step("a text to a private id", func() error {
		if _, err := one.say(bob.lid(), words("by private id")); err != nil {
			return err
		}
		return bob.reads(text("by private id"))
	})
	step("a receipt of it", func() error {
		return both(hears(one, func(r *events.Receipt) bool { return slices.Contains(r.MessageIDs, first) }))
	})
	step("a text from a phone", func() error {
		id, err := bob.post(ada.Number, object{"text": "hello Ada"})
		return errors.Join(err, one.getsText(id, "hello Ada"))
	})
	step("what our phone writes", func() error {
		id, err := ada.post(bob.Number, object{"text": "from the phone"})
		return errors.Join(err, one.getsText(id, "from the phone"))
	})
	var theirs string
	step("marks a message as read", func() (err error) {
		if theirs, err = bob.post(ada.Number, object{"text": "read me"}); err != nil {
			return err
		}
		message, err := one.gets(theirs)
		if err != nil {
			return err
		}
		if err := one.MarkRead(ctx, []string{theirs}, time.Now(), message.Info.Chat, message.Info.Sender); err != nil {
			return err
		}
		said, err := control("GET", "/log?kind=in&tag=receipt&wait=5000&attrs="+url.QueryEscape(`{"id":"`+theirs+`","type":"read"}`), nil)
		return errors.Join(err, expect(said != "[]", "no receipt"))
	})
	step("hears that its own message was read", func() error {
		_, err := control("POST", "/phones/"+bob.Number+"/read", object{"chat": ada.Number, "message_ids": []string{first}})
		return errors.Join(err, both(hears(one, func(r *events.Receipt) bool {
			return r.Type == types.ReceiptTypeRead && slices.Contains(r.MessageIDs, first)
		})))
	})
	step("an edit", func() error {
		_, err := one.say(bob.jid(), one.BuildEdit(bob.jid(), first, words("edited")))
		return errors.Join(err, bob.reads(kind("editedMessage")))
	})
	step("a reaction", func() error {
		_, err := one.say(bob.jid(), one.BuildReaction(bob.jid(), bob.jid(), theirs, "👍"))
		return errors.Join(err, bob.reads(kind("reactionMessage")))
	})
	step("a quote with a mention", func() error {
		quote := &waE2E.ContextInfo{StanzaID: &theirs, Participant: proto.String(bob.JID), QuotedMessage: words("read me"), MentionedJID: []string{bob.JID}}
		_, err := one.say(bob.jid(), &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: proto.String("quoting"), ContextInfo: quote}})
		return errors.Join(err, bob.reads(text("quoting")))
	})
	step("takes a message back", func() error {
		_, err := one.say(bob.jid(), one.BuildRevoke(bob.jid(), types.EmptyJID, first))
		return errors.Join(err, bob.reads(kind("protocolMessage")))
	})
	for name, content := range map[string]object{
		"location": {"location": object{"latitude": 1.5, "longitude": 2.5}},
		"contact":  {"contact": object{"name": "C", "vcard": "BEGIN:VCARD\nEND:VCARD"}},
		"reaction": {"reaction": object{"message_id": "%", "emoji": "👍"}},
		"edit":     {"edit": object{"message_id": "%", "text": "edited"}},
		"event":    {"event": object{"name": "Party", "start": 2000000000}},
		"pin":      {"pin": object{"message_id": "%"}},
		"revoke":   {"revoke": object{"message_id": "%"}},
	} {
		step("a "+name+" from a phone", func() error {
			id, err := bob.post(ada.Number, object{"text": "about"})
			about := strings.ReplaceAll(string(must(json.Marshal(content))), "%", id)
			var meant object
			json.Unmarshal([]byte(about), &meant)
			told, failure := bob.post(ada.Number, meant)
			return errors.Join(err, failure, both(one.gets(told)))
		})
	}
	step("a poll from a phone, a vote on it", func() error {
		id, err := bob.post(ada.Number, object{"poll": object{"question": "Lunch?", "options": []string{"Soup", "Salad"}}})
		if err != nil {
			return err
		}
		poll, err := one.gets(id)
		if err != nil {
			return err
		}
		vote, err := one.BuildPollVote(ctx, &poll.Info, []string{"Soup"})
		if err != nil {
			return err
		}
		_, err = one.say(bob.jid(), vote)
		return errors.Join(err, bob.reads(kind("pollUpdateMessage")))
	})
	step("a poll, a vote of a phone on it", func() error {
		id, err := one.say(bob.jid(), one.BuildPollCreation("Dinner?", []string{"Fish", "Rice"}, 1))
		if err != nil {
			return err
		}
		if err := bob.reads(url.Values{"id": {id}}); err != nil {
			return err
		}
		told, err := bob.post(ada.Number, object{"vote": object{"message_id": id, "options": []string{"Rice"}}})
		if err != nil {
			return err
		}
		vote, err := one.gets(told)
		if err != nil {
			return err
		}
		return both(one.DecryptPollVote(ctx, vote))
	})
	step("a timer for a chat", func() error {
		return one.SetDisappearingTimer(ctx, bob.jid(), 24*time.Hour, time.Now())
	})
	step("typing", func() error {
		return one.SendChatPresence(ctx, bob.lid(), types.ChatPresenceComposing, types.ChatPresenceMediaText)
	})
	step("is available, and sees somebody typing", func() error {
		if err := one.SendPresence(ctx, types.PresenceAvailable); err != nil {
			return err
		}
		time.Sleep(200 * time.Millisecond)
		_, err := control("POST", "/phones/"+bob.Number+"/typing", object{"to": ada.Number, "state": "composing"})
		return errors.Join(err, both(hears(one, anyOf[*events.ChatPresence])))
	})
}

func retries(one *client, ada, bob person) {
	device := ada.Number + ":1"
	for kind, more := range map[string]bool{"unreadable": false, "unreadable again": true, "unavailable": false} {
		step("a message that came "+kind, func() error {
			fault := strings.Split(kind, " ")[0]
			must(control("POST", "/faults", object{"kind": fault, "device": device, "times": 1}))
			if more {
				must(control("POST", "/faults", object{"kind": "unreadable_again", "device": device, "times": 1}))
			}
			one.AutomaticMessageRerequestFromPhone = true
			id, err := bob.post(ada.Number, object{"text": kind})
			return errors.Join(err, one.getsText(id, kind))
		})
	}
	step("a message after its phone has lost its sessions", func() error {
		must(control("DELETE", "/phones/"+bob.Number+"/sessions", nil))
		_, err := one.say(bob.jid(), words("once more, please"))
		return errors.Join(err, bob.reads(text("once more, please")))
	})
	step("a stanza that comes twice is one message", func() error {
		must(control("POST", "/faults", object{"kind": "twice", "device": device, "times": 1}))
		id, err := bob.post(ada.Number, object{"text": "twice"})
		if err := errors.Join(err, one.getsText(id, "twice")); err != nil {
			return err
		}
		next, err := bob.post(ada.Number, object{"text": "next"})
		if err := errors.Join(err, one.getsText(next, "next")); err != nil {
			return err
		}
		one.mutex.Lock()
		defer one.mutex.Unlock()
		for _, event := range one.told {
			if message, ok := event.(*events.Message); ok && message.Info.ID == id {
				return errors.New("it was told twice")
			}
		}
		return nil
	})
}

func files(one *client, ada, bob person) {
	for name, of := range map[string]whatsmeow.MediaType{"image": whatsmeow.MediaImage, "document": whatsmeow.MediaDocument, "audio": whatsmeow.MediaAudio, "video": whatsmeow.MediaVideo} {
		step("a "+name+" to a phone", func() error {
			up, err := one.Upload(ctx, picture(), of)
			if err != nil {
				return err
			}
			id, err := one.say(bob.jid(), fileMessage(name, up))
			if err := errors.Join(err, bob.reads(url.Values{"id": {id}})); err != nil {
				return err
			}
			return both(control("GET", "/phones/"+bob.Number+"/messages/"+id+"/media", nil))
		})
		step("a "+name+" from a phone", func() error {
			id, err := bob.post(ada.Number, object{"media": object{"kind": name, "data": picture(), "mimetype": "image/jpeg"}})
			if err != nil {
				return err
			}
			message, err := one.gets(id)
			if err != nil {
				return err
			}
			data, err := one.DownloadAny(ctx, message.Message)
			return errors.Join(err, expect(bytes.Equal(data, picture()), "another file"))
		})
	}
}

func fileMessage(name string, up whatsmeow.UploadResponse) *waE2E.Message {
	mime := proto.String("image/jpeg")
	switch name {
	case "image":
		return &waE2E.Message{ImageMessage: &waE2E.ImageMessage{Mimetype: mime, URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey, FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256, FileLength: &up.FileLength}}
	case "document":
		return &waE2E.Message{DocumentMessage: &waE2E.DocumentMessage{Mimetype: mime, URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey, FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256, FileLength: &up.FileLength}}
	case "audio":
		return &waE2E.Message{AudioMessage: &waE2E.AudioMessage{Mimetype: mime, URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey, FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256, FileLength: &up.FileLength}}
	default:
		return &waE2E.Message{VideoMessage: &waE2E.VideoMessage{Mimetype: mime, URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey, FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256, FileLength: &up.FileLength}}
	}
}

func groups(one, two *client, ada, bob, eve person) types.JID {
	var jid types.JID
	step("creates a group", func() error {
		info, err := one.CreateGroup(ctx, whatsmeow.ReqCreateGroup{Name: "Ours", Participants: []types.JID{bob.jid()}})
		if err == nil {
			jid = info.JID
		}
		return err
	})
	inGroup := func(value string) url.Values { return url.Values{"text": {value}, "chat": {jid.String()}} }
	step("writes to it", func() error {
		_, err := one.say(jid, words("to all"))
		return errors.Join(err, bob.reads(inGroup("to all")))
	})
	step("hears a member", func() error {
		id, err := bob.post(jid.String(), object{"text": "from a member"})
		return errors.Join(err, one.getsText(id, "from a member"))
	})
	change := func(name string, who person, action whatsmeow.ParticipantChange, wanted int) {
		step(name, func() error {
			answers, err := one.UpdateGroupParticipants(ctx, jid, []types.JID{who.jid()}, action)
			return errors.Join(err, expect(len(answers) == 1 && answers[0].Error == wanted, "answered %+v", answers))
		})
	}
	change("adds a member", eve, whatsmeow.ParticipantChangeAdd, 0)
	step("who is told", func() error { return both(hears(two, anyOf[*events.JoinedGroup])) })
	step("and reads and writes", func() error {
		id, err := one.say(jid, words("with Eve"))
		if err := errors.Join(err, two.getsText(id, "with Eve")); err != nil {
			return err
		}
		id, err = two.say(jid, words("from Eve"))
		return errors.Join(err, one.getsText(id, "from Eve"))
	})
	change("promotes a member", eve, whatsmeow.ParticipantChangePromote, 0)
	change("demotes a member", eve, whatsmeow.ParticipantChangeDemote, 0)
	change("removes a member", eve, whatsmeow.ParticipantChangeRemove, 0)
	change("does not remove who is none", eve, whatsmeow.ParticipantChangeRemove, 404)
	step("writes to those who stay", func() error {
		_, err := one.say(jid, words("without Eve"))
		return errors.Join(err, bob.reads(inGroup("without Eve")))
	})
	step("a group's name", func() error { return one.SetGroupName(ctx, jid, "Renamed") })
	step("a group's topic", func() error { return one.SetGroupTopic(ctx, jid, "", "", "What for") })
	step("a group that admins edit", func() error { return one.SetGroupLocked(ctx, jid, true) })
	step("a group that admins write to", func() error { return one.SetGroupAnnounce(ctx, jid, true) })
	step("and a member does not", func() error {
		_, err := bob.post(jid.String(), object{"text": "may I?"})
		return expect(err != nil, "it was taken")
	})
	step("a group that all write to again", func() error { return one.SetGroupAnnounce(ctx, jid, false) })
	step("who may add", func() error { return one.SetGroupMemberAddMode(ctx, jid, types.GroupMemberAddModeAllMember) })
	step("a group's picture", func() error { return both(one.SetGroupPhoto(ctx, jid, picture())) })
	step("a group's timer", func() error { return one.SetDisappearingTimer(ctx, jid, 24*time.Hour, time.Now()) })
	step("what is known of a group", func() error {
		info, err := one.GetGroupInfo(ctx, jid)
		if err != nil {
			return err
		}
		return expect(info.Name == "Renamed" && info.Topic == "What for" && info.IsLocked && !info.IsAnnounce && len(info.Participants) == 2, "%+v", info)
	})
	step("all its groups", func() error {
		all, err := one.GetJoinedGroups(ctx)
		return errors.Join(err, expect(len(all) == 1, "%d groups", len(all)))
	})
	var code string
	step("a group's link", func() (err error) {
		code, err = one.GetGroupInviteLink(ctx, jid, false)
		return err
	})
	step("looks at a link", func() error { return both(two.GetGroupInfoFromLink(ctx, code)) })
	step("another joins only if it was not removed", func() error {
		_, err := two.JoinGroupWithLink(ctx, code)
		return expect(err != nil, "it joined")
	})
	step("a new link", func() error { return both(one.GetGroupInviteLink(ctx, jid, true)) })
	step("the former link leads nowhere", func() error {
		_, err := two.GetGroupInfoFromLink(ctx, code)
		return expect(err != nil, "it led somewhere")
	})
	step("a group that admins let in", func() error { return one.SetGroupJoinApprovalMode(ctx, jid, true) })
	step("who asks to join", func() error {
		link, err := one.GetGroupInviteLink(ctx, jid, false)
		if err != nil {
			return err
		}
		parts := strings.Split(link, "/")
		guest := newPerson("Guest")
		if _, err := control("PATCH", "/groups/"+jid.String(), object{"by": guest.Number, "join": parts[len(parts)-1]}); err != nil {
			return err
		}
		asking, err := one.GetGroupRequestParticipants(ctx, jid)
		if err != nil || len(asking) != 1 {
			return fmt.Errorf("%d ask: %w", len(asking), err)
		}
		return both(one.UpdateGroupRequestParticipants(ctx, jid, []types.JID{asking[0].JID}, whatsmeow.ParticipantChangeApprove))
	})
	step("a poll in a group, a vote on it", func() error {
		id, err := bob.post(jid.String(), object{"poll": object{"question": "Who?", "options": []string{"me", "you"}}})
		if err != nil {
			return err
		}
		poll, err := one.gets(id)
		if err != nil {
			return err
		}
		vote, err := one.BuildPollVote(ctx, &poll.Info, []string{"me"})
		if err != nil {
			return err
		}
		return both(one.say(jid, vote))
	})
	step("a group's message is read", func() error {
		id, err := bob.post(jid.String(), object{"text": "read this"})
		if err != nil {
			return err
		}
		message, err := one.gets(id)
		if err != nil {
			return err
		}
		return one.MarkRead(ctx, []string{id}, time.Now(), jid, message.Info.Sender)
	})
	step("hears what a member changes", func() error {
		must(control("PATCH", "/groups/"+jid.String(), object{"by": ada.Number, "subject": "By the phone"}))
		return both(hears(one, func(g *events.GroupInfo) bool { return g.Name != nil && g.Name.Name == "By the phone" }))
	})
	step("leaves a group", func() error {
		info, err := one.CreateGroup(ctx, whatsmeow.ReqCreateGroup{Name: "To leave", Participants: []types.JID{bob.jid()}})
		if err != nil {
			return err
		}
		if err := one.LeaveGroup(ctx, info.JID); err != nil {
			return err
		}
		_, err = one.say(info.JID, words("still here?"))
		return expect(err != nil, "it may still write")
	})
	return jid
}

func communities(one *client, ada, bob person, group types.JID) {
	var jid types.JID
	step("creates a community", func() error {
		made, err := one.CreateGroup(ctx, whatsmeow.ReqCreateGroup{Name: "Village", GroupParent: types.GroupParent{IsParent: true}})
		if err == nil {
			jid = made.JID
		}
		return err
	})
	step("links a group to it", func() error { return one.LinkGroup(ctx, jid, group) })
	step("its groups", func() error {
		all, err := one.GetSubGroups(ctx, jid)
		return errors.Join(err, expect(len(all) >= 2, "%d groups", len(all)))
	})
	step("its people", func() error { return both(one.GetLinkedGroupsParticipants(ctx, jid)) })
	step("unlinks the group", func() error { return one.UnlinkGroup(ctx, jid, group) })
	step("a group of a community", func() error {
		return both(one.CreateGroup(ctx, whatsmeow.ReqCreateGroup{Name: "Square", GroupLinkedParent: types.GroupLinkedParent{LinkedParentJID: jid}}))
	})
}

func statuses(one *client, ada, bob person) {
	step("a status of somebody", func() error {
		id, err := bob.post("status@broadcast", object{"text": "my day", "viewers": []string{ada.Number}})
		return errors.Join(err, one.getsText(id, "my day"))
	})
	step("is settled", func() error {
		said, err := control("GET", "/devices/"+ada.Number+":1/settled?wait=5000", nil)
		return errors.Join(err, expect(strings.Contains(said, "true"), "%s", said))
	})
	step("who sees its statuses", func() error { return both(one.GetStatusPrivacy(ctx)) })
	step("posts a status", func() error { return both(one.say(types.StatusBroadcastJID, words("our day"))) })
	step("a broadcast list", func() error {
		id, err := bob.post("123456@broadcast", object{"text": "to a list", "viewers": []string{ada.Number}})
		return errors.Join(err, one.getsText(id, "to a list"))
	})
}

func people(one *client, ada, bob person) {
	step("who is on the network", func() error {
		found, err := one.IsOnWhatsApp(ctx, []string{"+" + bob.Number, "+4915199999999"})
		if err != nil || len(found) != 2 {
			return fmt.Errorf("%d answers: %w", len(found), err)
		}
		return expect(found[0].IsIn != found[1].IsIn, "%+v", found)
	})
	step("somebody's devices, about text and picture", func() error {
		info, err := one.GetUserInfo(ctx, []types.JID{bob.jid()})
		return errors.Join(err, expect(len(info) == 1, "%+v", info))
	})
	step("devices", func() error {
		all, err := one.GetUserDevices(ctx, []types.JID{bob.jid(), ada.jid()})
		return errors.Join(err, expect(len(all) >= 2, "%v", all))
	})
	step("somebody's picture", func() error {
		picture := object{"picture": picture()}
		if _, err := control("PATCH", "/phones/"+bob.Number, picture); err != nil {
			return err
		}
		info, err := one.GetProfilePictureInfo(ctx, bob.jid(), nil)
		return errors.Join(err, expect(info != nil && info.URL != "", "%+v", info))
	})
	step("is told of a picture", func() error { return both(hears(one, anyOf[*events.Picture])) })
	step("follows somebody's presence", func() error { return one.SubscribePresence(ctx, bob.jid()) })
	step("a business", func() error {
		if _, err := control("PATCH", "/phones/"+bob.Number, object{"business": object{"name": "Bob & Co", "description": "Everything"}}); err != nil {
			return err
		}
		return both(one.GetBusinessProfile(ctx, bob.jid()))
	})
	step("its name with a message", func() error {
		id, err := bob.post(ada.Number, object{"text": "as a business"})
		if err != nil {
			return err
		}
		message, err := one.gets(id)
		return errors.Join(err, expect(message != nil && message.Info.VerifiedName != nil, "no name"))
	})
	step("blocks somebody", func() error { return both(one.UpdateBlocklist(ctx, bob.lid(), events.BlocklistChangeActionBlock)) })
	step("its list", func() error {
		list, err := one.GetBlocklist(ctx)
		return errors.Join(err, expect(list != nil && len(list.JIDs) == 1, "%+v", list))
	})
	step("and lets them write again", func() error { return both(one.UpdateBlocklist(ctx, bob.lid(), events.BlocklistChangeActionUnblock)) })
	step("its own QR code", func() error { return both(one.GetContactQRLink(ctx, false)) })
	step("bots", func() error { return both(one.GetBotListV2(ctx)) })
	step("another username", func() error {
		_, err := control("PATCH", "/phones/"+bob.Number, object{"username": "b" + bob.Number})
		return err
	})
}

func settings(one *client, ada, bob person) {
	step("an about text", func() error {
		about := types.SetStatusInput{Text: proto.String("about me")}
		if err := one.SetStatusMessage(ctx, about); err != nil {
			return err
		}
		info, err := one.GetUserInfo(ctx, []types.JID{ada.jid()})
		return errors.Join(err, expect(info[ada.jid()].Status == "about me", "%+v", info))
	})
	step("who sees what", func() error { return both(one.TryFetchPrivacySettings(ctx, true)) })
	for name, value := range map[types.PrivacySettingType]types.PrivacySetting{
		types.PrivacySettingTypeGroupAdd: types.PrivacySettingContacts, types.PrivacySettingTypeLastSeen: types.PrivacySettingNone,
		types.PrivacySettingTypeStatus: types.PrivacySettingContacts, types.PrivacySettingTypeProfile: types.PrivacySettingContacts,
		types.PrivacySettingTypeReadReceipts: types.PrivacySettingNone, types.PrivacySettingTypeOnline: types.PrivacySettingMatchLastSeen,
		types.PrivacySettingTypeCallAdd: types.PrivacySettingKnown,
	} {
		step("who sees: "+string(name), func() error { return both(one.SetPrivacySetting(ctx, name, value)) })
	}
	step("a timer for new chats", func() error { return one.SetDefaultDisappearingTimer(ctx, 24*time.Hour) })
	for name, patch := range map[string]appstate.PatchInfo{
		"mutes a chat":    appstate.BuildMute(bob.lid(), true, time.Hour),
		"pins a chat":     appstate.BuildPin(bob.lid(), true),
		"archives a chat": appstate.BuildArchive(bob.lid(), true, time.Now(), nil),
		"a name":          appstate.BuildSettingPushName("Ada, renamed"),
		"a label":         appstate.BuildLabelEdit("1", "Friends", 1, false),
		"labels a chat":   appstate.BuildLabelChat(bob.lid(), "1", true),
		"stars a message": appstate.BuildStar(bob.lid(), bob.lid(), "3EB0AA", true, true),
		"reads a chat":    appstate.BuildMarkChatAsRead(bob.lid(), true, time.Now(), nil),
	} {
		step(name, func() error { return one.SendAppState(ctx, patch) })
	}
	step("hears of a contact that the phone saves", func() error {
		// The first patch of these settings comes with a snapshot, of which whatsmeow tells nothing.
		_, first := control("POST", "/phones/"+ada.Number+"/contacts", object{"number": "4915100000000", "full_name": "First"})
		time.Sleep(500 * time.Millisecond)
		_, err := control("POST", "/phones/"+ada.Number+"/contacts", object{"number": newPerson("Carl").Number, "full_name": "Carl C."})
		return errors.Join(first, err, both(hears(one, func(c *events.Contact) bool { return c.Action.GetFullName() == "Carl C." })))
	})
	step("pushes", func() error {
		return errors.Join(one.RegisterForPushNotifications(ctx, &whatsmeow.FCMPushConfig{Token: "token"}), both(one.GetServerPushNotificationConfig(ctx)))
	})
}

func newsletters(one, two *client) {
	var jid types.JID
	step("creates a newsletter", func() error {
		made, err := one.CreateNewsletter(ctx, whatsmeow.CreateNewsletterParams{Name: "News", Description: "Daily"})
		if err == nil {
			jid = made.ID
		}
		return err
	})
	step("another follows it", func() error { return two.FollowNewsletter(ctx, jid) })
	step("writes to it", func() error { return both(one.say(jid, words("today"))) })
	step("its messages", func() error {
		all, err := two.GetNewsletterMessages(ctx, jid, nil)
		return errors.Join(err, expect(len(all) == 1, "%d messages", len(all)))
	})
	step("what is known of it", func() error { return both(two.GetNewsletterInfo(ctx, jid)) })
	step("those that it follows", func() error { return both(two.GetSubscribedNewsletters(ctx)) })
	step("hears of changes", func() error { return both(two.NewsletterSubscribeLiveUpdates(ctx, jid)) })
	step("silences it", func() error { return two.NewsletterToggleMute(ctx, jid, true) })
	step("and leaves it", func() error { return two.UnfollowNewsletter(ctx, jid) })
}

func calls(one *client, ada, bob person) {
	step("is called, and declines", func() error {
		if _, err := control("POST", "/phones/"+bob.Number+"/calls", object{"to": ada.Number}); err != nil {
			return err
		}
		call, err := hears(one, anyOf[*events.CallOffer])
		if err != nil {
			return err
		}
		return one.RejectCall(ctx, call.From, call.CallID)
	})
}

func connections(one, two *client, ada, bob, eve person) {
	device := ada.Number + ":1"
	connected := func() error { return both(hears(one, anyOf[*events.Connected])) }
	step("what waited comes after a cut", func() error {
		one.Disconnect()
		id, err := bob.post(ada.Number, object{"text": "while you were away"})
		if err != nil {
			return err
		}
		if err := one.Connect(); err != nil {
			return err
		}
		return errors.Join(connected(), one.getsText(id, "while you were away"))
	})
	step("the end of what waited", func() error { return both(hears(one, anyOf[*events.OfflineSyncCompleted])) })
	step("a long backlog", func() error {
		one.Disconnect()
		must(control("POST", "/phones/"+bob.Number+"/floods", object{"to": ada.Number, "kind": "texts", "count": 60}))
		id, err := bob.post(ada.Number, object{"text": "the last"})
		if err != nil {
			return err
		}
		if err := one.Connect(); err != nil {
			return err
		}
		return errors.Join(connected(), one.getsText(id, "the last"))
	})
	for _, how := range []string{"cut", "restart", "unavailable"} {
		step("dials again after: "+how, func() error {
			must(control("POST", "/connections/"+device+"/end", object{"how": how}))
			return connected()
		})
	}
	step("a ping of the network", func() error {
		must(control("POST", "/devices/"+device+"/notices", object{"kind": "ping", "about": bob.Number}))
		id, err := bob.post(ada.Number, object{"text": "after a ping"})
		return errors.Join(err, one.getsText(id, "after a ping"))
	})
	for _, kind := range []string{"own_devices", "devices_changed", "identity_changed", "about_changed", "own_privacy", "own_block_list", "client_expires", "username_set", "group_growth"} {
		step("news that it has to settle: "+kind, func() error {
			must(control("POST", "/devices/"+device+"/notices", object{"kind": kind, "about": bob.Number}))
			said, err := control("GET", "/devices/"+device+"/settled?wait=5000", nil)
			return errors.Join(err, expect(strings.Contains(said, "true"), "%s", said))
		})
	}
	step("nothing is left unanswered", func() error {
		said, err := control("GET", "/devices/"+device+"/settled?wait=5000", nil)
		return errors.Join(err, expect(strings.Contains(said, "true"), "%s", said))
	})
	step("no phone has failed to read", func() error {
		said, err := control("GET", "/phones/"+eve.Number, nil)
		return errors.Join(err, expect(!strings.Contains(said, `"bad":1`), "%s", said))
	})
	step("logs out", func() error { return one.Logout(ctx) })
	step("is removed by its phone", func() error {
		must(control("DELETE", "/phones/"+eve.Number+"/devices/1", nil))
		return both(hears(two, anyOf[*events.LoggedOut]))
	})
}
