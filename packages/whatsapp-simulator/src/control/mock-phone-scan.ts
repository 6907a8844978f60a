import { createHash } from "node:crypto"
import * as Pairing from "../devices/pairing.ts"
import type { Network } from "../network/network.ts"
import * as Phones from "../phone/create-phone.ts"
import { readCode } from "../phone/link.ts"
import { linkedAnswer } from "./phones.ts"

/**
 * Links the client that shows this code, as public client suites ask for it. The phone goes by the
 * client's push name: two clients of one name are two devices of one phone, made at the first.
 */
export async function scanWithMockPhone(network: Network, qr: string) {
  const code = readCode(qr)
  if (!code) throw new Pairing.PairingError("not_a_code", "this is not a code for linking a device")
  const { pushName } = Pairing.find(network, code.ref)
  const number = pushName ? numberOf(pushName) : network.directory.freeNumber()
  const phone =
    network.phones.get(number) ?? Phones.createPhone(network, { number, name: pushName || undefined })
  return linkedAnswer(phone, await phone.scan(qr))
}

/** The number of everyone who goes by this name. */
function numberOf(pushName: string): string {
  const digest = createHash("sha256").update(pushName).digest()
  return `5599${String(digest.readUInt32BE() % 100_000_000).padStart(8, "0")}`
}
