import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { z } from "zod"
import { connect } from "../../support/network/baileys-client.ts"
import { aNetwork } from "../../support/network/network.ts"

const cleanups: (() => void)[] = []
afterEach(() => cleanups.splice(0).forEach((cleanup) => cleanup()))

function aDirectory() {
  const directory = mkdtempSync(join(tmpdir(), "simulator-"))
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

test("a restarted network knows its root, its phones, its devices, and what waits for them", async () => {
  const network = await aNetwork({ dataDir: aDirectory() })
  const { ada, bob, client } = await network.chat()
  const { rootKey } = network
  await client.sock.sendMessage(bob.jid, { text: "before" })
  await bob.read({ text: "before" })
  client.close()
  await bob.send(ada.number, "while you were away")

  await network.restart()
  expect(network.rootKey).toEqual(rootKey)
  const again = network.client(client.device)
  const { type } = await again.message("while you were away")
  expect(type).toBe("append")
  await again.sock.sendMessage(bob.jid, { text: "after" })
  expect((await bob.read({ text: "after" }))[0]).toMatchObject({ from: ada.number, times: 1 })
  await bob.send(ada.number, "and back")
  await again.message("and back")
  expect(await network.call("GET", `/phones/${bob.number}`)).toMatchObject({
    name: "Bob",
    not_decrypted: { bad: 0, no_session: 0, repeated: 0, unknown_prekey: 0 },
  })
  await network.close()
})

const Ready = z.object({ url: z.string(), control_url: z.string(), root_key: z.string() })

async function aProcess(dataDir: string, settings: Record<string, string> = {}) {
  const child = spawn(process.execPath, ["packages/whatsapp-simulator/src/main.ts"], {
    env: { ...process.env, SIMULATOR_DATA_DIR: dataDir, ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  })
  cleanups.push(() => void child.kill("SIGKILL"))
  const [line] = (await once(child.stdout, "data")) as [Buffer]
  const ready = Ready.parse(JSON.parse(line.toString()))
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${ready.control_url}${path}`, {
      method: "POST",
      body: JSON.stringify(body),
    })
    return z
      .looseObject({ number: z.string().optional(), id: z.string().optional() })
      .parse(await response.json())
  }
  return {
    ...ready,
    post,
    end: async (signal: NodeJS.Signals) => {
      child.kill(signal)
      const [code] = (await once(child, "exit")) as [number | null]
      return code
    },
  }
}

type Running = Awaited<ReturnType<typeof aProcess>>

/** A phone, and the device that is linked to it. */
async function linked(network: Running) {
  const phone = await network.post("/phones", {})
  const unlinked = connect(network)
  await network.post(`/phones/${phone.number}/scan`, { qr: await unlinked.qr() })
  await unlinked.closed()
  return { number: phone.number, device: unlinked.device }
}
type Linked = Awaited<ReturnType<typeof linked>>

test("a killed network process has lost nothing it had taken, and a signal ends it with code 0", async () => {
  const dataDir = aDirectory()
  const first = await aProcess(dataDir)
  const [ada, bob] = [await linked(first), await first.post("/phones", {})]
  const client = connect(first, ada.device)
  await client.online()
  await client.sock.sendMessage(`${bob.number}@s.whatsapp.net`, { text: "hello" })
  client.close()
  await first.post(`/phones/${bob.number}/messages`, { to: ada.number, text: "taken" })
  await first.end("SIGKILL")

  const second = await aProcess(dataDir)
  expect(second.root_key).toBe(first.root_key)
  const again = connect(second, ada.device)
  await again.message("taken")
  await second.post(`/phones/${bob.number}/messages`, { to: ada.number, text: "onwards" })
  await again.message("onwards")
  again.close()
  expect(await second.end("SIGTERM")).toBe(0)
})

/**
 * Notes the stanzas that reach Baileys, since it may drop messages that it has not told yet when its
 * connection goes; and why it could not read one.
 */
async function reader(
  network: Running,
  { device }: Linked,
  { reached, unreadable }: { reached: Set<string>; unreadable: string[] },
) {
  const client = connect(network, device)
  client.sock.ws.on("CB:message", ({ attrs }: { attrs: Record<string, string> }) => reached.add(attrs.id!))
  client.sock.ev.on("messages.upsert", ({ messages }) =>
    unreadable.push(
      // A message that comes again because its receipt was lost has a used key. That is no broken ratchet.
      ...messages
        .flatMap(({ messageStubParameters }) => messageStubParameters ?? [])
        .filter((why) => !why.startsWith("Key used")),
    ),
  )
  await client.open()
  return client
}

/** Notes which of its messages the network has taken. */
async function writer(network: Running, { device }: Linked, acknowledged: Set<string>) {
  const client = connect(network, device)
  client.sock.ws.on("CB:ack,class:message", ({ attrs }: { attrs: Record<string, string> }) =>
    acknowledged.add(attrs.id!),
  )
  await client.open()
  return client
}

test("kills amid traffic lose nothing that was acknowledged, and no ratchet breaks", async () => {
  const dataDir = aDirectory()
  let network = await aProcess(dataDir)
  const ports = {
    SIMULATOR_PORT: new URL(network.url).port,
    SIMULATOR_CONTROL_PORT: new URL(network.control_url).port,
  }
  // Cleo only writes and Ada only reads: Baileys forgets a session that it opened for a message when the
  // socket breaks under it, though the message may have left, and could not read what is answered under that
  // session.
  const [ada, cleo, bob] = [await linked(network), await linked(network), await network.post("/phones", {})]
  const heard = { reached: new Set<string>(), unreadable: [] as string[] }
  const acknowledged = { bob: new Set<string>(), cleo: new Set<string>() }
  const connected = () => Promise.all([reader(network, ada, heard), writer(network, cleo, acknowledged.cleo)])
  for (let round = 0; round < 3; round++) {
    const [reading, writing] = await connected()
    const toAda = Array.from({ length: 15 }, async () => {
      const { id } = await network.post(`/phones/${bob.number}/messages`, { to: ada.number, text: "to Ada" })
      if (id) acknowledged.bob.add(id)
    })
    const toBob = Array.from({ length: 15 }, () =>
      writing.sock.sendMessage(`${bob.number}@s.whatsapp.net`, { text: "to Bob" }),
    )
    const all = Promise.allSettled([...toAda, ...toBob])
    await Promise.race(toAda)
    await network.end("SIGKILL")
    await all
    await Promise.all([reading.closed(), writing.closed()])
    network = await aProcess(dataDir, ports)
  }

  const [reading, writing] = await connected()
  await network.post(`/phones/${bob.number}/messages`, { to: ada.number, text: "the end" })
  await reading.message("the end")
  expect(acknowledged.bob.size).toBeGreaterThan(0)
  expect([...acknowledged.bob].filter((id) => !heard.reached.has(id))).toEqual([])
  expect(heard.unreadable).toEqual([])

  await writing.sock.sendMessage(`${bob.number}@s.whatsapp.net`, { text: "mine too" })
  const read = await fetch(`${network.control_url}/phones/${bob.number}/messages?text=mine too&wait=10000`)
  expect(await read.json()).toHaveLength(1)
  const inbox = await fetch(`${network.control_url}/phones/${bob.number}/messages`)
  const ids = z.array(z.object({ id: z.string() })).parse(await inbox.json())
  const known = new Set(ids.map(({ id }) => id))
  expect([...acknowledged.cleo].filter((id) => !known.has(id))).toEqual([])
  reading.close()
  writing.close()
})

test("a directory belongs to one process at a time", async () => {
  const dataDir = aDirectory()
  const network = await aNetwork({ dataDir })
  await expect(aNetwork({ dataDir })).rejects.toThrow("database is locked")
  await network.close()
  const next = await aNetwork({ dataDir })
  await next.close()
})

test("a port that is not a port is refused with its name", async () => {
  const child = spawn(process.execPath, ["packages/whatsapp-simulator/src/main.ts"], {
    env: { ...process.env, SIMULATOR_PORT: "seventy" },
    stdio: ["ignore", "ignore", "pipe"],
  })
  const said: Buffer[] = []
  child.stderr.on("data", (chunk: Buffer) => said.push(chunk))
  const [code] = (await once(child, "exit")) as [number]
  expect(code).not.toBe(0)
  expect(Buffer.concat(said).toString()).toContain("SIMULATOR_PORT")
})
