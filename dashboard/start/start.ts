import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import type { StoredEvent } from "#contract/stored-event.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { type KnownState, knownStateOf, isStopped } from "#core/bridge/known-state.ts"
import { ApiError } from "#core/error.ts"
import { EventFeed } from "#core/event/event-feed.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { Usage } from "#core/event/usage.ts"
import { mayName } from "#core/fetch/reachable-addresses.ts"
import { Lease } from "#core/lease/lease.ts"
import { config } from "#core/platform/config.ts"
import { originOf } from "#functions/http/address.ts"
import { headedPage } from "../answer.ts"
import { empty, type Html, icon, note } from "../elements.ts"
import { eventItem } from "../events/event-item.ts"
import { eventsFollower, firstWaiting } from "../events/events.ts"
import { typedIn } from "../form.ts"
import type { DashboardEnv } from "../guard.ts"
import { live, type Piece } from "../live.ts"
import { stateLine } from "../numbers/state-words.ts"
import { codeBlocks } from "./code-blocks.ts"
import { bubble, phoneCard, type PhoneState } from "./sandbox-phone.ts"
import { SimulatedPhone } from "./simulated-phone.ts"

const lookEachMs = 700

/** The first page, with the sandbox and its phone. */
export const start = new Hono<DashboardEnv>()
  .get("/", async (c) => await show(c))
  .get("/start", async (c) => await show(c))
  .get("/live/sandbox", async (c) => {
    const bridge = await Bridge.get(c.var.accountId, "sandbox")
    const following = { bridge, filter: {}, list: "start-events", eachMs: lookEachMs }
    const events = await eventsFollower(c, following)
    const lookAtPhone = phoneFollower(c)
    let lookedAt = -Infinity
    const nextPieces = async () => {
      const pieces = await events.nextPieces()
      if (pieces === "over" || performance.now() - lookedAt < lookEachMs) return pieces
      lookedAt = performance.now()
      return new Map([...(await lookAtPhone()), ...pieces])
    }
    return await live(c, 20, nextPieces, events.end)
  })
  .post("/sandbox/say", async (c) => {
    const said = (await typedIn(c, "text")).text.slice(0, 65_536)
    return await act(c, async (phone) => {
      if (said.trim() !== "") await SimulatedPhone.say(phone, said)
    })
  })
  .post("/sandbox/picture", async (c) => await act(c, SimulatedPhone.sendPicture))
  .post("/sandbox/voice", async (c) => await act(c, SimulatedPhone.sendVoice))
  .post("/sandbox/react", async (c) => {
    const why = "There is nothing to react to: write something first."
    return await act(c, async (phone) => ((await SimulatedPhone.react(phone)) ? undefined : why))
  })
  .post("/sandbox/vote", async (c) => {
    const why = "Your sandbox has sent no poll to vote on. Send one with send/poll: the code is below."
    return await act(c, async (phone) => ((await SimulatedPhone.vote(phone)) ? undefined : why))
  })
  .post("/sandbox/call", async (c) => await act(c, SimulatedPhone.ring))
  .post("/sandbox/unlink", async (c) => await act(c, SimulatedPhone.unlink))

type Act = (phone: SimulatedPhone.Info) => Promise<string | undefined | void>

/** Has the phone do something, and shows the page again. An act that cannot be done says why. */
async function act(c: Context<DashboardEnv>, what: Act) {
  const { found, phone } = await sandboxOf(c)
  if (phone === "elsewhere") return await show(c, note("warn", "This phone cannot be used from here."))
  if (phone === "stopped") return await show(c, note("warn", "The sandbox does not run now."))
  if (!found) return await show(c, note("warn", "The sandbox links its phone: try again in a moment."))
  const why = await what(found)
  return why === undefined ? c.redirect("/start", 303) : await show(c, note("info", why))
}

