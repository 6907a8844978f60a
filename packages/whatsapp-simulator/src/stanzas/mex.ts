import { z } from "zod"
import { now } from "../clock.ts"
import type { ConnectedDevice } from "../network/connected-device.ts"
import type { DeviceAddress } from "../network/directory.ts"
import { jidOf as jidOfGroup, roleOf } from "../network/groups.ts"
import type { Network } from "../network/network.ts"
import { jidOf, type Newsletter, roleIn } from "../network/newsletters.ts"
import * as Jid from "../wire/jid.ts"
import { bytes, child, el, type Node } from "../wire/node.ts"
import { groupsOf } from "./group/communities.ts"
import { changeAbout } from "./profile-and-privacy.ts"
import { badRequest } from "./refusal.ts"

/** A question that the network refuses, as GraphQL does: with a code in the answer. */
class MexError extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Clients send some of these fields, and others. */
const Variables = z
  .object({
    group_id: z.string(),
    newsletter_id: z.string(),
    fetch_viewer_metadata: z.boolean(),
    fetch_full_image: z.boolean(),
    fetch_creation_time: z.boolean(),
    updates: z.object({ name: z.string().nullish(), description: z.string().nullish() }),
    input: z
      .object({
        group_jid: z.string(),
        key: z.string(),
        type: z.string(),
        name: z.string(),
        description: z.string().nullish(),
        text: z.string().nullish(),
        emoji: z.object({ content: z.string() }).nullish(),
        ephemeral_duration_sec: z.number().int().nullish(),
      })
      .partial(),
    newsletter_input: z.object({ name: z.string(), description: z.string().nullish() }),
  })
  .partial()
type Variables = z.infer<typeof Variables>

interface Asking {
  network: Network
  /** The asking person's number, and device. */
  pn: string
  device: DeviceAddress
  variables: Variables
}

/** In characters. */
const longestAbout = 139

type Answer = (asking: Asking) => unknown

/**
 * The queries, by the ids that Baileys 7 uses, and where they differ whatsmeow and whatsapp-rust of 2026-08.
 * The path names the answer.
 */
const operations: [ids: string[], path: string, answer: Answer][] = [
  [
    ["8823471724422422", "6234210096708695", "27527996220149684", "25149874324715067"],
    "xwa2_newsletter_create",
    create,
  ],
  [["6563316087068696", "9779843322044422", "27456920720571478"], "xwa2_newsletter", metadata],
  [["6388546374527196", "25399611239711790"], "xwa2_newsletter_subscribed", subscribed],
  [["24404358912487870", "9926858900719341"], "xwa2_newsletter_join_v2", follow],
  [["9767147403369991", "6392786840836363", "8782612271820087"], "xwa2_newsletter_leave_v2", unfollow],
  [
    ["29766401636284406", "6274038279359549", "5971669009605755"],
    "xwa2_newsletter_mute_v2",
    (asking) => setMuted(asking, true),
  ],
  [
    ["9864994326891137", "6068417879924485", "6104029483058502"],
    "xwa2_newsletter_unmute_v2",
    (asking) => setMuted(asking, false),
  ],
  [["24250201037901610", "7150902998257522", "7839742399440946"], "xwa2_newsletter_update", update],
  [["9783111038412085"], "xwa2_newsletter_subscribers", subscribers],
  [["7130823597031706"], "xwa2_newsletter_admin", () => ({ admin_count: 1 })],
  [["9152604461510864"], "xwa2_update_text_status", setAbout],
  [["25347099718279209"], "xwa2_username_get", ownUsername],
  [["9935467776504344", "24079399904996141"], "xwa2_group_query_by_id", community],
  [["23983697327930364"], "xwa2_fetch_account_reachout_timelock", timelock],
  [["24503548349331633", "27910975521856601"], "xwa2_message_capping_info", quota],
]

const byId = new Map(
  operations.flatMap(([ids, path, answer]) => ids.map((id) => [id, { path, answer }] as const)),
)

/**
 * `<iq xmlns="w:mex"><query query_id>JSON</query></iq>`: a GraphQL question. Clients send only the id of its
 * text, never the text.
 */
export function mex(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const query = child(iq, "query")
  const { device } = line
  const operation = byId.get(query?.attrs.query_id ?? "")
  return [el("result", {}, Buffer.from(JSON.stringify(answered())))]

  function answered() {
    try {
      if (!operation) throw new MexError(400, "no such query")
      const variables = variablesIn(bytes(query))
      return { data: { [operation.path]: operation.answer({ network, pn: device.user, device, variables }) } }
    } catch (error) {
      if (!(error instanceof MexError)) throw error
      const { message, code } = error
      return { data: null, errors: [{ message, extensions: { error_code: code, severity: "CRITICAL" } }] }
    }
  }
}

/** @throws Refusal where they are no JSON of this form */
function variablesIn(content: Buffer | undefined): Variables {
  try {
    return z.object({ variables: Variables }).parse(JSON.parse(content?.toString() ?? "")).variables
  } catch {
    throw badRequest()
  }
}

/** Sets the about text, with an emoji and for how long it is meant. A text that is too long is refused. */
function setAbout({ network, device, variables }: Asking) {
  const { text, emoji, ephemeral_duration_sec: duration } = variables.input ?? {}
  if ((text ?? "").length > longestAbout) throw new MexError(400, "the text is too long")
  const textStatus = { emoji: emoji?.content, duration: duration ?? undefined }
  network.profiles.change(device.user, { textStatus })
  changeAbout(network, device, text ?? "")
  return { result: "SUCCESS" }
}

