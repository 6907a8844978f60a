import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { ApiKey } from "#core/account/api-key.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { ApiError } from "#core/error.ts"
import { now } from "#core/platform/clock.ts"
import { makeKey } from "#functions/api/account.ts"
import { originOf } from "#functions/http/address.ts"
import { headedPage } from "./answer.ts"
import { sentenceForPeople } from "./api-words.ts"
import { did } from "./audit-log.ts"
import {
  buttonForm,
  codeBlock,
  cardTable,
  confirming,
  empty,
  type Html,
  note,
  removing,
  selectField,
  field,
} from "./elements.ts"
import { nameIn, textsOf } from "./form.ts"
import { freshOnly, takeDraft, unlessFresh } from "./fresh-sign-in.ts"
import { askOwners, type DashboardEnv, viewerRefusal } from "./guard.ts"
import { rightsFields, rightsInWords, rightsOf, typedRights } from "./key-rights.ts"
import { ago, until } from "./times.ts"

/** The account's API keys. */
export const keys = new Hono<DashboardEnv>()
  .get("/keys", async (c) => await show(c))
  .post("/keys", async (c) => {
    const typed = typedIn(await c.req.parseBody({ all: true }))
    const again = unlessFresh(c, "/keys", typed)
    if (again) return again
    try {
      const name = nameIn(typed.name)
      const by = { email: c.var.me.person.email }
      const days = lives.find(([value]) => value === typed.days)?.[0] ?? ""
      const expiresAt = days === "" ? undefined : now() + Number(days) * 86_400
      const rights = rightsOf(typed)
      const { key } = await makeKey(c.var.accountId, { name, rights, by, expiresAt })
      await did(c, "key_created", name)
      return await show(c, { fresh: key })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // Only the number can be missing here.
      const isGone = error.code === "not_found"
      const problem = isGone
        ? "This number is not there any more: choose another one."
        : sentenceForPeople(error.message)
      return await show(c, { problem, typed }, error.status)
    }
  })
  .post(
    "/keys/:id/replace",
    freshOnly(() => "/keys"),
    async (c) => {
      const { accountId, me } = c.var
      const keyId = c.req.param("id") ?? ""
      const named = (await ApiKey.list(accountId)).find((one) => one.keyId === keyId)?.name
      const fresh = await ApiKey.replace(accountId, keyId, { email: me.person.email })
      await did(c, "key_replaced", named || keyId)
      const notice = "The key that it replaces works for a day more, and then ends by itself."
      return await show(c, { fresh, notice })
    },
  )
  .post("/keys/:id/revoke", async (c) => {
    const keyId = c.req.param("id")
    const named = (await ApiKey.list(c.var.accountId)).find((one) => one.keyId === keyId)?.name
    if (!(await ApiKey.revoke(c.var.accountId, keyId))) return c.redirect("/keys", 303)
    await did(c, "key_revoked", named || keyId)
    return await show(c, { notice: "The key is revoked: programs that use it are refused from now on." })
  })

interface Shown {
  /** A key that was just made. It is shown this once. */
  fresh?: string
  problem?: string
  notice?: string
  /** The form as it was typed, before a refusal. */
  typed?: Typed
}

type Typed = ReturnType<typeof typedIn>

function typedIn(form: Record<string, unknown>) {
  return { ...textsOf(form, "name", "days"), ...typedRights(form) }
}

/** For how many days a key works. */
const lives = [
  ["", "until it is revoked"],
  ["7", "for 7 days"],
  ["30", "for 30 days"],
  ["90", "for 90 days"],
  ["365", "for a year"],
] as const

async function show(c: Context<DashboardEnv>, shown: Shown = {}, status?: ApiError["status"]) {
  const { accountId } = c.var
  const { mayChange } = c.var.me
  const { fresh, problem, notice } = shown
  const draft = takeDraft(c)
  const typed = shown.typed ?? typedIn(Object.fromEntries(draft))
  const [all, bridges] = await Promise.all([ApiKey.list(accountId), Bridge.list(accountId)])
  const numbers = bridges.filter(Bridge.isVisible)
  const newestFirst = all.toSorted((a, b) => b.createdAt - a.createdAt)
  const about = html`Programs call the API with a key: <code>Authorization: Bearer …</code> Give each program
    one of its own, with no more rights than it needs.`
  const none = {
    isCard: true,
    icon: "key",
    title: "No key yet",
    about: "Create one to call the API.",
  } as const
  const body = html`${problem === undefined ? "" : note("bad", problem)}
  ${notice === undefined ? "" : note("good", notice)} ${fresh === undefined ? "" : newKey(fresh, originOf(c))}
  ${unusedNote(all)} ${mayChange ? keyForm(numbers, typed) : note("info", await askOwners(c, viewerRefusal))}
  ${all.length === 0 ? empty(none) : list(newestFirst, mayChange)}`
  return await headedPage(c, { title: "API keys", about, place: "keys", body, status })
}

