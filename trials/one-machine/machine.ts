import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Agent, fetch } from "undici"
import { Unexpected } from "#one-machine/api-client.ts"
import { stopListening, listen } from "#one-machine/listen.ts"
import { networkClient } from "#one-machine/network/client.ts"
import { findRunning } from "#one-machine/service/running.ts"
import { until } from "#test/support/until.ts"
import { newerCommit } from "./commits.ts"
import type { Tried } from "./looks.ts"

const repository = fileURLToPath(new URL("../../", import.meta.url))
const run = promisify(execFile)

/** How long the service or Caddy may take until it is at work, in ms, on a machine that does much else. */
const startsWithinMs = 180_000

/** What stands in for Debian's own commands: this user's rights suffice here, and nothing is installed. */
const standIns = {
  sudo: 'exec "$@"',
  "apt-get":
    'shift 2; for package in "$@"; do command -v "$package" >/dev/null || { echo "install $package first" >&2; exit 1; }; done',
  systemctl: 'exec curl --fail-with-body -sS "$UNITS_URL/systemctl" --data-binary "$*"',
  journalctl: 'exec curl --fail-with-body -sS "$UNITS_URL/journalctl" --data-binary "$*"',
}

/**
 * A machine as docs/one-machine.md wants it, in a folder: everything that its commands put elsewhere is put
 * there (DESTDIR), and units are run by this process.
 */