function ownUsername({ network, pn }: Asking) {
  const { username, usernamePin } = network.profiles.get(pn)
  return {
    username_info: username === undefined ? null : { username, state: "SET", pin: usernamePin ?? null },
  }
}

function create({ network, pn, variables }: Asking) {
  const { name, description } = variables.newsletter_input ?? variables.input ?? {}
  if (!name) throw new MexError(400, "a newsletter needs a name")
  const made = { name, description: description ?? "", owner: pn, createdAt: now() }
  return shown(network.newsletters.create(made), pn)
}

function metadata({ network, pn, variables }: Asking) {
  const { key = "", type } = variables.input ?? {}
  const { newsletters } = network
  const { fetch_viewer_metadata, fetch_full_image, fetch_creation_time } = variables
  // Each client sends these, and the types by these words.
  const isWhole = [fetch_viewer_metadata, fetch_full_image, fetch_creation_time].every(
    (each) => each !== undefined,
  )
  if (!isWhole || !["INVITE", "JID"].includes(type ?? "")) throw new MexError(400, "a variable is missing")
  const found = type === "INVITE" ? newsletters.byInvite(key) : newsletters.find(Jid.parse(key))
  if (!found) throw new MexError(404, "no such newsletter")
  return shown(found, pn)
}

function subscribed({ network, pn }: Asking) {
  return network.newsletters.of(pn).map((each) => shown(each, pn))
}

function follow({ network, pn, variables }: Asking) {
  const newsletter = newsletterOf(network, variables)
  if (roleIn(newsletter, pn) === "GUEST") newsletter.followers.push(pn)
  network.newsletters.save(newsletter)
  return shown(newsletter, pn)
}

function unfollow({ network, pn, variables }: Asking) {
  const newsletter = newsletterOf(network, variables)
  newsletter.followers = newsletter.followers.filter((each) => each !== pn)
  network.newsletters.save(newsletter)
  return { id: jidOf(newsletter) }
}

function setMuted({ network, pn, variables }: Asking, isMuted: boolean) {
  const newsletter = newsletterOf(network, variables)
  const others = newsletter.muted.filter((each) => each !== pn)
  newsletter.muted = isMuted ? [...others, pn] : others
  network.newsletters.save(newsletter)
  return shown(newsletter, pn)
}

function update({ network, pn, variables }: Asking) {
  const newsletter = newsletterOf(network, variables)
  if (newsletter.owner !== pn) throw new MexError(403, "only its owner changes a newsletter")
  newsletter.name = variables.updates?.name ?? newsletter.name
  newsletter.description = variables.updates?.description ?? newsletter.description
  network.newsletters.save(newsletter)
  return shown(newsletter, pn)
}

function subscribers({ network, variables }: Asking) {
  return { subscribers: newsletterOf(network, variables).followers.length }
}

/** A community's groups, with how many are in each. */
function community({ network, pn, variables }: Asking) {
  const found = network.groups.find(Jid.parse(variables.group_id ?? variables.input?.group_jid))
  if (!found?.isCommunity || !roleOf(found, pn)) throw new MexError(404, "no such community")
  const groups = groupsOf(network, found).map((group) => ({
    id: jidOfGroup(group),
    subject: { value: group.subject, creation_time: String(group.subjectAt) },
    creation_time: String(group.createdAt),
    total_participants_count: group.members.length,
    properties: { general_chat: group.role === "general" },
    isDefault: group.role === "announcements",
  }))
  const edges = groups.filter(({ isDefault }) => !isDefault).map((node) => ({ node }))
  return { default_sub_group: groups.find(({ isDefault }) => isDefault), sub_groups: { edges } }
}

/** How many chats the account may still begin. */
function quota({ network, pn }: Asking) {
  const { capped } = network.profiles.get(pn)
  return {
    total_quota: 100,
    used_quota: capped ? 100 : 0,
    cycle_end_timestamp: String(now() + 86_400),
    capping_status: capped ? "CAPPED" : "NONE",
  }
}

function timelock({ network, pn }: Asking) {
  const { restricted: is_active } = network.profiles.get(pn)
  return {
    is_active,
    time_enforcement_ends: is_active ? String(now() + 86_400) : "0",
    enforcement_type: "DEFAULT",
  }
}

function newsletterOf(network: Network, { newsletter_id }: Variables): Newsletter {
  const found = network.newsletters.find(Jid.parse(newsletter_id))
  if (!found) throw new MexError(404, "no such newsletter")
  return found
}

/** A newsletter as the network shows it to this person. */
function shown(newsletter: Newsletter, pn: string) {
  const { name, description, createdAt, invite, followers, muted } = newsletter
  const text = (words: string) => ({ text: words, id: "1", update_time: String(createdAt * 1_000_000) })
  return {
    id: jidOf(newsletter),
    state: { type: "ACTIVE" },
    thread_metadata: {
      creation_time: String(createdAt),
      invite,
      name: text(name),
      description: text(description),
      subscribers_count: String(followers.length),
      verification: "UNVERIFIED",
      picture: { id: "", type: "IMAGE", direct_path: "" },
      preview: { id: "", type: "PREVIEW", direct_path: "" },
      settings: { reaction_codes: { value: "ALL" } },
    },
    viewer_metadata: { mute: muted.includes(pn) ? "ON" : "OFF", role: roleIn(newsletter, pn) },
  }
}
