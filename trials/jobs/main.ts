/**
 * `npm run jobs`: a job of 10,000 messages. Its call dies with its host and is repeated; then it is paused,
 * its host dies while it sends, and it is stopped in the middle. Compares what the service says of each
 * message with what the phones got.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { Job, PlannedSend } from "#contract/planned.ts"
import { until } from "#test/support/until.ts"
import { askUnderKey } from "../cluster/keyed-send.ts"
import { startLinkedCluster } from "../cluster/linked-cluster.ts"
import { optionsFrom } from "../options.ts"

const options = optionsFrom(
  z.object({
    messages: z.coerce.number().default(10_000).describe("Of the job."),
    sent: z.coerce.number().default(120).describe("How many go before it is stopped. Each takes 0.6 s."),
    kills: z.coerce.number().default(3).describe("How often the host dies meanwhile."),
  }),
  process.argv.slice(2),
)
const withinMs = 120_000
const dir = mkdtempSync(join(tmpdir(), "jobs-"))
const service = await startLinkedCluster({ bridges: 1, beat: 1000 }, { dir })
try {
  await run()
} finally {
  await service.stop()
  rmSync(dir, { recursive: true, force: true })
}

async function run(): Promise<void> {
  const { network, apis, apiKey, cluster } = service
  const phones: string[] = []
  // Some may be sent to before the job is seen to be stopped.
  while (phones.length < options.sent * 2) phones.push((await network.create()).number)
  const others = Array.from({ length: options.messages - phones.length }, (_, n) => `4999${100_000_000 + n}`)
  const messages = [...phones, ...others].map((chat, n) => ({ chat, fields: { n: String(n) } }))
  const body = { template: "Message {{n}}", messages, gap_ms: 500, valid_for: 86_400 }

  const kill = () => {
    for (const pid of cluster.hosts.pids().values()) process.kill(pid, "SIGKILL")
  }
  const begun = performance.now()
  setTimeout(kill, 400)
  const customer = { api: () => apis()[0], apiKey }
  const call = { bridge: "b1", path: "jobs", body }
  let answer: { status: number; body: unknown } | undefined
  let tries = 0
  for await (const one of askUnderKey(customer, call, { giveUp: () => false, waitMs: () => 500 })) {
    answer = one
    tries++
  }
  if (answer?.status !== 200) throw new Error(`the job was refused: ${JSON.stringify(answer)}`)
  const { id, total } = Job.parse(answer.body)
  say(`created, with a kill, in ${seconds(begun)} s and ${tries} tries: ${total} messages`)

  const ask = async (method: string, path: string, more?: object) =>
    await until(
      async () =>
        await service
          .api()(method, `/instances/b1/proxy${path}`, more)
          .catch(() => undefined),
      { what: path, withinMs },
    )
  const job = async () => Job.parse(await (await ask("GET", `/jobs/${id}`)).json())
  const become = async (state: string) =>
    Job.parse(await (await ask("PATCH", `/jobs/${id}`, { state })).json())
  const reach = async (count: number) =>
    await until(async () => (await job()).sent >= count, { what: `${count} sent`, withinMs: 600_000 })

  for (let n = 1; n <= options.kills; n++) {
    await reach(Math.floor((options.sent * n) / (options.kills + 1)))
    kill()
  }
  const paused = await become("paused")
  await sleep(3000) // longer than any gap
  const later = await job()
  if (later.sent > paused.sent + 1) throw new Error(`${later.sent - paused.sent} went while it was paused`)
  await become("running")
  await reach(options.sent)
  const asked = performance.now()
  await become("stopped")
  say(`stopped in ${seconds(asked)} s`)
  await sleep(3000)
  await compare(await job(), await report(ask, id), phones)
}

/** The service's report of the job: each message, and what became of it. */
async function report(ask: (method: string, path: string) => Promise<Response>, id: string) {
  const found: z.infer<typeof PlannedSend>[] = []
  const begun = performance.now()
  for (let after: string | null = ""; after !== null;) {
    const from = after === "" ? "" : `&after=${after}`
    const page = await ask("GET", `/planned?state=over&job=${id}&limit=1000${from}`)
    found.push(...z.array(PlannedSend).parse(await page.json()))
    after = page.headers.get("x-next-after")
  }
  say(`${found.length} listed in ${seconds(begun)} s`)
  return found
}

async function compare(job: z.infer<typeof Job>, all: z.infer<typeof PlannedSend>[], phones: string[]) {
  const faults: string[] = []
  const expectEqual = (what: string, one: unknown, other: unknown) => {
    if (one !== other) faults.push(`${what}: ${String(one)}, not ${String(other)}`)
  }
  const count = (state: string) => all.filter((one) => one.state === state).length
  expectEqual("messages in the report", new Set(all.map(({ id }) => id)).size, options.messages)
  expectEqual("sent", count("sent"), job.sent)
  expectEqual("cancelled", count("cancelled"), job.left + job.cancelled)
  expectEqual("failed", count("failed"), job.failed)
  for (const [n, number] of phones.entries()) {
    const texts = (await service.network.read(number, {})).map(({ text }) => text)
    const state = all.find(({ chat }) => chat === number)?.state
    expectEqual(`what message ${n} (${state}) brought`, texts.join(), state === "sent" ? `Message ${n}` : "")
  }
  say(`${job.sent} sent, ${job.failed} failed, ${job.left} never went`)
  for (const fault of faults) say(fault)
  if (faults.length > 0) process.exitCode = 1
  say(faults.length === 0 ? "jobs: ok" : "jobs: not ok")
}

function say(line: string): void {
  console.log(line)
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1)
}
