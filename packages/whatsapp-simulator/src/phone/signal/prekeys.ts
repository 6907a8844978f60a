import * as Curve from "../../wire/curve.ts"
import { bigEndian, el, type Node } from "../../wire/node.ts"
import type { Handset } from "../handset.ts"

/** How many one-time prekeys a phone leaves with the network at once. */
const batch = 30

/** Leaves new one-time prekeys with the network, and its other keys as they are. */
export function leavePreKeys(handset: Handset) {
  const identity = handset.keys.identity()
  const first = identity.nextPreKey
  const pairs = Array.from({ length: batch }, (_, i) => ({ id: first + i, pair: Curve.generate() }))
  for (const { id, pair } of pairs) handset.keys.put("prekey", String(id), pair)
  handset.keys.put("identity", "", { ...identity, nextPreKey: first + batch })
  const { id, pair, signature } = identity.signedPreKey
  const keys = pairs.map((one) =>
    el("key", {}, [el("id", {}, bigEndian(one.id, 3)), el("value", {}, one.pair.public)]),
  )
  handset.network.store.atomically(() => {
    handset.keys.commit()
    handset.ask("encrypt", "set", [
      el("registration", {}, bigEndian(identity.registrationId, 4)),
      el("type", {}, Buffer.from([5])),
      el("identity", {}, identity.identity.public),
      el("list", {}, keys),
      el("skey", {}, [
        el("id", {}, bigEndian(id, 3)),
        el("value", {}, pair.public),
        el("signature", {}, signature),
      ]),
    ])
  })
}

/** Keys to start a session with the phone: its own, and a one-time prekey that the network does not have. */
export function makeRetryKeys(handset: Handset): Node {
  const identity = handset.keys.identity()
  const preKeyId = identity.nextPreKey
  const preKey = Curve.generate()
  handset.keys.put("prekey", String(preKeyId), preKey)
  handset.keys.put("identity", "", { ...identity, nextPreKey: preKeyId + 1 })
  handset.keys.commit()
  const { id, pair, signature } = identity.signedPreKey
  return el("keys", {}, [
    el("type", {}, Buffer.from([5])),
    el("identity", {}, identity.identity.public),
    el("key", {}, [el("id", {}, bigEndian(preKeyId, 3)), el("value", {}, preKey.public)]),
    el("skey", {}, [
      el("id", {}, bigEndian(id, 3)),
      el("value", {}, pair.public),
      el("signature", {}, signature),
    ]),
  ])
}
