import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import { GroupId } from "#contract/field-types.ts"
import { Group, GroupWithMembers } from "#contract/group.ts"
import { ApiError } from "#core/error.ts"
import { askHost } from "#functions/api/ask-host.ts"
import { numberPage, toQuery } from "../answer.ts"
import { sentenceForPeople } from "../api-words.ts"
import { confirming, copyable, empty, facts, type Html, nextPage, note, buttonForm } from "../elements.ts"
import type { DashboardEnv } from "../guard.ts"
import { askSession, networkPatienceMs, notShown } from "../numbers/session-answer.ts"
import { ago } from "../times.ts"
import { chatName, type NameOf, namesOf, numberOf, pathOfChat } from "./chat-name.ts"

const perPage = 100

type Info = z.infer<typeof Group>

/** The groups that a number is in, and the members of each. Programs make and change them. */
export const groups = new Hono<DashboardEnv>()
  .get("/numbers/:ref/groups", async (c) => {
    const ref = c.var.bridge.customerRef
    const { after } = c.req.query()
    const path = `/groups?${toQuery({ limit: perPage, after })}`
    const said = await askSession(c, path, z.array(Group), networkPatienceMs)
    const body =
      said.problem === undefined ? listOf(ref, said.value) : notShown("The groups are", said.problem)
    return await numberPage(c, "groups", { title: `Groups of ${ref}`, body })
  })
  .get("/numbers/:ref/groups/:jid", async (c) => await show(c))
  .post("/numbers/:ref/groups/:jid/leave", async (c) => {
    const { bridge, requestId } = c.var
    const path = `${pathOf(c)}/leave`
    const { refusal } = await askHost({ method: "POST", path, bridgeId: bridge.id, requestId }, true)
    if (refusal) return await show(c, note("bad", sentenceForPeople(refusal.message)))
    return c.redirect(`/numbers/${bridge.customerRef}/groups`, 303)
  })

/** The session's path for the group. @throws ApiError `not_found`: no group has such an id */
function pathOf(c: Context<DashboardEnv>): string {
  const jid = GroupId.safeParse(c.req.param("jid"))
  if (!jid.success) throw new ApiError("not_found")
  return `/groups/${encodeURIComponent(jid.data)}`
}

function listOf(ref: string, all: Info[]): Html {
  const at = `/numbers/${ref}/groups`
  const last = all.length === perPage ? all.at(-1) : undefined
  return html`<section class="card flush" aria-label="Groups">
      ${
        all.length === 0
          ? empty({
              icon: "people",
              title: "No groups yet",
              about: html`This number is in no group. Create one with
                <a href="/api/docs#createGroup"><code>createGroup</code></a
                >.`,
            })
          : ""
      }
      <ul class="feed">
        ${all.map(
          (group) =>
            html`<li class="line">
              <div class="about whole">
                <a class="strong" href="${at}/${encodeURIComponent(group.jid)}"
                  ><bdi>${chatName(group.jid, group.name)}</bdi></a
                >
                ${group.is_community ? html`<span class="tag">community</span>` : ""}
                <div class="small muted"><bdi>${group.topic}</bdi></div>
              </div>
              <span class="small muted"
                >${group.participants} members${group.role === "" ? "" : `; you: ${group.role}`}</span
              >
            </li>`,
        )}
      </ul>
    </section>
    ${nextPage(last && `${at}?${toQuery({ after: last.jid })}`, "Further groups")}`
}

async function show(c: Context<DashboardEnv>, notice?: Html) {
  const ref = c.var.bridge.customerRef
  const said = await askSession(c, pathOf(c), GroupWithMembers, networkPatienceMs)
  const content =
    said.problem === undefined
      ? cards(ref, said.value, {
          mayChange: c.var.me.mayChange,
          nameOf: await namesOf(c, said.value.members.map(jidOf)),
        })
      : notShown("The group is", said.problem)
  const body = html`${notice ?? ""} ${content}`
  return await numberPage(c, "groups", { title: `Group of ${ref}`, body })
}

function cards(
  ref: string,
  group: z.infer<typeof GroupWithMembers>,
  { mayChange, nameOf }: { mayChange: boolean; nameOf: NameOf },
): Html {
  const at = `/numbers/${ref}/groups`
  return html`<section class="card">
      <header>
        <h2><bdi>${chatName(group.jid, group.name)}</bdi></h2>
        <p><a href="${at}">All groups</a></p>
      </header>
      ${group.topic === "" ? "" : html`<p><bdi>${group.topic}</bdi></p>`}
      ${facts([
        ["Id, for programs", copyable(group.jid)],
        ["Made", ago(group.created * 1000)],
        ["Here as", group.role || "nobody: it is not in the group"],
      ])}
      <div class="row">
        <a class="button" href="${pathOfChat(ref, group.jid)}">Open its chat</a>
      </div>
      ${
        mayChange && group.role !== ""
          ? confirming({
              label: "Leave this group",
              about: "Only somebody in it can add this number again.",
              act: buttonForm({
                action: `${at}/${encodeURIComponent(group.jid)}/leave`,
                label: "Leave it now",
                kind: "danger",
              }),
              kind: "danger",
            })
          : ""
      }
    </section>
    <section class="card flush">
      <header><h2>${group.members.length} members</h2></header>
      <ul class="feed">
        ${group.members.map(
          (member) =>
            html`<li class="line">
              <span class="about">${named(jidOf(member), nameOf)}</span>
              ${member.role === "member" ? "" : html`<span class="tag">${member.role}</span>`}
            </li>`,
        )}
      </ul>
    </section>`
}

/** A member as its chat is called: by the phone, where the group does not hide it. */
function jidOf({ jid, phone }: { jid: string; phone: string }): string {
  return phone === "" ? jid : `${phone}@s.whatsapp.net`
}

/** A name is chosen by its owner: the number stands beside it. */
function named(jid: string, nameOf: NameOf): Html {
  const [name, number] = [nameOf(jid), numberOf(jid)]
  return html`<bdi>${name}</bdi> ${name === number ? "" : html`<span class="small muted">${number}</span>`}`
}
