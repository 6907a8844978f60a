import { randomBytes } from "node:crypto"
import { now } from "../../clock.ts"
import { el, type Node } from "../../wire/node.ts"

/** The person who seems to have sent them. */
interface Sender {
  jid: string
  lid: string
}

const enc = (attrs: Record<string, string>, content?: Node["content"]) => el("enc", attrs, content)
const pkmsg = (bytes: Buffer) => enc({ v: "2", type: "pkmsg" }, bytes)
const msg = (bytes: Buffer) => enc({ v: "2", type: "msg" }, bytes)

/** The first byte of Signal's messages: version 3. */
const version = Buffer.of(0x33)

/**
 * Stanzas built wrongly, by what is wrong with them: what no server passes on, what only a stranger's client
 * would make, and what next year's will. Each is made anew.
 */
export function malformedStanzas({ jid, lid }: Sender): [string, Node][] {
  const message = (attrs: Record<string, string | undefined>, content?: Node["content"]) =>
    el("message", { from: lid, type: "text", t: now(), ...attrs }, content)
  const text = [msg(Buffer.concat([version, randomBytes(80)]))]
  return [
    ["nothing in it", message({})],
    ["an empty list", message({}, [])],
    ["bytes in place of nodes", message({}, randomBytes(20))],
    ["no kind of ciphertext", message({}, [enc({ v: "2" }, randomBytes(50))])],
    ["an unknown kind of ciphertext", message({}, [enc({ v: "2", type: "frob" }, randomBytes(50))])],
    ["a bot's kind of ciphertext", message({}, [enc({ v: "2", type: "msmsg" }, randomBytes(50))])],
    ["an unknown version", message({}, [enc({ v: "99", type: "msg" }, randomBytes(50))])],
    ["no ciphertext in a ciphertext", message({}, [enc({ v: "2", type: "msg" })])],
    ["nodes in a ciphertext", message({}, [enc({ v: "2", type: "pkmsg" }, [el("enc")])])],
    ["words in a ciphertext", message({}, [enc({ v: "2", type: "msg" }, "words")])],
    ["a ciphertext of no bytes", message({}, [pkmsg(Buffer.alloc(0))])],
    ["a ciphertext of one byte", message({}, [msg(version)])],
    ["a prekey message that is noise", message({}, [pkmsg(Buffer.concat([version, randomBytes(90)]))])],
    [
      "a prekey message of a length beyond its end",
      message({}, [pkmsg(Buffer.of(0x33, 0x12, 0xff, 0xff, 0xff, 0x7f))]),
    ],
    ["an old version of Signal", message({}, [msg(Buffer.concat([Buffer.of(0x11), randomBytes(60)]))])],
    ["a sender key's ciphertext between two", message({}, [enc({ v: "2", type: "skmsg" }, randomBytes(90))])],
    [
      "a hundred ciphertexts",
      message(
        {},
        Array.from({ length: 100 }, () => text[0]!),
      ),
    ],
    ["nobody's", message({ from: undefined }, text)],
    ["from nowhere", message({ from: "@" }, text)],
    ["from a server that is none", message({ from: "nobody@nowhere" }, text)],
    ["from a name of the language", message({ from: "__proto__@lid" }, text)],
    ["from a device beyond all devices", message({ from: lid.replace("@", ":99999@") }, text)],
    ["from a group without an author", message({ from: "123@g.us" }, text)],
    ["from a group by nobody", message({ from: "123@g.us", participant: "@" }, text)],
    ["a status without an author", message({ from: "status@broadcast" }, text)],
    ["a newsletter's", message({ from: "123@newsletter" }, [el("plaintext", {}, randomBytes(30))])],
    ["of no time", message({ t: undefined }, text)],
    ["of a time that is none", message({ t: "soon" }, text)],
    ["of a time beyond all times", message({ t: "99999999999999999999" }, text)],
    ["of no kind", message({ type: undefined }, text)],
    ["an unknown edit", message({ edit: "99" }, text)],
    ["between our own devices, by a stranger", message({ category: "peer" }, text)],
    ["to somebody else", message({ recipient: lid }, text)],
    ["a name that is no certificate", message({}, [el("verified_name", {}, randomBytes(30)), ...text])],
    ["a placeholder", message({}, [el("unavailable", { type: "frob" })])],
    ["an encryption that is asked for", message({}, [el("enc", { v: "2", type: "msg", count: "x" }, text)])],
    ...strangePlaceholders(message, text),
    ...strangeRetries(lid),
    ...strangeNotices(jid),
    ...strangeStatuses(lid, text),
    ...strangeUsernames({ jid, lid }, message, text),
    ...strangeExpirations(jid),
    ...strangeReceipts(lid),
    ...strangeCalls(lid),
    ...strangeNotifications(jid),
    ["a stanza nobody knows", el("frob", { from: jid }, randomBytes(20))],
  ]
}

