import { mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { useMultiFileAuthState as multiFileAuthState } from "@whiskeysockets/baileys"
import { onTestFinished } from "vitest"
import { trustRoot } from "#session-host/whatsapp/patches/verify-certificates.ts"
import { deviceOf, type Network } from "./network.ts"

/** A folder that is gone after this test. */
export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "gateway-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/**
 * A program with Baileys as people write it: a phone is linked to it, its keys are in a folder of
 * `useMultiFileAuthState`, and it is connected.
 */
export async function aGateway(network: Network, folder = join(aFolder(), "shop")) {
  const phone = await network.phone("Ada")
  const unlinked = await start(network, folder)
  await phone.scan(await unlinked.qr())
  await unlinked.closed()
  const client = await start(network, folder)
  await client.online()
  await network.control.settled(deviceOf(client), 10_000)
  return {
    phone,
    folder,
    client,
    /** Sends a text to a phone's number. */
    send: async (number: string, text: string) =>
      await client.sock.sendMessage(`${number}@s.whatsapp.net`, { text }),
    /** Dies, and has been dead for some minutes. */
    die: async () => {
      client.close()
      await client.saved()
      letRest(folder)
    },
  }
}

/** Starts the program on its folder. */
export async function start(network: Network, folder: string) {
  trustRoot(network.rootKey)
  const { state, saveCreds } = await multiFileAuthState(folder)
  const client = network.client(state)
  const saving: Promise<void>[] = []
  client.sock.ev.on("creds.update", () => void saving.push(saveCreds()))
  return Object.assign(client, { saved: async () => await Promise.all(saving) })
}

/** Lets nothing in this folder have changed lately. */
export function letRest(folder: string): void {
  const before = new Date(Date.now() - 10 * 60_000)
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), before, before)
}
