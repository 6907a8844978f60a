import { randomInt } from "node:crypto"
import { pack, type Store, unpack } from "../storage/store.ts"
import * as Jid from "../wire/jid.ts"

/** One person on the network. `pn` is the phone number's digits, `lid` the private id's. */
export interface User {
  pn: string
  lid: string
  /**
   * Earlier private ids. A message to one of them is acknowledged with the hint that the id is out of date.
   */
  formerLids?: string[]
  /** The push name, as the person's own devices say it. */
  name: string
  nextDevice: number
  /** A household's members see only each other, and are seen only by each other. */
  household?: Household
  /** A person of a crowd: no phone plays them, and messages to them are forgotten. */
  crowd?: boolean
}

/** The people around a sandbox bridge, and what one of them does there. */
export interface Household {
  name: string
  role: "owner" | "echo" | "voter"
}

export interface SignedPreKey {
  id: number
  value: Buffer
  signature: Buffer
}

/** A device of a person: 0 is the phone, the others its companions. */
export interface Device {
  user: string
  id: number
  /** Companions only: the key it must log in with. */
  noiseKey?: Buffer
  keyIndex: number
  /** Companions only: what their phone and they signed about each other (ADVSignedDeviceIdentity). */
  signedIdentity?: Buffer
  registrationId: number
  identity: Buffer
  signedPreKey: SignedPreKey
  platform: string
  addedAt: number
  /** Companions only: when it was last shown as available, in Unix seconds; absent: never. */
  lastAvailable?: number
}

/** Which device: the person's phone number and the device's id. */
export interface DeviceAddress {
  user: string
  id: number
}

/** `number:device`, as faults and the log name it. */
export function deviceName(address: DeviceAddress) {
  return `${address.user}:${address.id}`
}

/** Everyone and every device, in memory and in the store. */
export type Directory = ReturnType<typeof open>

export function open(store: Store) {
  makeTables(store)
  const users = new Map<string, User>()
  const byLid = new Map<string, User>()
  const devices = new Map<string, Map<number, Device>>()
  const saveUser = store.db.prepare("INSERT OR REPLACE INTO users VALUES (?, ?)")
  const saveDevice = store.db.prepare("INSERT OR REPLACE INTO devices VALUES (?, ?, ?)")
  const dropDevice = store.db.prepare("DELETE FROM devices WHERE user = ? AND id = ?")

  const remember = (user: User) => {
    users.set(user.pn, user)
    for (const lid of [user.lid, ...(user.formerLids ?? [])]) byLid.set(lid, user)
    if (!devices.has(user.pn)) devices.set(user.pn, new Map())
  }
  for (const row of store.db.prepare("SELECT data FROM users").all()) remember(unpack(row.data) as User)
  for (const row of store.db.prepare("SELECT data FROM devices ORDER BY user, id").all()) {
    const device = unpack(row.data) as Device
    devices.get(device.user)?.set(device.id, device)
  }

  const freeLid = (): string => {
    const lid = `${randomInt(1, 10)}${digits(14)}`
    return byLid.has(lid) ? freeLid() : lid
  }

  return {
    users: () => [...users.values()],
    /** By phone number. */
    user: (pn: string) => users.get(pn),
    /** Finds a person by address, phone number or LID; the device in it is not looked at. */
    find: (jid: Jid.Jid | undefined) =>
      jid?.server === "lid"
        ? byLid.get(jid.user)
        : jid?.server === Jid.server
          ? users.get(jid.user)
          : undefined,
    /** A number that is not taken. */
    freeNumber(): string {
      const pn = `1555${digits(7)}`
      return users.has(pn) ? this.freeNumber() : pn
    },
    addUser(pn: string, name: string, more: Pick<User, "household" | "crowd"> = {}): User {
      const user: User = { pn, lid: freeLid(), name, nextDevice: 1, ...more }
      saveUser.run(pn, pack(user))
      remember(user)
      return user
    },
    /** Gives a person another private id. */
    changeLid(user: User) {
      Object.assign(user, { formerLids: [...(user.formerLids ?? []), user.lid], lid: freeLid() })
      saveUser.run(user.pn, pack(user))
      remember(user)
    },
    saveUser(user: User) {
      saveUser.run(user.pn, pack(user))
    },
    devices: (pn: string) => [...(devices.get(pn)?.values() ?? [])],
    device: (address: DeviceAddress) => devices.get(address.user)?.get(address.id),
    saveDevice(device: Device) {
      saveDevice.run(device.user, device.id, pack(device))
      devices.get(device.user)?.set(device.id, device)
    },
    removeDevice(address: DeviceAddress) {
      dropDevice.run(address.user, address.id)
      devices.get(address.user)?.delete(address.id)
    },
  }
}

function makeTables(store: Store): void {
  store.db.exec(`
    CREATE TABLE IF NOT EXISTS users (pn TEXT PRIMARY KEY, data BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS devices (user TEXT, id INTEGER, data BLOB NOT NULL, PRIMARY KEY (user, id));
  `)
}

function digits(length: number): string {
  return Array.from({ length }, () => randomInt(10)).join("")
}
