import { html } from "hono/html"
import type { Member } from "#core/account/member.ts"
import { type Html, options, buttonForm, removing, selectField, field, longestEmail } from "../elements.ts"
import { until } from "../times.ts"

// The parts of an account's page that are about its people. `draft`: what was typed before a sign-in that a
// form needed.

export const nonOwnerRefusal = "Only owners invite and remove people, and change their roles"

/** The fields of the forms that need a fresh sign-in. People find them filled in when they come back. */
export const draftFields: Record<string, string[]> = { invite: ["email", "role"], role: ["person", "as"] }

/**
 * The mail to a person who is invited. `name`: the account's public name, if it has one; it is not in the
 * text, where a mail program would make a link of a name that looks like an address. `link`: undefined where
 * the dashboard's address is not known.
 */
export function invitationMail(
  to: string,
  input: { by: string; name: string | undefined; role: Member.Role; link: string | undefined },
) {
  const { by, name, role, link } = input
  const how =
    link === undefined
      ? "Sign in with this address, and choose within a week whether you join."
      : `Open this link within a week, and choose whether you join: ${link}`
  const text = `${by} invites you to an account of the messaging bridge, as ${role}. ${how}`
  return { to, subject: `${by} invites you${name === undefined ? "" : ` to ${name}`}`, text }
}

/** The people of an account, and those who are invited. */
export function membersCard(input: {
  members: Member.Info[]
  invitations: Pick<Member.Invitation, "email" | "role" | "expiresAt">[]
  isOwner: boolean
  /** Who looks at it. */
  personId: string
  draft: URLSearchParams
}): Html {
  const { members, invitations, isOwner, draft } = input
  return html`<section class="card flush">
    <header><h2>People</h2></header>
    <ul class="feed names people">
      ${members.map(
        (one) =>
          html`<li class="line">
            <span class="about">${one.email}${one.personId === input.personId ? " (you)" : ""}</span>
            ${isOwner && one.personId !== input.personId ? roleForm(one, draft) : html`<span class="tag">${one.role}</span>`}
            ${isOwner && one.personId !== input.personId ? removingMember(one) : html`<span></span>`}
          </li>`,
      )}
      ${invitations.map(
        (one) =>
          html`<li class="line">
            <span class="about muted">${one.email}, invited; expires in ${until(one.expiresAt * 1000)}</span>
            <span class="tag">${one.role}</span>
            ${isOwner ? buttonForm({ action: "/account/withdraw", label: html`Withdraw<span class="hidden"> ${one.email}</span>`, kind: "slim", fields: { email: one.email } }) : html`<span></span>`}
          </li>`,
      )}
    </ul>
    ${isOwner ? inviting(draft) : ""}
  </section>`
}

function removingMember({ personId, email }: Member.Info): Html {
  return removing({
    does: ["Remove", "them"],
    name: email,
    about: "They see this account no more, until somebody invites them again.",
    action: "/account/remove",
    fields: { person: personId },
  })
}

const roles = [
  ["member", "Member: numbers, webhooks and keys"],
  ["owner", "Owner: people, billing and audit log, too"],
  ["viewer", "Viewer: looks, without secrets"],
] as const

/** The form that invites a person. */
function inviting(draft: URLSearchParams): Html {
  return html`<form class="inline foot" method="post" action="/account/invite">
    ${field("Invite somebody", {
      name: "email",
      type: "email",
      required: true,
      maxlength: longestEmail,
      value: draft.get("email") ?? "",
      placeholder: "them@example.com",
    })}
    ${selectField({ name: "role", label: "As", choices: roles, chosen: draft.get("role") ?? undefined, width: "roomy" })}
    <button class="button main">Invite</button>
  </form>`
}

/**
 * The form for another member's role. No member changes their own: an owner who gave theirs away could not
 * take it back.
 */
function roleForm({ personId, email, role }: Member.Info, draft: URLSearchParams): Html {
  const chosen = (draft.get("person") === personId && draft.get("as")) || role
  return html`<form class="press row" method="post" action="/account/role">
    <input type="hidden" name="person" value="${personId}" />
    <select name="as" aria-label="Role of ${email}">
      ${options(
        roles.map(([role]) => [role, role]),
        chosen,
      )}
    </select>
    <button class="button slim">Change<span class="hidden"> the role of ${email}</span></button>
  </form>`
}
