import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { type Entry, networkClient } from "#local/network/client.ts"
import { noLimits } from "#local/service/spawn-service.ts"
import { spawnSimulator } from "#simulator/spawn.ts"
import { quantile } from "#test/support/quantile.ts"
import { startReceiver } from "#test/support/service/start-receiver.ts"
import { until } from "#test/support/until.ts"
import { peopleFor } from "../cluster/account-shapes.ts"
import { followNetworkLog } from "../cluster/follow-network-log.ts"
import { type LinkedBridge, newLine } from "../cluster/linked-cluster.ts"
import { withinMs } from "./service.ts"

/** How the whole service ends: what it is sent, and how long after each bridge had a message of this start, in ms. */
export interface End {
  signal: "SIGTERM" | "SIGKILL"
  afterMs: number
}

interface Input {
  bridges: number
  dir: string
  /** How many messages a second come in over all bridges, and as many go out. */
  eachS: number
  ends: End[]
}

/**
 * The whole service on one machine ends and is started again on its data, time after time, while somebody writes to each
 * of its numbers.
 * @returns how long the stops and starts took, how long bridges were without a session, and what became of the messages
 */
export async function restartMachine({ bridges, dir, eachS, ends }: Input) {
  mkdirSync(join(dir, "logs"))
  const simulator = await spawnSimulator({ dataDir: dir, controlPort: 0 })
  if (!simulator) throw new Error(`the simulated network did not start: ${dir}/logs/simulator.log`)
  const receiver = await startReceiver()
  const network = networkClient(simulator)
  const seen: Entry[] = []
  const log = followNetworkLog(network, (entry) => seen.push(entry))
  const start = async () => await startService({ dir, network: simulator })
  let service = await start()
  try {
    service.child.send(bridges)
    const { apiKey } = z.object({ apiKey: z.string() }).parse((await once(service.child, "message"))[0])
    const around = await peopleFor("small", network)
    const lines: LinkedBridge[] = []
    for (let i = 1; i <= bridges; i++)
      lines.push(
        await newLine(`b${i}`, {
          network,
          receiver,
          api: service.baseUrl,
          apiKey,
          around,
          hasCompanion: false,
          hostOf: undefined,
        }),
      )

    const texts: string[] = []
    const ending = new AbortController()
    const pause = async () =>
      await sleep((lines.length / eachS) * 1000, undefined, { signal: ending.signal }).catch(ended)
    const write = async ({ contact, owner, bridge }: LinkedBridge) => {
      for (let n = 1; !ending.signal.aborted; n++) {
        const text = `${bridge}, ${n}`
        await network.send(contact, owner, text)
        texts.push(text)
        await pause()
      }
    }
    const sent: string[] = []
    /** Sends one after the other, each until it is answered with success, under the same key. */
    const send = async ({ contact, bridge }: LinkedBridge) => {
      for (let n = 1; !ending.signal.aborted; n++) {
        const text = `out of ${bridge}, ${n}`
        const body = JSON.stringify({ chat: contact, body: text })
        const headers = {
          authorization: `Bearer ${apiKey}`,
          "content-type": "application/json",
          "idempotency-key": text,
        }
        const path = `/api/instances/${bridge}/proxy/send/text`
        const isSent = async () =>
          (await fetch(`${service.baseUrl}${path}`, { method: "POST", headers, body }).catch(() => undefined))
            ?.ok
        await until(isSent, { what: text, withinMs })
        sent.push(text)
        await pause()
      }
    }
    const sending = Promise.all(lines.map(async (line) => await send(line)))
    const writing = Promise.all(lines.map(async (line) => await write(line)))
    const arrived = async (wanted: string[]) => {
      const what = { what: "all messages", withinMs }
      await until(
        () => new Set(wanted).difference(new Set(receiver.arrivals.map(({ text }) => text))).size === 0,
        what,
      )
    }

    const [stops, starts, seconds]: [number[], number[], number[]] = [[], [], []]
    for (const { signal, afterMs } of ends) {
      const written = texts.length
      await until(() => texts.length >= written + lines.length, { what: "more messages", withinMs })
      await arrived(texts.slice(written, written + lines.length))
      await sleep(afterMs)
      const from = seen.length
      const stopAt = performance.now()
      await service.stop(signal)
      const startAt = performance.now()
      service = await start()
      stops.push((startAt - stopAt) / 1000)
      starts.push((performance.now() - startAt) / 1000)
      seconds.push(...(await Promise.all(lines.map(async (line) => await awayFor(line, seen, from)))))
    }
    ending.abort()
    await Promise.all([writing, sending])
    // What is missing now is counted below.
    await arrived(texts).catch(() => {})
    const events = new Set(receiver.arrivals.map(({ text, eventId }) => `${text} ${eventId}`))
    const eventsOf = Map.groupBy(events, (event) => event.slice(0, event.lastIndexOf(" ")))
    const read = (await Promise.all(lines.map(({ contact }) => network.readAll(contact)))).flat()
    const readOf = Map.groupBy(read, ({ text }) => text)
    return {
      bridges,
      ends: ends.length,
      stop_s: quantile(stops, 0.5),
      start_s: quantile(starts, 0.5),
      without_session_p50_s: quantile(seconds, 0.5),
      without_session_max_s: Math.max(...seconds),
      messages: texts.length,
      sends: sent.length,
      lost: [...texts.filter((text) => !eventsOf.has(text)), ...sent.filter((text) => !readOf.has(text))]
        .length,
      doubled: [
        ...texts.filter((text) => eventsOf.get(text)!.length > 1),
        ...sent.filter((text) => readOf.get(text)!.length > 1),
      ].length,
      reordered: lines.filter((line) => !isInOrder(line, receiver.arrivals)).length,
    }
  } finally {
    await service.stop()
    await log.stop()
    await receiver.stop()
    await simulator.stop()
  }
}

