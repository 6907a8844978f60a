import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EventType } from "#contract/event.ts"
import { Delivery } from "#core/event/delivery.ts"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { until } from "#test/support/until.ts"
import { statusesOf } from "../chaos/status-order.ts"
import { lostAnswer, type CrashPoint, throttling } from "../cluster/crash-points.ts"
import { askUnderKey, type Sent, sendUnderKey } from "../cluster/keyed-send.ts"
import { type LinkedBridge, type LinkedCluster, startLinkedCluster } from "../cluster/linked-cluster.ts"

const beat = 500
/** A process dies on the way to the awaited result; the tests give up after two minutes. */
const withinMs = 100_000

/** The whole service as processes, with one linked bridge, and a way to strike it at a named step. */
export async function startUnderBlows() {
  const dir = mkdtempSync(join(tmpdir(), "messaging-bridge-e2e-"))
  const service = await startLinkedCluster(
    // A paused deliverer resumes after its claim has ended.
    { bridges: 1, beat, claimSeconds: 3 },
    { dir },
  )
  const line = service.lines[0]!
  const { strike, fallen } = newBlows(service, line)
  const contact = contactOf(service, line)
  const arrived = (text: string) => service.receiver.arrivals.some((arrival) => arrival.text === text)

  return {
    strike,
    fallen,
    ...customerOf(service, line),
    ...contact,
    /**
     * The contact writes three messages, and three more whenever all were delivered, until the blow of a
     * phase has fallen. An event of the connection itself may keep a deliverer at work, so that the first
     * three need no bell.
     */
    async writeUntilFallen(phase: CrashPoint): Promise<string[]> {
      const texts: string[] = []
      let isOver = false
      const over = fallen(phase).finally(() => (isOver = true))
      while (!isOver) {
        texts.push(...(await contact.write()))
        await until(async () => isOver || (texts.every(arrived) && (await isIdle(line.id))), {
          what: texts.join(),
          withinMs,
        })
      }
      await over
      return texts
    },
    /** Stops deliverers that stay for no further event, until the returned function is called. */
    stopLeaving(): () => void {
      const pids = service.cluster.delivery.leaving().map(({ pid }) => pid)
      for (const pid of pids) process.kill(pid, "SIGSTOP")
      return () => pids.forEach(resume)
    },
    /**
     * The messages that the customer's receiver has got, once these are among them: first deliveries, in
     * order.
     */
    async received(texts: string[]): Promise<{ text: string | undefined; eventIds: number }[]> {
      await until(() => texts.every(arrived), { what: texts.join(), withinMs })
      const found = service.receiver.arrivals.filter(({ text }) => text !== undefined && texts.includes(text))
      const byText = Map.groupBy(found, ({ text }) => text)
      return [...byText].map(([text, all]) => ({
        text,
        eventIds: new Set(all.map(({ eventId }) => eventId)).size,
      }))
    },
    stop: async () => {
      await service.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

function newBlows({ cluster, network, receiver }: LinkedCluster, { id, device }: LinkedBridge) {
  /** The lease that was lost to the last blow. */
  let lostEpoch = 0
  /** The process that is to take a session host's blow: the one that holds the bridge. */
  let holder = 0

  async function holderOf({ host }: Lease.Info): Promise<number | undefined> {
    return cluster.hosts.pids().get((await Host.get(host))?.task ?? "")
  }

  /** Deals the blow of a phase, and waits until it has fallen. */
  async function strike({ step, blow, role, needs }: CrashPoint): Promise<void> {
    // While a delivery is still looking, hosts neither promise nor ring, so those steps would never be
    // reached.
    await until(() => isIdle(id), { what: "nobody delivering", withinMs })
    // Messages to a bridge that is away come as a backlog: the steps of a live one would never be met.
    const lease = await until(() => connected(id, lostEpoch), { what: "its next session", withinMs })
    holder = await until(() => holderOf(lease), { what: "the host's task", withinMs })
    if (role === "session-host" && (blow === "SIGKILL" || blow === "SIGSTOP")) lostEpoch = lease.epoch
    await bringAbout(needs)
    cluster.steps.arm(step, blow)
  }

  /**
   * Waits until the blow has fallen. A host that stood still at the blow before may go on just now, and come
   * to the same step on its way to learning that it holds nothing any more: then the blow is dealt once more.
   */
  async function fallen({ blow, step, role }: CrashPoint): Promise<void> {
    for (;;) {
      const { pid } = await until(() => cluster.steps.met()[0], { what: `somebody at "${step}"`, withinMs })
      await forgive(id)
      // Longer than its lease or its claim lasts.
      if (blow === "SIGSTOP") setTimeout(() => resume(pid), 8 * beat)
      if (role !== "session-host" || pid === holder) return
      cluster.steps.arm(step, blow)
    }
  }

  async function bringAbout(needs: CrashPoint["needs"]): Promise<void> {
    switch (needs) {
      case undefined:
        return
      case "failure":
        return receiver.say(500)
      case "lost answer":
        return cluster.room.add(lostAnswer)
      case "throttling":
        return cluster.room.add(throttling)
      case "retry":
        return void (await network.fault({ kind: "lose_acks", device, times: 1 }))
      case "refusal":
        return void (await network.fault({ kind: "nack", code: 463, device, times: 1 }))
      case "redelivery":
        return void (await network.fault({ kind: "cut_before_receipt", device, times: 1 }))
      case "no end of backlog":
        await network.fault({ kind: "no_offline", device, times: 1 })
        return await goAway()
      case "backlog":
        return await goAway()
    }
  }

  /** Takes the bridge off the network for a moment. */
  async function goAway(): Promise<void> {
    await network.fault({ kind: "refuse_upgrade", code: 503, times: 1 })
    await network.cut(device)
  }

  return { strike, fallen }
}

/** Whether nothing waits, and no delivery is under way or stays for more. */
async function isIdle(bridgeId: string): Promise<boolean> {
  return ((await Delivery.get(Delivery.first(bridgeId)))?.due ?? 0) === 0
}

/** What the bridge's customer asks for, and is told. */
function customerOf(
  { apis, api, apiKey, network, receiver }: LinkedCluster,
  { bridge, contact }: LinkedBridge,
) {
  const customer = { api: () => apis()[0], apiKey }
  const patience = { giveUp: () => false, waitMs: () => 200 }
  let sends = 0
  return {
    /** A customer's send under a key, repeated until it succeeds. */
    async send(): Promise<Sent> {
      const one = { bridge, text: `out ${++sends}`, status: 0, messageId: undefined, tries: 0 }
      await sendUnderKey(customer, one, { chat: contact, ...patience })
      return one
    },
    /**
     * A customer creates a group under a key, and repeats that until it succeeds. @returns the last answer
     */
    async createGroup(name: string) {
      const call = { bridge, path: "groups", body: { name, members: [contact] } }
      let last: { status: number; body: unknown } | undefined
      for await (const answer of askUnderKey(customer, call, patience)) last = answer
      return last
    },
    /** The groups of this name on the network. */
    groupsNamed: async (name: string) =>
      (await network.groups()).filter(({ subject }) => subject === name).map(({ jid }) => jid),
    /** From now on the customer is told what becomes of messages. */
    followStatuses: () => api()("PATCH", `/instances/${bridge}`, { events: EventType.options }),
    /** What the receiver was told of a message, in order, once it was told this. */
    async becameOf(messageId: string, last: string): Promise<string[]> {
      const told = () => statusesOf(messageId, receiver.arrivals).map(({ status }) => status.status)
      return await until(() => told().includes(last as "read") && told(), { what: messageId, withinMs })
    },
    /** How many events of this type the receiver was given. */
    events: (type: string) =>
      new Set(receiver.arrivals.filter((one) => one.type === type).map(({ eventId }) => eventId)).size,
  }
}

/** What the contact sees and does, who writes with the bridge. */
function contactOf({ network }: LinkedCluster, { contact, owner }: LinkedBridge) {
  let messages = 0
  return {
    /** The ids under which the contact is shown a text. */
    async shown(text: string): Promise<string[]> {
      await until(async () => (await network.readAll(contact)).some((read) => read.text === text), {
        withinMs,
      })
      return (await network.readAll(contact)).filter((read) => read.text === text).map(({ id }) => id)
    },
    /** The contact reads a message. */
    async read(messageId: string): Promise<void> {
      await network.call("POST", `/phones/${contact}/read`, { chat: owner, message_ids: [messageId] })
    },
    /** The contact writes three messages, one after the other. */
    async write(): Promise<string[]> {
      const texts = [1, 2, 3].map(() => `in ${++messages}`)
      for (const text of texts) await network.send(contact, owner, text)
      return texts
    },
    /** The contact calls. */
    call: () => network.ring(contact, owner),
    /** How many messages the network saw that a device could not read. */
    async unreadable() {
      const { not_decrypted: failures } = await network.phone(contact)
      return Object.values(failures).reduce((sum, count) => sum + count, 0)
    },
  }
}

function resume(pid: number): void {
  try {
    process.kill(pid, "SIGCONT")
  } catch {
    // The sweep has stopped its task meanwhile.
  }
}

/** The lease under which the bridge is connected, if it is a later one than this. */
async function connected(bridgeId: string, afterEpoch: number) {
  const lease = await Lease.get(bridgeId)
  return lease && lease.epoch > afterEpoch && Lease.statusOf(lease) === "connected" ? lease : undefined
}

/**
 * Makes it look as if minutes had passed since the bridge's last blow. A bridge whose hosts keep dying waits
 * longer and longer for its next host and its next login.
 */
async function forgive(bridgeId: string): Promise<void> {
  const lease = await Lease.get(bridgeId)
  if (!lease || !Lease.isHeld(lease)) return
  await Lease.noteProven(lease)
  await Lease.resetLogins(lease)
}
