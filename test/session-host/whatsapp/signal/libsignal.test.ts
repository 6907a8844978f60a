import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { decode } from "#session-host/network/decode.ts"
import { silencedLines } from "#session-host/whatsapp/patches/quiet-libsignal.ts"
import { aSignalDevice, twoSignalDevices } from "#test/support/network/signal-device.ts"

const text = async (plaintext: Promise<Uint8Array>) => decode(await plaintext).conversation

test("a message on an old session leaves the newer one as it was", async () => {
  const { ada, bob } = await twoSignalDevices()
  // It is on its way while Ada opens a new session with Bob, as Baileys does whenever it asks for devices.
  const late = await bob.encrypt(ada.lid, { conversation: "late" })
  await ada.open(bob)
  expect(await text(ada.decrypt(bob.lid, late))).toBe("late")

  for (const n of ["1", "2", "3"]) {
    expect(await text(bob.decrypt(ada.lid, await ada.encrypt(bob.lid, { conversation: n })))).toBe(n)
    expect(await text(ada.decrypt(bob.lid, await bob.encrypt(ada.lid, { conversation: n })))).toBe(n)
  }
})

test("a message that no session can read changes none", async () => {
  const { ada, bob } = await twoSignalDevices()
  const { type, ciphertext } = await ada.encrypt(bob.lid, { conversation: "broken" })
  const broken = Buffer.from(ciphertext)
  broken[broken.length - 1]! ^= 1
  const changes = bob.vault.changes.length
  await expect(bob.decrypt(ada.lid, { type, ciphertext: broken })).rejects.toThrow("No matching sessions")
  expect(bob.vault.changes).toHaveLength(changes)
  expect(await text(bob.decrypt(ada.lid, { type, ciphertext }))).toBe("broken")
})

test("the newest twelve closed sessions with a device are kept", async () => {
  const { ada, bob } = await twoSignalDevices()
  for (let i = 0; i < 16; i++) await ada.open(bob)
  const [kept] = ada.vault.ofType("session")
  expect(Object.keys(JSON.parse(kept!)._sessions)).toHaveLength(13)
})

test("a bundle whose prekey the identity has not signed opens no session", async () => {
  const [ada, bob] = [await aSignalDevice("111@lid"), await aSignalDevice("222@lid")]
  const bundle = await bob.bundle()
  const forged = { ...bundle, signedPreKey: { ...bundle.signedPreKey, signature: randomBytes(64) } }
  await expect(ada.open({ lid: bob.lid, bundle: async () => forged })).rejects.toThrow("not signed")
  expect(ada.vault.changes).toEqual([])
})

test.for([
  "session-host/whatsapp/signal/libsignal.ts",
  "packages/whatsapp-simulator/src/phone/signal/libsignal.ts",
])("%s finds all that it names outside of tests too", async (file) => {
  const script = `const found = await import("./${file}"); console.log(Object.values(found).every(Boolean))`
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script])
  expect(stdout).toBe("true\n")
})

test("all that libsignal prints is known, and nothing of it is printed", async () => {
  const source = join(dirname(createRequire(import.meta.url).resolve("libsignal")), "src")
  const files = (await readdir(source)).filter((file) => file.endsWith(".js"))
  const code = (await Promise.all(files.map((file) => readFile(join(source, file), "utf8")))).join("\n")
  const printed = [...code.matchAll(/^(?!\s*\/\/).*console\.\w+\(\s*["']([^"']+)["']/gm)].map(
    ([, first]) => first,
  )
  expect(code.match(/^(?!\s*\/\/).*console\.\w+\(/gm)).toHaveLength(printed.length)
  expect(printed.filter((first) => !silencedLines.some((line) => first!.startsWith(line)))).toEqual([])
})

test("closing a session prints nothing, while others may still print", async () => {
  const script = `
    import { installRepairs } from "#session-host/whatsapp/patches/install.ts"
    import { SessionRecord } from "#session-host/whatsapp/signal/libsignal.ts"
    installRepairs()
    new SessionRecord().closeSession({ indexInfo: { closed: -1 }, privKey: "private" })
    console.info("still printed")
  `
  const args = ["--input-type=module", "--eval", script]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args)
  expect(stdout).toBe("still printed\n")
  expect(stderr).toBe("")
})
