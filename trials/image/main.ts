import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Unexpected } from "#one-machine/api-client.ts"
import { apart } from "../one-machine/apart.ts"
import { isServedDuring, must } from "../one-machine/looks.ts"
import { LinkedNumber } from "../one-machine/number.ts"
import { Composed } from "./composed.ts"
import { Engine } from "./engine.ts"

/** The most that an image may add to Node's, in MB: Node's own slim image has some 220. */
const mostMb = 80
const dockerfiles = {
  "messaging-bridge": "one-machine/Dockerfile",
  "session-host": "session-host/Dockerfile",
  "sandbox-host": "session-host/sandbox.Dockerfile",
}

/**
 * `npm run image:try`: builds the images, and runs what compose.yaml says under Docker's engine, on the
 * simulated network. The base images are stand-ins of Debian's and npm's packages, and so is Caddy's image.
 * The engine runs apart (trials/one-machine/apart), in /var/cache/messaging-bridge-trials, where it is kept.
 * The commit that is checked out is built. Takes root on Debian; ends with `image: ok`.
 */
process.exitCode = await apart("image-try", ["mmdebstrap"], async () => {
  const folder = mkdtempSync(join(tmpdir(), "image-try-"))
  execFileSync("git", ["clone", "--quiet", ".", folder])
  const engine = await Engine.start()
  try {
    for (const name of Object.keys(dockerfiles)) await builds(engine, folder, name)
    await engine.docker("tag", await engine.standIn("caddy"), caddyImage())
    await runs(engine, folder)
    console.log("image: ok")
  } finally {
    await engine.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})

async function build(engine: Engine, folder: string, name: string): Promise<void> {
  const file = dockerfiles[name as keyof typeof dockerfiles]
  const base = /^FROM (?:--\S+ )?(\S+)/m.exec(readFileSync(join(folder, file), "utf8"))![1]!
  const how = ["--build-context", `${base}=docker-image://${await engine.standIn("node")}`, "--tag", name]
  await engine.docker("buildx", "build", ...how, "--file", `/machine${folder}/${file}`, `/machine${folder}`)
}

/** Builds an image, and looks at what is in it. */
async function builds(engine: Engine, folder: string, name: string): Promise<void> {
  await build(engine, folder, name)
  const container = await engine.docker("create", name)
  const archive = join(folder, `${name}.tar`)
  await engine.docker("export", "--output", `/machine${archive}`, container)
  await engine.docker("rm", container)
  const listed = execFileSync("tar", ["-tvf", archive], { encoding: "utf8", maxBuffer: 1e9 }).split("\n")
  rmSync(archive)
  const files = listed.map((line) => /^\S+ +\S+ +\d+ \S+ \S+ (.*)$/.exec(line)?.[1] ?? "")
  const mb = async (image: string) =>
    Number(await engine.docker("image", "inspect", "--format", "{{.Size}}", image)) / 1e6
  const [all, base] = [await mb(name), await mb(await engine.standIn("node"))]
  must(all - base < mostMb, `${name} has ${all} MB, ${all - base} more than its base`)
  const needless = files.filter(isNeedless)
  must(needless.length === 0, `${name} has ${needless.slice(0, 9).join()}`)
  done(`${name} is built: ${Math.round(all)} MB, of which its base has ${Math.round(base)}`)
}

/** What no image needs: types and maps of packages, what only develops, and what is nobody's business. */
function isNeedless(path: string): boolean {
  const isUnread = /^app\/node_modules\/.*\.([cm]?ts|map)$/.test(path)
  const develops = /^app\/node_modules\/(typescript|vitest|oxlint|oxfmt|node-linux-|@types\/)/.test(path)
  return isUnread || develops || /^app\/((test|trials|infra|\.git)\/|.*(\.test\.ts|\/\.env)$)/.test(path)
}

/** What was seen, for whoever reads along. */
function done(what: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)} ${what}`)
}

function caddyImage(): string {
  return /image: (\S+caddy\S+)/.exec(readFileSync("compose.yaml", "utf8"))![1]!
}

/** Runs what compose.yaml says, and looks at what becomes of it and of a number. */
async function runs(engine: Engine, folder: string): Promise<void> {
  const service = new Composed(engine, folder)
  const up = async () => await service.compose("up", "--detach", "--wait")
  const down = async (...how: string[]) => await service.compose("down", "--remove-orphans", ...how)
  await down("--volumes")
  try {
    await up()
    done("the service and Caddy are healthy")
    const number = await LinkedNumber.link(service)
    await number.sends("Sent from a container")
    await number.receives("Received in a container")
    done("a number is linked, sends and receives")
    await isConfined(service)
    await stops(service)
    await number.receives("after stops and starts")
    await comesBack(service, { up, down })
    await number.receives("after what a machine goes through")
    await isUpgraded(engine, folder, { service, up })
    await number.receives("after the upgrade")
    await isRestored(service)
    await number.receives("after the restore")
    await number.sends("after the restore")
    done("the number is linked, and sends and receives, after all of it")
  } finally {
    await down("--volumes")
  }
}

/** The rights of the service, as its own processes see them, and those of its volumes. */
async function isConfined(service: Composed): Promise<void> {
  const look = String.raw`
    const { readFileSync, statSync, writeFileSync } = require("fs")
    const status = readFileSync("/proc/self/status", "utf8").split("\n").map((line) => line.split(":\t"))
    const { CapEff, NoNewPrivs, Seccomp } = Object.fromEntries(status)
    const writes = (path) => { try { writeFileSync(path, ""); return true } catch { return false } }
    const folders = ["/var/lib/messaging-bridge", "/var/backups/messaging-bridge"]
    const rights = (path) => [statSync(path).uid, (statSync(path).mode & 0o777).toString(8)]
    console.log(JSON.stringify({
      uid: process.getuid(), CapEff, NoNewPrivs, Seccomp, writes: ["/app/x", "/tmp/x"].map(writes),
      volumes: folders.map(rights), memory: process.constrainedMemory(),
      files: /Max open files +(\d+)/.exec(readFileSync("/proc/self/limits", "utf8"))[1],
    }))`
  const seen = await service.inside("node", "-e", look)
  const wanted = {
    uid: 1000,
    CapEff: "0000000000000000",
    NoNewPrivs: "1",
    Seccomp: "2",
    writes: [false, true],
    volumes: [
      [1000, "700"],
      [1000, "700"],
    ],
    memory: 2 * 1024 ** 3,
    files: String(service.files),
  }
  must(seen === JSON.stringify(wanted), `the service in its container sees ${seen}`)
  const began = await service.inspect("bridge", "{{.State.StartedAt}}")
  const hungry = "const all = []; for (;;) all.push(Buffer.alloc(1e8, 1))"
  await service.inside("node", "-e", hungry).catch((error: unknown) => {
    if (!(error instanceof Unexpected)) throw error
  })
  await service.answers()
  const still = await service.inspect("bridge", "{{.State.StartedAt}}")
  must(still === began, "a program that took all memory has ended the service")
  done("it has the rights and limits of compose.yaml, and outlives a child that takes all memory")
}

/** A stop takes seconds, whenever it comes. */
async function stops(service: Composed): Promise<void> {
  for (const afterMs of [undefined, 0, 300, 1000, 3000]) {
    if (afterMs !== undefined) {
      await service.compose("start", "bridge")
      await sleep(afterMs)
    }
    const began = performance.now()
    await service.compose("stop", "bridge")
    const ms = Math.round(performance.now() - began)
    const code = await service.inspect("bridge", "{{.State.ExitCode}}")
    // In its first moment Node has not come to what listens for a stop: SIGTERM ends it.
    must(code === "0" || (code === "143" && afterMs !== undefined), `it was stopped with code ${code}`)
    must(ms < 10_000, `a stop took ${ms} ms`)
    done(`a stop ${afterMs === undefined ? "" : `${afterMs} ms after the start `}took ${ms} ms: ${code}`)
  }
  const began = performance.now()
  await service.compose("start", "bridge")
  done(`it was up ${Math.round(await service.answers(began))} ms after the start`)
}

/** Whatever a machine goes through, both services come back by themselves, with Caddy at its own address. */
async function comesBack(
  service: Composed,
  { up, down }: { up: () => Promise<unknown>; down: () => Promise<unknown> },
): Promise<void> {
  process.kill(Number(await service.inspect("bridge", "{{.State.Pid}}")), "SIGKILL")
  await service.answers()
  done("it came back after SIGKILL")
  for (let times = 0; times < 6; times++) {
    await down()
    await up()
  }
  done("both came up again 6 times of 6, with their data")
}

/** A newer image takes the place of the running one. Callers wait meanwhile, and no call fails. */
async function isUpgraded(
  engine: Engine,
  folder: string,
  { service, up }: { service: Composed; up: () => Promise<unknown> },
): Promise<void> {
  writeFileSync(join(folder, "docs/upgraded.md"), "An upgrade\n")
  await build(engine, folder, "messaging-bridge")
  const seen = await isServedDuring(service, up)
  await service.inside("test", "-e", "docs/upgraded.md")
  done(`an upgrade: ${seen}`)
}

/** As docs/one-machine.md says. */
async function isRestored(service: Composed): Promise<void> {
  const made = await service.admin("backup make")
  const file = /path=(\S+)/.exec(made)![1]!
  await service.compose("stop", "bridge")
  const words = ["node", "admin/main.ts", "backup", "restore", file, "replace"]
  const said = await service.compose("run", "--rm", "bridge", ...words)
  must(said.includes("restored="), said)
  await service.compose("start", "bridge")
  await service.answers()
  done("a backup was made and restored")
}
