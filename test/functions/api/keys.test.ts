import { describe, expect, onTestFinished, test, vi } from "vitest"
import type { Event } from "#contract/event.ts"
import { examples } from "#contract/examples.ts"
import { type RouteName, routes } from "#contract/routes.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { LinkSession } from "#core/bridge/link-session.ts"
import { Lease } from "#core/lease/lease.ts"
import { isSameNumber } from "#core/message/spellings.ts"
import { config } from "#core/platform/config.ts"
import { getRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { aCustomer, json, liftLimits } from "#test/support/service/customer.ts"
import { anEvent, anOutbox } from "#test/support/session/events-and-doorbells.ts"
import { dynamoDb } from "#test/support/store.ts"

liftLimits()

const Routes = Object.values(routes).flatMap((group) => Object.entries(group)) as [
  RouteName,
  { method: string; path: string },
][] // as declared there

/** A customer with two bridges, and ways to make keys and to call routes with them. */
async function aShop() {
  const customer = await aCustomer()
  for (const customer_ref of ["shop", "other"]) await customer.post("/api/instances", { customer_ref })
  const make = async (body: object) => {
    const made = await json(customer.post("/api/keys", body))
    return { id: String(made.id), key: String(made.key) }
  }
  const as = async (key: string, name: RouteName, ref = "shop") => {
    const [, { method, path }] = Routes.find(([one]) => one === name)!
    const { body, parameters } = examples[name]
    const given: Record<string, string | number> = { customer_ref: ref, ...parameters }
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => String(given[field]))
    const headers = { authorization: `Bearer ${key}` }
    return await customer.call(method.toUpperCase(), filled, body, headers)
  }
  return { ...customer, make, as, bridge: await Bridge.get(customer.account.id, "shop") }
}

/** The code of a refusal, or the status. */
async function outcome(answer: Response): Promise<string> {
  if (answer.status < 400) return String(answer.status)
  return String((await json(answer)).code)
}

test("a key is shown once, listed with name, scope and last use, and stops when it is revoked", async () => {
  const shop = await aShop()
  const { id, key } = await shop.make({ name: "till", customer_refs: ["shop"] })
  const listed = async () => (await (await shop.get("/api/keys")).json()) as Record<string, unknown>[]
  expect(await listed()).toContainEqual({
    id,
    name: "till",
    scope: "all",
    customer_refs: ["shop"],
    created_at: expect.any(Number),
    created_by: ApiKey.idOf(shop.key),
  })
  expect(JSON.stringify(await listed())).not.toContain(key.slice(17))
  expect((await shop.as(key, "getBridge")).status).toBe(200)
  expect((await listed()).find((one) => one.id === id)!.last_used_at).toBeGreaterThan(1_700_000_000)
  expect((await shop.call("DELETE", `/api/keys/${id}`)).status).toBe(204)
  expect((await shop.as(key, "getBridge")).status).toBe(401)
  expect(await outcome(await shop.call("DELETE", `/api/keys/${id}`))).toBe("not_found")
})

test("a key works until its given time, is then refused with a sentence of its own, and stays in the list", async () => {
  const shop = await aShop()
  const nowS = Math.floor(Date.now() / 1000)
  const create = async (expires_at: number, key = shop.key) =>
    await shop.call("POST", "/api/keys", { name: "x", expires_at }, { authorization: `Bearer ${key}` })
  for (const [wrong, why] of [
    [nowS - 1, "is over"],
    [nowS * 1000 + 99_000, "expires_at"],
  ] as const) {
    const refused = await json(create(wrong))
    expect([refused.code, refused.error]).toEqual(["invalid_request", expect.stringContaining(why)])
  }
  const { key, expires_at } = await json(create(nowS + 3600))
  expect(expires_at).toBe(nowS + 3600)
  // What it makes ends with it, or before.
  for (const [wanted, gets] of [
    [7200, 3600],
    [1800, 1800],
  ] as const)
    expect((await json(create(nowS + wanted, String(key)))).expires_at).toBe(nowS + gets)
  expect((await shop.as(String(key), "getAccount")).status).toBe(200)
  vi.useFakeTimers({ toFake: ["Date"], now: (nowS + 3600) * 1000 })
  onTestFinished(() => void vi.useRealTimers())
  expect(await ApiKey.isThere(ApiKey.idOf(String(key)))).toBe(false)
  const refused = await shop.as(String(key), "getAccount")
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"])
  expect(await json(refused)).toMatchObject({
    code: "unauthorized",
    error: expect.stringContaining("has expired") as string,
  })
  expect((await shop.as(`${String(key).slice(0, -7)}x`, "getAccount")).status).toBe(401)
  const listed = (await (await shop.get("/api/keys")).json()) as { expires_at?: number }[]
  const ends = listed.flatMap(({ expires_at: end }) => (end === undefined ? [] : [end - nowS]))
  expect(ends.toSorted((a, b) => a - b)).toEqual([1800, 3600, 3600])
})

