import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { stopListening, listen } from "#one-machine/listen.ts"
import { type BridgeClient, canBeAnswered, messagingBridge, type StoredEvent } from "#sdk-typescript/index.ts"
import { service } from "./shop.ts"

// Each program of the documents that takes events is killed in a burst, twice, and started again.

const root = new URL("../../../", import.meta.url).pathname
const clients = join(root, ".data-clients")
const folder = join(clients, "restarts")
rmSync(folder, { recursive: true, force: true })

/** On what a printed program runs: a README's on everything, and a recipe on the newest Node. */
const runtimes: Record<string, string[]> = {
  "Node 20": [join(clients, "node_modules/node-20/bin/node")],
  "Node 22": [join(clients, "node_modules/node-22/bin/node")],
  [`Node ${process.versions.node}`]: [process.execPath],
  Bun: [join(clients, "node_modules/bun/bin/bun")],
  Deno: [
    join(clients, "node_modules/deno/deno"),
    ..."run --no-lock --allow-net --allow-env --allow-read --allow-write".split(" "),
  ],
}
const { PYTHON: python } = process.env

interface Program {
  name: string
  text: string
  command: string[]
  file: string
}

/** The programs of all pages that take events, found by what they call. */
function printed(): Program[] {
  const pages = globSync(["*.md", "docs/**/*.md", "packages/*/README.md"], { cwd: root }).toSorted()
  return pages.flatMap((page) => {
    const blocks = [
      ...readFileSync(join(root, page), "utf8").matchAll(/^```(ts|js|mjs|python)\n([^]*?)^```/gm),
    ]
    const takes = blocks.filter(([, , text]) =>
      /\.(?:events|messages)\(|webhooks\.handler\([^]*\.listen\(/.test(text!),
    )
    return takes.flatMap(([, language, text], i): Program[] => {
      const name = `${page} ${i + 1}`
      if (language === "python")
        return python === undefined
          ? []
          : [
              {
                name,
                text: text!,
                file: "program.py",
                command: [python, join(root, "test/packages/clients/examples/noted.py")],
              },
            ]
      // Types need a runtime that strips them.
      const isEverywhere = page.startsWith("packages/")
      const on = isEverywhere
        ? Object.entries(runtimes)
        : Object.entries(runtimes).filter(([, [one]]) => one === process.execPath)
      return on.map(([runtime, command]) => ({
        name: `${name} on ${runtime}`,
        text: text!,
        command,
        file: isEverywhere ? "program.mjs" : "program.ts",
      }))
    })
  })
}

/** Lays a program into a folder of its own, where it finds the packed SDK, which notes what it hands out. */
function laid({ name, text, file }: Program): string {
  const at = join(folder, name.replaceAll(/\W+/g, "-"))
  const modules = join(at, "node_modules/messaging-bridge-sdk")
  mkdirSync(modules, { recursive: true })
  symlinkSync(join(clients, "node_modules/messaging-bridge-sdk"), join(at, "node_modules/the-sdk-itself"))
  copyFileSync(new URL("examples/noted.mjs", import.meta.url), join(modules, "noted.mjs"))
  writeFileSync(join(modules, "package.json"), JSON.stringify({ type: "module", exports: "./index.js" }))
  writeFileSync(
    join(modules, "index.js"),
    `import * as sdk from "the-sdk-itself"
     import { noting } from "./noted.mjs"
     export * from "the-sdk-itself"
     export const { messagingBridge, webhooks } = noting(sdk)`,
  )
  writeFileSync(join(at, file), text)
  return at
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGKILL")
  await once(child, "close")
}

/** The ids of the events that a program of this text wants, of those behind `after`. */
async function wantedOf(text: string, shop: BridgeClient, after: string): Promise<string[]> {
  const all: StoredEvent[] = []
  for await (const one of shop.listEvents({ after })) all.push(one)
  const said = /types: \[([^\]]*)\]/.exec(text)?.[1] ?? /\.events\(([A-Z][\w, ]*Event)/.exec(text)?.[1]
  const types = said?.split(",").map((one) => one.replaceAll(/\W|_|Event$/g, "").toLowerCase())
  const isOf = (type: string) => types?.includes(type.replaceAll("_", "")) !== false
  const isWanted = (one: StoredEvent) =>
    text.includes(".messages(")
      ? canBeAnswered(one.event) && !one.event.is_group
      : text.includes("webhooks.handler(")
        ? one.event.event === "message"
        : isOf(one.event.event)
  return all.filter(isWanted).map(({ event_id }) => event_id)
}

test("there are printed programs that take events, in both languages", () => {
  const names = printed().map(({ name }) => name)
  const pages = [
    "packages/sdk-typescript",
    "README.md",
    "docs/cookbook.md",
    ...(python === undefined ? [] : ["packages/sdk-python"]),
  ]
  expect(pages.filter((page) => !names.some((name) => name.startsWith(page)))).toEqual([])
})

/** A new customer's bridge `shop`, linked to the owner's phone, with a friend's phone and a free port. */
async function aShop(name: string) {
  const { key, linked } = await service.customer(name.replaceAll(/\W+/g, "-"))
  const owner = (await service.network.create("Owner")).number
  const friend = (await service.network.create("Friend")).number
  await linked("shop", owner)
  const shop = messagingBridge({ url: service.baseUrl, key }).bridge("shop")
  await shop.updateBridge({ events: ["message", "message_status", "poll_vote"] })
  const free = createServer()
  const port = String(await listen(free))
  await stopListening(free)
  return { key, owner, friend, shop, port, secret: (await shop.getBridge()).webhook_secret }
}

/** Starts a program in its folder, again and again. */
function starter(
  { command: [command = "", ...args], file }: Program,
  at: string,
  own: Record<string, string>,
) {
  const env = { ...process.env, ...own, BRIDGE_URL: service.baseUrl, PYTHONDONTWRITEBYTECODE: "1" }
  return () => {
    const child = spawn(command, [...args, file], { cwd: at, env, stdio: ["ignore", "ignore", "inherit"] })
    onTestFinished(async () => await killed(child))
    return child
  }
}

/** What a program was handed, or is done with. */
function notesIn(log: string, what: "given" | "done"): string[] {
  const lines = readFileSync(log, "utf8").split("\n").filter(Boolean)
  return lines.flatMap((line) => (JSON.parse(line) as Record<string, string>)[what] ?? [])
}

test.for(printed().map((program) => [program.name, program] as const))(
  "%s, killed in a burst of 60 and started again, skips no event",
  { timeout: 180_000 },
  async ([name, program]) => {
    const { key, owner, friend, shop, port, secret } = await aShop(name)
    const at = laid(program)
    const log = join(at, "noted")
    writeFileSync(log, "")
    const hours = { OPENS: "0", CLOSES: "0" } // the shop is always closed
    const own = {
      BRIDGE_KEY: key,
      NOTED: log,
      PORT: port,
      WEBHOOK_SECRET: secret,
      CUSTOMER: friend,
      ...hours,
    }
    const start = starter(program, at, own)
    let child = start()
    const isHook = program.text.includes("webhooks.handler(")
    if (isHook) await shop.updateBridge({ webhook_url: `http://127.0.0.1:${port}/` })
    await expect
      .poll(() => isHook || globSync(".messaging-bridge/*.json", { cwd: at }).length === 1)
      .toBe(true)
    const [newest] = await shop.listEvents({ order: "newest", limit: 1 })

    const burst = async () => {
      for (let n = 1; n <= 60; n++) {
        await service.network.send(friend, owner, `question ${n}`)
        if (program.text.includes("message_status"))
          await shop.sendText({ chat: friend, body: `state ${n}` }, { idempotencyKey: `state ${n}` })
      }
    }
    const sending = burst()
    for (const enough of [4, 20]) {
      await expect.poll(() => notesIn(log, "done").length, { interval: 5 }).toBeGreaterThanOrEqual(enough)
      await killed(child)
      child = start()
    }
    await sending
    const outcome = async () => {
      const done = new Set(notesIn(log, "done"))
      const wanted = await wantedOf(program.text, shop, newest!.event_id)
      return { isWhole: wanted.length >= 60, skipped: wanted.filter((id) => !done.has(id)).length }
    }
    await expect.poll(outcome, { timeout: 60_000 }).toEqual({ isWhole: true, skipped: 0 })
    const given = notesIn(log, "given")
    const repeated = given.length - new Set(given).size
    console.log(`${name}: ${given.length} events, 0 skipped, ${repeated} repeated`)
    expect(repeated).toBeLessThanOrEqual(2)
    await killed(child)
    await shop.updateBridge({ webhook_url: null })
  },
)
