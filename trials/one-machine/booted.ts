import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Agent, fetch } from "undici"
import { Unexpected } from "#one-machine/api-client.ts"
import { networkClient } from "#one-machine/network/client.ts"
import { findRunning } from "#one-machine/service/running.ts"
import { until } from "#test/support/until.ts"
import { newerCommit } from "./commits.ts"
import type { Tried } from "./looks.ts"

const run = promisify(execFile)
const cache = "/var/cache/messaging-bridge-trials"
const packages = "ca-certificates,curl,dbus,iproute2,openssl,procps,sudo,systemd-sysv"
/** In the machine: whom Node believes. */
const authorities = "/usr/local/share/authorities.crt"

/**
 * A Debian 12 that is booted by systemd-nspawn, in the network that `apart` has made: its localhost is this
 * program's. What is written there is in a folder of this trial's; the Debian below is kept.
 */
export class Booted implements Tried {
  readonly publicUrl = "https://localhost"
  readonly #folder: string
  readonly #root: string
  #container: ChildProcess | undefined
  /** The number that was exported last, as `take-back` names it. */
  #moved = ""

  private constructor(folder: string) {
    this.#folder = folder
    this.#root = join(folder, "root")
  }

  static async boot(folder: string): Promise<Booted> {
    const machine = new Booted(folder)
    const debian = join(cache, "debian")
    if (!existsSync(debian)) {
      mkdirSync(cache, { recursive: true })
      // A copy of Debian's archive may be older than its files say that they may be.
      const how = ["--quiet", "--variant=minbase", '--aptopt=Acquire::Check-Valid-Until "false"']
      const what = [`--include=${packages}`, "bookworm", `${debian}.new`, "http://deb.debian.org/debian"]
      execFileSync("mmdebstrap", [...how, ...what], { stdio: "inherit" })
      execFileSync("mv", [`${debian}.new`, debian])
    }
    for (const name of ["root", "written", "work"]) mkdirSync(join(folder, name))
    const layers = `lowerdir=${debian},upperdir=${folder}/written,workdir=${folder}/work`
    execFileSync("mount", ["-t", "overlay", "overlay", "-o", layers, machine.#root])
    execFileSync("git", ["clone", "--quiet", "--bare", ".", join(folder, "origin")])
    // This machine may be behind a proxy that has an authority of its own.
    for (const path of [authorities, "/etc/ssl/certs/ca-certificates.crt"])
      copyFileSync("/etc/ssl/certs/ca-certificates.crt", join(machine.#root, path))
    writeFileSync(join(machine.#root, "etc/sudoers.d/trial"), 'Defaults env_keep += "NODE_EXTRA_CA_CERTS"\n')
    // The machine is thrown away: what is installed need not be on the disk at once.
    writeFileSync(join(machine.#root, "etc/dpkg/dpkg.cfg.d/trial"), "force-unsafe-io\n")
    // Debian's installer writes both, and mmdebstrap none. Caddy does not start where localhost is no name.
    writeFileSync(join(machine.#root, "etc/hosts"), `127.0.0.1 localhost\n127.0.1.1 ${hostname()}\n`)
    machine.#start()
    await machine.#isUp()
    await machine.#inside("apt-get update --quiet=2")
    return machine
  }

  get releases(): string[] {
    return readdirSync(join(this.#root, "opt/messaging-bridge/releases")).filter((one) => one !== "current")
  }

  async publish(): Promise<void> {
    await newerCommit(join(this.#folder, "origin"))
  }

  async run(command: string): Promise<string> {
    const here = command
      .replace("<this repository>", "/srv/origin")
      .replace("<bridge-id> <customer_ref>", this.#moved)
      .replaceAll("https://wa.example.com", this.publicUrl)
      .replace("messaging-bridge/<file>", () => `messaging-bridge/${this.#latestBackup()}`)
    const said = await this.#inside(here)
    if (command.includes("git clone"))
      appendFileSync(
        this.#path("/opt/messaging-bridge/one-machine/settings"),
        // A trial asks again and again.
        "echo HOST_NETWORK=simulated; echo RATE_LIMIT_OTHER=9999; echo RATE_LIMIT_ADDRESS=9999\n",
      )
    if (command.includes("one-machine/install https")) await this.#believesCaddy()
    const [, id, ref] = /^moved=(\S+) +customer_ref=(\S+)/m.exec(said) ?? []
    if (id) this.#moved = `${id} ${ref}`
    return said
  }

  async admin(words: string): Promise<string> {
    return await this.run(`sudo /opt/messaging-bridge/one-machine/admin ${words}`)
  }

  async network() {
    const dataDir = /^DATA_DIR=(.*)$/m.exec(this.settings)?.[1] ?? "/var/lib/messaging-bridge"
    return networkClient({ controlUrl: (await findRunning(this.#path(dataDir)))!.phonesUrl })
  }

  async ask(path: string, init: Parameters<typeof fetch>[1] = {}) {
    const dispatcher = new Agent({ connect: { ca: readFileSync(this.#path(authorities)) } })
    return await fetch(`${this.publicUrl}${path}`, { redirect: "manual", ...init, dispatcher })
  }

  /** The service's settings, as the operator writes them. */
  get settings(): string {
    return readFileSync(this.#path("/etc/messaging-bridge.env"), "utf8")
  }

  set settings(text: string) {
    writeFileSync(this.#path("/etc/messaging-bridge.env"), text)
  }

  async reboot(): Promise<void> {
    await this.#inside("systemctl reboot")
    // With --keep-unit, systemd-nspawn ends with this status at a reboot, and leaves the start to its caller.
    await until(() => this.#container!.exitCode === 133, { what: "a reboot" })
    this.#start()
    await this.#isUp()
  }

  async close(): Promise<void> {
    const ended = this.#container && once(this.#container, "exit")
    this.#container?.kill("SIGKILL")
    await ended
    execFileSync("umount", ["--lazy", this.#root])
  }

  #start(): void {
    const how = ["--quiet", "--boot", "--register=no", "--keep-unit", "--console=pipe", "--machine=trial"]
    const shared = [`--bind-ro=${this.#folder}/origin:/srv/origin`, "--resolv-conf=copy-host"]
    this.#container = spawn("systemd-nspawn", [...how, ...shared, `--directory=${this.#root}`], {
      stdio: ["ignore", "ignore", "inherit"],
    })
  }

  /** The pid of the machine's first process, as long as it has one. */
  async #leader(): Promise<string | undefined> {
    const { stdout } = await run("pgrep", ["--parent", String(this.#container!.pid)]).catch(() => ({
      stdout: "",
    }))
    return stdout.trim().split("\n").at(-1) || undefined
  }

  async #isUp(): Promise<void> {
    const look = async () => {
      if (this.#container!.exitCode !== null)
        throw new Unexpected("this machine cannot: systemd does not boot here")
      const said = await this.#inside("systemctl is-system-running || true").catch(() => "")
      return /running|degraded/.test(said)
    }
    await until(look, { what: "a machine that has booted", withinMs: 120_000 })
  }

  async #inside(command: string): Promise<string> {
    const leader = await this.#leader()
    if (leader === undefined) throw new Unexpected("the machine does not run")
    const env = [
      "-i",
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      "HOME=/root",
      "LANG=C.UTF-8",
    ]
    const believing = `NODE_EXTRA_CA_CERTS=${authorities}`
    const words = [
      "--target",
      leader,
      "--all",
      "--wdns=/root",
      "env",
      ...env,
      believing,
      "bash",
      "-ec",
      command,
    ]
    const { stdout, stderr } = await run("nsenter", words, { maxBuffer: 1e8 }).catch(
      (error: { stdout: string; stderr: string }) => {
        throw new Unexpected(`${command} failed:\n${error.stdout}${error.stderr}`.trim())
      },
    )
    return `${stdout}${stderr}`.replaceAll(/^.*\r/gm, "").trim()
  }

  /** Caddy has made an authority of its own for this name, which it may not add to the machine's. */
  async #believesCaddy(): Promise<void> {
    const path = this.#path("/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt")
    await until(() => existsSync(path), { what: "Caddy's authority" })
    appendFileSync(this.#path(authorities), readFileSync(path))
    await until(async () => (await this.ask("/healthz").catch(() => undefined))?.ok, {
      what: "Caddy at work",
    })
  }

  #latestBackup(): string {
    const backups = readdirSync(this.#path("/var/backups/messaging-bridge"))
    return backups
      .filter((name) => name.endsWith(".backup"))
      .toSorted()
      .at(-1)!
  }

  #path(path: string): string {
    return join(this.#root, path)
  }
}
