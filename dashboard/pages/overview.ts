import { html } from "hono/html"
import { copyable, type Html, note, press, time } from "../elements.ts"
import { numberHead } from "../layout.ts"
import { type Receiving, receiverLine } from "../numbers/receiver.ts"
import { type Evidence, evidenceLine, placeOf, tell } from "../numbers/state.ts"

interface Shown {
  ref: string
  id: string
  isSandbox: boolean
  createdMs: number
  evidence: Evidence
  receiving: Receiving
  mayChange: boolean
  nowMs: number
}

/** One number: how it stands, by whose word, and what to do about it. */
export function overview(input: Shown): Html {
  return html`${numberHead({ ...input, tab: "overview" })}
    <div class="columns" data-stream="/numbers/${input.ref}/stream">
      ${stateCard(input)} ${receiverCard(input)}
    </div>
    <section class="card">
      <h2>For the API</h2>
      <dl class="facts">
        <dt>customer_ref</dt>
        <dd>${copyable(input.ref)}</dd>
        <dt>id</dt>
        <dd>${copyable(input.id)}</dd>
        <dt>Created</dt>
        <dd>${time(input.createdMs)}</dd>
      </dl>
    </section>`
}

/** The session's state, as the stream sends it again. */
export function stateCard({ ref, evidence, mayChange, nowMs }: Shown): Html {
  const { action } = tell(evidence)
  const said = evidence.kind === "said" ? evidence : undefined
  return html`<section class="card" id="state-card">
    <h2>Session</h2>
    ${evidenceLine(evidence, nowMs)}
    ${
      said && said.phone !== ""
        ? html`<dl class="facts">
            <dt>Phone</dt>
            <dd>${copyable(`+${said.phone}`)}</dd>
            ${
              said.name === ""
                ? ""
                : html`<dt>Name</dt>
                    <dd>${said.name}</dd>`
            }
          </dl>`
        : ""
    }
    ${!mayChange ? "" : actionOf(ref, action)}
  </section>`
}

function actionOf(ref: string, action: ReturnType<typeof tell>["action"]): Html | string {
  if (!action) return ""
  if (action.to === "take-back")
    return press({ action: `/numbers/${ref}/restart`, label: action.label, kind: "main" })
  const label = action.to === "connect" ? "Connect a phone" : action.label
  return html`<div class="row">
    <a class="button main" href="${placeOf(`/numbers/${ref}`, action.to)}">${label}</a>
  </div>`
}

/** How events get through, as the stream sends it again. */
export function receiverCard({ ref, receiving, nowMs }: Shown): Html {
  return html`<section class="card" id="receiver-card">
    <h2>Receiver</h2>
    <div>${receiverLine(receiving, nowMs)}</div>
    ${
      receiving.url === ""
        ? note(
            "info",
            html`Its events stay here for 30 days. Give it a webhook in the
              <a href="/numbers/${ref}/settings">settings</a>.`,
          )
        : html`<p class="mono">${receiving.url}</p>
            <div class="row"><a class="button" href="/numbers/${ref}/deliveries">Deliveries</a></div>`
    }
  </section>`
}
