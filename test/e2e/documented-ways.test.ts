import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { beforeAll, afterAll, expect, test } from "vitest"
import { type Customer, type Service, startService } from "../support/service/service.ts"
import { type Receiver, startReceiver } from "../support/service/start-receiver.ts"
import { until } from "../support/until.ts"

const page = readFileSync(new URL("../../docs/ways.md", import.meta.url), "utf8")

/** The files and folders that a part of the page names. */
function namedIn(text: string): string[] {
  return [...text.matchAll(/`((?:[\w-]+\/)+(?:[\w-]+\.ts)?)`/g)].map(([, name = ""]) => name)
}

/** A part of the page: from its heading to the next one of the same level. */
function partOf(heading: string): string {
  return page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ""
}

interface Step {
  file: string
  functions: string[]
  /**
   * The files that the step's text leads to, besides imports: lists that are looked through, and those under
   * **Jump**.
   */
  mentioned: string[]
  jumps: boolean
}

/** The steps of a way, and everything that its part of the page names. */
function way(heading: string) {
  const [text = "", consulted = ""] = partOf(heading).split("### What these steps consult")
  return {
    steps: text
      .split(/^(?=\d+\. )/m)
      .slice(1)
      .map(stepOf),
    named: [...namedIn(text), ...namedIn(consulted), ...namedIn(partOf("Beside both ways"))],
  }
}

function stepOf(text: string): Step {
  const [own = ""] = text.split(/^(?:#|Steps )/m)
  const [, file = "", functions = ""] = /^\d+\. `([\w/-]+\.ts)`((?:, `#?\w+`)+)\./.exec(own) ?? []
  return {
    file,
    functions: [...functions.matchAll(/#?\w+/g)].map(([name]) => name),
    mentioned: namedIn(own).slice(1),
    jumps: own.includes("**Jump**"),
  }
}

const root = new URL("../../", import.meta.url)

/** The project's files that a file imports. */
function importsOf(file: string): string[] {
  const text = readFileSync(new URL(file, root), "utf8")
  return [...text.matchAll(/(?:from|import) "([#.][^"]+)"/g)].map(([, name = ""]) =>
    name.startsWith("#") ? name.slice(1) : new URL(name, new URL(file, "file:///")).pathname.slice(1),
  )
}

/**
 * The steps that a reader cannot reach from the open files: those of the last step, and of the steps that
 * called it.
 */
function unreachable(steps: Step[]): string[] {
  const open: Step[] = []
  return steps.flatMap((step, at) => {
    const leads = (from: Step) =>
      from.mentioned.includes(step.file) ||
      [from.file, ...from.mentioned].some((file) => importsOf(file).includes(step.file))
    while (open.length > 0 && !leads(open.at(-1)!)) open.pop()
    const isLost = at > 0 && open.length === 0
    open.push(step)
    return isLost ? [step.file] : []
  })
}

const send = way("A send")
const arrival = way("An arrival")

test("every file and folder that the page names is there", () => {
  const lost = namedIn(page).filter((name) => !existsSync(new URL(name, root)))
  expect(lost).toEqual([])
})

test.each([
  ["a send", send],
  ["an arrival", arrival],
])("on the way of %s each step leads to the next, with at most two jumps", (_, { steps }) => {
  expect(steps.filter(({ file, functions }) => !file || functions.length === 0)).toEqual([])
  expect(unreachable(steps)).toEqual([])
  expect(steps.filter(({ jumps }) => jumps).length).toBeLessThanOrEqual(2)
})

test.each([
  ["a send", send],
  ["an arrival", arrival],
])("who follows the way of %s opens at most 28 files", (_, { steps }) => {
  // On Lambda this one takes the place of the first.
  const files = new Set(steps.flatMap(({ file, mentioned }) => [file, ...mentioned]))
  files.delete("functions/api/handler.ts")
  expect([...files].filter((name) => name.endsWith(".ts")).length).toBeLessThanOrEqual(28)
})

const folder = mkdtempSync(join(tmpdir(), "bridge-ways-"))
let service: Service
let receiver: Receiver
let shop: Customer
let owner: string
let friend: string

beforeAll(async () => {
  const observer = `${new URL("../support/service/functions-that-ran.ts", import.meta.url).href}?folder=${folder}`
  service = await startService({ NODE_OPTIONS: `--import ${observer}` })
  receiver = await startReceiver()
  shop = await service.customer("shop")
  owner = (await service.network.create("Owner")).number
  friend = (await service.network.create("Friend")).number
  await shop.linked("shop", owner, { webhook_url: receiver.urlOf("shop") })
  // From here on both know each other.
  await write()
  await answer()
}, 120_000)

afterAll(async () => {
  await receiver.stop()
  await service.stop()
  service.remove()
  rmSync(folder, { recursive: true })
})

let count = 0

/** The friend writes. Resolves when the receiver has the event. */
async function write(): Promise<void> {
  const text = `question ${++count}`
  await service.network.send(friend, owner, text)
  await receiver.until((all) => all.find((one) => one.text === text))
}

async function answer(): Promise<void> {
  const body = { chat: friend, body: "answer" }
  const key = { "idempotency-key": `answer-${++count}` }
  const { status } = await shop.call("POST", "/instances/shop/proxy/send/text", body, key)
  expect(status).toBe(200)
}

/** The functions that have run in any process since the last time, by file. */
async function ran(): Promise<Map<string, Set<string>>> {
  const pids = readdirSync(folder).flatMap((name) =>
    name.endsWith(".up") ? [Number(basename(name, ".up"))] : [],
  )
  const theirs = /^(?:one-machine\/(?!api\/)|packages\/|test\/)/
  const found = new Map<string, Set<string>>()
  for (const one of await Promise.all(pids.filter(lives).map(ranIn)))
    for (const [file, names] of Object.entries(one))
      if (!theirs.test(file)) found.set(file, new Set([...(found.get(file) ?? []), ...names]))
  return found
}

async function ranIn(pid: number): Promise<Record<string, string[]>> {
  const file = join(folder, `${pid}.ran`)
  rmSync(file, { force: true })
  process.kill(pid, "SIGUSR2")
  const text = await until(() => (lives(pid) ? read(file) : "{}"))
  return JSON.parse(text) as Record<string, string[]> // as functions-that-ran.ts writes it
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8")
  } catch {
    // It is not written yet.
    return undefined
  }
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    // It was a command of the operator's, or has ended since.
    return false
  }
}

test.each([
  ["a send", send, arrival, answer],
  ["an arrival", arrival, send, write],
] as const)(
  "every function that the page names runs in %s, and no file does that the page does not name",
  async (_, { steps, named }, other, act) => {
    await ran()
    const seen = new Map<string, Set<string>>()
    const missing = async () => {
      await act()
      for (const [file, names] of await ran()) seen.set(file, new Set([...(seen.get(file) ?? []), ...names]))
      return steps.flatMap(({ file, functions }) =>
        functions.filter((name) => !seen.get(file)?.has(name)).map((name) => `${file} ${name}`),
      )
    }
    // A delivery that is still at work needs no doorbell: then another message shows the rest of the way.
    await expect.poll(missing, { interval: 500 }).toEqual([])
    // Events of an earlier message may still be delivered while this one is sent.
    const isNamed = (file: string) =>
      [...named, ...other.named].some((name) => (name.endsWith("/") ? file.startsWith(name) : file === name))
    expect([...seen.keys()].filter((file) => !isNamed(file)).toSorted()).toEqual([])
  },
)
