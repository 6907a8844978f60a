import { randomBytes, randomInt } from "node:crypto"
import { now } from "../clock.ts"
import { once } from "../storage/store.ts"
import * as Curve from "../wire/curve.ts"
import type { SignedPreKey, User } from "./directory.ts"
import type { Network } from "./network.ts"

/**
 * Adds a crowd: people whom no phone plays. They have names, private ids and devices with keys, and forget
 * what is sent to them. They make groups and address books large at little cost: all of them share one
 * identity, and have no one-time prekeys. `devices` is how many a person has on average.
 */
export function addCrowd(network: Network, { count, devices }: { count: number; devices: number }): User[] {
  const keys = once(network.store, "crowd", newKeys)
  return network.store.atomically(() =>
    Array.from({ length: count }, (_, n) => {
      const user = network.directory.addUser(network.directory.freeNumber(), nameOf(n), { crowd: true })
      // How many devices this person gets, so that the average is kept.
      const own = Math.floor((n + 1) * devices) - Math.floor(n * devices)
      for (let id = 0; id < own; id++) addDevice(network, user, id, keys)
      return user
    }),
  )
}

interface CrowdKeys {
  identity: Buffer
  signedPreKey: SignedPreKey
}

function addDevice(network: Network, user: User, id: number, { identity, signedPreKey }: CrowdKeys): void {
  const registrationId = randomInt(1, 16_380)
  const noiseKey = id === 0 ? {} : { noiseKey: randomBytes(32) }
  const device = { user: user.pn, id, keyIndex: id, addedAt: now(), platform: "android", registrationId }
  network.directory.saveDevice({ ...device, ...noiseKey, identity, signedPreKey })
}

function newKeys(): CrowdKeys {
  const identity = Curve.generate()
  const { public: value } = Curve.generate()
  const signature = Curve.sign(identity.private, Buffer.concat([Buffer.of(5), value]))
  return { identity: identity.public, signedPreKey: { id: 1, value, signature } }
}

function nameOf(n: number): string {
  return `Person ${String(n + 1).padStart(5, "0")}`
}
