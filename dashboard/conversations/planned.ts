import { type Context, Hono } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import { Job, listPlanned, PlannedSend } from "#contract/planned.ts"
import { askHost } from "#functions/api/ask-host.ts"
import { numberPage, toQuery } from "../answer.ts"
import { sentenceForPeople } from "../api-words.ts"
import { did } from "../audit-log.ts"
import { buttonForm, confirming, empty, type Html, nextPage, note, removing } from "../elements.ts"
import type { DashboardEnv } from "../guard.ts"
import { askSession, networkPatienceMs, notShown } from "../numbers/session-answer.ts"
import { time } from "../times.ts"

const perPage = 100

const Asked = z.object({
  after: listPlanned.request.query.shape.after.catch(undefined),
  job: listPlanned.request.query.shape.job.catch(undefined),
})

type Planned = z.infer<typeof PlannedSend>
type AJob = z.infer<typeof Job>

/** What a number is to send later, and its jobs. Programs plan; here people look, and stop. */
export const planned = new Hono<DashboardEnv>()
  .get("/numbers/:ref/planned", async (c) => await show(c))
  .post("/numbers/:ref/planned/:id/cancel", async (c) => {
    const problem = await change(c, "DELETE", `/planned/${encodeURIComponent(c.req.param("id"))}`)
    return problem ? await show(c, problem) : c.redirect(`/numbers/${c.var.bridge.customerRef}/planned`, 303)
  })
  .post("/numbers/:ref/jobs/:id/:act", async (c) => {
    const state = { pause: "paused", resume: "running", stop: "stopped" }[c.req.param("act")]
    const path = `/jobs/${encodeURIComponent(c.req.param("id"))}`
    const problem = state === undefined ? undefined : await change(c, "PATCH", path, { state })
    return problem ? await show(c, problem) : c.redirect(`/numbers/${c.var.bridge.customerRef}/planned`, 303)
  })

/** @returns the note that says why it was not done */
async function change(
  c: Context<DashboardEnv>,
  method: "DELETE" | "PATCH",
  path: string,
  body?: object,
): Promise<Html | undefined> {
  const { bridge, requestId } = c.var
  const call = { method, path, bridgeId: bridge.id, requestId, ...(body && { body: JSON.stringify(body) }) }
  const { refusal } = await askHost(call, true)
  if (refusal) return note("bad", sentenceForPeople(refusal.message))
  await did(c, "plans_changed", bridge.customerRef)
  return undefined
}

async function show(c: Context<DashboardEnv>, notice?: Html) {
  const { bridge, me } = c.var
  const { after, job } = Asked.parse(c.req.query())
  const [jobs, list] = await Promise.all([
    askSession(c, "/jobs", z.array(Job), networkPatienceMs),
    askSession(
      c,
      `/planned?${toQuery({ limit: perPage, after, job })}`,
      z.array(PlannedSend),
      networkPatienceMs,
    ),
  ])
  const at = `/numbers/${bridge.customerRef}`
  const next = list.problem === undefined ? list.next : undefined
  const body = html`${notice ?? ""}
  ${jobs.problem === undefined ? jobsCard(at, jobs.value, me.mayChange) : notShown("The jobs are", jobs.problem)}
  ${
    list.problem === undefined
      ? listCard(at, list.value, { job, mayChange: me.mayChange })
      : notShown("What is planned is", list.problem)
  }
  ${nextPage(next && `${at}/planned?${toQuery({ after: next, job })}`, "Later messages")}`
  return await numberPage(c, "planned", { title: `Planned by ${bridge.customerRef}`, body })
}

function jobsCard(at: string, jobs: AJob[], mayChange: boolean): Html | string {
  if (jobs.length === 0) return ""
  return html`<section class="card flush">
    <header><h2>Jobs</h2></header>
    <ul class="feed">
      ${jobs.map((job) => jobItem(at, job, mayChange))}
    </ul>
  </section>`
}

function jobItem(at: string, job: AJob, mayChange: boolean): Html {
  const isOpen = job.state === "running" || job.state === "paused"
  const path = `${at}/jobs/${job.id}`
  const begins =
    job.sent + job.failed === 0 && job.state === "running" ? html`, begins ${time(job.send_at * 1000)}` : ""
  return html`<li class="line">
    <div class="about whole">
      <a class="strong" href="${at}/planned?job=${job.id}"><bdi>${job.name || job.text}</bdi></a>
      <span class="tag">${job.state}</span>
      <div class="small muted"><bdi>${job.text}</bdi></div>
      <label class="small"
        ><progress max="${job.total}" value="${job.total - job.left}"></progress> ${job.sent} of ${job.total}
        sent, ${job.failed} failed, ${job.left} left${begins}</label
      >
      ${job.reason === undefined ? "" : html`<div class="small">${sentenceForPeople(job.reason)}</div>`}
    </div>
    ${
      isOpen && mayChange
        ? html`<div class="row">
            ${
              job.state === "running"
                ? buttonForm({ action: `${path}/pause`, label: "Pause", kind: "slim" })
                : buttonForm({ action: `${path}/resume`, label: "Go on", kind: "slim" })
            }
            ${confirming({
              label: "Stop",
              about: "What is left is never sent.",
              act: buttonForm({ action: `${path}/stop`, label: "Stop it for good", kind: "danger slim" }),
              kind: "danger slim",
            })}
          </div>`
        : ""
    }
  </li>`
}

function listCard(
  at: string,
  all: Planned[],
  { job, mayChange }: { job: string | undefined; mayChange: boolean },
): Html {
  if (all.length === 0)
    return empty({
      isCard: true,
      icon: "send",
      title: "Nothing is planned",
      about: html`A program sends later with <code>send_at</code>, and to many with
        <a href="/api/docs#createJob"><code>createJob</code></a
        >.`,
    })
  return html`<section class="card flush">
    <header>
      <h2>${job === undefined ? "Messages to be sent" : "What the job has left"}</h2>
      ${job === undefined ? "" : html`<p><a href="${at}/planned">All that is planned</a></p>`}
    </header>
    <ul class="feed">
      ${all.map(
        (one) =>
          html`<li class="line">
            <div class="about whole">
              <span class="strong"><bdi>${one.chat || "a status"}</bdi></span>
              <span class="small muted">${time(one.send_at * 1000)}</span>
              <div class="small"><bdi>${one.text || one.kind}</bdi></div>
            </div>
            ${
              mayChange
                ? removing({
                    does: ["Cancel", "it"],
                    name: `the message to ${one.chat || "all"}`,
                    about: "It is not sent.",
                    action: `${at}/planned/${one.id}/cancel`,
                  })
                : ""
            }
          </li>`,
      )}
    </ul>
  </section>`
}
