import { expect, test } from "vitest"
import { findRegistered } from "#session-host/network/ask-about-people.ts"
import { NoAnswer } from "#session-host/network/errors.ts"
import { type Stanza, el } from "#session-host/network/stanza.ts"

/** A network that gives this answer about people. */
const saying = (...users: Stanza[]) => ({
  ask: async () => el("iq", {}, [el("usync", {}, [el("list", {}, users)])]),
})

test("a number can be on the network without a LID, and one that is not stays so even with one", async () => {
  const bob = el("user", { jid: "4922@s.whatsapp.net" }, [el("contact", { type: "in" }, "+4922")])
  const nobody = el("user", { jid: "4933@s.whatsapp.net" }, [
    el("contact", { type: "out" }, "+4933"),
    el("lid", { val: "33@lid" }),
  ])
  expect(await findRegistered(saying(bob, nobody), ["4922", "4933"])).toEqual(
    new Map([["4922", { jid: "4922@s.whatsapp.net", lid: "", isBusiness: false, verifiedName: "" }]]),
  )
})

test("a number that the network spells otherwise is found by what was asked", async () => {
  const brazilian = el("user", { jid: "551187654321@s.whatsapp.net" }, [
    el("contact", { type: "in" }, "+5511987654321"),
    el("lid", { val: "55@lid" }),
  ])
  const found = await findRegistered(saying(brazilian), ["5511987654321", "4922"])
  expect([...found]).toMatchObject([["5511987654321", { jid: "551187654321@s.whatsapp.net", lid: "55@lid" }]])
})

test("an answer without a list says nothing of any person", async () => {
  const silent = { ask: async () => el("iq", {}, [el("usync")]) }
  await expect(findRegistered(silent, ["4922"])).rejects.toThrow(NoAnswer)
})
