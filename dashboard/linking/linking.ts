import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import type { Bridge } from "#core/bridge/bridge.ts"
import { type KnownState, knownStateOf, isLinked, isStopped } from "#core/bridge/known-state.ts"
import { EventFeed } from "#core/event/event-feed.ts"
import { nowMs } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { originOf } from "#functions/http/address.ts"
import { numberPage, type Status } from "../answer.ts"
import { sentenceForPeople } from "../api-words.ts"
import { keptDays } from "../conversations/chats.ts"
import { keeps } from "../conversations/said.ts"
import { type Html, note, buttonForm } from "../elements.ts"
import { typedIn } from "../form.ts"
import { askOwners, type DashboardEnv } from "../guard.ts"
import { lastId, live, type Piece } from "../live.ts"
import { followOfflineSync } from "../numbers/offline-sync.ts"
import { stateLine, inWords, pathOfAction } from "../numbers/state-words.ts"
import { age, ago } from "../times.ts"
import { typedCodeFor, shownCodeOf, roundOf } from "./ask-for-codes.ts"
import { LinkSteps } from "./link-steps.ts"
import {
  type Code,
  codePiece,
  refusedCard,
  simulatedNote,
  stepList,
  typedCodeCard,
  unofficialNote,
  cardAndSteps,
} from "./linking-cards.ts"
import {
  type CardPage,
  challengeIn,
  linkingCard,
  bringPasskeyAnswer,
  turnAway,
  wantsPasskey,
} from "./passkey.ts"

/** Linking a phone to a number: by the code on this screen, or by one that is typed on the phone. */
export const linking = new Hono<DashboardEnv>()
  .get("/numbers/:ref/connect", async (c) => {
    const { bridge, me } = c.var
    const [knownState, ended] = await Promise.all([
      knownStateOf(bridge).then(followOfflineSync(bridge.id)),
      endedOf(bridge),
    ])
    const parts = !me.mayChange
      ? note("info", await askOwners(c, "You may look at this account, but link no phone"))
      : isStopped(knownState)
        ? stoppedCard(bridge, knownState)
        : await linkingNow(c, knownState, ended)
    const mayLink = me.mayChange && !isStopped(knownState)
    return await show(c, html`${mayLink ? networkNote(bridge, knownState) : ""} ${parts}`)
  })
  .get("/numbers/:ref/connect/stream", async (c) => {
    const { eachMs, nextPieces } = follower(c)
    return await live(c, eachMs, nextPieces)
  })
  .post("/numbers/:ref/connect", async (c) => {
    const { bridge, requestId } = c.var
    const { phone: written } = await typedIn(c, "phone")
    const at = pathOf(bridge)
    const typed = await typedCodeFor(bridge, written, { requestId })
    if (typed.refused) return await show(c, refusedCard({ at, ...typed.refused }), typed.refused.status)
    const knownState = await knownStateOf(bridge)
    return await show(
      c,
      cardAndSteps({ at, query: "typed=1", card: typedCodeCard({ ...typed, at }), knownState }),
    )
  })
  .post("/numbers/:ref/connect/passkey", async (c) => {
    const { bridge, requestId } = c.var
    const { answer } = await typedIn(c, "answer")
    const readState = () => knownStateOf(bridge)
    const { body, status } = await bringPasskeyAnswer(answer, {
      bridge,
      requestId,
      readState,
      shown: shownOf(c),
    })
    return await show(c, body, status)
  })
  .post("/numbers/:ref/connect/again", async (c) => {
    await turnAway(c.var.bridge, c.var.requestId)
    return c.redirect(pathOf(c.var.bridge), 303)
  })

const pathOf = ({ customerRef }: Bridge.Info) => `/numbers/${customerRef}/connect`

function shownOf(c: Context<DashboardEnv>): CardPage {
  const { bridge } = c.var
  return { at: pathOf(bridge), origin: originOf(c), linksTo: `the number ${bridge.customerRef}` }
}

