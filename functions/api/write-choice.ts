import type { Choice } from "#core/bridge/choice.ts"
import { ApiError, noSuchBridge } from "#core/error.ts"
import { callHolderIfAny } from "#core/lease/call-holder.ts"
import { Lease } from "#core/lease/lease.ts"
import { log } from "#core/platform/log.ts"

/** A session that is not notified now finds out when its host compares its leases, within half a minute. */
const notifyWithinMs = 3000

/** The fields of a request that are a choice. One that is not given stays as it is. */
interface ChoiceFields {
  /** Null: all that are usual, including those of later releases. */
  events?: string[] | null | undefined
  ignore?: Choice.Info["ignore"] | undefined
  message_status?: Choice.Info["messageStatus"] | undefined
  daily_presence?: boolean | undefined
  link_previews?: boolean | undefined
  /** Null: none. */
  pacing?: Choice.Info["pacing"] | null
  /** Sealed. Null: none. */
  proxy?: string | null | undefined
  /** Its secret is sealed. Null: none. */
  mediaStore?: Choice.Info["mediaStore"] | null
  /** Null: no message is kept. */
  keep?: Choice.Info["keep"] | null
  history?: boolean | undefined
}

/**
 * Writes the customer's choice, if the request has one, and notifies the session.
 * @returns the lease as it is now.
 * @throws ApiError `not_found` when the bridge has been deleted meanwhile.
 */
export async function writeChoice(
  lease: Lease.Info,
  said: ChoiceFields,
  requestId: string,
): Promise<Lease.Info> {
  if (!hasChoice(said)) return lease
  const { bridgeId } = lease
  const events = said.events === undefined ? lease.choice.events : (said.events ?? undefined)
  const pacing = said.pacing === undefined ? lease.choice.pacing : (said.pacing ?? undefined)
  const proxy = said.proxy === undefined ? lease.choice.proxy : (said.proxy ?? undefined)
  const mediaStore = said.mediaStore === undefined ? lease.choice.mediaStore : (said.mediaStore ?? undefined)
  const keep = said.keep === undefined ? lease.choice.keep : (said.keep ?? undefined)
  const chosen = await Lease.choose(bridgeId, {
    ...(events && { events: [...new Set(events)] }),
    ignore: [...new Set(said.ignore ?? lease.choice.ignore)],
    messageStatus: said.message_status ?? lease.choice.messageStatus,
    dailyPresence: said.daily_presence ?? lease.choice.dailyPresence,
    linkPreviews: said.link_previews ?? lease.choice.linkPreviews,
    ...(pacing && { pacing }),
    ...(proxy && { proxy }),
    ...(mediaStore && { mediaStore }),
    ...(keep && { keep }),
    history: said.history ?? lease.choice.history,
  })
  if (!chosen) throw noSuchBridge()
  try {
    const call = { method: "POST", path: "/look-at-lease", bridgeId, requestId } as const
    await callHolderIfAny(call, notifyWithinMs)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    log.info({ error, requestId, bridgeId }, "a session was not notified of its customer's choice")
  }
  return chosen
}

/** Whether a request changes the choice: it has at least one of its fields. */
export function hasChoice(said: ChoiceFields): boolean {
  const { events, ignore, message_status, daily_presence, link_previews, pacing, proxy } = said
  const fields = [events, ignore, message_status, daily_presence, link_previews, pacing, proxy]
  const more = [said.mediaStore, said.keep, said.history]
  return [...fields, ...more].some((field) => field !== undefined)
}
