import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { listen, stopListening } from "#one-machine/listen.ts"
import { until } from "#test/support/until.ts"
import type { Judge, Made } from "../judge.ts"
import type { Stage } from "../stage.ts"
import { aboutOf } from "./about.ts"

const version = "1.0.4"

type About = Record<string, string>

/** A node of the workflow: what it is asked, and whether its answer is what it should be. */
type Step = [
  name: string,
  resource: string,
  operation: string,
  parameters: object,
  good?: (data: Data, about: About) => unknown,
]

/** What the node answers. */
// oxlint-disable-next-line no-explicit-any -- it has no type, and a field that is not there fails its step
type Data = any

const isSent = (data: Data) => data.status === "PENDING" && data.key.id
const isUpdated = (data: Data) => data.update === "success"

const here = { instanceName: "$instance" }
const made = { instanceName: "n8n-made" }
const mine = "={{ $('send-text').first().json.data.key.id }}"
const its = "={{ $('create-group').first().json.data.id }}"

/**
 * Every operation of the node that is no integration, and that this service has. `$friend` and its like are
 * what is known only once the stage is set.
 */
const steps: Step[] = [
  [
    "instance-basic",
    "instances-api",
    "instance-basic",
    { ...made, token: "", number: "" },
    (data) => data.hash,
  ],
  ["fetch-instances", "instances-api", "fetch-instances", { instanceName: "" }, (data) => data.length >= 2],
  ["instance-connect", "instances-api", "instance-connect", made, (data) => data.base64 && data.code],
  [
    "instance-settings",
    "instances-api",
    "instance-settings",
    { ...made, groupsIgnore: true },
    (data) => data.settings.settings.groupsIgnore,
  ],
  [
    "set-proxy",
    "instances-api",
    "set-proxy",
    {
      ...made,
      resourceForProxy: "setProxy",
      enabled: true,
      proxyProtocol: "http",
      proxyHost: "127.0.0.1",
      proxyPort: "9",
      proxyUsername: "u",
      proxyPassword: "p",
    },
    (data) => data.proxy,
  ],
  [
    "find-proxy",
    "instances-api",
    "set-proxy",
    { ...made, resourceForProxy: "findProxy" },
    (data) => data.enabled,
  ],
  ["delete-instance", "instances-api", "delete-instance", made, (data) => data.status === "SUCCESS"],
  ["restart-instance", "instances-api", "restart-instance", here, (data) => data.instance.state === "open"],
  [
    "set-presence",
    "instances-api",
    "set-presence",
    { ...here, presence: "available" },
    (data) => data.presence,
  ],
  [
    "webhook",
    "events-api",
    "webhook",
    {
      ...here,
      resourceForWebhook: "setWebhook",
      enabled: true,
      webhookUrl: "$files/hook",
      webhookByEvents: true,
      webhookBase64: false,
      webhookEvents: ["MESSAGES_UPSERT"],
    },
    (data) => data.webhookByEvents,
  ],
  [
    "find-webhook",
    "events-api",
    "webhook",
    { ...here, resourceForWebhook: "findWebhook" },
    (data, { files }) => data.url === `${files}/hook`,
  ],
  ["send-text", "messages-api", "send-text", { ...here, remoteJid: "$friend", messageText: "Hello" }, isSent],
  [
    "send-image",
    "messages-api",
    "send-image",
    { ...here, remoteJid: "$friend", media: "$files/picture.jpg", caption: "Look" },
    isSent,
  ],
  [
    "send-audio",
    "messages-api",
    "send-audio",
    { ...here, remoteJid: "$friend", media: "$files/sound.ogg" },
    isSent,
  ],
  [
    "send-video",
    "messages-api",
    "send-video",
    { ...here, remoteJid: "$friend", media: "$files/film.mp4", caption: "Look" },
    isSent,
  ],
  [
    "send-document",
    "messages-api",
    "send-document",
    { ...here, remoteJid: "$friend", media: "$files/document.txt", fileName: "document.txt" },
    isSent,
  ],
  [
    "send-poll",
    "messages-api",
    "send-poll",
    {
      ...here,
      remoteJid: "$friend",
      caption: "When?",
      options_display: { metadataValues: [{ optionValue: "now" }, { optionValue: "later" }] },
    },
    isSent,
  ],
  [
    "send-contact",
    "messages-api",
    "send-contact",
    {
      ...here,
      remoteJid: "$friend",
      contacts: { contactValues: [{ fullName: "Ada", wuid: "$friend", phoneNumber: "$friend" }] },
    },
    isSent,
  ],
  [
    "send-stories",
    "messages-api",
    "send-stories",
    { ...here, type: "text", content: "Open", allContacts: true },
    (data) => data.key ?? data,
  ],
  [
    "send-reaction",
    "messages-api",
    "send-reaction",
    { ...here, remoteJid: "$friend@s.whatsapp.net", messageId: "$text", fromMe: false, reaction: "👍" },
    isSent,
  ],
  ["check-number", "chat-api", "check-number", { ...here, numbers: "$friend" }, (data) => data[0].exists],
  [
    "read-messages",
    "chat-api",
    "read-messages",
    { ...here, remoteJid: "$friend@s.whatsapp.net", messageId: "$text", fromMe: false },
    (data) => data.read === "success",
  ],
  [
    "mark-unread",
    "chat-api",
    "mark-unread",
    { ...here, chat: "$friend@s.whatsapp.net", messageId: "$text" },
    (data) => data.markedChatUnread,
  ],
  [
    "manage-archive",
    "chat-api",
    "manage-archive",
    { ...here, chat: "$friend@s.whatsapp.net", archive: true, messageId: "$text" },
    (data) => data.archived,
  ],
  [
    "update-message",
    "chat-api",
    "update-message",
    { ...here, remoteJid: "$friend@s.whatsapp.net", messageId: mine, text: "Hello again" },
    (data) => data.key,
  ],
  [
    "delete-message",
    "chat-api",
    "delete-message",
    { ...here, remoteJid: "$friend@s.whatsapp.net", messageId: mine, fromMe: true },
    (data) => data.message.protocolMessage,
  ],
  [
    "fetch-profile-picture",
    "chat-api",
    "fetch-profile-picture",
    { ...here, number: "$friend" },
    (data) => data.wuid,
  ],
  [
    "get-media-base64",
    "chat-api",
    "get-media-base64",
    { ...here, messageId: "$picture" },
    (data, about) => data.base64 === about.picture_base64,
  ],
  [
    "send-presence",
    "chat-api",
    "send-presence",
    { ...here, remoteJid: "$friend", presence: "composing", delay: 10 },
    (data) => data.presence,
  ],
  [
    "find-contacts",
    "chat-api",
    "find-contacts",
    { ...here, listAll: true },
    (data, { friend = "" }) => JSON.stringify(data).includes(friend),
  ],
  [
    "find-messages",
    "chat-api",
    "find-messages",
    { ...here, remoteJid: "$friend@s.whatsapp.net", page: 1, offset: 10 },
    (data) => data.messages.records,
  ],
  [
    "find-status-messages",
    "chat-api",
    "find-status-messages",
    { ...here, remoteJid: "$friend@s.whatsapp.net", messageId: mine, page: 1, offset: 10 },
    (data) => Array.isArray(data),
  ],
  [
    "find-chats",
    "chat-api",
    "find-chats",
    { ...here, remoteJid: "$friend@s.whatsapp.net", messageId: "$text", page: 1, offset: 10 },
    (data, { friend = "" }) => JSON.stringify(data).includes(friend),
  ],
  [
    "block-contact",
    "chat-api",
    "block-contact",
    { ...here, remoteJid: "$friend", status: "block" },
    (data) => data.block === "success",
  ],
  [
    "unblock-contact",
    "chat-api",
    "block-contact",
    { ...here, remoteJid: "$friend", status: "unblock" },
    (data) => data.block === "success",
  ],
  [
    "create-group",
    "groups-api",
    "create-group",
    { ...here, subject: "Regulars", description: "All", participants: "$friend" },
    (data) => data.id && data.participants,
  ],
  [
    "update-group-picture",
    "groups-api",
    "update-group-picture",
    { ...here, groupJid: its, image: "$files/picture.jpg" },
    isUpdated,
  ],
  [
    "update-group-name",
    "groups-api",
    "update-group-name",
    { ...here, groupJid: its, subject: "Friends" },
    isUpdated,
  ],
  [
    "update-group-description",
    "groups-api",
    "update-group-description",
    { ...here, groupJid: its, description: "Those who come" },
    isUpdated,
  ],
  [
    "update-settings",
    "groups-api",
    "update-settings",
    { ...here, groupJid: its, action: "announcement" },
    (data) => data.updateSetting,
  ],
  [
    "update-participants",
    "groups-api",
    "update-participants",
    { ...here, groupJid: its, action: "promote", participants: "$friend" },
    (data) => data.updateParticipants,
  ],
  [
    "toggle-ephemeral",
    "groups-api",
    "toggle-ephemeral",
    { ...here, groupJid: its, expiration: 86_400 },
    (data) => data.success,
  ],
  [
    "fetch-invite-code",
    "groups-api",
    "fetch-invite-code",
    { ...here, groupJid: its },
    (data) => data.inviteCode,
  ],
  [
    "send-invite-link",
    "groups-api",
    "send-invite-link",
    { ...here, groupJid: its, description: "Come", numbers: "$friend" },
    (data) => data.send,
  ],
  [
    "fetch-groups",
    "groups-api",
    "fetch-groups",
    { ...here, searchMethod: "fetchAll", getParticipants: true },
    (data) => JSON.stringify(data).includes("Friends"),
  ],
  [
    "fetch-group",
    "groups-api",
    "fetch-groups",
    { ...here, searchMethod: "groupJid", groupJid: its },
    (data) => data.subject === "Friends",
  ],
  [
    "fetch-group-by-code",
    "groups-api",
    "fetch-groups",
    { ...here, searchMethod: "inviteCode", inviteCode: "$invite" },
    (data, { group }) => data.id === group,
  ],
  [
    "find-participants",
    "groups-api",
    "find-participants",
    { ...here, groupJid: its },
    (data) => data.participants,
  ],
  [
    "revoke-invite-code",
    "groups-api",
    "revoke-invite-code",
    { ...here, groupJid: its },
    (data) => data.revoked,
  ],
  ["join-group", "groups-api", "join-group", { ...here, inviteCode: "$invite" }, (data) => data.accepted],
  ["leave-group", "groups-api", "leave-group", { ...here, groupJid: its }, (data) => data.leave],
  [
    "fetch-profile",
    "profile-api",
    "fetch-profile",
    { ...here, remoteJid: "$friend" },
    (data, { friend }) => data.wuid === `${friend}@s.whatsapp.net`,
  ],
  [
    "fetch-business-profile",
    "profile-api",
    "fetch-business-profile",
    { ...here, remoteJid: "$friend" },
    (data) => "isBusiness" in data,
  ],
  ["update-profile-status", "profile-api", "update-profile-status", { ...here, status: "Open" }, isUpdated],
  [
    "update-profile-picture",
    "profile-api",
    "update-profile-picture",
    { ...here, picture: "$files/picture.jpg" },
    isUpdated,
  ],
  ["remove-profile-picture", "profile-api", "remove-profile-picture", here, isUpdated],
  ["logout-instance", "instances-api", "logout-instance", here, (data) => data.status === "SUCCESS"],
]

