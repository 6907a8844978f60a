import type { Pairing } from "../devices/pairing.ts"
import * as PreKeys from "../devices/prekeys.ts"
import type { Phone } from "../phone/phone.ts"
import * as PhoneKeyStore from "../storage/phone-keys.ts"
import * as Archive from "../storage/phone-messages.ts"
import type { Store } from "../storage/store.ts"
import type { Authority } from "../wire/certificates.ts"
import * as AppState from "./app-state.ts"
import type { ConnectedDevice } from "./connected-device.ts"
import * as Directory from "./directory.ts"
import * as Faults from "./faults.ts"
import * as Groups from "./groups.ts"
import * as Media from "./media.ts"
import * as Newsletters from "./newsletters.ts"
import { type Patience, usualPatience } from "./patience.ts"
import * as Presence from "./presence.ts"
import * as Profiles from "./profiles.ts"
import * as Queue from "./queue.ts"
import type { StanzaLog } from "./stanza-log.ts"
import * as UsedKeys from "./used-keys.ts"

/** The messaging network: its people, the stanzas that wait for them, and their connections. */
export interface Network {
  store: Store
  log: StanzaLog
  authority: Authority
  directory: Directory.Directory
  prekeys: PreKeys.PreKeys
  usedKeys: UsedKeys.UsedKeys
  queue: Queue.Queue
  faults: Faults.Faults
  patience: Patience
  media: Media.Media
  groups: Groups.Groups
  newsletters: Newsletters.Newsletters
  appState: AppState.AppState
  profiles: Profiles.Profiles
  presence: Presence.Presence
  /** Connected devices, by `number:device`. */
  lines: Map<string, ConnectedDevice>
  /** Companions that show a QR code, by each of its refs. */
  pairings: Map<string, Pairing>
  /** The stores of the phones that we play: keys, and messages. */
  phoneKeys: PhoneKeyStore.PhoneKeyStore
  archive: Archive.Archive
  /** The phones we play, by number. */
  phones: Map<string, Phone>
  /** A sandbox bridge shows this code: the phone of its household scans it. */
  showCode: (household: string, qr: string) => void
}

export function create(
  input: { patience?: Partial<Patience> | undefined } & Pick<Network, "store" | "log" | "authority">,
): Network {
  return {
    ...input,
    directory: Directory.open(input.store),
    prekeys: PreKeys.open(input.store),
    usedKeys: UsedKeys.create(),
    queue: Queue.open(input.store),
    faults: Faults.create(),
    patience: { ...usualPatience, ...input.patience },
    media: Media.open(input.store),
    groups: Groups.open(input.store),
    newsletters: Newsletters.open(input.store),
    appState: AppState.open(input.store),
    profiles: Profiles.open(input.store),
    presence: Presence.create(),
    phoneKeys: PhoneKeyStore.open(input.store),
    archive: Archive.open(input.store),
    lines: new Map(),
    pairings: new Map(),
    phones: new Map(),
    showCode: () => {},
  }
}