async function show(c: Context<DashboardEnv>, body: Html, status?: Status) {
  const title = `Link a phone to ${c.var.bridge.customerRef}`
  return await numberPage(c, "connect", { title, body, status, without: "session" })
}

/**
 * Looks at the session and the network's code, and remembers across breaks of the stream how far they were.
 */
function follower(c: Context<DashboardEnv>) {
  const { bridge, me, requestId } = c.var
  const { taken } = c.req.query()
  let linkSteps = LinkSteps.fromStreamId(lastId(c))
  const withCatchUp = followOfflineSync(bridge.id)
  const nextPieces = async (): Promise<Map<string, Piece>> => {
    const knownState = await withCatchUp(await knownStateOf(bridge))
    linkSteps = LinkSteps.withState(linkSteps, knownState, nowMs())
    const id = () => LinkSteps.streamIdOf(linkSteps)
    const pieces = new Map<string, Piece>([
      ["steps", { html: stepList(knownState, linkSteps.times), id: id() }],
    ])
    if (isLinked(knownState)) {
      pieces.set("note", { html: networkNote(bridge, knownState) })
      return pieces.set("linking", { html: await linkedCard(c, knownState) })
    }
    if (!me.mayChange) return pieces
    const isPasskeyWanted = wantsPasskey(knownState)
    const { isOver, isTyped } = roundOf(c)
    if (isPasskeyWanted ? challengeIn(knownState) !== taken : !isTyped)
      pieces.set("linking", { html: linkingCard(knownState, shownOf(c)), id: id() })
    if (isPasskeyWanted || isTyped) return pieces
    const code = await shownCodeOf(bridge, { requestId, isOver: isOver || LinkSteps.isOver(linkSteps) })
    if (code.kind === "shown") linkSteps = LinkSteps.withCode(linkSteps, code.expiresMs, nowMs())
    const now: Code = LinkSteps.isOver(linkSteps) ? { kind: "over" } : numbered(code, linkSteps)
    if (now.kind !== "linked") pieces.set("code", { html: codePiece(pathOf(bridge), now), id: id() })
    return pieces
  }
  return { nextPieces, eachMs: () => LinkSteps.lookAgainMs(linkSteps, nowMs()) }
}

function numbered(code: Code, { number }: LinkSteps.Info): Code {
  return code.kind === "shown" ? { ...code, number } : code
}

interface Ended {
  sentence: string
  atMs: number
}

/** Why the number's last phone was unlinked, if the latest `disconnected` event says so. */
async function endedOf(bridge: Bridge.Info): Promise<Ended | undefined> {
  const asked = { types: ["disconnected"], isNewestFirst: true, limit: 1 } as const
  const [last] = (await EventFeed.page(bridge, asked)).events
  if (last?.event.event !== "disconnected" || last.event.reason === undefined) return undefined
  const why =
    last.event.detail?.replace(/^unlinked/, "the last phone was unlinked") || "the phone was unlinked"
  return { sentence: sentenceForPeople(why), atMs: last.created_at * 1000 }
}

/** Which phones can link, and at which risk. */
function networkNote(bridge: Bridge.Info, knownState: KnownState): Html {
  const said = noteOn(bridge, knownState)
  return html`<div id="network-note" ${said === "" ? "hidden" : ""}>${said}</div>`
}

function noteOn({ isSandbox }: Bridge.Info, knownState: KnownState): Html | string {
  if (isSandbox)
    return note(
      "info",
      "The sandbox is on a simulated network, and a simulated phone links itself to it. No real phone can scan its code.",
    )
  if (isLinked(knownState)) return ""
  const phones = config.HOST_NETWORK === "simulated" ? config.SIMULATOR_CONTROL_URL : undefined
  return phones === undefined ? unofficialNote : simulatedNote(phones)
}

