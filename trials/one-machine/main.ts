import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { z } from "zod"
import { networkClient } from "#local/network/client.ts"
import { Unexpected } from "#local/api-client.ts"
import { find } from "#local/service/running.ts"
import { until } from "#test/support/until.ts"
import { Machine } from "./machine.ts"
import { readCommands } from "./page.ts"

/**
 * `npm run one-machine:try`: every command of docs/one-machine.md, in its order, on this machine; over https by Debian's
 * Caddy, on the simulated network. In between, what the page promises is looked at. Ends with `one machine: ok`.
 */
const folder = mkdtempSync(join(tmpdir(), "one-machine-"))
const machine = await Machine.make(folder)
let number: Awaited<ReturnType<typeof linkedNumber>> | undefined

/** What is looked at after the command that contains these words. */
const looks: [string, (said: string) => unknown][] = [
  ["one-machine/install https", serves],
  ["admin doctor", (said) => must(!said.includes("=bad"), said)],
  ["login-link", signsIn],
  ["systemctl restart", async () => void (number = await linkedNumber())],
  ["readyz", (said) => must(said.includes('"ok":true'), said)],
  ["journalctl", (said) => must(said.includes("request answered"), said)],
  ["one-machine/install", async () => await number?.receives("after the upgrade")],
]

try {
  for (const command of readCommands("docs/one-machine.md")) {
    console.log(`$ ${command}`)
    const said = await machine.run(command)
    if (said !== "") console.log(said.replaceAll(/^/gm, "  "))
    for (const [words, look] of looks) if (command.includes(words)) await look(said)
  }
  console.log("one machine: ok")
} finally {
  await machine.close()
  rmSync(folder, { recursive: true, force: true })
}

function must(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Unexpected(otherwise)
}

/** Over https, and nothing of the operator's to everybody. */
async function serves(): Promise<void> {
  const answer = await machine.ask("/healthz")
  must(answer.ok && answer.headers.get("strict-transport-security") !== null, "/healthz over https")
  for (const path of ["/metrics", "/readyz"])
    must((await machine.ask(path)).status === 404, `${path} is open to everybody`)
}

/** Opens the link and presses its button, as a browser does. */
async function signsIn(said: string): Promise<void> {
  const { pathname, origin } = new URL(/link=(\S+)/.exec(said)![1]!)
  must(origin === machine.publicUrl, `the link leads to ${origin}`)
  const pressed = await machine.ask(pathname, { method: "POST", headers: { origin } })
  const cookie = pressed.headers.getSetCookie().find((one) => one.startsWith("__Host-session="))
  must(cookie !== undefined, `the link is answered ${pressed.status} without a cookie of this host`)
  const page = await machine.ask("/", { headers: { cookie: cookie!.split(";")[0]! } })
  must(page.ok, `the dashboard is answered ${page.status}`)
}

/** A number of a customer's, linked over https, whose events go to its inbox. */
async function linkedNumber() {
  const made = async (command: string, name: string) =>
    new RegExp(`${name}=(\\S+)`).exec(
      await machine.run(`/opt/messaging-bridge/one-machine/admin ${command}`),
    )![1]!
  const account = await made("account create Customer active", "id")
  const headers = {
    authorization: `Bearer ${await made(`key create ${account}`, "key")}`,
    "content-type": "application/json",
  }
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await machine.ask(`/api/instances${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    must(answer.ok, `${method} ${path} is answered ${answer.status}`)
    return answer
  }
  await call("POST", "", { customer_ref: "shop" })
  /** Its port is another one after each start. */
  const networkNow = async () => networkClient({ controlUrl: (await find(machine.dataDir))!.phonesUrl })
  const network = await networkNow()
  const [owner, contact] = [await network.create("Grace"), await network.create("Ada")]
  await until(async () => {
    const { status } = Status.parse(await (await call("GET", "/shop/proxy/status")).json())
    if (status === "connected") return true
    const code = await machine.ask("/api/instances/shop/proxy/qr", { headers })
    if (code.ok) await network.scan(owner.number, new Uint8Array(await code.arrayBuffer()))
    return false
  })
  return {
    /** Somebody writes to the number: it comes, once. */
    receives: async (text: string) => {
      await (await networkNow()).send(contact.number, owner.number, text)
      await until(async () => (await (await call("GET", "/shop/events?state=inbox")).text()).includes(text))
    },
  }
}

const Status = z.object({ status: z.string() })