test("a key ends with the one that made it, and one that is revoked makes no more", async () => {
  const shop = await aShop()
  const parent = await shop.make({ name: "parent" })
  const ask = async (key: string) =>
    await shop.call("POST", "/api/keys", { name: "child" }, { authorization: `Bearer ${key}` })
  const childOf = async (key: string) => String((await json(ask(key))).key)
  const child = await childOf(parent.key)
  const grandchild = await childOf(child)
  expect((await shop.call("DELETE", `/api/keys/${parent.id}`)).status).toBe(204)
  for (const key of [parent.key, child, grandchild]) expect((await ask(key)).status).toBe(401)
  expect(await ApiKey.list(shop.account.id)).toMatchObject([{ name: "test" }])
  // Another process remembers it for half a minute.
  const maker = { keyId: parent.id }
  await expect(ApiKey.create(shop.account.id, "late", undefined, maker)).rejects.toThrow("revoked")
})

test("the last use costs one write an hour, and a request succeeds if it cannot be written", async () => {
  const shop = await aShop()
  const { key } = await shop.make({ name: "till" })
  let writes = 0
  onTestFinished(
    dynamoDb.faults.add({
      fault: "lost-request",
      operation: "UpdateItem",
      when: (request) => {
        const isNote = JSON.stringify(request).includes("last_used_at")
        if (isNote) writes++
        return false
      },
    }),
  )
  for (let i = 0; i < 20; i++) expect((await shop.as(key, "listBridges")).status).toBe(200)
  expect(writes).toBe(1)
})

test("a key that may only read changes nothing, links nothing, and sees no secret", async () => {
  const shop = await aShop()
  const { key } = await shop.make({ name: "board", scope: "read" })
  for (const [name, { method }] of Routes) {
    if (method === "get" && name !== "qr" && name !== "getInvite") continue
    expect([name, await outcome(await shop.as(key, name))]).toEqual([name, "forbidden"])
  }
  expect(await outcome(await shop.as(key, "qr"))).toBe("forbidden")
  expect(await json(shop.as(key, "getBridge"))).toMatchObject({ customer_ref: "shop", webhook_secret: "" })
  for (const name of ["listBridges", "listEvents", "listDeliveries", "getAccount", "listKeys"] as const)
    expect([name, await outcome(await shop.as(key, name))]).toEqual([name, "200"])
})

test("for the key of one bridge nothing else exists: other bridges, keys and the account", async () => {
  const shop = await aShop()
  const { key } = await shop.make({ name: "till", customer_refs: ["other"] })
  for (const [name, { path }] of Routes.filter(([one]) => one !== "listBridges")) {
    const expected = path.includes("{customer_ref}") ? "not_found" : "forbidden"
    expect([name, await outcome(await shop.as(key, name))]).toEqual([name, expected])
  }
  expect(await (await shop.as(key, "listBridges")).json()).toMatchObject([{ customer_ref: "other" }])
  expect((await shop.as(key, "getBridge", "other")).status).toBe(200)
  // A bridge that takes over the reference of a deleted one is not the key's.
  await shop.call("DELETE", "/api/instances/other")
  await shop.post("/api/instances", { customer_ref: "other" })
  expect((await shop.as(key, "getBridge", "other")).status).toBe(404)
})

