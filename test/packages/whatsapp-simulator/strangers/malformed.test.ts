import { randomBytes } from "node:crypto"
import type { BinaryNode } from "@whiskeysockets/baileys"
import { afterAll, beforeAll, expect, test } from "vitest"
import { questions } from "#simulator/stanzas/receive.ts"
import type { Client } from "#test/support/network/baileys-client.ts"
import { aNetwork } from "#test/support/network/network.ts"

// Stanzas of clients that are built wrongly. None ends the connection or holds up the stanzas after it.

const network = await aNetwork()
let client: Client
let group: string
let community: string
let newsletter: string
beforeAll(async () => {
  const [ada, bob] = [await network.phone("Ada"), await network.phone("Bob")]
  client = await network.paired(ada)
  group = (await network.group([ada, bob])).jid
  community = (await client.sock.communityCreate("All", "Of us"))!.id
  newsletter = (await client.sock.newsletterCreate("Daily", "")).id
})
afterAll(() => network.close())

/** Longer than any attribute of a real stanza. */
const huge = "9".repeat(20_000)

type Content = NonNullable<BinaryNode["content"]>

const node = (tag: string, attrs: Record<string, string> = {}, content?: Content): BinaryNode => ({
  tag,
  attrs,
  ...(content && { content }),
})

/** Attributes of many questions, all with this value. */
const all = (value: string) =>
  Object.fromEntries(
    ["jid", "id", "type", "code", "action", "count", "subject", "key", "query_id"].map((name) => [
      name,
      value,
    ]),
  )

/** The part of a question that says what is asked for, in forms that no client would write. */
function wrongly(tag: string): BinaryNode[][] {
  const members = ["", "nobody@nowhere", huge, "constructor@lid"].map((jid) => node("participant", { jid }))
  return [
    [node(tag)],
    [node(tag, all("x")), node(tag, all("y"))],
    [node(tag, all(huge))],
    [node(tag, all(group), randomBytes(50))],
    [node(tag, all("-1"), [...members, node("approve", {}, randomBytes(9)), node("group", all(huge))])],
    [node(tag, {}, [node(tag, {}, [node(tag, {}, randomBytes(5))])])],
  ]
}

/** How a question is answered: `result`, or the code of the error. */
async function outcomeOf(attrs: Record<string, string>, content: BinaryNode[]): Promise<string> {
  try {
    const answer = (await client.sock.query({ tag: "iq", attrs, content }, 10_000)) as BinaryNode | undefined
    return answer?.attrs.type ?? "no answer"
  } catch (error) {
    return String((error as { data?: unknown }).data)
  }
}

test("each question that is built wrongly is answered, or refused with a code", async () => {
  const outcomes: string[] = []
  for (const name of questions) {
    const [xmlns = "", type = "", tag = "other"] = name.split(" ")
    const places =
      xmlns === "w:g2" ? [group, community] : [xmlns === "newsletter" ? newsletter : "@s.whatsapp.net"]
    const asked = places.flatMap((to) =>
      wrongly(tag).map(async (content) => `${name}: ${await outcomeOf({ to, xmlns, type }, content)}`),
    )
    outcomes.push(...(await Promise.all(asked)))
  }
  const strange = outcomes.filter((outcome) => !/: (result|400|401|403|404|406|410|501)$/.test(outcome))
  expect(strange).toEqual([])
  expect(await outcomeOf({ to: "@s.whatsapp.net", xmlns: "w:p", type: "get" }, [])).toBe("result")
})

test("a group's name and description may be no longer than on the live network", async () => {
  const name = "x".repeat(101)
  await expect(client.sock.groupCreate(name, [])).rejects.toThrow("not-acceptable")
  await expect(client.sock.groupUpdateSubject(group, name)).rejects.toThrow("not-acceptable")
  await expect(client.sock.groupUpdateDescription(group, "x".repeat(2049))).rejects.toThrow("not-acceptable")
  await client.sock.groupUpdateSubject(group, name.slice(1))
})

test("each stanza that is built wrongly is refused or passed over, and the next question is answered", async () => {
  const some = node("plaintext", {}, [node("plaintext")])
  const refused = [
    node("message", { to: newsletter, id: "NODES" }, [some]),
    node("message", { to: newsletter, id: "NOTHING" }),
    node("message", { to: group, id: "GROUP" }, [node("enc")]),
    node("message", { to: `${huge}@lid`, id: "HUGE" }, [node("enc", { type: huge })]),
    node("message", { to: "nobody@nowhere", id: "NOWHERE" }, [node("participants", {}, randomBytes(9))]),
  ]
  const passedOver = [
    node("message"),
    node("message", { to: newsletter }, [some]),
    node("ib", {}, [node("offline_batch")]),
    node("ib", {}, [node("offline_batch", { count: "-100" }), node("offline_batch", { count: huge })]),
    node("ib", {}, [node("offline_batch", { count: "many" })]),
    node("ib", {}, randomBytes(20)),
    node("receipt"),
    node("receipt", { id: huge, to: huge, type: huge }, [node("list", {}, randomBytes(9))]),
    node("receipt", { id: "X", to: group, type: "retry" }, [node("keys", {}, [node("key")])]),
    node("ack", { class: huge, id: huge }),
    node("ack", { class: "message", id: "X", error: "words", to: "nobody@nowhere" }),
    node("presence", { type: "subscribe", to: huge }),
    node("presence", { type: huge }),
    node("chatstate", { to: huge }, [node("composing"), node("composing")]),
    node("call", { id: "X", to: huge }),
    node("other", { id: "X" }, randomBytes(20)),
  ]
  const refusals = Promise.all(refused.map(({ attrs }) => client.sock.waitForMessage(attrs.id!, 10_000)))
  for (const stanza of [...passedOver, ...refused]) await client.sock.sendNode(stanza)
  const codes = ((await refusals) as BinaryNode[]).map(({ attrs }) => attrs.error)
  expect(codes).toEqual(Array(5).fill("479"))
  expect(await outcomeOf({ to: "@s.whatsapp.net", xmlns: "w:p", type: "get" }, [])).toBe("result")
})
