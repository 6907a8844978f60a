import "#test/support/store.ts"
import { createServer } from "node:http"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { expect, onTestFinished, test, vi } from "vitest"
import { status as statusCommand } from "#cli/commands/status.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Usage } from "#core/event/usage.ts"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { LinkedPhone } from "#core/lease/linked-phone.ts"
import { now } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { listen } from "#one-machine/listen.ts"
import { aHeldLease } from "#test/support/held-lease.ts"
import { aScriptedHost, sayJson } from "#test/support/scripted-host.ts"
import { listener } from "#test/support/service/app.ts"
import { aPerson, pages } from "./person.ts"

test("a session that is not heard is uncertain, then lost, and the page says since when, even with no host", async () => {
  const person = await aPerson()
  const held = await aHeldLease(person.bridge.id)
  await Host.beat({ id: held.host, addr: held.addr, capacity: 1, sessions: 1, network: "simulated" })
  await Lease.reportStatus(held, { status: "connected", since: now() - 600, epoch: held.epoch })
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ["Date"] })
  const shown = async (laterMs: number) => {
    vi.setSystemTime(Date.now() + laterMs)
    return (await (await person.get("/numbers/shop")).text()).replaceAll("&quot;", '"')
  }
  for (const [laterMs, word] of [
    [20_000, "Uncertain"],
    [30_000, "Lost"],
  ] as const) {
    const page = await shown(laterMs)
    expect(page).toContain(`>${word}</span>`)
    expect(page).toMatch(/not heard of for <time datetime="[^"]+" data-age="\d+"/)
    expect(page).toContain("It was connected when it was last heard of.")
  }
  // Its host beats, which says nothing about the session.
  await Host.beat({ id: held.host, addr: held.addr, capacity: 1, sessions: 1, network: "simulated" })
  expect(await shown(1000)).toContain(">Lost</span>")
  const { version } = (await Host.get(held.host))!
  await Lease.freeFromDead([held], {
    key: Host.key(held.host),
    seenVersion: version,
    isBlameless: true,
  })
  const gone = await shown(1000)
  expect(gone).toContain(">Lost</span>")
  expect(gone).toContain("The machine that ran it is gone.")
  // The next session moves as planned, and has told nothing new.
  const next = (await Lease.acquire((await Lease.get(held.bridgeId))!, { id: held.host, addr: held.addr }))!
  await Lease.release(next)
  expect(await shown(0)).not.toContain("The machine that ran it is gone.")
})

test("a number whose phone was unlinked is red with phone and time on each page, and grey if it had none", async () => {
  const person = await aPerson()
  const said = { status: "unpaired", jid: "", lid: "", name: "", phone: "" }
  const host = await aScriptedHost(({ path }, response) =>
    path === "/status"
      ? sayJson(response, 200, said)
      : sayJson(response, 503, { error: "not now", code: "session_unavailable" }),
  )
  const { epoch, bridgeId } = await host.take(person.bridge.id)
  const report = async (more: object) =>
    await Lease.reportStatus(
      { bridgeId, host: host.id, epoch },
      { status: "unpaired", epoch, since: now() - 600, ...more },
    )
  const shown = async (path: string) => await (await person.get(path)).text()
  await report({})
  const list = await shown("/numbers")
  expect(list).toContain('<span class="state idle">Not linked</span>')
  expect(list).toContain("No phone is linked: scan a QR code")
  const log = await shown("/numbers/shop/log")
  expect(log).toMatch(/class="state idle" href="\/numbers\/shop\/connect"\s*>Not linked</)
  expect(log).not.toContain("state bad")
  expect(await shown("/numbers/shop/chats")).toContain("No phone is linked")
  const key = await Bridge.deliveryKeyOf(person.bridge)
  await report({ phone: LinkedPhone.sealed("15550001", bridgeId, key) })
  for (const path of ["/numbers", "/numbers/shop"]) {
    const page = await shown(path)
    expect(page).toContain('<span class="state bad">Unlinked</span>')
    expect(page).toMatch(/for\s+<time datetime="[^"]+" data-age="\d+" title="[^"]+" data-at="title">10 min</)
    expect(page).toContain("+15550001")
  }
  for (const path of pages) {
    const page = await shown(`/numbers/shop${path}`)
    expect([path, /<h1>shop<\/h1>\s*<p>\+15550001<\/p>/.test(page)]).toEqual([path, true])
    // The overview and the page of its phone say it themselves, and go on saying it.
    const isInHead = /<a class="state bad" href="\/numbers\/shop"\s*>Unlinked</.test(page)
    expect([path, isInHead]).toEqual([path, !["", "/connect"].includes(path)])
  }
  await Lease.stop(bridgeId, "customer")
  const paused = await shown("/numbers")
  expect(paused).toContain(">Paused</span>")
  expect(paused).toContain("+15550001")
})