function newKey(key: string, baseUrl: string): Html {
  return html`<section class="card">
    ${note("good", html`<b>This is your new key.</b> Copy it now: it is not shown again.`)}
    ${codeBlock(key, "The new key")}
    <p class="small muted">Try it:</p>
    ${codeBlock(`curl ${baseUrl}/api/instances -H "Authorization: Bearer ${key}"`, "A call with the new key")}
  </section>`
}

function keyForm(numbers: Bridge.Info[], typed: Typed): Html {
  return html`<form class="card inline" method="post" action="/keys">
    ${field(
      "Name of a new key",
      {
        name: "name",
        maxlength: 128,
        value: typed.name,
        required: true,
        placeholder: "Which program is it for?",
      },
      { width: "roomy" },
    )}
    ${rightsFields(numbers, typed)}
    ${selectField({ name: "days", label: "How long it works", choices: lives, chosen: typed.days })}
    <button class="button main">Create a key</button>
  </form>`
}

function list(keys: ApiKey.Info[], mayChange: boolean): Html {
  return html`<div class="card flush">
    ${cardTable({
      label: "API keys",
      heads: ["Name", "Permissions", "Last used", "Created", "Expires"],
      rows: keys.map(
        (key) =>
          html`<tr>
            <td>
              <bdi class="strong">${key.name === "" ? "without a name" : key.name}</bdi>
              <div class="small muted mono">mbk_${key.keyId}_…</div>
            </td>
            <td data-label="Permissions">${rightsInWords(key)}</td>
            <td data-label="Last used">${usedWhen(key)}</td>
            <td data-label="Created">
              ${ago(key.createdAt * 1000)}
              ${key.createdBy === undefined ? "" : html`<div class="small muted">by <bdi>${makerOf(key.createdBy, keys)}</bdi></div>`}
            </td>
            <td data-label="Expires">${endOf(key)}</td>
            <td class="end">${mayChange ? html`${replacing(key)} ${revoking(key)}` : ""}</td>
          </tr>`,
      ),
      does: true,
    })}
  </div>`
}

/** A use is recorded once an hour. */
function usedWhen({ lastUsedAt }: ApiKey.Info): Html | string {
  if (lastUsedAt === undefined) return html`<span class="muted">never</span>`
  return now() - lastUsedAt < 3600 ? "within the last hour" : ago(lastUsedAt * 1000)
}

function endOf({ expiresAt }: ApiKey.Info): Html | string {
  if (expiresAt === undefined) return html`<span class="muted">never</span>`
  if (expiresAt <= now()) return html`<span class="state bad">Expired</span>`
  return html`in ${until(expiresAt * 1000)}`
}

/** By whom a key was made: a person's address, or the name of another key. */
export function makerOf(createdBy: string, keys: ApiKey.Info[]): string {
  const maker = keys.find(({ keyId }) => keyId === createdBy)
  return maker ? `the key ${maker.name || maker.keyId}` : createdBy
}

/** For how long a key is not used until the page names it, in seconds. */
const unusedAfter = 30 * 86_400

/** Names the keys that nothing uses: who finds one of them could. */
function unusedNote(keys: ApiKey.Info[]): Html | string {
  const unused = keys.filter(
    ({ lastUsedAt, createdAt, expiresAt = Infinity }) =>
      expiresAt > now() && (lastUsedAt ?? createdAt) < now() - unusedAfter,
  )
  if (unused.length === 0) return ""
  const names = unused.map(
    ({ name, keyId }, i) => html`${i === 0 ? "" : ", "}<b><bdi>${name || keyId}</bdi></b>`,
  )
  const words = unused.length === 1 ? "One key was" : `${unused.length} keys were`
  return note("warn", html`${words} not used for 30 days: ${names}. Revoke what no program needs.`)
}

function replacing({ keyId, name, expiresAt = Infinity }: ApiKey.Info): Html | string {
  if (expiresAt <= now()) return ""
  const about =
    "Makes a new key with the same rights. This one works for a day more, and then ends by itself."
  return confirming({
    label: html`Replace<span class="hidden"> ${name}</span>`,
    about,
    act: buttonForm({ action: `/keys/${keyId}/replace`, label: "Replace it now", kind: "slim" }),
    kind: "slim",
  })
}

/** The button that revokes a key, which cannot be undone. */
function revoking({ keyId, name }: ApiKey.Info): Html {
  return removing({
    does: ["Revoke", "it"],
    name,
    about: "Programs that use it are refused. The keys that it made end with it.",
    action: `/keys/${keyId}/revoke`,
  })
}
