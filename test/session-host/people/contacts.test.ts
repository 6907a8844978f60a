import { randomBytes } from "node:crypto"
import { proto, type BinaryNode } from "@whiskeysockets/baileys"
import { expect, test } from "vitest"
import { askForPerson } from "#session-host/network/ask-about-people.ts"
import "#test/support/store.ts"
import type { Learnt } from "#session-host/network/happening.ts"
import { el } from "#session-host/network/stanza.ts"
import { contactWire } from "#session-host/people/contacts.ts"
import { redactedPhonesAndUsernames } from "#session-host/whatsapp/receive/redacted-phones-and-usernames.ts"
import { countTurns } from "#test/support/count-turns.ts"
import { transactions } from "#test/support/recorded-writes.ts"
import { aMemory } from "#test/support/session/memory.ts"

const bob = { jid: "4922@s.whatsapp.net", lid: "22@lid" }

/** The contacts of a login, and the phone numbers that the network would reveal. */
async function aBook() {
  const phones = new Map<string, string>()
  const { memory } = await aMemory()
  const learn = (...people: Learnt[]) => memory.contacts.learn(people, async () => phones)
  const list = async () => (await memory.contacts.list({})).map((contact) => contactWire(contact))
  return { memory, phones, learn, list }
}

test("a member who hides their number is shown with part of it, and stays one contact once it is known", async () => {
  const { learn, list, phones } = await aBook()
  await learn({ lid: bob.lid, pushName: "Bob" })
  await learn({ lid: bob.lid, redactedPhone: "+49∙∙∙∙∙22", ofContactsOnly: true })
  expect(await list()).toMatchObject([{ jid: bob.lid, phone: "", redacted_phone: "+49∙∙∙∙∙22", name: "Bob" }])
  phones.set(bob.lid, bob.jid)
  await learn({ lid: bob.lid, fullName: "Robert" })
  expect(await list()).toMatchObject([{ jid: bob.jid, phone: "4922", name: "Robert" }])
})

test("a contact whom no row can hold is left out, and all others beside them are learnt", async () => {
  const { learn, list, memory } = await aBook()
  await learn({ lid: bob.lid, pushName: "Bob" })
  const large = randomBytes(450_000).toString("base64")
  await learn(
    { jid: `${"1".repeat(1_100)}@s.whatsapp.net`, fullName: "Endless" },
    { lid: bob.lid, fullName: large },
    { jid: "4933@s.whatsapp.net", fullName: "Eve" },
  )
  await memory.settled()
  expect((await list()).map(({ name }) => name)).toEqual(["Bob", "Eve"])
})

test("two who prove to be one are one, and nothing of either is lost", async () => {
  const { learn, list, memory } = await aBook()
  await learn({ lid: bob.lid, pushName: "Bob", about: "at sea" }, { jid: bob.jid, fullName: "Robert Brown" })
  expect(await list()).toHaveLength(2)
  await learn({ ...bob, ofContactsOnly: true })
  expect(await list()).toMatchObject([{ jid: bob.jid, full_name: "Robert Brown", about: "at sea" }])
  expect(await memory.contacts.get(bob.lid)).toBeUndefined()
})

test("an address alone makes no contact", async () => {
  const { learn, list } = await aBook()
  await learn(
    { ...bob, ofContactsOnly: true },
    { lid: "33@lid", redactedPhone: "+1∙∙3", ofContactsOnly: true },
  )
  expect(await list()).toEqual([])
})

test("news without a field does not change it; an about text may be taken back; known facts write nothing", async () => {
  const { learn, list } = await aBook()
  await learn({ ...bob, fullName: "Robert", pushName: "Bob", verifiedName: "Bob & Sons" })
  const before = await list()
  await learn({ ...bob, pushName: "", fullName: undefined })
  expect(await list()).toEqual(before)
  expect(before).toMatchObject([
    { name: "Robert", verified_name: "Bob & Sons", business_name: "Bob & Sons", is_business: true },
  ])
  await learn({ ...bob, about: "at sea" })
  await learn({ ...bob, about: "" })
  expect(await list()).toEqual(before)
  const written = transactions()
  await learn({ ...bob, pushName: "Bob" })
  expect(written).toEqual([])
})

test("a contact said not to be on the network is back once heard of, and that makes no new contact", async () => {
  const { learn, list } = await aBook()
  await learn({ jid: "4999@s.whatsapp.net", isRegistered: false, ofContactsOnly: true })
  expect(await list()).toEqual([])
  await learn({ jid: bob.jid, fullName: "Robert" })
  await learn({ jid: bob.jid, isRegistered: false, ofContactsOnly: true })
  await learn({ jid: bob.jid, fullName: "Robert Brown" })
  expect(await list()).toMatchObject([{ name: "Robert Brown", registered: false }])
  await learn({ ...bob, pushName: "Bob" })
  expect(await list()).toMatchObject([{ registered: true }])
})

