import { z } from "zod"
import type { SessionHost } from "#session-host/host/host.ts"
import type * as Schema from "#simulator/control/schemas.ts"
import { readQr } from "#simulator/phone/qr-image.ts"
import type { Network } from "../network/network.ts"
import { aBridge } from "../service/bridge.ts"
import { until } from "../until.ts"
import { aHost, call, held, statusOf } from "./host.ts"

/**
 * The text of the code in the picture that `qr` returns. A host may not have heard yet that it holds the
 * bridge (421).
 */
export async function codeOf(bridgeId: string): Promise<string> {
  const answer = await until(async () => {
    const said = await call(bridgeId, "GET", "/qr")
    return said.status !== 421 && said
  })
  if (answer.status !== 200) throw new Error(`qr: ${answer.status} ${await answer.text()}`)
  const code = readQr(Buffer.from(await answer.arrayBuffer()))
  if (code === undefined) throw new Error("there is no code in the picture")
  return code
}

/**
 * A phone scans the bridge's code. A host that the machine starves closes its sockets amid the linking, as it
 * must, and a code may expire before it is scanned. The phone may be linked all the same, and else the next
 * code is scanned, as a person would.
 */
export async function scanCode(
  phone: { scan(code: string): Promise<unknown> },
  bridgeId: string,
): Promise<void> {
  await until(async () => {
    try {
      await phone.scan(await codeOf(bridgeId))
      return true
    } catch (error) {
      if (/the companion hung up|qr: 503|unknown_ref/.test(String(error))) return false
      if (String(error).includes("already_paired")) return (await statusOf(bridgeId)) === "connected"
      throw error
    }
  })
}

/** A bridge on a host of its own, linked to a phone of its own and connected. */
export async function aPairedSession(
  network: Network,
  options: Parameters<typeof aHost>[1] & {
    host?: SessionHost
    account?: z.input<typeof Schema.ChangePhone>
  } = {},
) {
  const host = options.host ?? (await aHost(network, options))
  const bridge = await aBridge()
  await held(bridge.id)
  const phone = await network.phone("Ada")
  if (options.account) await network.control.change(phone.number, options.account)
  await scanCode(phone, bridge.id)
  await until(async () => (await statusOf(bridge.id)) === "connected")
  const path = `/phones/${phone.number}`
  // 0 is the phone itself.
  const devices = async () =>
    Phone.parse(await network.call("GET", path)).devices.filter((device) => device.id !== 0)
  const [first] = await devices()
  return {
    bridge,
    phone,
    host,
    /** Whether the network sees the session's device as connected. */
    isConnected: async () => (await devices()).some((device) => device.connected),
    /** Makes the network end the session's connection. */
    end: (how: "cut" | "replaced" | "device_removed" | "restart" | "unavailable" | "rate_limited") =>
      network.call("POST", `/connections/${phone.number}:${first!.id}/end`, { how }),
    /** The owner of the phone removes the device. */
    unlink: () => network.call("DELETE", `${path}/devices/${first!.id}`),
  }
}

const Phone = z.object({ devices: z.array(z.object({ id: z.number(), connected: z.boolean() })) })
