import { execFile, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { mkdirSync, readFileSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Unexpected } from "#one-machine/api-client.ts"
import { until } from "#test/support/until.ts"

const run = promisify(execFile)
const cache = "/var/cache/messaging-bridge-trials"
const root = `${cache}/engine`
const scripts = fileURLToPath(new URL(".", import.meta.url))

/** Docker's engine, and what it keeps between two trials: the base images, and the steps of builds. */
export class Engine {
  readonly #ended: Promise<unknown>
  readonly #stop: () => void
  #said = ""

  private constructor() {
    const child = spawn(`${scripts}engine`, [root], { stdio: ["ignore", "pipe", "pipe"] })
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => (this.#said = `${this.#said}${chunk}`.slice(-5000)))
    this.#ended = once(child, "exit")
    this.#stop = () => child.kill("SIGTERM")
  }

  static async start(): Promise<Engine> {
    mkdirSync(cache, { recursive: true })
    const engine = new Engine()
    let hasEnded = false
    void engine.#ended.then(() => (hasEnded = true))
    await until(
      async () => {
        if (hasEnded) throw new Unexpected(`Docker's engine does not run here:\n${engine.#said}`)
        return await engine.docker("version").catch(() => undefined)
      },
      { what: "Docker's engine", withinMs: 600_000 },
    )
    return engine
  }

  /** Runs `docker` with these words. @returns what it printed @throws Unexpected when it fails */
  async docker(...words: string[]): Promise<string> {
    const { stdout } = await run("chroot", [root, "docker", ...words], { maxBuffer: 1e9 }).catch(
      (error: { stdout: string; stderr: string }) => {
        throw new Unexpected(`docker ${words.join(" ")} failed:\n${error.stdout}${error.stderr}`.trim())
      },
    )
    return stdout.trim()
  }

  /**
   * The image that stands in for one that cannot be had here: `node` or `caddy`. It is made from Debian's
   * packages and npm's, once for each state of the script that makes it.
   */
  async standIn(name: "node" | "caddy"): Promise<string> {
    const script = `${scripts}stand-in`
    const tag = `stand-in-${name}:${createHash("sha256").update(readFileSync(script)).digest("hex").slice(0, 12)}`
    const isThere = this.docker("image", "inspect", tag).then(
      () => true,
      () => false,
    )
    if (await isThere) return tag
    const archive = `${cache}/${name}.tar`
    await run(script, [name, archive], { maxBuffer: 1e9 })
    const changes = { node: nodeChanges, caddy: caddyChanges }[name]
    await this.docker("import", ...changes.flatMap((one) => ["--change", one]), `/machine${archive}`, tag)
    rmSync(archive)
    return tag
  }

  async stop(): Promise<void> {
    this.#stop()
    await this.#ended
  }
}

/** This machine may be behind a proxy that has an authority of its own. */
const nodeChanges = ["ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt", 'CMD ["node"]']

/** As the official image says. */
const caddyChanges = [
  "ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data",
  'CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]',
]