test("hundreds at once are all there, in order, a page at a time, without those of other rows", async () => {
  const { learn, memory } = await aBook()
  const jids = Array.from({ length: 250 }, (_, i) => `49${1000 + i * 7}@s.whatsapp.net`)
  await learn(...jids.map((jid) => ({ jid, pushName: jid })))
  const sorted = jids.toSorted()
  const found: string[] = []
  for (;;) {
    const page = await memory.contacts.list({ after: found.at(-1), limit: 100 })
    found.push(...page.map(({ jid }) => jid))
    if (page.length < 100) break
  }
  expect(found).toEqual(sorted)
})

const participant = (attrs: Record<string, string>): BinaryNode => ({ tag: "participant", attrs })
const group = (...participants: BinaryNode[]): BinaryNode => ({
  tag: "group",
  attrs: { id: "1" },
  content: participants,
})

test("a group's card tells of numbers only what it hides", () => {
  const cards = group(
    participant({ jid: "22@lid", display_name: "+49∙∙∙22" }),
    participant({ jid: "33@lid", phone_number: "4933@s.whatsapp.net" }),
    participant({ jid: "4944@s.whatsapp.net", display_name: "Dora" }),
  )
  const hidden = [{ lid: "22@lid", redactedPhone: "+49∙∙∙22", ofContactsOnly: true }]
  expect(redactedPhonesAndUsernames({ tag: "iq", attrs: {}, content: [cards] })).toEqual(hidden)
  const groups: BinaryNode = { tag: "groups", attrs: {}, content: [cards] }
  expect(redactedPhonesAndUsernames({ tag: "iq", attrs: {}, content: [groups] })).toEqual(hidden)
  expect(redactedPhonesAndUsernames({ tag: "iq", attrs: {} })).toEqual([])
})

const { VerifiedNameCertificate } = proto
const certificate = VerifiedNameCertificate.encode({
  details: VerifiedNameCertificate.Details.encode({ verifiedName: "Bob & Sons" }).finish(),
}).finish()

test("a business has a verified name, an address and a mail address", async () => {
  const asked: string[] = []
  const person = await askForPerson(
    {
      tokenOf: async () => undefined,
      async registered() {
        return new Map([["4922", { ...bob, isBusiness: true, verifiedName: "" }]])
      },
      async ask({ xmlns, children = [] }) {
        asked.push(xmlns)
        const user = el("user", { jid: bob.jid }, [
          el("status", {}, "open all day"),
          el("business", {}, [el("verified_name", {}, certificate)]),
        ])
        const profile = el("profile", { jid: bob.jid }, [
          el("address", {}, "1 Main Street"),
          el("email", {}, "bob@example.com"),
        ])
        const isProfile = children[0]?.tag === "business_profile"
        const content = isProfile
          ? el("business_profile", {}, [profile])
          : el("usync", {}, [el("list", {}, [user])])
        return el("iq", {}, [content])
      },
    },
    bob.jid,
  )
  expect(person).toEqual({
    ...bob,
    verifiedName: "Bob & Sons",
    isBusiness: true,
    about: "open all day",
    businessAddress: "1 Main Street",
    businessEmail: "bob@example.com",
    username: "",
  })
  expect(asked).toEqual(["usync", "w:biz"])
})

const people = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ jid: `49${100_000 + i}@s.whatsapp.net`, fullName: `${i}` }))

test("a question about one person does not wait until thousands of others are learnt", async () => {
  const { learn, memory } = await aBook()
  const ended: string[] = []
  const all = learn(...people(2000)).then(() => ended.push("all"))
  await learn({ ...bob, fullName: "Robert" })
  expect(await memory.contacts.get(bob.jid)).toMatchObject({ fullName: "Robert" })
  ended.push("one")
  await all
  expect(ended).toEqual(["one", "all"])
})

test("later news about a person stays, however long the list that came before it", async () => {
  const { learn, memory } = await aBook()
  const [first, ...others] = people(200)
  const all = learn(...others, { ...first!, fullName: "Before" })
  await learn({ ...first!, fullName: "After" })
  await all
  expect(await memory.contacts.get(first!.jid)).toMatchObject({ fullName: "After" })
})

test("while a long list is read, all other work has a turn after each two hundred", async () => {
  const { learn, memory } = await aBook()
  await learn(...people(1000))
  const turns = countTurns()
  const pages: { turn: number; count: number }[] = []
  for await (const page of memory.contacts.pages({ limit: 900 }))
    pages.push({ turn: turns.now(), count: page.length })
  expect(pages.map(({ count }) => count)).toEqual([200, 200, 200, 200, 100])
  expect(new Set(pages.map(({ turn }) => turn)).size).toBe(5)
  const jids = (await memory.contacts.list({})).map(({ jid }) => jid)
  expect(jids).toEqual(people(1000).map(({ jid }) => jid))
})
