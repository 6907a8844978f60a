import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { Ajv } from "ajv"
import ipaddr from "ipaddr.js"
import { expect, onTestFinished, test } from "vitest"
import { parse } from "yaml"
import { z } from "zod"
import { ServeSettings } from "#one-machine/service/settings.ts"

const Service = z.looseObject({
  environment: z.record(z.string(), z.string()),
  stop_grace_period: z.string().optional(),
  networks: z.object({ default: z.object({ ipv4_address: z.string() }) }).optional(),
})
const composed: unknown = parse(readFileSync("compose.yaml", "utf8"), { merge: true })
const { bridge, caddy } = z
  .object({ services: z.object({ bridge: Service, caddy: Service }) })
  .parse(composed).services
const unit = readFileSync("one-machine/messaging-bridge.service", "utf8")

/** The settings that one-machine/settings prints. */
function settled(...args: string[]): Record<string, string> {
  const printed = execFileSync("sh", ["one-machine/settings", ...args], { encoding: "utf8", stdio: "pipe" })
  return parseEnv(printed) as Record<string, string>
}

// compose-spec.json is schema/compose-spec.json of github.com/compose-spec/compose-spec at 170098ba
// (Apache-2.0).
test("compose.yaml is as the Compose Specification wants it", () => {
  const schema = JSON.parse(readFileSync("test/one-machine/compose-spec.json", "utf8")) as object
  const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false })
  expect(ajv.validate(schema, composed) || ajv.errors).toBe(true)
})

test("neither container may do more than it needs", () => {
  for (const service of [bridge, caddy])
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      mem_limit: expect.any(String),
      pids_limit: expect.any(Number),
      restart: "always",
      logging: { driver: "local", options: { "max-size": "20m", "max-file": "5" } },
    })
})

test("the service in its container believes Caddy alone about a caller's address", () => {
  const settings = { ...settled("https://wa.example.com", "you@example.com"), ...bridge.environment }
  const { listen, serving } = ServeSettings.parse(settings)
  expect(serving.TRUST_PROXY).toBe(`${caddy.networks!.default.ipv4_address}/32`)
  expect(caddy.environment.LISTEN).toBe(`bridge:${listen.port}`)
})

test("Docker gives Caddy's address to no other container", () => {
  const { ipam } = z
    .object({
      networks: z.object({
        default: z.object({ ipam: z.object({ config: z.array(z.record(z.string(), z.string())) }) }),
      }),
    })
    .parse(composed).networks.default
  const [{ subnet, ip_range: range } = {}] = ipam.config
  const address = ipaddr.parse(caddy.networks!.default.ipv4_address)
  expect(address.match(ipaddr.parseCIDR(subnet!))).toBe(true)
  expect(address.match(ipaddr.parseCIDR(range!))).toBe(false)
})

test("a container is given as long to stop as the unit is", () => {
  expect(bridge.stop_grace_period).toBe(`${/^TimeoutStopSec=(\d+)$/m.exec(unit)![1]}s`)
})

test("neither the kernel's end of one child stops the unit, nor an end stays so but for a wrong setting", () => {
  const lines = unit.split("\n")
  expect(lines).toContain("OOMPolicy=continue")
  expect(lines).toContain("Restart=always")
  expect(lines).toContain("RestartPreventExitStatus=78")
})

test("new settings have secrets of their own, and are what the service takes", () => {
  const [one, other] = [
    settled("https://wa.example.com/", "a@example.com"),
    settled("https://b.test", "b@example.com"),
  ]
  expect(ServeSettings.parse(one).serving).toMatchObject({
    PUBLIC_URL: "https://wa.example.com",
    OPERATOR_EMAIL: "a@example.com",
    backups: { dir: "/var/backups/messaging-bridge" },
  })
  expect(one.METRICS_TOKEN).toMatch(/^[0-9a-f]{48}$/)
  const secrets = [one, other].flatMap((settings) => [settings.METRICS_TOKEN, settings.BACKUP_PASSPHRASE])
  expect(new Set(secrets).size).toBe(4)
})

test.for([
  { given: [] },
  { given: ["wa.example.com", "you@example.com"] },
  { given: ["https://wa.example.com", "you"] },
])("no settings are made of $given", ({ given }) => {
  expect(() => settled(...given)).toThrow("needs the service's address and yours")
})

test("settings in quotes mean the same to the installer, Caddy's site and the unit as to the service", () => {
  const root = mkdtempSync(join(tmpdir(), "install-"))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const [bin, checkedOut] = [join(root, "bin"), join(root, "opt")]
  mkdirSync(join(root, "etc"))
  mkdirSync(bin)
  for (const name of ["npm", "caddy", "systemctl"])
    writeFileSync(join(bin, name), "#!/bin/sh\n", { mode: 0o755 })
  cpSync("one-machine", join(checkedOut, "one-machine"), { recursive: true })
  const run = (...words: string[]) =>
    execFileSync(words[0]!, words.slice(1), {
      cwd: checkedOut,
      env: { ...process.env, DESTDIR: root, PATH: `${bin}:${process.env.PATH}` },
      stdio: "pipe",
    })
  run("git", "init", "--quiet")
  run("git", "add", ".")
  run("git", "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "--quiet", "-m", "x")
  writeFileSync(
    join(root, "etc/messaging-bridge.env"),
    `PUBLIC_URL="https://wa.example.com"\nLISTEN='127.0.0.1:9999'\nBACKUP_DIR='/mnt/my disk'\nDATA_DIR=/srv/bridge\n`,
  )
  run("one-machine/install")
  const made = (path: string) => readFileSync(join(root, "etc", path), "utf8")
  expect(made("caddy/messaging-bridge.caddy")).toMatch(/^https:\/\/wa\.example\.com \{$/m)
  expect(made("caddy/messaging-bridge.caddy")).toContain("reverse_proxy 127.0.0.1:9999 {")
  expect(made("systemd/system/messaging-bridge.service")).toContain(
    '\nReadWritePaths="-/srv/bridge" "-/mnt/my disk"\n',
  )
})
