import { readFile } from "node:fs/promises"
import { bridge, type Command, secondsOf, word } from "../command.ts"
import { Misused } from "../refused.ts"

export const planned: Command = {
  takes: "[message_id]",
  says: "lists what is planned; of one message: moves it with --at, or cancels it",
  options: ["bridge", "at"],
  run: async (asked) => {
    const { words, options, print } = asked
    const [id] = words
    const shop = bridge(asked)
    if (id === undefined) {
      if (options.at !== undefined) throw new Misused("--at goes with a <message_id>")
      for (const one of await shop.listPlanned({ limit: 1000 }))
        print(`${at(one.send_at)}  ${one.id}  ${one.chat}  ${one.text}`, one)
      return
    }
    if (options.at === undefined) {
      await shop.cancelPlanned({ id })
      return print(`${id} is cancelled`, { id, ok: true })
    }
    const moved = await shop.changePlanned({ id, send_at: secondsOf("at", options.at) })
    print(`${id} goes ${at(moved.send_at)}`, moved)
  },
}

const states = { pause: "paused", resume: "running", stop: "stopped" } as const

export const jobs: Command = {
  takes: "[start <file.json> | <job> [pause | resume | stop]]",
  says: "lists the jobs of many messages; starts one, whose file has the body of `createJob`; shows one, or changes it",
  options: ["bridge", "idempotency-key"],
  run: async (asked) => {
    const { words, options, print } = asked
    const [first, does] = words
    const shop = bridge(asked)
    const show = (job: Awaited<ReturnType<typeof shop.getJob>>) =>
      print(
        `${job.id}  ${job.state}  ${job.sent} sent, ${job.failed} failed, ${job.left} left  ${job.name}`,
        job,
      )
    if (first === undefined) return (await shop.listJobs()).forEach(show)
    if (first === "start") {
      const key = options["idempotency-key"]
      const body = await jsonOf(word(words, 1, "file.json"))
      return show(await shop.createJob(body, key === undefined ? {} : { idempotencyKey: key }))
    }
    if (does === undefined) return show(await shop.getJob({ id: first }))
    if (does !== "pause" && does !== "resume" && does !== "stop")
      throw new Misused("a job is told to pause, resume or stop")
    show(await shop.changeJob({ id: first, state: states[does] }))
  },
}

type NewJob = Parameters<ReturnType<typeof bridge>["createJob"]>[0]

async function jsonOf(path: string): Promise<NewJob> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as NewJob // the service judges it
  } catch (error) {
    throw new Misused(`${path} cannot be read as JSON: ${(error as Error).message}`)
  }
}

function at(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(":00.000", "")
}
