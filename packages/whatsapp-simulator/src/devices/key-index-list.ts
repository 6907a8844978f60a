import { proto } from "@whiskeysockets/baileys"
import { now } from "../clock.ts"
import type { Device, User } from "../network/directory.ts"
import type { Network } from "../network/network.ts"
import * as Curve from "../wire/curve.ts"
import { el, type Node } from "../wire/node.ts"

/** Prefixes of what a phone and its companion sign about each other. */
export const signaturePrefixes = {
  phone: Buffer.from([6, 0]),
  companion: Buffer.from([6, 1]),
  /** The list of an account's devices. */
  phoneForList: Buffer.from([6, 2]),
}

interface Made {
  /** The list's devices and the account's counter, from which `node` was made. */
  of: string
  node: Node
}

const made = new WeakMap<User, Made>()

/**
 * Lists the companions of an account, signed with the account's key (ADVSignedKeyIndexList): a strict client
 * writes to no companion that is missing from the list. The list is made anew when a device comes or goes.
 * The people of a crowd sign nothing, since no phone plays them.
 */
export function keyIndexList(network: Network, user: User): Node {
  const devices = network.directory.devices(user.pn)
  const of = [user.nextDevice, ...devices.map(({ id }) => id)].join()
  const known = made.get(user)
  if (known?.of === of) return known.node
  const ts = now()
  const node = el("key-index-list", { ts }, signed(network, user, { devices, ts }))
  made.set(user, { of, node })
  return node
}

function signed(
  network: Network,
  user: User,
  { devices, ts }: { devices: Device[]; ts: number },
): Buffer | undefined {
  const phone = network.phones.get(user.pn)?.handset.keys.identity()
  if (!phone) return undefined
  const details = proto.ADVKeyIndexList.encode({
    rawId: phone.rawId,
    timestamp: ts,
    currentIndex: user.nextDevice - 1,
    validIndexes: devices.map(({ keyIndex }) => keyIndex),
    accountType: proto.ADVEncryptionType.E2EE,
  }).finish()
  const accountSignature = Curve.sign(
    phone.identity.private,
    Buffer.concat([signaturePrefixes.phoneForList, details]),
  )
  const list = { details, accountSignature, accountSignatureKey: phone.identity.public }
  return Buffer.from(proto.ADVSignedKeyIndexList.encode(list).finish())
}