test("a noted restriction is the word of a number whose session is silent, and on Home, until its time", async () => {
  const person = await aPerson()
  await Bridge.setWebhookUrl(person.bridge, "https://example.com/hook")
  let isThere = true
  const silent = await aScriptedHost((_call, response) => void (isThere || response.destroy()))
  const { host, epoch, bridgeId } = await silent.take(person.bridge.id)
  const key = await Bridge.deliveryKeyOf(person.bridge)
  const phone = LinkedPhone.sealed("15550001", bridgeId, key)
  const word = async (path: string) =>
    /class="state \w+"[^>]*>(\w+)/.exec(await (await person.get(path)).text())?.[1]
  for (const [until, shown] of [
    [now() + 60, "Restricted"],
    [0, "Restricted"],
    [now() - 60, "Connected"],
  ] as const) {
    const restriction = { kind: "new_chats", until } as const
    const reported = { status: "connected", epoch, since: now(), phone, restriction } as const
    await Lease.reportStatus({ bridgeId, host, epoch }, reported)
    expect([await word("/numbers"), await word("/numbers/shop/log")]).toEqual([shown, shown])
    expect(await word("/")).toBe(shown === "Restricted" ? shown : "All")
    isThere = false
    const doubted = await (await person.get("/numbers")).text()
    expect(doubted).toContain(`It was ${shown.toLowerCase()} when it was last heard of.`)
    isThere = true
  }
})

test("a number that waits for its first session starts; one that operator or bill paused says who wakes it", async () => {
  const person = await aPerson()
  const page = async () => await (await person.get("/numbers/shop")).text()
  expect(await page()).toContain(">Starting</span>")
  await Lease.stop(person.bridge.id, "operator")
  expect(await page()).toContain("The operator of this service has paused it: ask them to wake it.")
  const connect = await (await person.get("/numbers/shop/connect")).text()
  expect(connect).toContain("No phone can be linked meanwhile.")
  expect(connect).not.toContain("Scan this")
  await Lease.stop(person.bridge.id, "billing")
  const billed = await page()
  expect(billed).toContain("Settle it with them: then they wake it.")
  expect(billed).not.toContain("/subscription")
})

/** The step of the first page's list that is about a send. */
function stepOfSending(page: string): string {
  return /Send a message with the API.*?<\/li>/s.exec(page)?.[0] ?? ""
}

test("a sandbox that does not run promises no phone, and a silent number is not said to have none", async () => {
  const before = { SANDBOX: config.SANDBOX, SIMULATOR_CONTROL_URL: config.SIMULATOR_CONTROL_URL }
  onTestFinished(() => void Object.assign(config, before))
  Object.assign(config, { SANDBOX: true, SIMULATOR_CONTROL_URL: "http://127.0.0.1:9" })
  const person = await aPerson()
  expect(await (await person.get("/")).text()).toContain("A moment: the sandbox links its phone.")
  await Lease.stop((await Bridge.get(person.accountId, "sandbox")).id, "operator")
  const page = await (await person.get("/")).text()
  expect(page).toContain("Nothing can be written to a sandbox that does not run.")
  expect(page).not.toContain("A moment")
  expect(stepOfSending(page)).not.toContain(": done")
  await Usage.countMessages((await Bridge.get(person.accountId, "sandbox")).id, "2026-01-31", {
    in: 0,
    out: 1,
  })
  expect(stepOfSending(await (await person.get("/")).text())).toContain(": done")
  expect(await (await person.post("/sandbox/call")).text()).toContain("The sandbox does not run now.")
  expect(await (await person.get("/numbers")).text()).not.toContain("no phone")
})

