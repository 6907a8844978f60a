import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import "#test/support/store.ts"
import { knownStanzas } from "#session-host/whatsapp/receive/unknown.ts"
import { knownFacts } from "#simulator/compare-with-live/facts.ts"
import { noticeKinds } from "#simulator/stanzas/unsolicited-notices.ts"
import { aChat, aSharedChat } from "#test/support/session/chat.ts"
import { sendText, statusOf } from "#test/support/session/host.ts"
import { until } from "#test/support/until.ts"

// The rule: whatever has an `id` and a `from` is answered. The network cuts the stream of a device that
// breaks it.

const { network, phone, bridge } = await aSharedChat()
const device = `${phone.number}:1`
const newId = () => `WANTS-AN-ANSWER-${randomUUID()}`

interface Form {
  tag: string
  attrs: Record<string, string>
  content: Form[]
}

/** Forms of which the network expects no answer, and why. */
const exceptions: Record<string, string> = {
  ack: "is an answer",
  "iq[result]": "is an answer",
  "iq[error]": "is an answer",
  ib: "has no id on the live network, and is no stanza for this device alone",
  presence: "has no id on the live network, and is sent once to whoever is connected",
  chatstate: "likewise",
  success: "ends the login",
  failure: "ends the login",
  "stream:error": "ends the stream",
  xmlstreamend: "ends the stream",
  "iq[set]/pair-device": "comes to a device that is not linked, and Baileys answers it with the first code",
  "iq[set]/pair-success": "likewise, and its answer is the link (test/session-host/uplink/linking.test.ts)",
}

/** A value of a shape (`core/message/stanza-skeleton.ts`). */
const valueOf = (shape: string) =>
  shape === "0" ? "1" : shape.startsWith("@") ? `15550001234${shape}` : shape.replaceAll("0", "2")

/** The stanzas of a recording: each with each sender, whole, and with each of its parts alone. */
function recorded(facts: Iterable<string>): Form[] {
  const tops = new Map<string, Form>()
  const senders = new Map<string, Set<string>>()
  const parts = new Map<string, Form>()
  for (const fact of facts) {
    const [path = "", about = ""] = fact.split(" ")
    const form = parts.get(path) ?? newForm(path.split("/").at(-1) ?? "")
    const above = path.slice(0, path.lastIndexOf("/"))
    if (!parts.has(path)) {
      parts.set(path, form)
      if (path.includes("/")) parts.get(above)?.content.push(form)
      else tops.set(path, form)
    }
    const [, name = "", shape = ""] = /^@([^=]+)=(.*)$/.exec(about) ?? []
    if (name === "from" && tops.has(path)) senders.set(path, (senders.get(path) ?? new Set()).add(shape))
    else if (name && name !== "id") form.attrs[name] = valueOf(shape)
  }
  return [...tops].flatMap(([path, form]) =>
    [...(senders.get(path) ?? ["@s.whatsapp.net"])].flatMap((shape) =>
      inParts({ ...form, attrs: { ...form.attrs, from: valueOf(shape) } }),
    ),
  )
}

