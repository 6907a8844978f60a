import { expect, test } from "vitest"
import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { LinkSession } from "#core/bridge/link-session.ts"
import { callHolderIfAny } from "#core/lease/call-holder.ts"
import { Lease } from "#core/lease/lease.ts"
import { LinkedPhone } from "#core/lease/linked-phone.ts"
import { now } from "#core/platform/clock.ts"
import { shownCodeOf } from "#dashboard/linking/ask-for-codes.ts"
import { streamsPerPerson } from "#dashboard/live.ts"
import { aScriptedHost, sayJson } from "#test/support/scripted-host.ts"
import { aVisitor } from "#test/support/service/visitor.ts"
import { dynamoDb } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"
import { aPerson, pages } from "./person.ts"

test("a page whose store gives no answer says so at once, and does not wait for the store's retries", async () => {
  const person = await aPerson()
  const { token } = await LinkSession.create(person.bridge, {})
  const paths = [
    "/",
    "/numbers",
    "/account",
    "/usage",
    "/sign-in",
    ...pages.map((path) => `/numbers/shop${path}`),
  ]
  const back = dynamoDb.faults.add({ fault: "slow", ms: 4000 })
  try {
    const linking = ["en", "fr"].map((lang) => aVisitor().get(`/link/${token}`, { "accept-language": lang }))
    for (const answer of await Promise.all(paths.map((path) => person.get(path)))) {
      expect(answer.status).toBe(503)
      expect(await answer.text()).toContain("The service cannot answer now")
    }
    const [inEnglish, inFrench] = await Promise.all(linking)
    expect([inEnglish?.status, inFrench?.status]).toEqual([503, 503])
    expect(await inEnglish!.text()).toContain("The service cannot be reached right now")
    const page = await inFrench!.text()
    expect(page).toContain("Le service n&#39;est pas joignable")
    expect(page).not.toContain("Go to")
  } finally {
    back()
  }
  await until(async () => (await person.get("/numbers")).status === 200)
})

test("a live page that came too late for its browser gives up its place", async () => {
  const person = await aPerson()
  const open = () => person.get("/numbers/shop/events/stream?from=0")
  const back = dynamoDb.faults.add({ fault: "slow", ms: 1500 })
  const late = await Promise.all(Array.from({ length: streamsPerPerson }, open)).finally(back)
  expect(late.map(({ status }) => status)).toEqual(late.map(() => 503))
  const live: Response[] = []
  await until(async () => {
    const answer = await open()
    if (answer.status === 200) live.push(answer)
    return live.length === streamsPerPerson
  })
  await Promise.all(live.map(({ body }) => body!.cancel()))
})

test("while another account's requests wait for the store, a page that is slow for other reasons comes", async () => {
  const person = await aPerson()
  const other = await aPerson()
  const host = await aScriptedHost(({ path }, response) => {
    const isGroups = path.startsWith("/groups")
    setTimeout(() => sayJson(response, 200, isGroups ? [] : connected), isGroups ? 1500 : 0)
  })
  await host.take(person.bridge.id)
  const back = dynamoDb.faults.add({
    fault: "slow",
    ms: 3000,
    when: (request) => JSON.stringify(request).includes(other.accountId),
  })
  const waiting = Account.get(other.accountId)
  expect((await person.get("/numbers/shop/groups")).status).toBe(200)
  back()
  await waiting
})

test("a process that was busy itself does not say of its store that it gives no answer", async () => {
  const person = await aPerson()
  const back = dynamoDb.faults.add({
    fault: "slow",
    when: (request) => {
      if (!JSON.stringify(request).includes(person.accountId)) return false
      back()
      // The store has the request, and nothing runs meanwhile.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1200)
      return false
    },
  })
  expect((await person.get("/numbers/shop/groups")).status).toBe(200)
})

const connected = { status: "connected", jid: "", lid: "", name: "", phone: "15550001" }

test("a code that its session is slow to give is shown, and stays while the session is asked again", async () => {
  const person = await aPerson()
  const host = await aScriptedHost(({ path }, response) => {
    if (path !== "/qr") return sayJson(response, 200, { ...connected, status: "unpaired", phone: "" })
    const expires = String(now() + 20)
    setTimeout(() => response.writeHead(200, { "x-qr-expires": expires }).end("a picture"), 900)
  })
  await host.take(person.bridge.id)
  const codes: string[] = []
  for (let looks = 0; looks < 6; looks++) {
    const { kind } = await shownCodeOf(person.bridge, { requestId: "looks", isOver: false })
    codes.push(kind)
  }
  expect(codes.slice(0, 2)).toContain("asking")
  expect(codes.slice(2)).toEqual(["shown", "shown", "shown", "shown"])
})

test("a host that hangs keeps no page of its number waiting, and each page comes with what is known", async () => {
  const person = await aPerson()
  const host = await aScriptedHost(() => {})
  const held = await host.take(person.bridge.id)
  const phone = LinkedPhone.sealed("15550001", person.bridge.id, await Bridge.deliveryKeyOf(person.bridge))
  await Lease.reportStatus(held, { status: "connected", phone, since: now(), epoch: held.epoch })
  const { token } = await LinkSession.create(person.bridge, {})
  const paths = [...pages, "/chats/491711234567@s.whatsapp.net", "/groups/1203@g.us"]
  const coming = Promise.all([
    ...["/", "/start", "/numbers", ...paths.map((path) => `/numbers/shop${path}`)].map((path) =>
      person.get(path),
    ),
    ...["", `?begun=${Date.now()}`].map((query) => aVisitor().get(`/link/${token}${query}`)),
  ])
  // A caller who waits for ten seconds waits for longer than all of them.
  const call = { method: "GET", path: "/status", bridgeId: person.bridge.id, requestId: "waits" } as const
  const waited = callHolderIfAny(call, 10_000).then(
    () => [],
    () => [],
  )
  const answers: Response[] = await Promise.race([coming, waited])
  expect(answers.length).toBeGreaterThan(15)
  for (const answer of answers) expect([answer.url, answer.status]).toEqual([answer.url, 200])
  expect(await (await person.get("/numbers/shop")).text()).toContain("+15550001")
  expect(host.calls.filter(({ path }) => path.endsWith("/qr"))).toHaveLength(1)
})