/** Looks at the sandbox and its contact's phone again and again, and gives what has come since. */
function phoneFollower(c: Context<DashboardEnv>) {
  const { mayChange } = c.var.me
  let after = 0
  let hasSent: boolean | undefined
  let known: SimulatedPhone.Info | undefined
  return async (): Promise<Map<string, Piece>> => {
    const { bridge, knownState, found, phone, contact } = await sandboxOf(c, known)
    known = found
    hasSent ??= await hasCounted(bridge.id)
    const pieces = new Map<string, Piece>([["state", { html: sandboxState(knownState) }]])
    // A page that was shown while the sandbox was being linked has no phone yet; any other keeps its own.
    if (found) {
      pieces.set("card", { html: phoneCard({ phone, bubbles: [], contact, mayChange }) })
      pieces.set("blocks", { html: codeBlocks({ ...placesOf(c), contact }) })
    }
    if (found && phone === "ready") {
      const { bubbles, last } = await SimulatedPhone.bubbles(found, after)
      after = last
      hasSent ||= bubbles.some(({ isOwn }) => !isOwn)
      for (const one of bubbles) pieces.set(one.id, { html: bubble(one) })
    }
    return pieces.set("checklist", { html: checklist(await factsOf(c.var.accountId, hasSent)) })
  }
}

/** Where a program finds this service, and whether this service finds a program on its reader's machine. */
function placesOf(c: Context<DashboardEnv>) {
  return { baseUrl: originOf(c), isReceiverHere: mayName("127.0.0.1") }
}

/** `known`: the contact's phone as it was found before. */
async function sandboxOf(c: Context<DashboardEnv>, known?: SimulatedPhone.Info) {
  const bridge = await Bridge.get(c.var.accountId, "sandbox")
  const knownState = await knownStateOf(bridge)
  const own = knownState.kind === "said" && knownState.status === "connected" ? knownState.phone : ""
  const found = known && known.bridge === own ? known : await phoneOf(bridge, own, c.var.requestId)
  return { bridge, knownState, found, phone: stateOf(found, knownState), contact: found?.number ?? "" }
}

function stateOf(found: SimulatedPhone.Info | undefined, knownState: KnownState): PhoneState {
  if (!SimulatedPhone.isHere()) return "elsewhere"
  if (found) return "ready"
  return isStopped(knownState) ? "stopped" : "linking"
}

/** The contact's phone; undefined while the sandbox is not linked yet. */
async function phoneOf(bridge: Bridge.Info, own: string, requestId: string) {
  if (own === "") return undefined
  try {
    const number = await SimulatedPhone.numberOfEcho(bridge, requestId)
    return number === undefined ? undefined : { number, bridge: own }
  } catch (error) {
    // The sandbox's session starts or moves; the page says that its phone is being linked.
    if (error instanceof ApiError) return undefined
    throw error
  }
}

async function show(c: Context<DashboardEnv>, notice?: Html) {
  const { accountId } = c.var
  const { mayChange } = c.var.me
  if (!config.SANDBOX) {
    const about = "Link a phone, and each of its messages becomes an event for your program."
    const facts = checklist(await factsOf(accountId, false))
    const body = html`${note("info", "This service has no sandbox.")} ${facts}`
    return await headedPage(c, { title: "First steps", about, place: "start", body })
  }
  const { bridge, knownState, found, phone, contact } = await sandboxOf(c)
  const { bubbles } = found && phone === "ready" ? await SimulatedPhone.bubbles(found, 0) : { bubbles: [] }
  const hasSent = bubbles.some(({ isOwn }) => !isOwn) || (await hasCounted(bridge.id))
  // Read before the list: an event that comes in between is in the list and in the stream, which goes on
  // behind it, and is shown once.
  const newest = await EventLists.newestNumber(bridge.id)
  const { events } = await EventFeed.page(bridge, { isNewestFirst: true, limit: 15 })
  const facts = await factsOf(accountId, hasSent)
  const about = `Your sandbox is a number on a simulated network. ${whatToDo(phone, mayChange)}`
  const body = html`${notice ?? ""}
    <div class="columns" data-stream="/live/sandbox?from=${newest}&amp;waits=${firstWaiting(events) ?? ""}">
      <div>${phoneCard({ phone, bubbles, contact, mayChange })}</div>
      ${eventsCard(events, knownState)}
    </div>
    ${mayChange ? html`${checklist(facts)} ${codeBlocks({ ...placesOf(c), contact })}` : ""}`
  const place = c.req.path === "/" ? "start" : "sandbox"
  return await headedPage(c, { title: "Sandbox and first steps", about, place, body })
}