/** n8n's own node for Evolution in a real n8n 2.41.0: `N8N` is the folder in which that is installed. */
export const n8n: Judge = {
  name: `n8n-nodes-evolution-api ${version}`,
  run: async (stage) => {
    const installed = process.env.N8N
    if (installed === undefined) return undefined
    const about = await aboutOf(stage, "n8n")
    const neighbours = { creator: about.friend, subject: "Neighbours" }
    const { jid, invite } = await stage.service.network.group(neighbours)
    const all = { ...about, group: jid, invite }
    const n8n = await start(stage, installed)
    try {
      return await runSteps(n8n, all)
    } finally {
      await n8n.stop()
    }
  },
}

async function start({ folder }: Stage, installed: string) {
  const home = mkdtempSync(join(folder, "n8n-"))
  const nodes = join(home, ".n8n/nodes")
  mkdirSync(nodes, { recursive: true })
  const wanted = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--omit=peer", "--loglevel=error"]
  execFileSync("npm", [...wanted, `n8n-nodes-evolution-api@${version}`], { cwd: nodes, stdio: "inherit" })
  const free = createServer()
  const port = await listen(free)
  await stopListening(free)
  const base = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, [join(installed, "node_modules/n8n/bin/n8n"), "start"], {
    env: {
      PATH: process.env.PATH,
      HOME: home,
      N8N_USER_FOLDER: home,
      N8N_PORT: String(port),
      N8N_LISTEN_ADDRESS: "127.0.0.1",
      WEBHOOK_URL: base,
      N8N_SECURE_COOKIE: "false",
      N8N_DIAGNOSTICS_ENABLED: "false",
      N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
      N8N_TEMPLATES_ENABLED: "false",
      N8N_RUNNERS_TASK_BROKER_PORT: String(port + 1),
    },
  })
  let said = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (said += chunk.toString()))
  const stop = async () => {
    child.kill("SIGINT")
    if (child.exitCode === null) await once(child, "close")
  }
  const isUp = async () => (await fetch(`${base}/healthz/readiness`).catch(() => undefined))?.ok
  await until(isUp, { withinMs: 900_000 }).catch(async (error: unknown) => {
    await stop()
    throw new Error(`n8n does not start: ${said.slice(-2000)}`, { cause: error })
  })
  let cookie = ""
  /** What the editor asks of n8n. */
  const ask = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const headers = { "content-type": "application/json", cookie }
    const answer = await fetch(`${base}/rest${path}`, { method, headers, body: JSON.stringify(body) })
    cookie ||= answer.headers.getSetCookie().join("; ").split(";")[0]!
    if (!answer.ok)
      throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}\n${said.slice(-2000)}`)
    return ((await answer.json()) as { data: Answer }).data
  }
  return { base, ask, stop }
}

interface Answer {
  id: string
  name: string
  versionId: string
}

/** Runs all steps in one workflow, which a webhook starts and whose last node answers with all outcomes. */
async function runSteps({ base, ask }: Awaited<ReturnType<typeof start>>, about: About): Promise<Made[]> {
  const fill = (value: object): object =>
    JSON.parse(
      JSON.stringify(value).replaceAll(/\$([a-z]+)/g, (name, key: string) => about[key] ?? name),
    ) as object
  const [email, password] = ["owner@example.com", "Owner-of-n8n-1"]
  await ask("POST", "/owner/setup", { email, password, firstName: "Owner", lastName: "Owner" })
  const data = { "server-url": about.url, apikey: about.key }
  const credential = await ask("POST", "/credentials", { name: "gateway", type: "evolutionApi", data })
  const path = crypto.randomUUID()
  const credentials = { evolutionApi: { id: credential.id, name: credential.name } }
  const outcomes = steps.map(([name]) => `${JSON.stringify(name)}: $(${JSON.stringify(name)}).first().json`)
  const nodes = [
    {
      name: "in",
      type: "n8n-nodes-base.webhook",
      typeVersion: 2,
      parameters: { path, responseMode: "lastNode" },
      webhookId: path,
    },
    ...steps.map(([name, resource, operation, parameters]) => ({
      name,
      type: "n8n-nodes-evolution-api.evolutionApi",
      typeVersion: 1,
      parameters: { resource, operation, ...fill(parameters) },
      credentials,
      executeOnce: true,
      onError: "continueRegularOutput",
    })),
    {
      name: "out",
      type: "n8n-nodes-base.set",
      typeVersion: 3.4,
      executeOnce: true,
      parameters: { mode: "raw", jsonOutput: `={{ JSON.stringify({ ${outcomes.join(", ")} }) }}` },
    },
  ].map((node, i) => ({ id: crypto.randomUUID(), position: [200 * i, 0], ...node }))
  const connections = Object.fromEntries(
    nodes
      .slice(1)
      .map(({ name }, i) => [nodes[i]!.name, { main: [[{ node: name, type: "main", index: 0 }]] }]),
  )
  const made = await ask("POST", "/workflows", { name: "judge", nodes, connections, settings: {} })
  await ask("POST", `/workflows/${made.id}/activate`, { versionId: made.versionId })
  const answer = await until(async () => {
    const heard = await fetch(`${base}/webhook/${path}`)
    return heard.status === 404 ? undefined : heard
  })
  const all = (await answer.json()) as Record<string, { success?: boolean; data: Data }>
  return steps.map(([name, , , , good]) => {
    const outcome = all[name]
    // One operation answers with Evolution's answer alone.
    const said = outcome?.data ?? (outcome as Data)
    const isGood = outcome?.success !== false && isTrue(() => good?.(said, about) ?? true)
    return isGood ? { call: name } : { call: name, why: JSON.stringify(outcome ?? all).slice(0, 300) }
  })
}

function isTrue(check: () => unknown): boolean {
  try {
    return Boolean(check())
  } catch {
    // A field that should be there is not.
    return false
  }
}
