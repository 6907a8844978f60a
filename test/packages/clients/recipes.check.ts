import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, symlinkSync, mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { afterAll, expect, onTestFinished, test } from "vitest"
import { parse } from "yaml"
import { stopListening, listen } from "#one-machine/listen.ts"
import { messagingBridge } from "#sdk-typescript/index.ts"
import { friend, owner, service, shop } from "./shop.ts"

const root = new URL("../../../", import.meta.url).pathname
const page = ["README.md", "docs/cookbook.md", "docs/agents.md", "docs/agents-that-receive.md"]
  .map((name) => readFileSync(join(root, name), "utf8"))
  .join("\n")

/** Recipes are run here, where they find what they import. */
const folder = mkdtempSync(join(root, ".data-recipes-"))
afterAll(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, "node_modules"))
const sdk = join(folder, "node_modules/messaging-bridge-sdk")
mkdirSync(sdk)
const source = join(root, "packages/sdk-typescript/src/index.ts")
writeFileSync(join(sdk, "package.json"), JSON.stringify({ type: "module", exports: "./index.js" }))
writeFileSync(join(sdk, "index.js"), `export * from ${JSON.stringify(source)}`)
symlinkSync(
  join(root, "node_modules/@modelcontextprotocol"),
  join(folder, "node_modules/@modelcontextprotocol"),
)

/** Runs the recipe under this heading, as it stands on the page. */
function cook(heading: string, env: Record<string, string> = {}) {
  const [, part = ""] = page.split(`\n## ${heading}\n`)
  const [, program = ""] = /```ts\n([^]*?)```/.exec(part) ?? []
  expect(program).not.toBe("")
  const file = join(folder, `${heading.replaceAll(" ", "-")}.ts`)
  writeFileSync(file, program)
  const child = spawn(process.execPath, [file], {
    cwd: folder,
    env: { ...process.env, BRIDGE_URL: service.baseUrl, BRIDGE_KEY: shop.key, ...env },
  })
  const said = { out: "", err: "" }
  child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (said.err += chunk.toString()))
  onTestFinished(async () => await end(child))
  return { child, said }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGKILL")
  await once(child, "close")
}

const bridge = () => messagingBridge({ url: service.baseUrl, key: shop.key }).bridge("shop")

/** A stream that is begun for the first time begins when it is open: writes until the recipe has answered. */
async function ask(body: string, answer: string): Promise<void> {
  await expect
    .poll(async () => {
      await service.network.send(friend, owner, body)
      return (await service.network.read(friend, { text: answer, wait: 1000 })).length
    })
    .toBeGreaterThan(0)
}

/** How often a phone has got this text. */
async function times(text: string): Promise<number> {
  return (await service.network.read(friend, {})).filter((message) => message.text === text).length
}

test("outside the opening hours a chat is answered once a day", async () => {
  cook("Answer outside the opening hours", { OPENS: "0", CLOSES: "0" })
  const answer = "We are closed now. We answer from 0 o'clock."
  await ask("anybody there?", answer)
  await service.network.send(friend, owner, "hello?")
  await service.network.send(friend, owner, "hello??")
  expect(await times(answer)).toBe(1)
})

