import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import type { z } from "zod"
import { Message } from "#contract/message.ts"
import type { StoredEvent } from "#contract/stored-event.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { RequestLog } from "#core/account/request-log.ts"
import type { Bridge } from "#core/bridge/bridge.ts"
import { ApiError } from "#core/error.ts"
import { EventSearch } from "#core/event/event-search.ts"
import { folded } from "#core/event/folded.ts"
import { Lease } from "#core/lease/lease.ts"
import { numberPage } from "../answer.ts"
import { sentenceForPeople } from "../api-words.ts"
import { namesOf, pathOfChat } from "../conversations/chat-name.ts"
import { copyable, facts, type Html } from "../elements.ts"
import { stateMark } from "../events/event-outcomes.ts"
import { wordsOf } from "../events/message-words.ts"
import type { DashboardEnv } from "../guard.ts"
import { live } from "../live.ts"
import { askSession, notShown, type SessionAnswer } from "../numbers/session-answer.ts"
import { pathAround } from "./span.ts"
import { sentMark, type Step, steps } from "./steps.ts"

type Sent = z.infer<typeof Message>

const lookEachMs = 2000
/** How long the page waits for the session, and looks for the events about a message, in ms. */
const patienceMs = 900

/** The way of a message that the API sent: from the call to the phone of who reads it. */
export const message = new Hono<DashboardEnv>()
  .get("/numbers/:ref/messages/:id/stream", (c) => {
    let last: { status: string | undefined; html: Html } | undefined
    return live(c, lookEachMs, async () => {
      const said = await saidOf(c, c.req.param("id"))
      // To look for its events costs more than to ask for its status, with which they come.
      if (!last || last.status !== said.value?.status)
        last = { status: said.value?.status, html: await wayOf(c, c.req.param("id"), said, true) }
      return new Map([["way", { html: last.html }]])
    })
  })
  .get("/numbers/:ref/messages/:id", async (c) => {
    const { customerRef: ref } = c.var.bridge
    const id = c.req.param("id")
    const body = html`<nav class="crumbs" aria-label="Back">
        <a href="/numbers/${ref}/chats">All chats</a>
      </nav>
      <div class="stack" data-stream="/numbers/${ref}/messages/${encodeURIComponent(id)}/stream">
        ${await wayOf(c, id, await saidOf(c, id), false)}
      </div>`
    return await numberPage(c, "chats", { title: `Message of ${ref}`, body })
  })

async function saidOf(c: Context<DashboardEnv>, id: string): Promise<SessionAnswer<Sent>> {
  return await askSession(c, `/messages/${encodeURIComponent(id)}`, Message, patienceMs)
}

async function wayOf(
  c: Context<DashboardEnv>,
  id: string,
  said: SessionAnswer<Sent>,
  isReader: boolean,
): Promise<Html> {
  const { bridge } = c.var
  const told = await eventsAbout(bridge, id, isReader)
  const isUnknown = said.problem !== undefined && said.code === "not_found"
  if (isUnknown && told.length === 0) throw new ApiError("not_found")
  const sent = said.value
  const call = sent && (await callOf(c.var.accountId, sent))
  const nameOf = await namesOf(c, sent ? [sent.chat_id] : [])
  const title = sent ? html`To <bdi>${nameOf(sent.chat_id)}</bdi>` : "A message"
  return html`<section class="card flush" id="way">
    <header>
      <h2>${title} ${sent ? sentMark(sent.status) : ""}</h2>
      ${sent ? html`<p><bdi>${wordsOf(sent)}</bdi></p>` : ""}
      ${facts([
        ["Message", copyable(id)],
        ["Request", sent?.request_id && copyable(sent.request_id)],
      ])}
      ${sent ? html`<div class="row"><a class="button slim" href="${pathOfChat(bridge.customerRef, sent.chat_id)}">Open the chat</a></div>` : ""}
    </header>
    ${sent || isUnknown ? "" : notShown("What became of it is", said.problem ?? "")}
    ${steps(
      merged(
        sent ? await stepsOf(bridge, sent, call) : [],
        told.map((one) => toldStep(bridge, one)),
      ),
    )}
  </section>`
}

/** The message's own steps keep their order, whatever clocks say; what was told of it goes in between. */
function merged(own: Step[], told: Step[]): Step[] {
  let lastMs = 0
  const placed = own.map((step) => ({ step, at: (lastMs = Math.max(lastMs, step.atMs ?? 0)) }))
  return [...placed, ...told.map((step) => ({ step, at: step.atMs ?? 0 }))]
    .toSorted((a, b) => a.at - b.at)
    .map(({ step }) => step)
}

interface Call {
  href?: string | undefined
  key?: string | undefined
}