/** Whether a sandbox has ever sent a message. Its usage says so even while its phone cannot be looked at. */
async function hasCounted(bridgeId: string): Promise<boolean> {
  const days = await Usage.daysOf(bridgeId, { from: "0000-01-01", to: Usage.today() }, {})
  return days.some(({ out }) => out > 0)
}

/** The steps that the account has done so far. `hasSent`: its sandbox has sent a message. */
async function factsOf(accountId: string, hasSent: boolean) {
  const [keys, bridges] = await Promise.all([ApiKey.list(accountId), Bridge.list(accountId)])
  const sandbox = bridges.find(({ isSandbox }) => isSandbox)
  const leases = await Lease.byIds(bridges.flatMap(({ id, isSandbox }) => (isSandbox ? [] : [id])))
  return {
    hasSandbox: config.SANDBOX,
    hasEvent: sandbox !== undefined && (await EventLists.newestNumber(sandbox.id)) > 0,
    // Where its contact's phone cannot be looked at, the use of a key has to do.
    hasSent: hasSent || (!SimulatedPhone.isHere() && keys.some(({ lastUsedAt }) => lastUsedAt !== undefined)),
    hasNumber: [...leases.values()].some(({ reported }) => reported?.phone !== undefined),
    hasWebhook: (sandbox?.webhookUrl ?? "") !== "",
  }
}

function whatToDo(phone: PhoneState, mayChange: boolean): string {
  if (phone === "elsewhere")
    return "Send to its contact Echo with the API, and watch the event of the answer."
  return mayChange
    ? "Write to it from the phone, and watch the event that your program would get."
    : "Watch what is written to it from the phone, and the event that a program gets."
}

function eventsCard(events: StoredEvent[], knownState: KnownState): Html {
  return html`<section class="card flush phone" aria-label="Events of the sandbox">
    <header class="row spread">
      <h2>Events</h2>
      ${sandboxState(knownState)}
    </header>
    <div class="scroller" tabindex="0" role="region" aria-label="Events">
      ${
        events.length > 0
          ? ""
          : empty({
              id: "start-events-empty",
              icon: "inbox",
              title: "The first event is on its way",
              about: html`The sandbox links itself to its phone. Its <code>connected</code> appears here in a
                few seconds.`,
            })
      }
      <ul class="feed" id="start-events">
        ${events.map((event) => eventItem("sandbox", event, { list: "start-events" }))}
      </ul>
    </div>
    <footer><a href="/numbers/sandbox/events">All events of the sandbox</a></footer>
  </section>`
}

/** The state of the sandbox, as the stream sends it again. */
function sandboxState(knownState: KnownState): Html {
  return html`<div id="sandbox-state" class="evidence">${stateLine(knownState)}</div>`
}

function item(isDone: boolean, body: Html): Html {
  return html`<li class="${isDone ? "done" : ""}">
    ${icon(isDone ? "check" : "open")}<span
      >${body}${isDone ? html`<span class="hidden">: done</span>` : ""}</span
    >
  </li>`
}

/** The first steps, ticked by facts; the stream renews them. */
function checklist(facts: Awaited<ReturnType<typeof factsOf>>): Html {
  return html`<section class="card" id="checklist">
    <h2>Next steps</h2>
    <ol class="checklist">
      ${
        facts.hasSandbox
          ? html`${item(facts.hasEvent, html`See an event of the sandbox`)}
            ${item(facts.hasSent, html`Send a message with the API: <a href="/keys">make a key</a>, then paste`)}
            ${item(facts.hasWebhook, html`<a href="/numbers/sandbox/webhooks">Give the sandbox a webhook</a>`)}`
          : ""
      }
      ${item(facts.hasNumber, html`<a href="/new-number">Add a number</a> and link a phone`)}
    </ol>
  </section>`
}