test("a conversation gets one ticket, also if its program is restarted", async () => {
  const { webhook_secret } = await bridge().getBridge()
  const free = createServer()
  const port = String(await listen(free))
  await stopListening(free)
  const env = { WEBHOOK_SECRET: webhook_secret, PORT: port }
  const url = `http://127.0.0.1:${port}/`
  const listens = async () =>
    await expect
      .poll(() =>
        fetch(url).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
  const first = cook("A ticket for each conversation", env)
  await listens()
  await bridge().updateBridge({ webhook_url: url })
  const answer = "Thank you. Your ticket has the number 1."
  await service.network.send(friend, owner, "it does not work")
  await service.network.read(friend, { text: answer, wait: 20_000 })
  await end(first.child)
  cook("A ticket for each conversation", env)
  await listens()
  await service.network.send(friend, owner, "and it is blue")
  await expect.poll(async () => (await bridge().listDeliveries()).waiting).toBe(0)
  expect(await times(answer)).toBe(1)
})

test("a customer is told of an order, and the shop hears that it arrived", async () => {
  await bridge().updateBridge({ events: ["message", "message_status"] })
  const { said } = cook("Tell customers about their orders", { CUSTOMER: friend })
  await service.network.read(friend, { text: "Your order 1001 is shipped.", wait: 20_000 })
  expect(await times("Your order 1001 is shipped.")).toBe(1)
  expect(said.err).toBe("")
  await expect.poll(() => said.out).toMatch(/1001 shipped sent as (\S+)\n\1 sent \n\1 delivered/)
  await bridge().updateBridge({ events: null })
})

test("a chat is handed over to a person, and back", async () => {
  cook("Hand a chat over to a person")
  const hours = "I can tell you the opening hours. Write HUMAN for a colleague."
  const person = "A colleague will write to you here."
  await ask("hi", hours)
  await service.network.send(friend, owner, "Human please")
  await service.network.read(friend, { text: person, wait: 20_000 })
  const before = await times(hours)
  await service.network.send(friend, owner, "are you there?")
  await service.network.send(owner, friend, "done")
  await expect
    .poll(async () => {
      await service.network.send(friend, owner, "hi again")
      return await times(hours)
    })
    .toBeGreaterThan(before)
  expect(await times(person)).toBe(1)
})

test("the bot of the README answers whoever writes", async () => {
  cook("A bot in five lines")
  await ask("hello bot", "You said: hello bot")
  expect(await times("You said: hello bot")).toBe(1)
})

test("what a person who may speak writes to an agent is answered once, and a stranger is not", async () => {
  const stranger = (await service.network.create("Another stranger")).number
  const env = {
    AGENT: "sed 's/^/from the agent of /;s/$/ and no key/'; printenv BRIDGE_KEY || true",
    MAY_SPEAK: friend,
  }
  const { child } = cook("The program", env)
  const answer = 'from the agent of the shop, "tell me" and no key'
  await ask('the shop, "tell me"', answer)
  await service.network.send(stranger, owner, "and me?")
  await service.network.send(friend, owner, "last")
  await service.network.read(friend, { text: "from the agent of last and no key", wait: 20_000 })
  expect(await times(answer)).toBe(1)
  const got = await service.network.read(stranger, {})
  expect(got.filter(({ from }) => from === owner)).toEqual([])
  await end(child)
})

test("Home Assistant's commands send a text and a picture as its page has them", async () => {
  const commands = yamlOf("rest_command:") as { rest_command: Record<string, RestCommand> }
  const { whatsapp, whatsapp_picture: picture } = commands.rest_command
  const message = 'Quotes " and\nlines \\'
  expect(await called(whatsapp!, { chat: friend, message, key: "washing 1" })).toBe(200)
  expect(await called(whatsapp!, { chat: friend, message, key: "washing 1" })).toBe(200)
  await service.network.read(friend, { text: message, wait: 20_000 })
  expect(await times(message)).toBe(1)
  // Its fields are right: what is refused is the address.
  const url = "http://192.0.2.1/front-door.jpg"
  expect(await called(picture!, { chat: friend, url, message: "", key: "door 1" })).toBe(400)
})

interface RestCommand {
  url: string
  method: string
  headers: Record<string, string>
  content_type: string
  payload: string
}

/** The first piece of YAML on Home Assistant's page that begins so. */
function yamlOf(beginning: string): unknown {
  const text = readFileSync(join(root, "docs/home-assistant.md"), "utf8")
  const [, block = ""] =
    text
      .split("```yaml\n")
      .map((one) => /^([^]*?)```/.exec(one) ?? [])
      .find(([, one]) => one?.startsWith(beginning)) ?? []
  const secret = { tag: "!secret", resolve: () => `Bearer ${shop.key}` }
  return parse(block, { customTags: [secret] })
}

/** Makes the call as Home Assistant does, with its templates filled in. @returns the status of the answer */
async function called(command: RestCommand, data: Record<string, string>): Promise<number> {
  const filled = (template: string) =>
    template
      .replaceAll(/\{\{ (\w+) \| to_json \}\}/g, (_, name: string) => JSON.stringify(data[name]))
      .replaceAll(/\{\{ (\w+) \}\}/g, (_, name: string) => data[name] ?? "")
  const url = command.url.replace("https://wa.example.com", service.baseUrl).replace("/home/", "/shop/")
  const headers = Object.fromEntries(
    Object.entries(command.headers).map(([name, value]) => [name, filled(value)]),
  )
  const init = { method: command.method.toUpperCase(), body: filled(command.payload) }
  const answer = await fetch(url, { ...init, headers: { ...headers, "content-type": command.content_type } })
  await answer.arrayBuffer()
  return answer.status
}

test("an agent reads a chat and answers, and writes to no new person without a yes", async () => {
  const stranger = (await service.network.create("Stranger")).number
  const calls = [
    { name: "send_text", arguments: { number: "shop", chat: friend, body: "from the agent" } },
    { name: "send_text", arguments: { number: "shop", chat: stranger, body: "unasked" } },
  ]
  writeFileSync(
    join(folder, "think.ts"),
    `const calls = ${JSON.stringify(calls)}\nexport const think = async () => calls.shift()\n`,
  )
  const { child, said } = cook("An agent of your own")
  await expect.poll(() => said.err).toContain("Yes or no?")
  child.stdin.write("no\n")
  await once(child, "close")
  expect(child.exitCode).toBe(0)
  expect(await times("from the agent")).toBe(1)
  expect(await service.network.read(stranger, {})).toEqual([])
})
