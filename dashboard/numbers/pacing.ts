import { html } from "hono/html"
import { Pacing } from "#contract/pacing.ts"
import type { Bridge } from "#core/bridge/bridge.ts"
import type { Choice } from "#core/bridge/choice.ts"
import { knownStateOf } from "#core/bridge/known-state.ts"
import { invalid } from "#core/error.ts"
import { checkbox, field, type Html } from "../elements.ts"

// The part of a number's settings that is about how it sends.

type Choices = ReturnType<typeof Choice.wire>

/** The pacing as people read and type it: seconds, and nothing where there is no limit. */
export interface TypedPacing {
  new_chats: string
  gap: string
  typing: string
}

const number = (text: string, each = 1) => (text.trim() === "" ? undefined : Math.round(Number(text) * each))
const text = (value: number | undefined, each = 1) => (value === undefined ? "" : String(value / each))

/** For a number that is new on the network: an old one may send faster. */
export const recommended: TypedPacing = { new_chats: "20", gap: "3", typing: "1.5" }

/** The pacing in a form; null where each field is empty. @throws ApiError `invalid_request` */
export function pacingIn({ new_chats, gap, typing }: TypedPacing): Pacing | null {
  const given = {
    new_chats_a_day: number(new_chats),
    gap_ms: number(gap, 1000),
    typing_ms: number(typing, 1000),
  }
  if (Object.values(given).every((value) => value === undefined)) return null
  const { data, error } = Pacing.safeParse(given)
  if (data) return data
  throw invalid([
    {
      path: String(error.issues[0]?.path[0] ?? ""),
      message: "not a number in the range that its field allows",
    },
  ])
}

function typedOf({ new_chats_a_day, gap_ms, typing_ms }: Pacing): TypedPacing {
  return { new_chats: text(new_chats_a_day), gap: text(gap_ms, 1000), typing: text(typing_ms, 1000) }
}

/**
 * How many chats the number may still begin today; undefined where nothing limits it, or its session does not
 * say.
 */
async function leftToday(bridge: Bridge.Info, { pacing }: Choices): Promise<number | undefined> {
  if (pacing?.new_chats_a_day === undefined) return undefined
  const knownState = await knownStateOf(bridge)
  return knownState.kind === "said" ? knownState.new_chats_left : undefined
}

function numberField(input: {
  name: keyof TypedPacing
  value: string
  label: string
  max: number
  step: string
  hint: string
  none: string
}): Html {
  const { label, hint, none, ...attributes } = input
  return field(label, { type: "number", min: 0, placeholder: none, ...attributes }, { hint })
}

const appearDaily =
  "Appear as available for five minutes a day, so that the phone does not take this device for inactive"

const fetchPages = "Fetch the page of a text's first link, and show its title and picture with the text"

/** The card with the pacing and the daily presence of a number. `typed`: a pacing that was refused. */
export async function sendingCard(
  bridge: Bridge.Info,
  choice: Choices,
  typed: TypedPacing = typedOf(choice.pacing ?? {}),
): Promise<Html> {
  const left = await leftToday(bridge, choice)
  const leftNow = left === undefined ? "" : ` ${left} are left today.`
  return html`<section class="card" id="sending">
    <header>
      <h2>Sending</h2>
      <p>
        Accounts that write to many strangers, or too fast, are restricted or banned. A message waits up to
        five seconds for its turn. If it would have to wait longer, or the day's new chats are used up, it is
        refused with <code>pacing</code> and not sent. Without a value there is no limit, which is how a
        number begins. For its first weeks ${recommended.new_chats} new chats a day are recommended,
        ${recommended.gap} seconds between two messages, and ${recommended.typing} of typing.
      </p>
    </header>
    <form method="post" action="/numbers/${bridge.customerRef}/settings/sending">
      ${numberField({
        name: "new_chats",
        value: typed.new_chats,
        label: "New chats a day",
        max: 10_000,
        step: "1",
        hint: `With people who have not written to this number.${leftNow}`,
        none: "no limit",
      })}
      ${numberField({
        name: "gap",
        value: typed.gap,
        label: "Seconds between two messages",
        max: 60,
        step: "0.1",
        hint: "Up to half as much is added at random.",
        none: "no pause",
      })}
      ${numberField({
        name: "typing",
        value: typed.typing,
        label: "Seconds of typing before a message",
        max: 3,
        step: "0.1",
        hint: "For so long people see that you are typing.",
        none: "no typing",
      })}
      <fieldset class="stack">
        <legend class="label">Presence and links</legend>
        ${checkbox("daily_presence", undefined, choice.daily_presence, appearDaily)}
        ${checkbox("link_previews", undefined, choice.link_previews, fetchPages)}
      </fieldset>
      <div class="row">
        <button class="button">Save</button>
        <button class="button" name="take" value="recommended">Save the recommended values</button>
      </div>
    </form>
  </section>`
}
