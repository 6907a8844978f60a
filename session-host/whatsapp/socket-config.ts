import type { Agent } from "node:https"
import {
  Browsers,
  proto,
  type AuthenticationCreds,
  type UserFacingSocketConfig,
  type WAVersion,
} from "@whiskeysockets/baileys"
import type { Hold } from "#core/platform/locks.ts"
import type { Vault } from "../network/connection.ts"
import { transmissionNow } from "./async-context.ts"
import type { ILogger } from "./quiet-log.ts"
import type { Keys } from "./signal/keys.ts"
import { durableRepository, type RepositoryInput } from "./signal/repository.ts"
import { closedInsteadOfDeleted } from "./signal/undo-deletions.ts"

interface Input {
  sent: Vault["sent"]
  creds: AuthenticationCreds
  keys: Keys
  lockKeys: Hold
  recipientDevices: Required<Pick<UserFacingSocketConfig, "userDevicesCache" | "cachedGroupMetadata">>
  /**
   * The LIDs of these numbers. Baileys' own question for them misreads an answer that names people by LID.
   */
  lidsOf: Required<Parameters<typeof durableRepository>>[2]
  log: ILogger
  url?: string
  version?: WAVersion
  /** The agent of the socket. */
  agent: Agent | undefined
  repository: Omit<RepositoryInput, "creds" | "keys" | "lockKeys">
}

/** Baileys' settings. */
export function socketConfig(input: Input): UserFacingSocketConfig {
  const { creds, keys, lockKeys } = input
  return {
    auth: {
      creds,
      keys: {
        get: keys.get,
        // With `set` Baileys only removes sessions, which must not happen while one is in use.
        set: (data) =>
          lockKeys(Object.keys(data.session ?? {}), async () =>
            keys.set(await closedInsteadOfDeleted(transmissionNow()?.holdBackKeyHolders(data) ?? data, keys)),
          ),
      },
    },
    logger: input.log,
    browser: Browsers.macOS("Chrome"),
    ...(input.url && { waWebSocketUrl: input.url }),
    ...(input.version && { version: input.version }),
    ...(input.agent && { agent: input.agent }),
    markOnlineOnConnect: false,
    emitOwnEvents: false,
    syncFullHistory: false,
    // The history is read beside Baileys (`history.ts`). Baileys may read only the kind that is never asked
    // for: if it may read none, it logs a warning.
    shouldSyncHistoryMessage: ({ syncType }) => syncType === proto.Message.HistorySyncType.ON_DEMAND,
    // A limit would make Baileys set a timer and note two stacks for each frame that leaves.
    // `login/follow-login.ts` limits the whole login.
    connectTimeoutMs: 0,
    // After a message that it cannot read, Baileys would read nothing for a quarter of a second, and
    // acknowledge the message only then.
    retryRequestDelayMs: 0,
    ...input.recipientDevices,
    getMessage: async ({ id }) => {
      const sent = id ? await input.sent(id) : undefined
      return sent && proto.Message.decode(sent.message)
    },
    makeSignalRepository: () =>
      durableRepository({ creds, keys, lockKeys, ...input.repository }, input.log, input.lidsOf),
  }
}
