import { html } from "hono/html"
import { EventType } from "#contract/event.ts"
import type { Delivery } from "#core/event/delivery.ts"
import { Receiver } from "#core/event/receiver.ts"
import { now } from "#core/platform/clock.ts"
import {
  checkbox,
  codeBlock,
  confirming,
  copyable,
  facts,
  field,
  type Html,
  note,
  buttonForm,
  options,
  urlField,
} from "../elements.ts"
import { aboutTest } from "../events/attempt-words.ts"
import { age, until } from "../times.ts"
import { healthByHour } from "./by-hour.ts"
import { healingForm, recovery } from "./healing.ts"
import { pathOfDeliveries, aboutRetries, isFailing, receiverLine, receivingAt } from "./webhook-health.ts"

/**
 * One webhook of a number or of the account: how events get there, and what can be done with it.
 * @param at the number, if it is of one, and the path of the page
 */
export async function webhookCard(
  { ref, path }: { ref?: string; path: string },
  webhook: Delivery.Info,
  more: {
    types: readonly EventType[]
    mayChange: boolean
    /** The first webhook's address in its form: the stored one, or the one that was refused. */
    firstUrl: string
    /** Shown only after a fresh sign-in. */
    secret: { of: string; text: string } | undefined
    told?: () => Promise<Html | string>
  },
): Promise<Html> {
  const { webhookId, receiver, pausedAt } = webhook
  const { types, mayChange, firstUrl, secret } = more
  const at = `${path}/${webhookId}`
  const isFirst = Receiver.isFirst(webhook)
  // How far an account's has come is told at each number.
  const receiving = ref === undefined ? undefined : await receivingAt(webhook)
  return html`<section class="card" id="${webhookId}">
    <header>
      ${receiver.url === "" ? html`<h2>Webhook</h2>` : html`<h2 class="mono">${receiver.url}</h2>`}
      ${tags(webhook)}
    </header>
    ${
      pausedAt !== undefined
        ? html`<div>
            <span class="state warn">Paused</span>
            <div class="small muted">for ${age(pausedAt * 1000)}</div>
          </div>`
        : receiving && ref !== undefined
          ? html`<div>${receiverLine(ref, receiving)}</div>`
          : ""
    }
    ${pausedAt === undefined && receiving && isFailing(receiving) ? html`${aboutRetries} ${await more.told?.()}` : ""}
    ${pausedAt === undefined ? recovery(webhook) : ""} ${ref === undefined ? "" : await healthByHour(webhook)}
    ${
      webhook.missed
        ? note("warn", `${webhook.missed.events} events had waited for longer than 7 days, and are not sent.`)
        : ""
    }
    ${
      receiver.url === ""
        ? ""
        : html`<div class="row">
              ${ref === undefined ? "" : html`<a class="button" href="${pathOfDeliveries(ref, webhookId)}">Deliveries</a>`}
              ${mayChange ? testForm(at, webhook) : ""}
              ${!mayChange || isFirst ? "" : pausing(at, pausedAt !== undefined)}
            </div>
            ${mayChange ? html`<p class="small muted">${aboutTest}</p>` : ""}`
    }
    ${
      secret?.of === webhookId
        ? html`<div>
            <p class="label">Its secret</p>
            ${codeBlock(secret.text, "Its secret")}
          </div>`
        : ""
    }
    ${
      !mayChange
        ? ""
        : isFirst
          ? html`${addressForm(at, firstUrl)} ${receiver.url === "" ? "" : healingForm(at, webhook)}
            ${ofSecret(at, webhook)}`
          : html`${eventsForm(at, webhook, { types, whose: ref === undefined ? "each" : "the" })}
            ${changeForm(at, webhook)} ${healingForm(at, webhook)} ${ofSecret(at, webhook)} ${removing(at)}`
    }
  </section>`
}

/** Which event a test sends: an example of any type, where it posts in our own form. */
function testForm(at: string, { webhookId, receiver }: Delivery.Info): Html {
  const types = ["test", ...(receiver.format ? [] : EventType.options)].map((type) => [type, type] as const)
  return html`<form class="row" method="post" action="${at}/test">
    <label class="hidden" for="event-${webhookId}">Which event</label>
    <select id="event-${webhookId}" name="event">
      ${options(types, "test")}
    </select>
    <button class="button">Send a test event</button>
  </form>`
}

