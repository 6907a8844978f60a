import { randomUUID } from "node:crypto"
import { afterAll, onTestFinished } from "vitest"
import { Event } from "#contract/event.ts"
import { EventRow } from "#core/event/event-row.ts"
import { DataKeys } from "#core/keys/data-keys.ts"
import { Lease } from "#core/lease/lease.ts"
import { signCall } from "#core/lease/signed-call.ts"
import { newMessageId } from "#core/message/message-id.ts"
import { config } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import { query } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { sendPlanned } from "#session-host/commands/planned.ts"
import { SessionHost, type HostInput } from "#session-host/host/host.ts"
import { listen, serverApp } from "#session-host/server.ts"
import { type Timing, timing } from "#session-host/timing.ts"
import { connect } from "#session-host/whatsapp/connect.ts"
import { trustRoot } from "#session-host/whatsapp/patches/verify-certificates.ts"
import * as keysAnew from "#session-host/whatsapp/signal/anew.ts"
import { newRecorder } from "#session-host/whatsapp/stanza-recorder.ts"
import { until } from "../until.ts"

interface Options extends Partial<Pick<HostInput, "capacity" | "connect">> {
  timing?: Partial<Timing>
  /** It lives as long as the tests of its file, rather than as long as this test. */
  isShared?: boolean
}

/** The hosts in this process. */
const hosts = new Map<string, SessionHost>()

/** A session host in this process, on that network, behind its own server. */
export async function aHost(network: { url: string; rootKey: Uint8Array }, options: Options = {}) {
  trustRoot(network.rootKey)
  const server = await listen((request) => app.fetch(request), {
    bind: "127.0.0.1",
    reached: "127.0.0.1",
    port: 0,
  })
  const host = new SessionHost({
    id: randomUUID(),
    addr: server.addr,
    capacity: options.capacity ?? 20,
    network: "simulated",
    keysAnew,
    sendPlanned,
    connect: options.connect ?? ((input) => connect({ ...input, url: network.url, ...recording() })),
    // Tests lose connections and acknowledgements on purpose, and wait for the consequences.
    timing: { ...timing(), goneMs: 1000, finishMs: 2000, ackMs: 5000, ...options.timing },
    log,
  })
  const app = serverApp(host, log)
  hosts.set(host.id, host)
  await host.start()
  const atEnd = options.isShared ? afterAll : onTestFinished
  atEnd(async () => {
    const left = [...host.sessions.keys()]
    await host.stop()
    await server.close()
    // The next test's hosts must not take them.
    for (const bridgeId of left) await Lease.stop(bridgeId, "operator")
  })
  return host
}

/** The API's call to the holder of a bridge: signed, under the current lease. */
export async function call(
  bridgeId: string,
  method: string,
  path: string,
  more: { body?: unknown; messageId?: string; epoch?: number; waitMs?: number | undefined } = {},
): Promise<Response> {
  const lease = await Lease.get(bridgeId)
  return await fetch(`http://${lease!.addr}${path}`, {
    method,
    headers: {
      authorization: signCall({
        method,
        path,
        bridgeId,
        epoch: more.epoch ?? lease!.epoch,
        messageId: more.messageId ?? newMessageId(),
        requestId: randomUUID(),
        waitMs: more.waitMs,
      }),
      ...(more.body !== undefined && { "content-type": "application/json" }),
    },
    ...(more.body !== undefined && { body: JSON.stringify(more.body) }),
  })
}

/** The bridge's `status`, or why there is none. */
export async function statusOf(bridgeId: string): Promise<string> {
  if ((await Lease.get(bridgeId))?.addr === "") return "held by nobody"
  const answer = await call(bridgeId, "GET", "/status")
  if (answer.status === 421) return "moving"
  const { status } = (await answer.json()) as { status?: string } // compared by the caller
  return status ?? `HTTP ${answer.status}`
}

export async function sendText(bridgeId: string, chat: string, body: string, messageId = newMessageId()) {
  const answer = await call(bridgeId, "POST", "/send/text", { body: { chat, body }, messageId })
  const said = (await answer.json()) as Record<string, unknown> // compared by the caller
  return { status: answer.status, ...said }
}

/**
 * Resolves when a host holds the bridge. A host in this process has heard so, too: until then it refuses
 * calls.
 */
export async function held(bridgeId: string, by?: { id: string }): Promise<Lease.Info> {
  return await until(async () => {
    const lease = await Lease.get(bridgeId)
    if (!lease || lease.addr === "" || (by && lease.host !== by.id)) return undefined
    const host = hosts.get(lease.host)
    return !host || host.sessions.get(bridgeId)?.lease.epoch === lease.epoch ? lease : undefined
  })
}

/** The events of a bridge, in the order of their numbers, up to the first gap. */
export async function eventsOf(bridgeId: string): Promise<Event[]> {
  const keys = await DataKeys.get(bridgeId)
  const rows = query({
    TableName: tables.events,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :event)",
    ExpressionAttributeValues: { ":pk": EventRow.key(bridgeId, 0).pk, ":event": "EVENT#" },
  })
  const found: Event[] = []
  for await (const row of rows) {
    const event = EventRow.fromRow(row)
    if (event.n !== found.length + 1) return found
    found.push(Event.parse(JSON.parse(EventRow.bodyOf(event, keys!.delivery).toString())))
  }
  return found
}

/** The events of one type, once there are this many. */
export async function eventsOfType<Type extends Event["event"]>(
  bridgeId: string,
  type: Type,
  count = 1,
): Promise<Extract<Event, { event: Type }>[]> {
  return await until(async () => {
    const all = await eventsOf(bridgeId)
    const found = all.filter((event): event is Extract<Event, { event: Type }> => event.event === type)
    return found.length >= count ? found : undefined
  })
}

/**
 * With RECORD set, a run records what the simulated network sends (`packages/whatsapp-simulator/README.md`).
 */
function recording() {
  return config.RECORD ? { record: newRecorder(config.RECORD, log) } : {}
}
