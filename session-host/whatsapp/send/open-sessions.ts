import { setImmediate as nextTurn } from "node:timers/promises"
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  isPnUser,
  parseAndInjectE2ESessions,
  S_WHATSAPP_NET,
  type WASocket,
} from "@whiskeysockets/baileys"
import { answerInTime } from "../questions/ask.ts"
import type { ILogger } from "../quiet-log.ts"
import type { Keys } from "../signal/keys.ts"
import { SessionRecord } from "../signal/libsignal.ts"
import { type Device, type DeviceLists, jidOf } from "./device-lists.ts"

/** How many prekeys are asked for at once. */
const atOnce = 100

interface Input {
  devices: Pick<DeviceLists, "noteNoKeys">
  keys: Keys
  sock: () => Pick<WASocket, "query" | "signalRepository">
  log: ILogger
}

/**
 * Opens the sessions that are missing, before Baileys looks for them.
 * @returns whether there is a session with each device now. The network has no keys for some. Such a device
 * has a session all the same once it has written to us. @throws NetworkRejected, NoAnswer
 */
export async function openSessions(input: Input, devices: Device[]): Promise<Map<string, boolean>> {
  const { sock, log } = input
  const jids = devices.map(jidOf)
  const refused = new Set(devices.filter((device) => device.hasNoKeys).map(jidOf))
  const reached = new Map(jids.map((jid) => [jid, true]))
  const missing = await withoutSession(input, jids)
  const asked = missing.filter(({ jid }) => !refused.has(jid))
  const keyless = new Set<string>()
  for (let at = 0; at < asked.length; at += atOnce) {
    const some = asked.slice(at, at + atOnce)
    const bundles = await bundlesOf(
      sock(),
      some.map(({ wire }) => wire),
    )
    for (const { jid, wire } of some) {
      const bundle = bundles.get(wire)
      if (hasNoKeys(bundle)) keyless.add(jid)
      reached.set(jid, await open(sock(), bundle, log))
    }
  }
  input.devices.noteNoKeys(devices.filter((device) => keyless.has(jidOf(device))))
  for (const { jid } of missing) if (refused.has(jid)) reached.set(jid, false)
  const without = asked.filter(({ jid }) => !reached.get(jid)).length
  if (without > 0) log.warn({ devices: without }, "devices without keys are left out")
  return reached
}

async function bundlesOf(sock: Pick<WASocket, "query">, jids: string[]): Promise<Map<string, BinaryNode>> {
  const users = jids.map((jid) => ({ tag: "user", attrs: { jid } }))
  const attrs = { xmlns: "encrypt", type: "get", to: S_WHATSAPP_NET }
  const question = { tag: "iq", attrs, content: [{ tag: "key", attrs: {}, content: users }] }
  const answer = await answerInTime<BinaryNode>(sock.query(question))
  const bundles = getBinaryNodeChildren(getBinaryNodeChild(answer, "list"), "user")
  return new Map(bundles.map((bundle) => [bundle.attrs.jid ?? "", bundle]))
}

/** The devices as Baileys names them, and as the network is asked about them: by LID if that is known. */
async function withoutSession({ sock, keys }: Input, jids: string[]) {
  const { signalRepository: repository } = sock()
  const lids = (await repository.lidMapping.getLIDsForPNs(jids.filter((jid) => isPnUser(jid)))) ?? []
  const wires = new Map(lids.map(({ pn, lid }) => [pn, lid]))
  const all = jids.map((jid) => {
    const wire = wires.get(jid) ?? jid
    return { jid, wire, address: repository.jidToSignalProtocolAddress(wire) }
  })
  const records = await keys.get(
    "session",
    all.map(({ address }) => address),
  )
  return all.filter(({ address }) => {
    const record = records[address]
    return !record || !SessionRecord.deserialize(record).getOpenSession()
  })
}

/** Whether the network says for good that it has no keys of this device. Any other refusal may pass. */
function hasNoKeys(bundle: BinaryNode | undefined): boolean {
  const { code = "" } = getBinaryNodeChild(bundle, "error")?.attrs ?? {}
  return ["404", "406"].includes(code)
}

/** Opens one session, and lets others have a turn: it takes a millisecond, and there may be thousands. */
async function open(
  { signalRepository }: Pick<WASocket, "signalRepository">,
  bundle: BinaryNode | undefined,
  log: ILogger,
): Promise<boolean> {
  if (!bundle) return false
  const list = { tag: "list", attrs: {}, content: [bundle] }
  try {
    await parseAndInjectE2ESessions({ tag: "iq", attrs: {}, content: [list] }, signalRepository)
    return true
  } catch (error) {
    log.debug({ error }, "no session with a device")
    return false
  } finally {
    await nextTurn()
  }
}