function changeForm(at: string, { webhookId, receiver, batch }: Delivery.Info): Html {
  const hasHeaders = receiver.sealedHeaders !== undefined
  return html`<details class="plain">
    <summary>Address, chats, headers, batch</summary>
    <form method="post" action="${at}/change">
      ${urlField("Address", { name: "url", value: receiver.url, required: true, id: `url-${webhookId}` })}
      ${field("Only events of these chats", {
        name: "chats",
        id: `chats-${webhookId}`,
        value: receiver.filter?.chats?.join(" ") ?? "",
        placeholder: "all: phone numbers, or ids of groups",
        spellcheck: "false",
      })}
      <div>
        <label for="headers-${webhookId}">Headers of its own, one a line</label>
        <textarea
          id="headers-${webhookId}"
          name="headers"
          class="mono"
          rows="3"
          maxlength="3000"
          spellcheck="false"
          placeholder="X-Shop: Berlin"
        ></textarea>
        <p class="hint">Left empty, those that it has stay. They are secret, and not shown.</p>
      </div>
      ${hasHeaders ? checkbox("no_headers", "yes", false, "End the headers that it has") : ""}
      ${
        receiver.format
          ? ""
          : field(
              "Up to so many events in one POST",
              {
                name: "batch",
                id: `batch-${webhookId}`,
                type: "number",
                min: 1,
                max: 50,
                value: batch ?? "",
              },
              { hint: "1 to 50, as an array. Left empty: one event for each POST, in the usual form." },
            )
      }
      <div class="row"><button class="button">Save</button></div>
    </form>
  </details>`
}

/** In whose form it posts. */
function tags({ receiver: { format } }: Delivery.Info): Html | string {
  if (!format) return ""
  return html`<span class="row">
    ${format ? html`<span class="tag">as ${gateways[format.name]} posts</span>` : ""}
  </span>`
}

/** Other gateways in whose form events may come. */
const gateways = { evolution: "Evolution API", waha: "WAHA" }

function addressForm(at: string, url: string): Html {
  return html`<form method="post" action="${at}/address">
    ${urlField("Address", { name: "webhook_url", value: url }, "Each event is sent there, signed and in order. Left empty, events stay here for 30 days.")}
    <div class="row">
      <button class="button main">Save</button>
      <button class="button" name="test" value="yes">Save and send a test event</button>
    </div>
  </form>`
}

function pausing(at: string, isPaused: boolean): Html {
  return isPaused
    ? buttonForm({ action: `${at}/resume`, label: "Let this webhook go on", kind: "main" })
    : buttonForm({ action: `${at}/pause`, label: "Pause this webhook" })
}

function eventsForm(
  at: string,
  { receiver }: Delivery.Info,
  { types, whose }: { types: readonly EventType[]; whose: "each" | "the" },
): Html {
  const chosen = receiver.filter?.events
  return html`<details class="plain">
    <summary>
      Events:
      ${chosen ? `${types.filter((type) => chosen.includes(type)).length} of ${types.length} types` : "all types"}
    </summary>
    <form method="post" action="${at}/events">
      <fieldset class="choices">
        <legend class="label">Which it gets, of those that ${whose} number gets</legend>
        ${types.map((type) => checkbox("events", type, chosen?.includes(type) ?? true, html`<code>${type}</code>`))}
      </fieldset>
      <div class="row"><button class="button">Save</button></div>
    </form>
  </details>`
}

function ofSecret(at: string, { webhookId, receiver: { before } }: Delivery.Info): Html {
  const overlap = before && before.until > now() ? before.until : undefined
  return html`<details class="plain">
    <summary>Secret, and id</summary>
    ${facts([["Id", copyable(webhookId)]])}
    <p class="small">
      Your program checks the signature of each event with it:
      <a href="/api/docs#receive">how, in three languages</a>.
      ${
        overlap === undefined
          ? html`Once it is replaced, each event is signed with both for 24 hours, so nothing is lost while
              your program changes. One that compares <code>Authorization</code> has to accept the new secret
              at once.`
          : html`It was replaced, and the old one signs as well for ${until(overlap * 1000)} more. Once your
            program knows the new one, end the old one.`
      }
    </p>
    <div class="row">
      <a class="button" href="${at}/secret">Show it</a>
      ${
        overlap === undefined
          ? buttonForm({ action: `${at}/secret/roll`, label: "Replace it" })
          : buttonForm({ action: `${at}/secret/finish`, label: "End the old one now" })
      }
    </div>
  </details>`
}

function removing(at: string): Html {
  return confirming({
    label: "Delete this webhook",
    about: "What waits for it is not sent. The other webhooks lose nothing.",
    act: buttonForm({ action: `${at}/remove`, label: "Delete it now", kind: "danger" }),
    kind: "danger",
  })
}
