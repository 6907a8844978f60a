import { execFileSync } from "node:child_process"
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Agent, fetch } from "undici"
import { networkClient } from "#one-machine/network/client.ts"
import { until } from "#test/support/until.ts"
import type { Place } from "../one-machine/number.ts"
import type { Engine } from "./engine.ts"

/** Where the operator alone reaches the service. */
const local = "http://127.0.0.1:8787"
/** Where its simulated phones are controlled, in the container, and where its other addresses lead there. */
const phones = { inside: 8788, outside: 8790 }
const relay = `require("net").createServer((one) => {
  const other = require("net").connect(${phones.inside}, "127.0.0.1")
  for (const [from, to] of [[one, other], [other, one]]) from.on("error", () => to.destroy()).pipe(to)
}).listen(${phones.outside})`

/** What compose.yaml says, in a folder with its settings, as docs/one-machine.md has it. */
export class Composed implements Place {
  readonly #engine: Engine
  readonly #folder: string
  /** How many files its processes may open. */
  readonly files: number

  constructor(engine: Engine, folder: string) {
    this.#engine = engine
    this.#folder = folder
    // Where this machine gives less, its engine can set no more.
    this.files = Math.min(
      65_536,
      Number(/^Max open files +\d+ +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))![1]),
    )
    const limits = { services: { bridge: { ulimits: { nofile: this.files } } } }
    writeFileSync(join(folder, "limits.yaml"), JSON.stringify(limits))
    const settings = execFileSync("sh", ["one-machine/settings", "https://localhost", "you@example.com"])
    writeFileSync(join(folder, ".env"), settings, { mode: 0o600 })
    // The live network is none to try things on, and a trial asks again and again.
    appendFileSync(
      join(folder, ".env"),
      "HOST_NETWORK=simulated\nRATE_LIMIT_OTHER=9999\nRATE_LIMIT_ADDRESS=9999\n",
    )
  }

  /** Runs `docker compose` with these words. */
  async compose(...words: string[]): Promise<string> {
    const files = ["compose", "limits"].flatMap((name) => ["--file", `/machine${this.#folder}/${name}.yaml`])
    return await this.#engine.docker("compose", ...files, ...words)
  }

  /** Runs a program beside the service, in its container. */
  async inside(...words: string[]): Promise<string> {
    return await this.compose("exec", "--no-TTY", "bridge", ...words)
  }

  async admin(words: string): Promise<string> {
    return await this.inside("node", "admin/main.ts", ...words.split(" "))
  }

  async ask(path: string, init: Parameters<typeof fetch>[1] = {}) {
    return await fetch(`https://localhost${path}`, {
      redirect: "manual",
      ...init,
      dispatcher: await this.#believing(),
    })
  }

  async network() {
    const address = await this.inspect("bridge", "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}")
    const controlUrl = `http://${address}:${phones.outside}`
    await this.compose("exec", "--detach", "bridge", "node", "-e", relay)
    await until(async () => await fetch(controlUrl).catch(() => undefined), { what: "the phones" })
    return networkClient({ controlUrl })
  }

  /** What Docker knows of a container, by a template. */
  async inspect(service: "bridge" | "caddy", template: string): Promise<string> {
    const id = await this.compose("ps", "--all", "--quiet", service)
    return await this.#engine.docker("inspect", "--format", template, id)
  }

  /** Resolves with how long it took, in ms, until the service answers for itself. */
  async answers(since = performance.now()): Promise<number> {
    await until(isReady, { what: "the service at work", withinMs: 120_000 })
    return performance.now() - since
  }

  /** Whoever asks believes Caddy's own authority. */
  async #believing(): Promise<Agent> {
    const id = await this.compose("ps", "--quiet", "caddy")
    const file = join(this.#folder, "authority.crt")
    await this.#engine.docker("cp", `${id}:/data/caddy/pki/authorities/local/root.crt`, `/machine${file}`)
    return new Agent({ connect: { ca: readFileSync(file) } })
  }
}

async function isReady(): Promise<boolean> {
  return await fetch(`${local}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}