/** Whether a bridge's messages came in the order in which they were written. Those that came again do not count. */
function isInOrder({ bridge }: LinkedBridge, arrivals: { text?: string | undefined }[]): boolean {
  const [of, numbers] = [`${bridge}, `, new Set<number>()]
  for (const { text } of arrivals) if (text?.startsWith(of)) numbers.add(Number(text.slice(of.length)))
  return [...numbers].every((n, i) => n === i + 1)
}

/** The seconds from the end of the bridge's connection until the network heard from it again. */
async function awayFor({ device }: LinkedBridge, seen: Entry[], from: number): Promise<number> {
  const find = async (what: string, isIt: (entry: Entry) => boolean) =>
    await until(() => seen.slice(from).find((entry) => entry.who === device && isIt(entry)), {
      what: `${device} ${what}`,
      withinMs,
    })
  const gone = await find("gone", ({ event }) => event === "disconnected")
  const back = await find("back", ({ kind, at }) => kind === "in" && at > gone.at)
  return (back.at - gone.at) / 1000
}

function ended(): void {
  // Nothing more is written.
}

async function startService({ dir, network }: { dir: string; network: object }) {
  const child: ChildProcess = fork(
    new URL("../bench/processes/service.ts", import.meta.url),
    [JSON.stringify({ network })],
    {
      env: {
        ...process.env,
        ...noLimits,
        DATA_DIR: dir,
        PORT: "0",
        SANDBOX: "0",
        NODE_COMPILE_CACHE: join(dir, "compiled"),
      },
    },
  )
  const ended = once(child, "exit")
  const first = await Promise.race([once(child, "message"), ended.then(() => undefined)])
  if (!first) throw new Error("the service did not start")
  const { baseUrl } = z.object({ baseUrl: z.string() }).parse(first[0])
  const stop = async (signal: End["signal"] = "SIGTERM") => {
    child.kill(signal)
    await ended
  }
  return { child, baseUrl, stop }
}
