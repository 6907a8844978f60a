import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { beforeAll, afterAll, expect, test } from "vitest"
import { until } from "../support/until.ts"
import { type Customer, type Service, startService } from "../support/service/service.ts"
import { type Receiver, startReceiver } from "../support/service/start-receiver.ts"

const page = readFileSync(new URL("../../docs/ways.md", import.meta.url), "utf8")

/** The files and folders that a part of the page names. */
function namedIn(text: string): string[] {
  return [...text.matchAll(/`((?:[\w-]+\/)+(?:[\w-]+\.ts)?)`/g)].map(([, name = ""]) => name)
}

/** A part of the page: from its heading to the next one of the same level. */
function partOf(heading: string): string {
  return page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ""
}

/** The files of a way: the first that each of its steps names, and others that it names in bold face. */
function way(heading: string) {
  const [steps = "", asked = ""] = partOf(heading).split("### Files that these steps consult")
  const lines = steps.split(/^(?=\d+\. )/m).slice(1)
  return {
    steps: [...new Set(lines.flatMap((line) => stepsIn(line)))],
    named: [...namedIn(steps), ...namedIn(asked), ...namedIn(partOf("Beside both paths"))],
  }
}

/** The file that a sentence begins with is a step. Others are mentioned. */
function stepsIn(line: string): string[] {
  const sentences = line.replace(/^\d+\. /, "").split(/(?<=\.)\s+(?=`)/)
  return sentences.flatMap((sentence) => (sentence.startsWith("`") ? namedIn(sentence).slice(0, 1) : []))
}

const send = way("A send")
const arrival = way("An arrival")

test("every file and folder that the page names is there", () => {
  const lost = namedIn(page).filter((name) => !existsSync(new URL(`../../${name}`, import.meta.url)))
  expect(lost).toEqual([])
})

const folder = mkdtempSync(join(tmpdir(), "bridge-ways-"))
let service: Service
let receiver: Receiver
let shop: Customer
let owner: string
let friend: string

beforeAll(async () => {
  const observer = `${new URL("../support/service/files-that-ran.ts", import.meta.url).href}?folder=${folder}`
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

/** The files that have run a function in any process since the last time. */
async function ran(): Promise<string[]> {
  const pids = readdirSync(folder).flatMap((name) =>
    name.endsWith(".up") ? [Number(basename(name, ".up"))] : [],
  )
  const found = await Promise.all(pids.filter(lives).map(ranIn))
  const theirs = /^(?:local|simulator|test)\//
  return [...new Set(found.flat())].filter((file) => !theirs.test(file)).toSorted()
}

async function ranIn(pid: number): Promise<string[]> {
  const file = join(folder, `${pid}.ran`)
  rmSync(file, { force: true })
  process.kill(pid, "SIGUSR2")
  const text = await until(() => (lives(pid) ? read(file) : "[]"))
  return JSON.parse(text) as string[] // as files-that-ran.ts writes it
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
  "the page names every file that runs in %s, and each of its steps does",
  async (_, { steps, named }, other, act) => {
    await ran()
    const seen = new Set<string>()
    const missing = async () => {
      await act()
      for (const file of await ran()) seen.add(file)
      return steps.filter((file) => !seen.has(file))
    }
    // A delivery that is still at work needs no doorbell: then another message shows the rest of the way.
    await expect.poll(missing, { interval: 500 }).toEqual([])
    expect(steps.length).toBeGreaterThan(20)
    // Events of an earlier message may still be delivered while this one is sent.
    const isNamed = (file: string) =>
      [...named, ...other.named].some((name) => (name.endsWith("/") ? file.startsWith(name) : file === name))
    expect([...seen].filter((file) => !isNamed(file))).toEqual([])
  },
)