test("where the network is simulated, Connect leads to its phones; elsewhere it warns of the ban", async () => {
  const before = { HOST_NETWORK: config.HOST_NETWORK, SIMULATOR_CONTROL_URL: config.SIMULATOR_CONTROL_URL }
  onTestFinished(() => void Object.assign(config, before))
  const person = await aPerson()
  const page = async () => await (await person.get("/numbers/shop/connect")).text()
  Object.assign(config, { HOST_NETWORK: "live", SIMULATOR_CONTROL_URL: "http://127.0.0.1:8788" })
  expect(await page()).toContain("The network can restrict or ban a number for that")
  Object.assign(config, { HOST_NETWORK: "simulated" })
  const simulated = await page()
  expect(simulated).toContain('href="http://127.0.0.1:8788"')
  expect(simulated).not.toContain("restrict or ban")
})

test("a number is paused and woken by its own people, but not woken when its operator has paused it", async () => {
  const person = await aPerson()
  const reason = async () => Lease.whyStopped((await Lease.get(person.bridge.id))!) ?? "runs"
  const settings = "/numbers/shop/settings"
  const overview = async () => await (await person.get("/numbers/shop")).text()
  const told = async (act: string) => await (await person.post(`${settings}/${act}`)).text()
  expect(await told("pause")).toContain("It is paused.")
  expect(await reason()).toBe("customer")
  expect(await (await person.get("/numbers/shop")).text()).toContain(`href="/numbers/shop/settings">Wake it`)
  const key = await ApiKey.create(person.accountId, "test")
  const asked = await person.get("/api/instances/shop", { authorization: `Bearer ${key}` })
  expect(await asked.json()).toMatchObject({ state: "paused", paused_reason: "manual" })
  const called = await person.get("/api/instances/shop/proxy/status", { authorization: `Bearer ${key}` })
  expect([called.status, await called.text()]).toEqual([409, expect.stringContaining("in its settings")])
  expect(await told("wake")).toContain("It starts again")
  expect(await reason()).toBe("runs")
  for (const other of ["operator", "billing", "suspended"] as const) {
    await Lease.stop(person.bridge.id, other)
    for (const act of ["pause", "wake"]) expect((await person.post(`${settings}/${act}`)).status).toBe(409)
    expect(await reason()).toBe(other)
    expect(await (await person.get(settings)).text()).not.toContain("/settings/wake")
  }
  expect(await overview()).toContain("has suspended it: ask them why.")
  config.SUPPORT_EMAIL = "help@example.com"
  onTestFinished(() => void (config.SUPPORT_EMAIL = ""))
  const address = `<a href="mailto:help@example.com">help@example.com</a>`
  expect(await overview()).toContain(`ask them why, at ${address}.`)
  await Lease.wake(person.bridge.id, "suspended", "billing")
  expect(await overview()).toContain(`ask them to wake it, at ${address}.`)
  await Lease.wake(person.bridge.id, "operator")
  expect(await reason()).toBe("runs")
})

test("a number that its people paused stays paused after its operator has stopped it and lets it run again", async () => {
  const person = await aPerson()
  const { id } = person.bridge
  const reason = async () => Lease.whyStopped((await Lease.get(id))!) ?? "runs"
  const settings = "/numbers/shop/settings"
  await person.post(`${settings}/pause`)
  expect(await Lease.wake(id, "operator", "billing", "idle")).toBe(false)
  for (const stopped of ["operator", "suspended"] as const) {
    await Lease.stop(id, stopped)
    expect(await reason()).toBe(stopped)
    expect((await person.post(`${settings}/wake`)).status).toBe(409)
    expect(await Lease.wake(id, stopped)).toBe(true)
    expect(await reason()).toBe("customer")
  }
  expect((await person.post(`${settings}/wake`)).status).toBe(200)
  expect(await reason()).toBe("runs")
  await Lease.stop(id, "operator")
  expect(await Lease.wake(id, "operator")).toBe(true)
  expect(await reason()).toBe("runs")
})