type Wrong = [what: string, stanza: Node]

function strangeReceipts(lid: string): Wrong[] {
  return [
    ["a receipt for nothing", el("receipt", { from: lid })],
    ["a receipt of an unknown kind", el("receipt", { from: lid, type: "frob" })],
    ["a retry of nothing", el("receipt", { from: lid, type: "retry" })],
    [
      "a retry for ever",
      el("receipt", { from: lid, type: "retry" }, [el("retry", { count: "99999", id: "X", t: "x" })]),
    ],
    [
      "a receipt for ten thousand",
      el("receipt", { from: lid }, [
        el(
          "list",
          {},
          Array.from({ length: 10_000 }, (_, i) => el("item", { id: `X${i}` })),
        ),
      ]),
    ],
  ]
}

function strangeCalls(lid: string): Wrong[] {
  return [
    ["a call of no step", el("call", { from: lid })],
    ["a call of an unknown step", el("call", { from: lid }, [el("frob", { "call-id": "1" })])],
    ["a call without a name", el("call", { from: lid }, [el("offer")])],
    ["a call by nobody", el("call", {}, [el("offer", { "call-id": "1", "call-creator": "@" })])],
  ]
}

/** Notifications of every kind, with nothing of it in them. */
function strangeNotifications(jid: string): Wrong[] {
  return [
    ["a notification of no kind", el("notification", { from: jid })],
    ["a notification of an unknown kind", el("notification", { from: jid, type: "frob" })],
    ...["devices", "encrypt", "w:gp2", "picture", "account_sync", "privacy_token", "mediaretry", "business"]
      .flatMap((type) =>
        [undefined, randomBytes(20), [el("frob")]].map((content) => [type, content] as const),
      )
      .map(([type, content], i): [string, Node] => [
        `a notification of ${type} with ${["nothing", "bytes", "an unknown node"][i % 3]}`,
        el("notification", { from: jid, type, t: now() }, content),
      ]),
    [
      "devices of nobody",
      el("notification", { from: jid, type: "devices" }, [el("add", {}, [el("device")])]),
    ],
  ]
}

/** Placeholders of messages that a companion is not given. */
function strangePlaceholders(
  message: (attrs: Record<string, string | undefined>, content?: Node["content"]) => Node,
  text: Node[],
): Wrong[] {
  const once = el("unavailable", { type: "view_once" })
  return [
    ["a placeholder of no kind", message({}, [el("unavailable")])],
    ["a placeholder of a huge kind", message({}, [el("unavailable", { type: huge, hosted: huge })])],
    ["a placeholder twice", message({}, [once, once])],
    ["a placeholder beside what it stands for", message({}, [once, ...text])],
    ["a placeholder with bytes in it", message({}, [el("unavailable", once.attrs, randomBytes(20))])],
    ["a placeholder of nobody's", message({ from: undefined }, [once])],
    ["a placeholder of no time", message({ t: "soon" }, [once])],
    ["a placeholder of a status by nobody", message({ from: "status@broadcast" }, [once])],
    ["a status of words", message({ from: "status@broadcast", participant: "somebody" }, text)],
    [
      "a bot's message by nobody",
      message({ from: "@bot" }, [enc({ v: "2", type: "msmsg" }, randomBytes(9))]),
    ],
    [
      "a newsletter's without a number",
      message({ from: "1@newsletter", server_id: huge }, [el("plaintext")]),
    ],
  ]
}

/** Requests for a message once more that bring keys. */
function strangeRetries(from: string): Wrong[] {
  const retry = el("retry", { count: "2", id: "X", t: "1", v: "1" })
  const asking = (...parts: Node[]) => el("receipt", { from, type: "retry" }, [retry, ...parts])
  const key = el("key", {}, [el("id", {}, randomBytes(3)), el("value", {}, randomBytes(32))])
  return [
    ["a retry with keys that are none", asking(el("keys", {}, randomBytes(90)))],
    ["a retry with no key among its keys", asking(el("keys", {}, []))],
    ["a retry with half of the keys", asking(el("registration", {}, randomBytes(4)), el("keys", {}, [key]))],
    ["a retry with keys twice", asking(el("keys", {}, [key, key]), el("keys", {}, [key]))],
    ["a retry with a huge registration", asking(el("registration", {}, randomBytes(5000)))],
    ["a retry without a count", el("receipt", { from, type: "retry" }, [el("retry", {}, [])])],
  ]
}