function newForm(segment: string): Form {
  const [, tag = "", type] = /^([^[]*)(?:\[(.*)\])?$/.exec(segment) ?? []
  return { tag, attrs: type === undefined ? {} : { type: type.replaceAll("0", "2") }, content: [] }
}

const inParts = (form: Form): Form[] => [form, ...form.content.map((part) => ({ ...form, content: [part] }))]

/** The stanzas that `receive/unknown.ts` knows: what Baileys, whatsmeow and whatsapp-rust handle. */
function knownForms(): Form[] {
  return [...knownStanzas].flatMap(
    ([tag, { kinds: types = new Set<string>(), parts = new Map<string, Set<string>>() }]) => {
      const all = new Set([...types, ...parts.keys(), ""])
      return [...all].flatMap((type) => {
        const content = [...(parts.get(type) ?? parts.get("") ?? [])].map((part) => newForm(part))
        const attrs: Form["attrs"] = { from: "s.whatsapp.net", ...(type && { type }) }
        return inParts({ tag, attrs, content })
      })
    },
  )
}

/** The stanzas that `docs/network.md` names where a line says what comes. */
function documented(): Form[] {
  const lines = readFileSync("docs/network.md", "utf8").matchAll(/^- \*\*([^]*?)\*\*/gm)
  return [...lines].flatMap(([, what = ""]) => {
    const [first, ...others] = [...what.matchAll(/`<?([\w:]+)[^`]*`/g)].map(([, word = ""]) => word)
    if (!first) return []
    const content = others.map((word) => newForm(word))
    const isTag = what.includes("`<") || knownStanzas.has(first)
    const [tag, attrs] = isTag ? [first, {}] : ["notification", { type: first }]
    return [{ tag, attrs: { from: "s.whatsapp.net", ...attrs }, content }]
  })
}

const isExcepted = ({ tag, attrs, content }: Form) =>
  [tag, `${tag}[${attrs.type}]`, ...content.map((part) => `${tag}[${attrs.type}]/${part.tag}`)].some(
    (name) => name in exceptions,
  )

test.for<[string, () => Form[]]>([
  ["a recording has shown", () => recorded(knownFacts())],
  ["this release knows by name", knownForms],
  ["the documents name", documented],
])("every stanza with an id and a sender that %s is answered", { timeout: 120_000 }, async ([, forms]) => {
  const wanted = new Map<string, Form>()
  for (const form of forms()) {
    if (isExcepted(form)) continue
    const id = newId()
    wanted.set(id, form)
    await network.control.stanza(device, { ...form, attrs: { ...form.attrs, id, t: "1" } })
  }
  expect(wanted.size).toBeGreaterThan(20)
  const unanswered = async () => {
    const said = await network.control.log({ who: device, kind: "in" })
    const answered = new Set(said.map(({ stanza }) => stanza?.attrs.id))
    return [...wanted].flatMap(([id, form]) => (answered.has(id) ? [] : [form]))
  }
  await until(async () => (await unanswered()).length === 0, { withinMs: 60_000 }).catch(() => {})
  expect(await unanswered()).toEqual([])
  expect(await statusOf(bridge.id)).toBe("connected")
})

test("every notice that the simulated network knows is in the documents", () => {
  const text = readFileSync("docs/network.md", "utf8")
  const patterns = [...text.matchAll(/`([\w*]+)`/g)].map(([, name = ""]) =>
    RegExp(`^${name.replace("*", ".*")}$`),
  )
  expect(noticeKinds.filter((kind) => !patterns.some((pattern) => pattern.test(kind)))).toEqual([])
})

test.for([
  ["appdata", { type: "text" }, "ack", { class: "appdata", type: "text" }],
  ["of_next_year", { participant: "15550009999@s.whatsapp.net" }, "ack", { class: "of_next_year" }],
  ["iq", { type: "get", xmlns: "urn:xmpp:ping" }, "iq", { type: "result" }],
  ["iq", { type: "set", xmlns: "of:next:year" }, "iq", { type: "error" }],
] as const)("the network's %s (%o) is answered by an %s", async ([tag, attrs, answer, says]) => {
  const id = newId()
  await network.control.stanza(device, { tag, attrs: { ...attrs, id, from: "s.whatsapp.net" } })
  const [heard] = await network.log({ who: device, kind: "in", attrs: { id } })
  expect(heard!.stanza).toMatchObject({ tag: answer, attrs: { ...says, id } })
})

test("people asked for by number, but named by private id, are found, known and written to by number", async () => {
  const { phone, bridge, network, ask, message } = await aChat({ account: { by_number: true } })
  await network.fault({ kind: "named_by_lid", device: `${phone.number}:1` })
  const [carol, dora] = [await network.phone("Carol"), await network.phone("Dora")]
  const checked = await ask("POST", "/contacts/check", { phones: [carol.number] })
  expect(checked).toMatchObject({ 0: { phone: carol.number, jid: carol.jid, registered: true } })
  expect(await ask("GET", `/contacts/${carol.number}`)).toMatchObject({ jid: carol.jid, phone: carol.number })
  expect(await sendText(bridge.id, carol.number, "by number")).toMatchObject({ status: 200 })
  expect(await carol.read({ text: "by number" })).toMatchObject([{ times: 1, chat: phone.number }])

  const group = await network.group([dora, phone], "pn")
  expect(await sendText(bridge.id, group.jid, "to a group")).toMatchObject({ status: 200 })
  expect(await dora.read({ text: "to a group" })).toMatchObject([{ times: 1 }])
  expect(await message((await dora.send(group.jid, "an answer")).id)).toMatchObject({ phone: dora.number })
})