/** The parts that the stream renews. */
async function linkingNow(
  c: Context<DashboardEnv>,
  knownState: KnownState,
  ended: Ended | undefined,
): Promise<Html> {
  const { bridge, requestId } = c.var
  const { begun, isOver, isTyped } = roundOf(c)
  const query = `begun=${begun}`
  if (isTyped && !isLinked(knownState))
    return cardAndSteps({ at: pathOf(bridge), query, card: html``, knownState })
  // The steps say why a login is refused. A number whose session says nothing may still be linked.
  const isUnlinked = knownState.kind === "said" && knownState.objection === undefined && !isLinked(knownState)
  const isAsking = !isLinked(knownState) && !wantsPasskey(knownState)
  const code = isAsking ? await shownCodeOf(bridge, { requestId, isOver }) : undefined
  const elsewhere = isLinked(knownState)
    ? ""
    : html`<section class="card row spread">
        <p>Is the phone somewhere else?</p>
        <a class="button" href="/numbers/${bridge.customerRef}/link-page">Make a link page for somebody</a>
      </section>`
  const card = html`${isUnlinked && ended ? note("warn", html`${ended.sentence} That was ${ago(ended.atMs)}.`) : ""}
  ${isLinked(knownState) ? linkedCard(c, knownState) : linkingCard(knownState, shownOf(c), code)}`
  return html`${cardAndSteps({ at: pathOf(bridge), query, card, knownState })} ${elsewhere}`
}

/** Nothing can be linked to a number that does not run. */
function stoppedCard(bridge: Bridge.Info, knownState: KnownState): Html {
  const { word, cause, action } = inWords(knownState)
  const at = `/numbers/${bridge.customerRef}`
  return html`<section class="card">
    ${note("bad", html`<b>${word}.</b> ${cause} No phone can be linked meanwhile.`)}
    <div class="row">
      ${action ? html`<a class="button main" href="${pathOfAction(at, action.to)}">${action.label}</a>` : ""}
      <a class="button" href="${at}/connect">Look again</a>
    </div>
  </section>`
}

/** Takes the place of the code once a phone is linked. */
async function linkedCard(
  c: Context<DashboardEnv>,
  knownState: Extract<KnownState, { kind: "said" }>,
): Promise<Html> {
  const ref = c.var.bridge.customerRef
  const { action, cause } = inWords(knownState)
  const isAsked = c.var.me.mayChange && !(await keeps(c))
  return html`<section class="card" id="linking" aria-label="The linked phone">
    <h2>${knownState.phone === "" ? "A phone is linked" : html`Linked to +${knownState.phone}`}</h2>
    ${stateLine(knownState)}
    ${
      cause !== ""
        ? ""
        : html`<p class="muted">
            WhatsApp
            ${knownState.sinceMs === undefined ? "is connected" : html`has been connected for ${age(knownState.sinceMs)}`}.
            To link another phone, unlink this one in the settings.
          </p>`
    }
    ${isAsked && action?.to !== "take-back" ? askToKeep(ref) : ""}
    <div class="row">
      ${
        action?.to === "take-back"
          ? buttonForm({ action: `/numbers/${ref}/restart`, label: action.label, kind: "main" })
          : isAsked
            ? ""
            : html`<a class="button main" href="/numbers/${ref}/chats">Open its chats</a>`
      }
      <a class="button" href="/numbers/${ref}/events">See its events</a>
      <a class="button" href="/numbers/${ref}/settings">Settings</a>
    </div>
  </section>`
}

/** Asked where a phone was just linked, since keeping what people write is the customer's to decide. */
function askToKeep(ref: string): Html {
  return html`<div class="stack" id="ask-to-keep">
    <h3>Keep the messages of this number?</h3>
    <p>
      Chats then show the last ${keptDays} days, and can be searched. Without that, they show the last days
      only. What is kept is encrypted, only your account sees it, and it is removed when its days are over.
      You can change this in the settings at any time.
    </p>
    <div class="row">
      <form method="post" action="/numbers/${ref}/chats/keep">
        <button class="button main">Keep ${keptDays} days and open the chats</button>
      </form>
      <a class="button" href="/numbers/${ref}/chats">Open the chats, keep nothing</a>
    </div>
  </div>`
}