test("a key that may only read at one bridge reads there, changes nothing, and finds nothing elsewhere", async () => {
  const shop = await aShop()
  const { key } = await shop.make({ name: "board", scope: "read", customer_refs: ["other"] })
  expect(await json(shop.as(key, "getBridge", "other"))).toMatchObject({ webhook_secret: "" })
  const ofBridge = Routes.filter(([, { path }]) => path.includes("{customer_ref}"))
  for (const [name] of ofBridge)
    expect([name, await outcome(await shop.as(key, name))]).toEqual([name, "not_found"])
  for (const [name] of ofBridge.filter(([, { method }]) => method !== "get"))
    expect([name, await outcome(await shop.as(key, name, "other"))]).toEqual([name, "forbidden"])
  const two = await shop.make({ name: "two", customer_refs: ["other", "shop", "other"] })
  const listed = (await (await shop.as(two.key, "listBridges")).json()) as { customer_ref: string }[]
  expect(listed.map(({ customer_ref }) => customer_ref)).toEqual(["shop", "other"])
  expect(await outcome(await shop.as(two.key, "getAccount"))).toBe("forbidden")
})

const to = (chat: string): Event => ({ ...anEvent(), chat_id: `${chat}@s.whatsapp.net` }) as Event

describe("a key for some chats", () => {
  /** What shows nothing of a chat, or only what is of the key's chats. */
  const free = ["listBridges", "getBridge", "status", "getProfile", "ownAvatar", "createUpload", "listEvents"]
  /** What is done in a chat that the call names. */
  const inChat = (
    "sendText sendMedia sendReaction sendPoll sendLocation sendEvent sendContact sendForward sendTyping " +
    "getMessage listSent revokeMessage deleteForMe editMessage pinMessage unpinMessage readMessage messageMedia " +
    "updateChat clearChat deleteChat getChatTimer setChatTimer " +
    "listMessages searchMessages askForOlder listPlanned getPlanned changePlanned cancelPlanned listHandovers setHandover getContact contactAvatar getGroup groupAvatar subscribePresence"
  ).split(" ")
  const [ours, theirs] = ["491711234567", "491715550000"]

  /** Calls a route and names this chat wherever a call may, or nowhere. */
  async function walk(chat: string | undefined) {
    const shop = await aShop()
    // Its calls are not answered by a session.
    await Lease.stop(shop.bridge.id, "operator")
    const group = "120363041234567890@g.us"
    const { key } = await shop.make({ name: "agent", chats: [`+${ours}`, group] })
    const outcomes: Record<string, string> = {}
    for (const [name, { method, path }] of Routes) {
      const { body, parameters } = examples[name]
      const isOfGroup = path.includes("/groups/{jid}")
      const named = isOfGroup && chat === ours ? group : chat
      const given: Record<string, string | number> = { customer_ref: "shop", ...parameters }
      if (named !== undefined) Object.assign(given, { chat: named, jid: named })
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, field: string) =>
        encodeURIComponent(String(given[field])),
      )
      const query = named === undefined ? "" : `?chat=${named}`
      const {
        chat: _,
        from_chat: __,
        ...others
      } = { ...(body as object | undefined) } as Record<string, unknown>
      const sent = body && { ...others, ...(named !== undefined && { chat: named, from_chat: named }) }
      const answer = await shop.call(
        method.toUpperCase(),
        filled + query,
        method === "delete" ? undefined : sent,
        {
          authorization: `Bearer ${key}`,
        },
      )
      outcomes[name] = await outcome(answer)
    }
    return Object.entries(outcomes).flatMap(([name, said]) => (said === "forbidden" ? [] : [name]))
  }

  test("is for what is done in one of them, and for no other call", async () => {
    expect((await walk(ours)).toSorted()).toEqual([...free, ...inChat].toSorted())
  })

  test("is for no call that names another chat, or none where the path names none", async () => {
    expect((await walk(theirs)).toSorted()).toEqual([...free].toSorted())
    const withoutChat = await walk(undefined)
    const byPath =
      "updateChat clearChat deleteChat getChatTimer setChatTimer listMessages askForOlder setHandover getContact contactAvatar getGroup groupAvatar".split(
        " ",
      )
    expect(withoutChat.filter((name) => !byPath.includes(name)).toSorted()).toEqual([...free].toSorted())
  })

  test.each([
    ["the chat twice in the query", "GET", "messages/X?chat=491711234567&chat=491715550000", undefined],
    ["a list of chats", "POST", "send/text", { chat: ["491711234567"], body: "x" }],
    [
      "one chat to read, and another to write",
      "POST",
      "send/forward",
      { chat: "491711234567", from_chat: "491715550000", message_id: "X" },
    ],
    ["no chat to read", "POST", "send/forward", { chat: "491711234567", message_id: "X" }],
    ["a username", "POST", "send/text", { chat: "@ada", body: "x" }],
    ["the chat in another way of writing a path", "GET", "chats/%34917155500%30%30/messages", undefined],
  ] as const)("is refused %s", async (_name, method, path, body) => {
    const shop = await aShop()
    const { key } = await shop.make({ name: "agent", chats: [ours] })
    const answer = await shop.call(method, `/api/instances/shop/proxy/${path}`, body, {
      authorization: `Bearer ${key}`,
    })
    expect([403, 400, 404]).toContain(answer.status)
    expect((await json(answer)).code).toMatch(/forbidden|invalid_request/)
  })

  test("sees no secret, and of the events those of its chats alone, as a list and as a stream", async () => {
    const shop = await aShop()
    const outbox = await anOutbox(shop.bridge)
    await outbox.append(to(ours), to(theirs), { event: "connected", phone: "491710000000" })
    const { key } = await shop.make({ name: "agent", chats: [ours] })
    expect(await json(shop.as(key, "getBridge"))).toMatchObject({ webhook_secret: "" })
    const headers = { authorization: `Bearer ${key}` }
    const list = async (query: string) => {
      const answer = await shop.call("GET", `/api/instances/shop/events${query}`, undefined, headers)
      return ((await answer.json()) as { event: { chat_id: string } }[]).map(({ event }) => event.chat_id)
    }
    expect(await list("")).toEqual([`${ours}@s.whatsapp.net`])
    expect(await list(`?chat=${theirs}`)).toEqual([])
    const stream = await shop.call("GET", "/api/instances/shop/events?since=0", undefined, {
      ...headers,
      accept: "text/event-stream",
    })
    const reader = stream.body!.getReader()
    let said = ""
    // A comment says that the past is over. One stands before it, too.
    while (!/^data: [^]*^: /m.test(said)) said += Buffer.from((await reader.read()).value ?? []).toString()
    await reader.cancel()
    expect(said.match(/"chat_id":"\d+/g)).toEqual([`"chat_id":"${ours}`])
    expect(said).not.toContain("connected")
  })
})

test.each([
  [{ customer_ref: "shop" }, "customer_ref"],
  [{ scope: "bridge" }, "scope"],
  [{ bridges: ["shop"] }, "bridges"],
  [{ customer_refs: [] }, "customer_refs"],
  [{ chats: [] }, "chats"],
  [{ chats: ["@ada"] }, "chats.0"],
  [{ file_hosts: ["https://example.com"] }, "file_hosts.0"],
  [{ file_hosts: ["Example.com"] }, "file_hosts.0"],
])("no key is made of %j: no right is taken for one that was not meant", async (wrong, at) => {
  const shop = await aShop()
  const refused = await json(shop.post("/api/keys", { name: "x", ...wrong }))
  expect(refused).toMatchObject({ code: "invalid_request" })
  expect(JSON.stringify(refused.issues)).toContain(at)
  expect(await ApiKey.list(shop.account.id)).toHaveLength(1)
})

test("only a key that may do everything makes the sandbox; for the others it is not there until then", async () => {
  onTestFinished(() => void Object.assign(config, { SANDBOX: false }))
  Object.assign(config, { SANDBOX: true })
  const shop = await aShop()
  const { key: reader } = await shop.make({ name: "board", scope: "read" })
  const { key: till } = await shop.make({ name: "till", customer_refs: ["shop"] })
  const isThere = async () => (await Bridge.list(shop.account.id)).some(({ isSandbox }) => isSandbox)
  for (const [name, { path }] of Routes.filter(([, one]) => one.path.includes("{customer_ref}")))
    for (const key of [reader, till]) {
      const said = await outcome(await shop.as(key, name, "sandbox"))
      expect([path, said, await isThere()]).toEqual([path, "not_found", false])
    }
  expect((await shop.as(shop.key, "getBridge", "sandbox")).status).toBe(200)
  expect((await shop.as(reader, "getBridge", "sandbox")).status).toBe(200)
  expect(await outcome(await shop.as(reader, "removeBridge", "sandbox"))).toBe("forbidden")
  expect(await outcome(await shop.as(till, "getBridge", "sandbox"))).toBe("not_found")
})

test("another account's key cannot be revoked, and its bridge gets no key", async () => {
  const [shop, other] = [await aShop(), await aCustomer()]
  const { id, key: till } = await shop.make({ name: "till" })
  expect((await other.call("DELETE", `/api/keys/${id}`)).status).toBe(404)
  expect((await shop.as(till, "getBridge")).status).toBe(200)
  const key = { name: "x", customer_refs: ["shop"] }
  expect((await other.post("/api/keys", key)).status).toBe(404)
})

test("an account may have a hundred keys", async () => {
  const shop = await aShop()
  for (let i = 0; i < 99; i++) await ApiKey.create(shop.account.id, String(i))
  expect(await json(shop.post("/api/keys", { name: "one more" }))).toMatchObject({ code: "forbidden" })
})

test("the account says its subscription and how many bridges it has and may have", async () => {
  const shop = await aShop()
  expect(await json(shop.get("/api/account"))).toEqual({
    id: shop.account.id,
    name: "Test",
    subscription: "active",
    bridges: 2,
    bridge_limit: 10,
    created_at: shop.account.createdAt,
  })
})

test("a link session is a URL for an hour, for one phone; its row has neither token nor number", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
  const shop = await aShop()
  const asked = { expected_phone: "+491711234567", return_url: "https://shop.example/done?x=1" }
  const make = async () => {
    const made = await json(shop.post("/api/instances/shop/link-sessions", asked))
    return String(made.url).split("/link/")[1]!
  }
  const lasting = { lasting: true, embed_at: "https://shop.example" }
  const made = await json(shop.post("/api/instances/shop/link-sessions", lasting))
  expect(made.expires_at).toBeGreaterThan(Date.now() / 1000 + 9 * 365 * 86_400)
  for (const embed_at of ["https://shop.example/path", "*", "https://a.example; script-src *"])
    expect((await shop.post("/api/instances/shop/link-sessions", { embed_at })).status).toBe(400)
  const token = await make()
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(await LinkSession.ofToken(token)).toMatchObject({
    bridge: { id: shop.bridge.id },
    expectedPhone: "491711234567",
    returnUrl: asked.return_url,
    isUsed: false,
  })
  expect(await LinkSession.ofToken(`${token.slice(1)}x`)).toBeUndefined()
  expect(await Promise.all([LinkSession.finish(token), LinkSession.finish(token)])).toContain(false)
  expect(await LinkSession.ofToken(token)).toMatchObject({ isUsed: true })

  // The latest session of a bridge is its only one. A number is the same with and without the digit that
  // networks leave out.
  const former = await make()
  const late = await make()
  expect(await LinkSession.ofToken(former)).toBeUndefined()
  expect(isSameNumber("5511987654321", "551187654321")).toBe(true)
  expect(isSameNumber("5215512345678", "525512345678")).toBe(true)
  expect(isSameNumber("5491112345678", "541112345678")).toBe(true)
  expect(isSameNumber("491711234567", "491711234568")).toBe(false)
  const session = (await LinkSession.ofToken(late))!
  const at = Math.floor(Date.now() / 1000)
  expect(LinkSession.originOfLink({ ...session, shownAt: 0 }, "491711234567")).toBe("foreign")
  expect(LinkSession.originOfLink({ ...session, shownAt: at - 100 }, "491711234567")).toBe("own")
  expect(LinkSession.originOfLink({ ...session, shownAt: at - 100 }, "491719999999")).toBe("other")
  expect(LinkSession.originOfLink({ ...session, shownAt: at - 300 }, "491719999999")).toBe("foreign")
  vi.setSystemTime(Date.now() + 3_600_000)
  expect(await LinkSession.ofToken(late)).toBeUndefined()
  const ofDeleted = await make()
  await shop.call("DELETE", "/api/instances/shop")
  expect(await LinkSession.ofToken(ofDeleted)).toBeUndefined()
  expect(await getRow(tables.accounts, { pk: `LINK#${ofDeleted}`, sk: "LINK" })).toBeUndefined()
})

test("a link session leads to nothing but an address of the web", async () => {
  const shop = await aShop()
  for (const return_url of [
    "javascript:alert(1)",
    "ftp://x/",
    "https://x/#y",
    "https:///",
    "https://a b",
    "x",
  ]) {
    const answer = await shop.post("/api/instances/shop/link-sessions", { return_url })
    expect(await json(answer)).toMatchObject({ code: "invalid_request", issues: [{ path: "return_url" }] })
  }
})