/** The call that sent a message, if it is listed: calls that succeeded are not. */
async function callOf(accountId: string, { request_id: id, asked_at }: Sent): Promise<Call> {
  if (id === undefined || asked_at === undefined) return {}
  const call = await RequestLog.find(accountId, id, { askedMs: asked_at * 1000 })
  if (!call) return {}
  const keys = await ApiKey.list(accountId)
  return {
    href: `/requests/${call.place}`,
    key: keys.find(({ keyId }) => keyId === call.keyId)?.name ?? call.keyId,
  }
}

/** The events that told the customer's program of this message, oldest first. */
async function eventsAbout(bridge: Bridge.Info, id: string, isReader: boolean): Promise<StoredEvent[]> {
  const until = performance.now() + patienceMs
  const isOver = () => performance.now() > until
  const { events } = await EventSearch.newest(bridge, { texts: [folded(id)], limit: 10, isReader, isOver })
  return events.filter(({ event }) => "message_id" in event && event.message_id === id).toReversed()
}

/** The steps of a message. The last one that is known is red where it went no further. */
async function stepsOf(bridge: Bridge.Info, sent: Sent, call: Call | undefined): Promise<Step[]> {
  const askedMs = ms(sent.asked_at)
  const at = `/numbers/${bridge.customerRef}`
  const around = askedMs === undefined ? undefined : pathAround(bridge.customerRef, askedMs)
  const acts = html`${call?.href === undefined ? "" : html`<a class="button slim" href="${call.href}">See the request</a>`}
  ${around === undefined ? "" : html`<a class="button slim" href="${around}">What else happened then</a>`}`
  const all: Step[] = []
  if (sent.asked_at !== undefined)
    all.push({
      atMs: askedMs,
      tone: "good",
      word: "Asked for",
      about: `By a call of the API${call?.key === undefined ? "" : `, with the key ${call.key}`}.`,
      act: acts,
    })
  const isPaced = (await Lease.get(bridge.id))?.choice.pacing !== undefined
  all.push({
    tone: "good",
    word: sent.asked_at === undefined ? "Written on the phone" : "Stored",
    about:
      sent.asked_at === undefined
        ? "Or on another of its devices. Those hear what becomes of it."
        : `${isPaced ? "After its turn by this number's pacing, which takes up to five seconds: " : ""}With its keys, before it left. After a crash the same bytes go out under the same id.`,
  })
  all.push(...outcomesOf(sent, at))
  return all
}

function outcomesOf(sent: Sent, at: string): Step[] {
  if (sent.status === "pending")
    return [
      {
        tone: "bad",
        word: "Not confirmed",
        about:
          "It may have left. The network has not said that it has it. The same call with the same Idempotency-Key sends it again under the same id, and finds out.",
        act: html`<a class="button slim" href="${at}/connect">See the connection</a>`,
      },
    ]
  if (sent.status === "failed")
    return [
      {
        atMs: ms(sent.failed_at),
        tone: "bad",
        word: "Rejected by the network",
        about: sentenceForPeople(sent.reason ?? ""),
        act: html`<a class="button slim" href="${at}/settings#sending">See how this number sends</a>
          <a class="button slim" href="/api/docs?q=network_rejected">What to do</a>`,
      },
    ]
  const { counts } = sent
  const ofAll = (count: number | undefined) =>
    counts ? `${count} of ${counts.recipients} people.` : undefined
  const received = sent.delivered_at ?? sent.read_at ?? sent.played_at
  return [
    { atMs: ms(sent.sent_at), tone: "good", word: "The network has it", about: "By its clock." },
    ...(received === undefined
      ? [{ tone: "idle", word: "Not known to be delivered", about: sent.untracked ?? notYet } as const]
      : [{ atMs: ms(received), tone: "good", word: "Delivered", about: ofAll(counts?.delivered) } as const]),
    ...kinds.flatMap(([word, seconds, count]): Step[] => {
      const at = ms(seconds(sent))
      return at === undefined ? [] : [{ atMs: at, tone: "good", word, about: ofAll(count(sent)) }]
    }),
  ]
}

const notYet = "Its phone is off, or has no connection: the network keeps the message for it."

const kinds = [
  ["Read", (sent: Sent) => sent.read_at, (sent: Sent) => sent.counts?.read],
  ["Played", (sent: Sent) => sent.played_at, (sent: Sent) => sent.counts?.played],
] as const

/** Your program was told: its event has a way of its own. */
function toldStep(
  { customerRef: ref }: Bridge.Info,
  { event_id: id, event, state, created_at }: StoredEvent,
): Step {
  const status = event.event === "message_status" ? event.status : event.event
  return {
    atMs: created_at * 1000,
    tone:
      state === "undelivered" ? "bad" : state === "pending" ? "warn" : state === "inbox" ? "idle" : "good",
    word: `Event: ${status}`,
    about: html`Your program ${state === "delivered" ? "was told" : "was not told yet"}: ${stateMark(state)}`,
    act: html`<a class="button slim" href="/numbers/${ref}/events/${id}">See its deliveries</a>`,
  }
}

function ms(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000
}
