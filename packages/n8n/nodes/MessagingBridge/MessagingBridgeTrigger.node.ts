import { createHmac, timingSafeEqual } from "node:crypto"
import {
  type IDataObject,
  type IHookFunctions,
  type IHttpRequestMethods,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  type JsonObject,
  NodeApiError,
  NodeConnectionTypes,
  NodeOperationError,
} from "n8n-workflow"
import { number } from "./number"

interface Webhook extends IDataObject {
  id: string
  url: string
  secret: string
  events: string[]
  failing_since?: number
}

/** A workflow that is active has a webhook of its own at the bridge, beside all others. */
export class MessagingBridgeTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Messaging Bridge Trigger",
    name: "messagingBridgeTrigger",
    icon: {
      light: "file:../../icons/messaging-bridge.svg",
      dark: "file:../../icons/messaging-bridge.dark.svg",
    },
    group: ["trigger"],
    version: 1,
    subtitle: '={{$parameter["events"].join(", ")}}',
    description: "Starts when somebody writes, votes or calls, and when a number is down",
    defaults: { name: "Messaging Bridge Trigger" },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "messagingBridgeApi", required: true }],
    webhooks: [
      {
        name: "default",
        httpMethod: "POST",
        path: "messages",
        responseMode: '={{$parameter["takenWhen"]}}',
        responseData: "noData",
      },
    ],
    properties: [
      number,
      {
        displayName: "Events",
        name: "events",
        type: "multiOptions",
        required: true,
        default: ["message"],
        description:
          "Of those that the number itself gets. For a message's status and for groups, name these in its settings first.",
        options: [
          { name: "Call Ended", value: "call_terminated" },
          { name: "Call Incoming", value: "call_incoming" },
          { name: "Connected", value: "connected" },
          { name: "Disconnected", value: "disconnected" },
          { name: "Event Answered", value: "event_response" },
          { name: "Group Changed", value: "group" },
          { name: "Message", value: "message" },
          { name: "Message Lost", value: "message_lost" },
          { name: "Message Status", value: "message_status" },
          { name: "Offline Sync Completed", value: "offline_sync_completed" },
          { name: "Offline Sync Preview", value: "offline_sync_preview" },
          { name: "Poll Vote", value: "poll_vote" },
          { name: "Presence", value: "presence" },
          { name: "Profile Picture Updated", value: "profile_picture_updated" },
          { name: "Typing", value: "typing" },
        ],
      },
      {
        displayName: "Leave Out",
        name: "ignore",
        type: "multiOptions",
        default: ["status"],
        options: [
          { name: "Groups", value: "groups" },
          { name: "Statuses", value: "status" },
        ],
      },
      {
        displayName: "An Event Is Taken When",
        name: "takenWhen",
        type: "options",
        default: "onReceived",
        options: [
          { name: "It Has Come", value: "onReceived" },
          {
            name: "The Workflow Has Succeeded",
            value: "lastNode",
            description:
              "The next event comes after that. An event whose workflow fails, or takes more than 10 seconds, comes again.",
          },
        ],
      },
    ],
  }

  webhookMethods = {
    default: {
      /** Also brings its choice of events up to date, and has n8n told what came while it was down. */
      async checkExists(this: IHookFunctions): Promise<boolean> {
        const all = await ask<Webhook[]>(this, "GET", webhooksOf(this))
        const own = all.find(({ url }) => url === this.getNodeWebhookUrl("default"))
        if (!own) return false
        keep(this, await ask(this, "PATCH", `${webhooksOf(this)}/${own.id}`, chosen(this)))
        if (own.failing_since) await bringBack(this, own.failing_since)
        return true
      },
      async create(this: IHookFunctions): Promise<boolean> {
        const url = this.getNodeWebhookUrl("default")
        keep(this, await ask(this, "POST", webhooksOf(this), { url, ...chosen(this) }))
        return true
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        const kept = this.getWorkflowStaticData("node")
        if (kept.path) await ask(this, "DELETE", String(kept.path))
        delete kept.path
        delete kept.secret
        return true
      },
    },
  }

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const { rawBody } = this.getRequestObject()
    const headers = this.getHeaderData()
    const { secret } = this.getWorkflowStaticData("node")
    // n8n takes deliveries a moment before it has kept what `create` noted. They come again.
    if (!secret) return refused(this, 503, "this webhook is being set up")
    if (!isGenuine(rawBody, String(headers["x-webhook-signature"]), String(secret)))
      return refused(this, 401, "this delivery is not genuine, or more than five minutes old")
    const since = Number(headers["x-webhook-undelivered-since"])
    if (since) await bringBack(this, since)
    const said = JSON.parse(rawBody.toString()) as IDataObject | { event_id: string; event: IDataObject }[]
    const events = Array.isArray(said)
      ? said.map(({ event_id, event }) => ({ event_id, ...event }))
      : [{ event_id: headers["x-webhook-event-id"], ...said }]
    return { workflowData: [this.helpers.returnJsonArray(events)] }
  }
}