export class Machine implements Tried {
  readonly publicUrl: string
  readonly #folder: string
  readonly #localUrl: string
  readonly #units = new Map<string, ChildProcess>()
  readonly #said: string[] = []
  /** The number that was exported last, as `take-back` names it. */
  #moved = ""
  readonly #server = createServer((request, response) => {
    void (async () => {
      const words = (await text(request)).split(" ")
      try {
        response.end(
          request.url === "/systemctl" ? await this.#systemctl(words) : this.#said.slice(-20).join(""),
        )
      } catch (error) {
        response.writeHead(500).end(String(error))
      }
    })()
  })
  #unitsUrl = ""

  private constructor(folder: string, ports: { public: number; local: number }) {
    this.#folder = folder
    this.publicUrl = `https://localhost:${ports.public}`
    this.#localUrl = `127.0.0.1:${ports.local}`
  }

  static async make(folder: string): Promise<Machine> {
    const machine = new Machine(folder, { public: await freePort(), local: await freePort() })
    machine.#unitsUrl = `http://127.0.0.1:${await listen(machine.#server)}`
    await run("git", ["clone", "--quiet", "--bare", repository, machine.#origin])
    mkdirSync(join(folder, "bin"))
    for (const [name, script] of Object.entries(standIns)) {
      const path = join(folder, "bin", name)
      writeFileSync(path, `#!/bin/sh\n${script}\n`)
      chmodSync(path, 0o755)
    }
    return machine
  }

  /** A newer commit of the same code, which an upgrade brings. */
  async publish(): Promise<void> {
    await newerCommit(this.#origin)
  }

  /** The commits whose code is there. */
  get releases(): string[] {
    return readdirSync(join(this.#folder, "opt/messaging-bridge/releases")).filter((one) => one !== "current")
  }

  async admin(words: string): Promise<string> {
    return await this.run(`sudo /opt/messaging-bridge/one-machine/admin ${words}`)
  }

  async network() {
    return networkClient({ controlUrl: (await findRunning(this.#dataDir))!.phonesUrl })
  }

  get #dataDir(): string {
    return join(this.#folder, "var/lib/messaging-bridge")
  }

  /**
   * Runs a command of the page on the machine that numbers move to: a service of its own, for as long as that
   * takes.
   */
  async runAtAnother(command: string): Promise<string> {
    const root = join(this.#folder, "another")
    const dataDir = join(root, "var/lib/messaging-bridge")
    for (const folder of [join(root, "etc"), dataDir]) mkdirSync(folder, { recursive: true, mode: 0o700 })
    const url = `127.0.0.1:${await freePort()}`
    const settings = readFileSync(join(this.#folder, "etc/messaging-bridge.env"), "utf8")
    const theirs = `${settings}\nLISTEN=${url}\nBACKUP_DIR=${root}/backups\n`
    writeFileSync(join(root, "etc/messaging-bridge.env"), theirs)
    const child = this.#service({ root, dataDir })
    try {
      await until(
        async () =>
          await fetch(`http://${url}/readyz`).then(
            ({ ok }) => ok,
            () => false,
          ),
        {
          what: "another service at work",
          withinMs: startsWithinMs,
        },
      )
      return await this.run(command, root)
    } finally {
      const ended = once(child, "exit")
      child.kill("SIGTERM")
      await ended
    }
  }

  /**
   * Runs a command of the page. @returns what it printed @throws Unexpected when it fails, with what it
   * printed
   */
  async run(command: string, root = this.#folder): Promise<string> {
    const here = command
      .replace("<this repository>", this.#origin)
      .replace("/var/backups/messaging-bridge/<file>", () => this.#latestBackup())
      .replace("<bridge-id> <customer_ref>", this.#moved)
      .replace(" /etc/messaging-bridge.env", ` ${root}/etc/messaging-bridge.env`)
      .replace(" /var/backups/", ` ${this.#folder}/var/backups/`)
      .replaceAll("/opt/", `${this.#folder}/opt/`)
      .replaceAll("https://wa.example.com", this.publicUrl)
      .replaceAll("127.0.0.1:8787", this.#localUrl)
    const { stdout, stderr } = await run("bash", ["-ec", here], {
      env: { ...this.#environment(), DESTDIR: root },
      maxBuffer: 1e8,
    }).catch((error: { stdout: string; stderr: string }) => {
      throw new Unexpected(`${command} failed:\n${error.stdout}${error.stderr}`.trim())
    })
    if (command.includes("git clone")) this.#simulated()
    const [, id, ref] = /^moved=(\S+) +customer_ref=(\S+)/m.exec(stdout) ?? []
    if (id) this.#moved = `${id} ${ref}`
    // Of a progress that is shown in one line, the last state.
    return `${stdout}${stderr}`.replaceAll(/^.*\r/gm, "").trim()
  }

  /** A request as people's browsers and programs make it: over https, believing Caddy's own authority. */
  async ask(path: string, init: Parameters<typeof fetch>[1] = {}) {
    const dispatcher = new Agent({ connect: { ca: readFileSync(this.#authority) } })
    return await fetch(`${this.publicUrl}${path}`, { redirect: "manual", ...init, dispatcher })
  }

  async close(): Promise<void> {
    for (const unit of this.#units.keys()) await this.#stop(unit)
    await stopListening(this.#server)
  }

  #latestBackup(): string {
    const folder = join(this.#folder, "var/backups/messaging-bridge")
    const backups = readdirSync(folder).filter((name) => name.endsWith(".backup"))
    return join(folder, backups.toSorted().at(-1)!)
  }

  get #origin(): string {
    return join(this.#folder, "origin")
  }

  get #authority(): string {
    return join(this.#folder, "caddy/caddy/pki/authorities/local/root.crt")
  }

  #environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      PATH: `${this.#folder}/bin:${process.env.PATH}`,
      DESTDIR: this.#folder,
      UNITS_URL: this.#unitsUrl,
      ...(existsSync(this.#authority) && { NODE_EXTRA_CA_CERTS: this.#believed() }),
    }
  }

  /** The authorities that Node is to believe: Caddy's own, and those that this machine adds. */
  #believed(): string {
    const path = join(this.#folder, "authorities.crt")
    const added = process.env.NODE_EXTRA_CA_CERTS
    const files = [this.#authority, ...(added ? [added] : [])]
    writeFileSync(path, files.map((file) => readFileSync(file, "utf8")).join("\n"))
    return path
  }

  /** The live network is none to try things on, the ports may be taken, and backups stay in the folder. */
  #simulated(): void {
    const settings = [
      "HOST_NETWORK=simulated",
      "SIMULATOR_CONTROL_PORT=0",
      `LISTEN=${this.#localUrl}`,
      `BACKUP_DIR=${this.#folder}/var/backups/messaging-bridge`,
    ]
    const script = join(this.#folder, "opt/messaging-bridge/one-machine/settings")
    appendFileSync(script, `cat <<end\n${settings.join("\n")}\nend\n`)
  }

  async #systemctl([verb, ...units]: string[]): Promise<string> {
    if (verb === "daemon-reload" || verb === "enable") return ""
    for (const unit of units) {
      await this.#stop(unit)
      if (verb !== "stop") await this.#start(unit)
    }
    return ""
  }

  async #start(unit: string): Promise<void> {
    const child = unit === "caddy" ? this.#caddy() : this.#service()
    this.#units.set(unit, child)
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => this.#said.push(chunk.toString()))
    await until(
      async () => {
        if (child.exitCode !== null) throw new Error(`${unit} has ended: ${this.#said.slice(-5).join("")}`)
        return await this.#answers(unit).catch(() => false)
      },
      { what: `${unit} at work`, withinMs: startsWithinMs },
    )
  }

  async #answers(unit: string): Promise<boolean> {
    if (unit !== "caddy") return (await fetch(`http://${this.#localUrl}/readyz`)).ok
    return existsSync(this.#authority) && (await this.ask("/healthz")).ok
  }

  /** As the unit says. Its paths are those of the folder. */
  #service({ root, dataDir } = { root: this.#folder, dataDir: this.#dataDir }): ChildProcess {
    const unit = readFileSync(join(this.#folder, "etc/systemd/system/messaging-bridge.service"), "utf8")
    const value = (name: string) => new RegExp(`^${name}=(.+)$`, "m").exec(unit)![1]!
    const here = (path: string) => (path.startsWith(this.#folder) ? path : join(this.#folder, path))
    const variables = value("Environment")
      .split(" ")
      .map((one) => one.split("=") as [string, string])
    const file = readFileSync(here(value("EnvironmentFile")).replace(this.#folder, root), "utf8")
    const settings = [...file.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(
      ([, name, text]) => [name, text] as [string, string],
    )
    const [command, ...args] = value("ExecStart").split(" ")
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    return spawn(here(command!), args, {
      cwd: here(value("WorkingDirectory")),
      env: {
        PATH: "/usr/bin:/bin",
        ...Object.fromEntries(variables),
        DATA_DIR: dataDir,
        ...Object.fromEntries(settings),
      },
      stdio: ["ignore", "pipe", "pipe"],
    })
  }

  /** With our site, at ports that any user of the machine may open. */
  #caddy(): ChildProcess {
    const config = join(this.#folder, "Caddyfile")
    const site = join(this.#folder, "etc/caddy/Caddyfile")
    writeFileSync(
      config,
      `{\n\tadmin off\n\tskip_install_trust\n\tdefault_bind 127.0.0.1\n\tauto_https disable_redirects\n}\nimport ${site}\n`,
    )
    const env = { PATH: process.env.PATH, HOME: this.#folder, XDG_DATA_HOME: join(this.#folder, "caddy") }
    return spawn("caddy", ["run", "--config", config, "--adapter", "caddyfile"], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    })
  }

  async #stop(unit: string): Promise<void> {
    const child = this.#units.get(unit)
    this.#units.delete(unit)
    if (!child || child.exitCode !== null) return
    const ended = once(child, "exit")
    child.kill("SIGTERM")
    await ended
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await stopListening(server)
  return port
}
