import {
  Browsers,
  proto,
  type AuthenticationCreds,
  type UserFacingSocketConfig,
  type WAVersion,
} from "@whiskeysockets/baileys"
import type { Vault } from "../network.ts"
import type { Keys } from "./keys.ts"
import type { Hold } from "../locks.ts"
import type { ILogger } from "./quiet-log.ts"
import { durableRepository, type RepositoryInput } from "./repository.ts"
import { withoutKeyHolders } from "./transmission.ts"

interface Input {
  vault: Vault
  creds: AuthenticationCreds
  keys: Keys
  /** The same, as Baileys itself is to see them. */
  seen: Pick<Keys, "get" | "set">
  hold: Hold
  devices: UserFacingSocketConfig["userDevicesCache"]
  log: ILogger
  url?: string
  version?: WAVersion
  repository: Pick<RepositoryInput, "stanzaOf" | "onSettled">
}

/** How we want Baileys. */
export function socketConfig(input: Input): UserFacingSocketConfig {
  const { vault, creds, keys, seen, hold } = input
  return {
    auth: {
      creds,
      keys: {
        get: seen.get,
        // Baileys itself only removes sessions: not while one is in use.
        set: (data) => hold(Object.keys(data.session ?? {}), async () => seen.set(withoutKeyHolders(data))),
      },
    },
    logger: input.log,
    browser: Browsers.macOS("Chrome"),
    ...(input.url && { waWebSocketUrl: input.url }),
    ...(input.version && { version: input.version }),
    markOnlineOnConnect: false,
    emitOwnEvents: false,
    syncFullHistory: false,
    // Of a phone's history only what brings the LIDs of its contacts.
    shouldSyncHistoryMessage: ({ syncType }) => bootstrap.has(syncType ?? -1),
    // Repeating is the store's business; 0 would commit nothing.
    transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 0 },
    userDevicesCache: input.devices,
    getMessage: async ({ id }) => {
      const message = id ? await vault.sent(id) : undefined
      return message && proto.Message.decode(message)
    },
    makeSignalRepository: (_auth, _log, lidsOf) =>
      durableRepository({ creds, keys, vault, hold, ...input.repository }, input.log, lidsOf),
  }
}

const { HistorySyncType } = proto.HistorySync
const bootstrap = new Set<number>([HistorySyncType.INITIAL_BOOTSTRAP, HistorySyncType.PUSH_NAME])