function refused(node: IWebhookFunctions, status: number, why: string): IWebhookResponseData {
  node.getResponseObject().status(status).send(why)
  return { noWebhookResponse: true }
}

function webhooksOf(node: IHookFunctions): string {
  return `/api/instances/${encodeURIComponent(String(node.getNodeParameter("number")))}/webhooks`
}

function chosen(node: IHookFunctions): IDataObject {
  return {
    events: node.getNodeParameter("events") as string[],
    ignore: node.getNodeParameter("ignore") as string[],
  }
}

function keep(node: IHookFunctions, { id, secret }: Webhook): void {
  if (!secret)
    throw new NodeOperationError(
      node.getNode(),
      "This key may only read: the trigger needs one that may do everything.",
    )
  Object.assign(node.getWorkflowStaticData("node"), { path: `${webhooksOf(node)}/${id}`, secret })
}

/**
 * Has up to a hundred events delivered again that were given up since this time (Unix seconds). If that
 * fails, what n8n is doing goes on: it would lose more if it did not.
 */
async function bringBack(node: IHookFunctions | IWebhookFunctions, since: number): Promise<void> {
  const path = String(node.getWorkflowStaticData("node").path)
  const resend = path.replace(/\/webhooks\/([^/]+)$/, "/deliveries/resend?webhook=$1")
  try {
    await ask(node, "POST", resend, { since })
  } catch (error) {
    node.logger.warn(`What was given up is not delivered again: ${(error as Error).message}`)
  }
}

async function ask<Answer>(
  node: IHookFunctions | IWebhookFunctions,
  method: IHttpRequestMethods,
  path: string,
  body?: IDataObject,
): Promise<Answer> {
  const credential = "messagingBridgeApi"
  const { url } = await node.getCredentials<{ url: string }>(credential)
  const request = { method, baseURL: url.replace(/\/+$/, ""), url: path, body, json: true }
  try {
    return await node.helpers.httpRequestWithAuthentication.call(node, credential, request)
  } catch (error) {
    // Another caller has deleted the webhook already, which is what was asked for.
    if (method === "DELETE" && (error as { httpCode?: string }).httpCode === "404") return undefined as Answer
    throw new NodeApiError(node.getNode(), error as JsonObject)
  }
}

/** Contract, "Proof of a delivery" */
function isGenuine(body: Buffer, signature: string, secret: string): boolean {
  const [, time, signatures] = /^t=(\d{1,12})((?:,v1=[0-9a-f]{64})+)$/.exec(signature) ?? []
  if (!time || !signatures || Math.abs(Date.now() / 1000 - Number(time)) > 300) return false
  const expected = createHmac("sha256", secret).update(`${time}.`).update(body).digest()
  return signatures
    .split(",v1=")
    .slice(1)
    .some((one) => timingSafeEqual(expected, Buffer.from(one, "hex")))
}