/** What each of the four says of a person's number. */
async function fourSayings(person: Awaited<ReturnType<typeof aPerson>>) {
  const server = createServer(listener)
  const url = `http://127.0.0.1:${await listen(server)}`
  const key = await ApiKey.create(person.accountId, "all four")
  vi.stubEnv("BRIDGE_URL", url)
  vi.stubEnv("BRIDGE_KEY", key)
  const headers = { authorization: `Bearer ${key}` }
  const agent = new Client({ name: "test", version: "1" })
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }))
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await agent.close()
    server.close()
    server.closeAllConnections()
  })
  return async () => {
    const api = (await (await fetch(`${url}/api/instances/shop`, { headers })).json()) as {
      explanation: string
    }
    const asked = { words: [], options: { bridge: "shop" }, stop: AbortSignal.any([]) }
    let commandLine = ""
    await statusCommand.run({ ...asked, print: (line) => (commandLine = line) })
    const page = (await (await person.get("/numbers/shop")).text())
      .replaceAll(/<[^>]*>/g, "")
      .replaceAll("&#39;", "'")
      .replaceAll(/\s+/g, " ")
    const { content } = await agent.callTool({ name: "number_status", arguments: { number: "shop" } })
    return { explanation: api.explanation, commandLine, page, agent: JSON.stringify(content) }
  }
}

test("the API, the command line, the dashboard and an agent say how a number stands in the same words", async () => {
  const person = await aPerson()
  const sayings = await fourSayings(person)
  const say = async (first: string) => {
    const { explanation, commandLine, page, agent } = await sayings()
    expect(explanation).toMatch(new RegExp(`^${first}\\.`))
    for (const said of [commandLine, agent]) expect(said).toContain(explanation)
    const [word, ...cause] = explanation.split(". ")
    expect(page).toContain(word!.replace(/\.$/, ""))
    // A page writes a time as people do.
    expect(page).toContain(cause.join(". ").split(/\d{4}-/)[0]!)
  }
  await say("Starting")
  let status: object = { status: "connected" }
  const session = { jid: "", lid: "", name: "", phone: "" }
  const host = await aScriptedHost(({ path }, response) =>
    path === "/status"
      ? sayJson(response, 200, { ...session, ...status })
      : sayJson(response, 503, { error: "not now", code: "session_unavailable" }),
  )
  const { epoch, bridgeId } = await host.take(person.bridge.id)
  for (const [first, said] of [
    ["Connected", { status: "connected" }],
    ["Restricted", { status: "connected", restriction: "new_chats", restricted_until: now() + 99 }],
    ["Not linked", { status: "unpaired" }],
    ["Locked", { status: "unpaired", objection: "locked" }],
    ["Signing in", { status: "connecting" }],
    ["Reconnecting", { status: "disconnected" }],
    [
      "Banned for some time",
      { status: "disconnected", objection: "temporarily_banned", objection_until: now() + 99 },
    ],
    ["Proxy away", { status: "disconnected", objection: "proxy_unreachable" }],
    ["Replaced", { status: "replaced" }],
    ["Passkey wanted", { status: "passkey_required" }],
  ] as const) {
    status = said
    await say(first)
  }
  status = { status: "unpaired" }
  const phone = LinkedPhone.sealed("15550001", bridgeId, await Bridge.deliveryKeyOf(person.bridge))
  const reported = { status: "unpaired", epoch, since: now(), phone, unlinked: "elsewhere" } as const
  await Lease.reportStatus({ bridgeId, host: host.id, epoch }, reported)
  await say("Unlinked")
  for (const [reason, first] of [
    ["idle", "Asleep"],
    ["customer", "Paused"],
    ["operator", "Paused"],
    ["billing", "Paused"],
    ["suspended", "Suspended"],
  ] as const) {
    await Lease.stop(bridgeId, reason)
    await say(first)
    await Lease.wake(bridgeId, reason)
  }
})