/** Notices that only the network itself would send. */
function strangeNotices(from: string): Wrong[] {
  const notice = (type: string, content: Node[]) => el("notification", { from, type, t: now() }, content)
  const mex = (said: string) => notice("mex", [el("update", {}, Buffer.from(said))])
  const lock = (fields: object) =>
    mex(JSON.stringify({ data: { xwa2_notify_account_reachout_timelock: fields } }))
  return [
    ["a restriction that is no JSON", mex("{")],
    ["a restriction of nothing", mex("null")],
    ["a restriction of the wrong kind", lock({ is_active: "perhaps", time_enforcement_ends: [] })],
    ["a restriction beyond all times", lock({ is_active: true, time_enforcement_ends: "9".repeat(400) })],
    ["a restriction of a list", mex('{"data":[1,2,3]}')],
    [
      "devices of our own that are nobody's",
      notice("account_sync", [el("devices", { dhash: huge }, [el("device")])]),
    ],
    ["a number that is none", notice("contacts", [el("modify", { old: "@", new: huge, new_lid: "7" })])],
    ["an identity of bytes", notice("encrypt", [el("identity", {}, randomBytes(9)), el("identity")])],
    ["an about text of nodes", notice("status", [el("set", {}, [el("set")])])],
    [
      "a verified name that is no certificate",
      notice("business", [el("verified_name", { jid: from }, randomBytes(60))]),
    ],
  ]
}

/** Statuses as stanzas of their own. */
function strangeStatuses(lid: string, text: Node[]): Wrong[] {
  const status = (attrs: Record<string, string | undefined>, content?: Node["content"]) =>
    el("status", { from: "status@broadcast", participant: lid, type: "text", t: now(), ...attrs }, content)
  return [
    ["a status of nothing", status({})],
    ["a status of bytes", status({}, randomBytes(20))],
    ["a status by nobody", status({ participant: undefined }, text)],
    ["a status by words", status({ participant: "somebody" }, text)],
    ["a status in a chat", status({ from: lid }, text)],
    ["a status in a group", status({ from: "123@g.us" }, text)],
    ["a status that waits for the phone", status({}, [el("unavailable")])],
    ["data of an app that is none", el("appdata", { from: lid, t: now() }, randomBytes(20))],
  ]
}

/** Usernames that are none, and news of them. */
function strangeUsernames(
  { jid, lid }: Sender,
  message: (attrs: Record<string, string | undefined>, content?: Node["content"]) => Node,
  text: Node[],
): Wrong[] {
  const mex = (said: unknown) =>
    el("notification", { from: jid, type: "mex", t: now() }, [
      el("update", { op_name: "UsernameSetNotification" }, Buffer.from(JSON.stringify(said))),
    ])
  const changed = (fields: unknown) => mex({ data: { xwa2_notify_username_on_change: fields } })
  const gone = (fields: unknown) => mex({ data: { xwa2_notify_username_delete: fields } })
  return [
    ["a huge username", message({ username: huge }, text)],
    ["a username of signs", message({ username: "@@\0<b>" }, text)],
    ["a username in a group by nobody", message({ from: "123@g.us", participant_username: "ada" }, text)],
    ["another username of nobody", changed({ username: "ada" })],
    ["another username of words", changed({ lid: "somebody", username: ["ada"] })],
    ["another username that is huge", changed({ lid, username: huge })],
    ["another username that is none", changed({ lid, username: "" })],
    ["a username gone of a list", gone([lid])],
    ["a username gone of a group", gone({ lid: "123@g.us" })],
    ["no username at all", mex({ data: { xwa2_notify_username_on_change: null } })],
  ]
}

function expiration(attrs: Record<string, string | number>) {
  return el("ib", { from: "s.whatsapp.net" }, [el("client_expiration", attrs)])
}

/** Client expirations on days that do not exist, and device notices with hashes that match no person. */
function strangeExpirations(from: string): Wrong[] {
  const hashes = (...hash: string[]) =>
    el(
      "notification",
      { from, type: "devices", t: now() },
      hash.map((one) => el("update", { hash: one })),
    )
  return [
    ["a version that is refused soon", expiration({ t: "soon" })],
    ["a version that was refused before all times", expiration({ t: "-1" })],
    ["a version that is refused after all times", expiration({ t: huge })],
    ["a version that is refused at a fraction", expiration({ t: "1800000000.5" })],
    ["a version of bytes", el("ib", { from }, randomBytes(20))],
    ["a hash of nothing", hashes("")],
    ["a huge hash", hashes(huge)],
    ["a thousand hashes", hashes(...Array.from({ length: 1000 }, () => randomBytes(3).toString("base64")))],
    ["an ack of a private id of nobody", el("ack", { class: "message", from: "@lid", refresh_lid: "true" })],
  ]
}

const huge = "9".repeat(20_000)
